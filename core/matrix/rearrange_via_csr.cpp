// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Implements transposition, permutation, submatrices and sorting for formats without kernels for
// them.

#include <spruce/base/index_set.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/scaled_permutation.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "core/base/entry_order.hpp"
#include "core/matrix/ell_kernels.hpp"
#include "core/matrix/sellp_kernels.hpp"
#include "core/matrix/via_csr.hpp"

namespace spruce::matrix {
namespace {

/// Creates a matrix without entries, with the format and parameters of a.
template <typename Matrix>
std::unique_ptr<Matrix> create_like(const Matrix& a)
{
    return Matrix::create(a.get_executor());
}
template <typename V, typename I>
std::unique_ptr<Sellp<V, I>> create_like(const Sellp<V, I>& a)
{
    return Sellp<V, I>::create(a.get_executor(), dim<2>{}, a.get_slice_size(), a.get_stride_factor(), 0);
}
template <typename V, typename I>
std::unique_ptr<Ell<V, I>> create_like(const Ell<V, I>& a)
{
    return Ell<V, I>::create(a.get_executor(), a.get_size(), 0, a.get_stride());
}
template <typename V, typename I>
std::unique_ptr<Hybrid<V, I>> create_like(const Hybrid<V, I>& a)
{
    return Hybrid<V, I>::create(a.get_executor(), a.get_size(), 0, a.get_ell_stride(), a.get_strategy());
}
template <typename V, typename I>
std::unique_ptr<Fbcsr<V, I>> create_like(const Fbcsr<V, I>& a)
{
    return Fbcsr<V, I>::create(a.get_executor(), a.get_block_size());
}

/// Copies properties that a Csr does not contain to the result.
template <typename Matrix>
void copy_value(const Matrix&, Matrix&)
{}
template <typename V, typename I>
void copy_value(const SparsityCsr<V, I>& a, SparsityCsr<V, I>& result)
{
    a.get_executor()->copy(1, a.get_const_value(), result.get_value());
}

/// Returns true if rows are in order and the entries of each row are sorted by column. csr contains
/// the entries of the matrix.
template <typename Matrix, typename Csr>
bool is_sorted(const Matrix&, const Csr& csr)
{
    return csr.is_sorted_by_column_index();
}
template <typename V, typename I>
bool is_sorted(const Coo<V, I>& a, const Csr<V, I>&)
{
    return spruce::detail::find_order(a) == spruce::detail::entry_order::row_major;
}

/// Replaces the entries of a by the sorted entries. If a is a view, the viewed memory is written.
template <typename Matrix, typename Csr>
void replace_entries(Matrix& a, const Csr& sorted)
{
    const auto result = create_like(a);
    result->copy_from(&sorted);
    a = *result;
}
template <typename V, typename I>
void replace_entries(Ell<V, I>& a, const Csr<V, I>& sorted)
{
    kernels::ell::fill_from_csr<V, I>(*a.get_executor(), sorted, a);
}
template <typename V, typename I>
void replace_entries(Sellp<V, I>& a, const Csr<V, I>& sorted)
{
    kernels::sellp::fill_from_csr<V, I>(*a.get_executor(), sorted, a);
}

/// Returns the result of change(csr) in the format of the matrix.
template <typename Concrete, typename Change>
std::unique_ptr<Concrete> rearrange(const Concrete& a, Change change)
{
    using V = typename Concrete::value_type;
    using I = typename Concrete::index_type;
    auto result = create_like(a);
    result->move_from(change(*spruce::detail::convert_to_csr<V, I>(a)));
    copy_value(a, *result);
    return result;
}

}  // namespace

template <typename Concrete>
std::unique_ptr<LinOp> TransposableViaCsr<Concrete>::transpose() const
{
    return rearrange(static_cast<const Concrete&>(*this), [](const auto& csr) { return csr.transpose(); });
}

template <typename Concrete>
std::unique_ptr<LinOp> TransposableViaCsr<Concrete>::conj_transpose() const
{
    return rearrange(static_cast<const Concrete&>(*this), [](const auto& csr) { return csr.conj_transpose(); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> PermutableViaCsr<Concrete, V, I>::permute(const array<I>* permutation) const
{
    return rearrange(static_cast<const Concrete&>(*this), [&](const auto& csr) { return csr.permute(permutation); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> PermutableViaCsr<Concrete, V, I>::inverse_permute(const array<I>* permutation) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.inverse_permute(permutation); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> PermutableViaCsr<Concrete, V, I>::row_permute(const array<I>* permutation) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.row_permute(permutation); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> PermutableViaCsr<Concrete, V, I>::column_permute(const array<I>* permutation) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.column_permute(permutation); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> PermutableViaCsr<Concrete, V, I>::inverse_row_permute(const array<I>* permutation) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.inverse_row_permute(permutation); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> PermutableViaCsr<Concrete, V, I>::inverse_column_permute(const array<I>* permutation) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.inverse_column_permute(permutation); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<Concrete> PermutableViaCsr<Concrete, V, I>::permute(ptr_param<const Permutation<I>> permutation,
                                                                    permute_mode mode) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.permute(permutation, mode); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<Concrete> PermutableViaCsr<Concrete, V, I>::permute(ptr_param<const Permutation<I>> row_permutation,
                                                                    ptr_param<const Permutation<I>> column_permutation,
                                                                    bool invert) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.permute(row_permutation, column_permutation, invert); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<Concrete> PermutableViaCsr<Concrete, V, I>::create_submatrix(const span& rows,
                                                                             const span& columns) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.create_submatrix(rows, columns); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<Concrete> PermutableViaCsr<Concrete, V, I>::create_submatrix(const index_set<I>& rows,
                                                                             const index_set<I>& columns) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.create_submatrix(rows, columns); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<Concrete> ScalePermutableViaCsr<Concrete, V, I>::scale_permute(
    ptr_param<const ScaledPermutation<V, I>> permutation, permute_mode mode) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.scale_permute(permutation, mode); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<Concrete> ScalePermutableViaCsr<Concrete, V, I>::scale_permute(
    ptr_param<const ScaledPermutation<V, I>> row_permutation,
    ptr_param<const ScaledPermutation<V, I>> column_permutation, bool invert) const
{
    return rearrange(static_cast<const Concrete&>(*this),
                     [&](const auto& csr) { return csr.scale_permute(row_permutation, column_permutation, invert); });
}

template <typename Concrete>
void SortableViaCsr<Concrete>::sort_by_column_index()
{
    using V = typename Concrete::value_type;
    using I = typename Concrete::index_type;
    auto& self = static_cast<Concrete&>(*this);
    const auto csr = spruce::detail::convert_to_csr<V, I>(self);
    if (!is_sorted(self, *csr)) {
        csr->sort_by_column_index();
        replace_entries(self, *csr);
    }
}

template <typename Concrete>
bool SortableViaCsr<Concrete>::is_sorted_by_column_index() const
{
    using V = typename Concrete::value_type;
    using I = typename Concrete::index_type;
    const auto& self = static_cast<const Concrete&>(*this);
    return is_sorted(self, *spruce::detail::convert_to_csr<V, I>(self));
}

#define SPRUCE_TRANSPOSABLE_VIA_CSR(_value, _index)                         \
    class SPRUCE_EXPORT TransposableViaCsr<Ell<_value, _index>>;            \
    template class SPRUCE_EXPORT TransposableViaCsr<Sellp<_value, _index>>; \
    template class SPRUCE_EXPORT TransposableViaCsr<Hybrid<_value, _index>>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_TRANSPOSABLE_VIA_CSR);

#define SPRUCE_PERMUTABLE_VIA_CSR(_value, _index)                                          \
    class SPRUCE_EXPORT PermutableViaCsr<Coo<_value, _index>, _value, _index>;             \
    template class SPRUCE_EXPORT PermutableViaCsr<Ell<_value, _index>, _value, _index>;    \
    template class SPRUCE_EXPORT PermutableViaCsr<Sellp<_value, _index>, _value, _index>;  \
    template class SPRUCE_EXPORT PermutableViaCsr<Hybrid<_value, _index>, _value, _index>; \
    template class SPRUCE_EXPORT PermutableViaCsr<Fbcsr<_value, _index>, _value, _index>;  \
    template class SPRUCE_EXPORT PermutableViaCsr<SparsityCsr<_value, _index>, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_PERMUTABLE_VIA_CSR);

#define SPRUCE_SCALE_PERMUTABLE_VIA_CSR(_value, _index)                                         \
    class SPRUCE_EXPORT ScalePermutableViaCsr<Coo<_value, _index>, _value, _index>;             \
    template class SPRUCE_EXPORT ScalePermutableViaCsr<Ell<_value, _index>, _value, _index>;    \
    template class SPRUCE_EXPORT ScalePermutableViaCsr<Sellp<_value, _index>, _value, _index>;  \
    template class SPRUCE_EXPORT ScalePermutableViaCsr<Hybrid<_value, _index>, _value, _index>; \
    template class SPRUCE_EXPORT ScalePermutableViaCsr<Fbcsr<_value, _index>, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_SCALE_PERMUTABLE_VIA_CSR);

#define SPRUCE_SORTABLE_VIA_CSR(_value, _index)                         \
    class SPRUCE_EXPORT SortableViaCsr<Coo<_value, _index>>;            \
    template class SPRUCE_EXPORT SortableViaCsr<Ell<_value, _index>>;   \
    template class SPRUCE_EXPORT SortableViaCsr<Sellp<_value, _index>>; \
    template class SPRUCE_EXPORT SortableViaCsr<Hybrid<_value, _index>>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_SORTABLE_VIA_CSR);

}  // namespace spruce::matrix
