// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Sends events to loggers by event number.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

using gko::log::Logger;

struct Counter : Logger {
    explicit Counter(mask_type mask) : Logger{mask} {}
    void on_allocation_started(const gko::Executor*, const gko::size_type& num_bytes) const override
    {
        allocated += num_bytes;
    }
    void on_copy_started(const gko::Executor*, const gko::Executor*, const gko::uintptr&, const gko::uintptr&,
                         const gko::size_type&) const override
    {
        ++copies;
    }
    mutable gko::size_type allocated{};
    mutable int copies{};
};

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto record = gko::log::Record::create();
    const Counter counter{Logger::allocation_started_mask};

    record->on<Logger::allocation_started>(exec.get(), gko::size_type{8});
    counter.on<Logger::allocation_started>(exec.get(), gko::size_type{8});
    counter.on<Logger::copy_started>(exec.get(), exec.get(), gko::uintptr{}, gko::uintptr{}, gko::size_type{1});

    print("events that Record holds", record->get().allocation_started.size());
    print("bytes of the first", record->get().allocation_started.at(0)->num_bytes);
    print("bytes that the handler of an application got", counter.allocated);
    print("calls of a handler whose event the mask does not have", counter.copies);
    return exit_status();
}
