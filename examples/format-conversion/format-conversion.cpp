// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Every matrix format can be made of every other by copy_from(), on the executor where the matrix lives. Conversions there
// and back give the same entries, and all formats the same product.
// usage: format-conversion [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using csr = spruce::matrix::Csr<value_type, index_type>;

/// Converts to a format and back, and multiplies in it; whether all went well.
template <typename Format>
bool try_format(const char* name, const csr& a, const data_type& data)
{
    const auto exec = a.get_executor();
    const auto converted = Format::create(exec);
    converted->copy_from(&a);
    const auto back = csr::create(exec);
    back->copy_from(converted);

    const auto b = wave(exec, data.size[1]);
    const auto x = vector::create(exec, spruce::dim<2>(data.size[0], 1));
    converted->apply(b, x);

    data_type entries;
    back->write(entries);
    const auto same = entries.size == data.size && entries.nonzeros == data.nonzeros;
    const auto error = relative_error(data, *b, *x);
    std::cout << name << ": entries " << (same ? "the same" : "CHANGED") << ", error of the product " << error << "\n";
    return same && error < 1e-14;
}

int convert(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(20);
    const auto a = csr::create(exec);
    a->read(data);

    bool good = try_format<csr>("Csr", *a, data);
    good = try_format<spruce::matrix::Coo<value_type, index_type>>("Coo", *a, data) && good;
    good = try_format<spruce::matrix::Dense<value_type>>("Dense", *a, data) && good;
    return conclude(good);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, convert); }
