// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/permutation.hpp>
#include <spruce/matrix/scaled_permutation.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "benchmark/errors.hpp"
#include "benchmark/permuted_entries.hpp"
#include "benchmark/zoo/operations.hpp"

namespace spruce::bench::zoo {
namespace {

/// Returns the number of scalar multiplications in the product a a.
template <typename V, typename I>
double count_products(const matrix::Csr<V, I>& a)
{
    const auto host = clone(a.get_executor()->get_master(), &a);
    const auto row_ptrs = host->get_const_row_ptrs();
    const auto cols = host->get_const_col_idxs();
    double num = 0;
    for (size_type nz = 0; nz < host->get_num_stored_elements(); ++nz) {
        num += static_cast<double>(row_ptrs[cols[nz] + 1] - row_ptrs[cols[nz]]);
    }
    return num;
}

}  // namespace

template <typename V, typename I>
void visit_algebra(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit)
{
    using matrix::permute_mode;
    const auto exec = a->get_executor();
    const byte_counts<V, I> count{*a};
    const auto size = a->get_size();
    const auto alpha = filled<V>(exec, 1, 1);
    const auto beta = filled<V>(exec, 1, 1, V(0.5));

    visit.visit("csr scale_add", [&] { return operation{3 * count.csr(), [=] { a->scale_add(alpha, beta, a); }, {}}; });
    visit.visit("csr add_scaled_identity", [&] {
        const auto copy = share(clone(a));
        try {
            copy->add_scaled_identity(alpha, beta);
        } catch (const Error& error) {
            throw case_skipped(message_of(error));  // an entry of the diagonal is not stored
        }
        return operation{count.pattern() + 2 * count.values(), [=] { copy->add_scaled_identity(alpha, beta); }, {}};
    });
    if (size[0] == size[1]) {
        visit.visit("csr multiply", [&] {
            constexpr double max_products = 2e9;
            const auto num_products = count_products(*a);
            if (num_products > max_products) {
                throw case_skipped("the product is too large");
            }
            const auto result = a->multiply(a);
            // Each product reads an entry of b, which may be in a cache: a bound for the matrices
            // and the products together.
            const auto bytes = 2 * count.csr() + byte_counts<V, I>{*result}.csr() +
                               num_products * static_cast<double>(sizeof(V) + sizeof(I));
            return operation{bytes, [=] { a->multiply(a); }, {}};
        });
        visit.visit("csr permute symmetric", [&] {
            const auto order = share(matrix::Permutation<I>::create(exec, scattered_order<I>(exec, size[0])));
            return operation{2 * count.csr(), [=] { a->permute(order, permute_mode::symmetric); }, {}};
        });
        visit.visit("csr sparsity to_adjacency_matrix", [&] {
            const auto pattern = share(matrix::SparsityCsr<V, I>::create(exec));
            a->convert_to(pattern);
            return operation{2 * count.pattern(), [=] { pattern->to_adjacency_matrix(); }, {}};
        });
    }
    visit.visit("csr permute rows", [&] {
        const auto order = share(matrix::Permutation<I>::create(exec, scattered_order<I>(exec, size[0])));
        return operation{2 * count.csr(), [=] { a->permute(order, permute_mode::rows); }, {}};
    });
    visit.visit("csr permute columns", [&] {
        const auto order = share(matrix::Permutation<I>::create(exec, scattered_order<I>(exec, size[1])));
        return operation{2 * count.csr(), [=] { a->permute(order, permute_mode::columns); }, {}};
    });
    visit.visit("csr scale_permute rows", [&] {
        const auto order = matrix::Permutation<I>::create(exec, scattered_order<I>(exec, size[0]));
        const auto scaled = share(matrix::ScaledPermutation<V, I>::create(order));
        return operation{2 * count.csr(), [=] { a->scale_permute(scaled, permute_mode::rows); }, {}};
    });
    visit.visit("csr submatrix, half of each side", [&] {
        const span rows{size[0] / 4, size[0] / 4 + (size[0] + 1) / 2};
        const span cols{size[1] / 4, size[1] / 4 + (size[1] + 1) / 2};
        return operation{count.csr(), [=] { a->create_submatrix(rows, cols); }, {}};
    });
    visit.visit("diagonal apply to csr", [&] {
        const auto diagonal = share(matrix::Diagonal<V>::create(exec, size[0]));
        const auto values = filled<V>(exec, size[0], 1);
        exec->copy(size[0], values->get_const_values(), diagonal->get_values());
        const auto result = share(clone(a));
        diagonal->apply(a, result);
        return operation{2 * count.csr() + count.rows * sizeof(V), [=] { diagonal->apply(a, result); }, {}};
    });
    visit.visit("diagonal rapply to csr", [&] {
        const auto diagonal = share(matrix::Diagonal<V>::create(exec, size[1]));
        const auto values = filled<V>(exec, size[1], 1);
        exec->copy(size[1], values->get_const_values(), diagonal->get_values());
        const auto result = share(clone(a));
        diagonal->rapply(a, result);
        return operation{2 * count.csr() + count.cols * sizeof(V), [=] { diagonal->rapply(a, result); }, {}};
    });
}

#define SPRUCE_INSTANTIATE_VISIT_ALGEBRA(V, I) \
    void visit_algebra(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit)
SPRUCE_INSTANTIATE_FOR_EACH_ZOO_TYPE(SPRUCE_INSTANTIATE_VISIT_ALGEBRA);

}  // namespace spruce::bench::zoo
