// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Converts matrices between formats. The function copy_from() converts any format to any other one,
// on the executor of the matrix. A conversion to a format and back preserves the entries, and all
// formats give equal products. There are two exceptions: Fbcsr stores missing entries of its blocks
// as zeros, and SparsityCsr stores one value for all entries.
// usage: format-conversion [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using csr = spruce::matrix::Csr<value_type, index_type>;

/// Converts to a format and back, and multiplies in it. Returns true if the entries and the product
/// are correct.
template <typename Format>
bool try_format(const char* name, const csr& a, const data_type& data, std::unique_ptr<Format> converted)
{
    const auto exec = a.get_executor();
    converted->copy_from(&a);
    const auto back = csr::create(exec);
    back->copy_from(converted);

    const auto b = wave(exec, data.size[1]);
    const auto x = vector::create(exec, spruce::dim<2>(data.size[0], 1));
    converted->apply(b, x);

    data_type entries;
    back->write(entries);
    entries.remove_zeros();  // from blocks
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

    bool good = try_format("Csr", *a, data, csr::create(exec));
    good = try_format("Coo", *a, data, spruce::matrix::Coo<value_type, index_type>::create(exec)) && good;
    good = try_format("Ell", *a, data, spruce::matrix::Ell<value_type, index_type>::create(exec)) && good;
    good = try_format("Sellp", *a, data, spruce::matrix::Sellp<value_type, index_type>::create(exec)) && good;
    good = try_format("Hybrid", *a, data, spruce::matrix::Hybrid<value_type, index_type>::create(exec)) && good;
    good = try_format("Fbcsr", *a, data, spruce::matrix::Fbcsr<value_type, index_type>::create(exec, 2)) && good;
    good = try_format("Dense", *a, data, spruce::matrix::Dense<value_type>::create(exec)) && good;

    // SparsityCsr keeps only the pattern, so the entries are set to one.
    auto pattern = data;
    for (auto& entry : pattern.nonzeros) {
        entry.value = 1.0;
    }
    const auto ones = csr::create(exec);
    ones->read(pattern);
    using sparsity = spruce::matrix::SparsityCsr<value_type, index_type>;
    good = try_format("SparsityCsr", *ones, pattern, sparsity::create(exec)) && good;
    return conclude(good);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, convert); }
