// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/abstract_factory.hpp>

namespace spruce::detail {

void deferred_parameters::defer(const char* name, resolver resolve)
{
    for (auto& [known, old] : deferred_) {
        if (known == name) {
            old = std::move(resolve);
            return;
        }
    }
    deferred_.emplace_back(name, std::move(resolve));
}

void deferred_parameters::resolve(const std::shared_ptr<const Executor>& exec, void* parameters) const
{
    for (const auto& [name, resolve] : deferred_) {
        resolve(exec, parameters);
    }
}

}  // namespace spruce::detail
