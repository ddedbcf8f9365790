// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "benchmark/zoo/operations.hpp"

namespace spruce::bench::zoo {
namespace {

/// Returns the entries of a matrix, or those of its transpose in the same order.
template <typename V, typename I>
std::shared_ptr<device_matrix_data<V, I>> triples_of(const matrix::Csr<V, I>& a, bool is_transposed)
{
    const auto exec = a.get_executor();
    const auto coo = matrix::Coo<V, I>::create(exec);
    a.convert_to(coo);
    const auto nnz = coo->get_num_stored_elements();
    const auto size = is_transposed ? transpose(a.get_size()) : a.get_size();
    auto result = std::make_shared<device_matrix_data<V, I>>(exec, size, nnz);
    exec->copy(nnz, is_transposed ? coo->get_const_col_idxs() : coo->get_const_row_idxs(), result->get_row_idxs());
    exec->copy(nnz, is_transposed ? coo->get_const_row_idxs() : coo->get_const_col_idxs(), result->get_col_idxs());
    exec->copy(nnz, coo->get_const_values(), result->get_values());
    return result;
}

/// Visits the conversions to and from a format, and what the format offers besides.
template <typename Format, typename V, typename I>
void visit_format(const std::string& name, std::shared_ptr<const matrix::Csr<V, I>> a, bool is_padded, double bytes,
                  const std::function<std::shared_ptr<Format>()>& create, const visitor& visit)
{
    const byte_counts<V, I> count{*a};
    const auto exec = a->get_executor();
    const auto convert = [&] {
        if (is_padded) {
            require_little_padding<Format>(*a);
        }
        auto result = create();
        a->convert_to(result);
        return result;
    };
    visit.visit("csr -> " + name, [&] {
        const auto result = convert();
        return operation{count.csr() + bytes, [=] { a->convert_to(result); }, {}};
    });
    visit.visit(name + " -> csr", [&] {
        const auto source = convert();
        const auto result = share(matrix::Csr<V, I>::create(exec));
        source->convert_to(result);
        return operation{count.csr() + bytes, [=] { source->convert_to(result); }, {}};
    });
    if constexpr (std::is_base_of_v<DiagonalExtractable<V>, Format>) {
        visit.visit(name + " extract_diagonal", [&] {
            const auto source = convert();
            return operation{bytes, [=] { source->extract_diagonal(); }, {}};
        });
    }
    if constexpr (std::is_base_of_v<Transposable, Format>) {
        visit.visit(name + " transpose", [&] {
            if (is_padded) {
                require_little_padding<Format>(*as<matrix::Csr<V, I>>(share(a->transpose())));
            }
            const auto source = convert();
            return operation{2 * bytes, [=] { source->transpose(); }, {}};
        });
    }
}

}  // namespace

template <typename V, typename I>
void visit_formats(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit)
{
    using csr = matrix::Csr<V, I>;
    const auto exec = a->get_executor();
    const byte_counts<V, I> count{*a};
    const auto entries = count.values() + count.indices();
    // Each row has at least one element in Ell, and each slice has its length and begin in Sellp.
    const auto ell_elements = std::max(count.nnz, count.rows) * (sizeof(V) + sizeof(I));
    const auto slices = count.rows / matrix::default_slice_size * 2 * sizeof(size_type);
    visit_format<matrix::Coo<V, I>, V, I>(
        "coo", a, false, count.values() + 2 * count.indices(), [=] { return share(matrix::Coo<V, I>::create(exec)); },
        visit);
    visit_format<matrix::Ell<V, I>, V, I>(
        "ell", a, true, ell_elements, [=] { return share(matrix::Ell<V, I>::create(exec)); }, visit);
    visit_format<matrix::Sellp<V, I>, V, I>(
        "sellp", a, true, entries + slices, [=] { return share(matrix::Sellp<V, I>::create(exec)); }, visit);
    visit_format<matrix::Hybrid<V, I>, V, I>(
        "hybrid", a, false, entries, [=] { return share(matrix::Hybrid<V, I>::create(exec)); }, visit);
    visit_format<matrix::Fbcsr<V, I>, V, I>(
        "fbcsr", a, false, count.csr(), [=] { return share(matrix::Fbcsr<V, I>::create(exec, 1)); }, visit);
    visit_format<matrix::SparsityCsr<V, I>, V, I>(
        "sparsity_csr", a, false, count.pattern(), [=] { return share(matrix::SparsityCsr<V, I>::create(exec)); },
        visit);

    visit.visit("csr copy", [&] {
        const auto copy = share(clone(a));
        return operation{2 * count.csr(), [=] { copy->copy_from(a); }, {}};
    });
    visit.visit("csr transpose", [&] { return operation{2 * count.csr(), [=] { a->transpose(); }, {}}; });
    visit.visit("csr conj_transpose", [&] { return operation{2 * count.csr(), [=] { a->conj_transpose(); }, {}}; });
    visit.visit("csr extract_diagonal", [&] { return operation{count.pattern(), [=] { a->extract_diagonal(); }, {}}; });
    visit.visit("csr compute_absolute", [&] { return operation{2 * count.csr(), [=] { a->compute_absolute(); }, {}}; });
    visit.visit("csr is_sorted", [&] {
        return operation{count.pattern(), [=] { a->is_sorted_by_column_index(); }, {}};
    });
    visit.visit("csr sort, sorted", [&] {
        const auto copy = share(clone(a));
        return operation{count.pattern(), [=] { copy->sort_by_column_index(); }, {}};
    });
    visit.visit("csr sort, reversed", [&] {
        // Transposes of a matrix with reversed row order have reversed column order in each row.
        array<I> reversed{exec->get_master(), a->get_size()[0]};
        for (size_type i = 0; i < reversed.get_size(); ++i) {
            reversed.get_data()[i] = static_cast<I>(reversed.get_size() - 1 - i);
        }
        const array<I> order{exec, reversed};
        const std::shared_ptr<const csr> transposed = as<csr>(share(a->transpose()));
        const std::shared_ptr<const csr> unsorted = as<csr>(share(transposed->column_permute(&order)));
        const auto work = share(clone(unsorted));
        return operation{2 * (2 * count.values() + 2 * count.indices()), [=] { work->sort_by_column_index(); },
                         [=] { work->copy_from(unsorted); }};
    });
    visit.visit("csr max row length", [&] {
        return operation{count.row_ptrs(), [=] { a->compute_max_row_length(); }, {}};
    });
    visit.visit("csr set_strategy automatical", [&] {
        const auto copy = share(clone(a));
        const auto strategy = csr::create(exec)->get_strategy();
        return operation{count.row_ptrs(), [=] { copy->set_strategy(strategy); }, {}};
    });
    visit.visit("csr scale", [&] {
        const auto copy = share(clone(a));
        const auto alpha = filled<V>(exec, 1, 1);
        return operation{2 * count.values(), [=] { copy->scale(alpha); }, {}};
    });
    visit.visit("triples sort_row_major", [&] {
        // Ordered by columns: the entries of the transpose with exchanged indices.
        const auto data = triples_of(*as<csr>(share(a->transpose())), true);
        const auto work = std::make_shared<device_matrix_data<V, I>>(exec);
        return operation{4 * (count.values() + 2 * count.indices()), [=] { work->sort_row_major(); },
                         [=] { *work = *data; }};
    });
    visit.visit("csr read of triples", [&] {
        const auto data = triples_of(*a, false);
        const auto work = share(csr::create(exec));
        return operation{count.values() + 2 * count.indices() + count.csr(), [=] { work->read(*data); }, {}};
    });
}

#define SPRUCE_INSTANTIATE_VISIT_FORMATS(V, I) \
    void visit_formats(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit)
SPRUCE_INSTANTIATE_FOR_EACH_ZOO_TYPE(SPRUCE_INSTANTIATE_VISIT_FORMATS);

}  // namespace spruce::bench::zoo
