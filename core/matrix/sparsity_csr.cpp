// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/sparsity_csr.hpp>

#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/format_operations.hpp"
#include "core/matrix/max_row_length.hpp"
#include "core/matrix/pattern.hpp"
#include "core/matrix/sparsity_csr_kernels.hpp"
#include "core/matrix/via_csr.hpp"

namespace spruce::matrix {
namespace {

/// Returns the pattern of the entries. The arrays may have more elements than there are entries.
template <typename ValueType, typename IndexType>
spruce::detail::pattern_view<IndexType> pattern_of(const SparsityCsr<ValueType, IndexType>& a)
{
    const auto exec = a.get_executor();
    const auto nnz = exec->copy_val_to_host(a.get_const_row_ptrs() + a.get_size()[0]);
    return {exec, a.get_size(), static_cast<size_type>(nnz), a.get_const_row_ptrs(), a.get_const_col_idxs()};
}

}  // namespace

template <typename ValueType, typename IndexType>
SparsityCsr<ValueType, IndexType>::SparsityCsr(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                               size_type num_nonzeros)
    : EnableLinOp<SparsityCsr>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      col_idxs_{exec, num_nonzeros},
      row_ptrs_{exec, size[0] + 1},
      value_{exec, {one<ValueType>()}}
{
    row_ptrs_.fill(0);
}

template <typename ValueType, typename IndexType>
SparsityCsr<ValueType, IndexType>::SparsityCsr(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                               array<index_type> col_idxs, array<index_type> row_ptrs, value_type value)
    : EnableLinOp<SparsityCsr>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      col_idxs_{exec, std::move(col_idxs)},
      row_ptrs_{exec, std::move(row_ptrs)},
      value_{exec, {value}}
{
    if (row_ptrs_.get_size() != size[0] + 1) {
        throw ValueMismatch(__FILE__, __LINE__, "SparsityCsr::create", row_ptrs_.get_size(), size[0] + 1,
                            "row_ptrs needs one element more than there are rows");
    }
    max_row_length_ = spruce::detail::max_row_length(row_ptrs_);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<SparsityCsr<ValueType, IndexType>> SparsityCsr<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_nonzeros)
{
    return std::unique_ptr<SparsityCsr>(new SparsityCsr(std::move(exec), size, num_nonzeros));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<SparsityCsr<ValueType, IndexType>> SparsityCsr<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, array<index_type> col_idxs, array<index_type> row_ptrs,
    value_type value)
{
    return std::unique_ptr<SparsityCsr>(
        new SparsityCsr(std::move(exec), size, std::move(col_idxs), std::move(row_ptrs), value));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<const SparsityCsr<ValueType, IndexType>> SparsityCsr<ValueType, IndexType>::create_const(
    std::shared_ptr<const Executor> exec, const dim<2>& size, spruce::detail::const_array_view<index_type>&& col_idxs,
    spruce::detail::const_array_view<index_type>&& row_ptrs, value_type value)
{
    using spruce::detail::array_const_cast;
    return create(std::move(exec), size, array_const_cast(std::move(col_idxs)), array_const_cast(std::move(row_ptrs)),
                  value);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<SparsityCsr<ValueType, IndexType>> SparsityCsr<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> matrix)
{
    auto result = create(std::move(exec));
    result->copy_from(matrix);
    return result;
}

template <typename ValueType, typename IndexType>
SparsityCsr<ValueType, IndexType>::SparsityCsr(const SparsityCsr& other) : SparsityCsr(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
SparsityCsr<ValueType, IndexType>::SparsityCsr(SparsityCsr&& other) : SparsityCsr(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
SparsityCsr<ValueType, IndexType>& SparsityCsr<ValueType, IndexType>::operator=(const SparsityCsr& other)
{
    if (this != &other) {
        spruce::detail::array_assignment col_idxs{col_idxs_, other.col_idxs_};
        spruce::detail::array_assignment row_ptrs{row_ptrs_, other.row_ptrs_};
        spruce::detail::array_assignment value{value_, other.value_};
        commit_all(col_idxs, row_ptrs, value);
        max_row_length_ = other.max_row_length_;
        EnableLinOp<SparsityCsr>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
SparsityCsr<ValueType, IndexType>& SparsityCsr<ValueType, IndexType>::operator=(SparsityCsr&& other)
{
    if (this != &other) {
        // The moved-from matrix is empty and has one row pointer and a value.
        array<index_type> no_rows{other.get_executor(), {index_type{}}};
        if (this->get_executor() == other.get_executor()) {
            value_ = other.value_;
            col_idxs_ = std::move(other.col_idxs_);
            row_ptrs_ = std::move(other.row_ptrs_);
            max_row_length_ = other.max_row_length_;
            EnableLinOp<SparsityCsr>::operator=(std::move(other));
        } else {
            *this = other;
            other.col_idxs_.clear();
            other.set_size({});
        }
        other.row_ptrs_ = std::move(no_rows);
        other.max_row_length_ = unknown_length;
    }
    return *this;
}

template <typename ValueType, typename IndexType>
SparsityCsr<ValueType, IndexType>::~SparsityCsr() = default;

template <typename ValueType, typename IndexType>
void SparsityCsr<ValueType, IndexType>::convert_to(SparsityCsr<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment col_idxs{result->col_idxs_, col_idxs_};
    spruce::detail::array_assignment row_ptrs{result->row_ptrs_, row_ptrs_};
    spruce::detail::array_assignment value{result->value_, value_};
    commit_all(col_idxs, row_ptrs, value);
    result->max_row_length_ = max_row_length_;
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void SparsityCsr<ValueType, IndexType>::convert_to(Csr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = this->get_executor();
    const auto nnz = this->get_num_nonzeros();
    array<ValueType> values{exec, nnz};
    kernels::components::repeat_element<ValueType>(*exec, value_.get_const_data(), values.get_data(), nnz);
    result->assign_arrays(this->get_size(), std::move(values), array<IndexType>{col_idxs_},
                          array<IndexType>{row_ptrs_});
}

template <typename ValueType, typename IndexType>
std::unique_ptr<SparsityCsr<ValueType, IndexType>> SparsityCsr<ValueType, IndexType>::transposed_pattern() const
{
    auto pattern = spruce::detail::transpose(pattern_of(*this), false);
    return create(this->get_executor(), spruce::transpose(this->get_size()), std::move(pattern.col_idxs),
                  std::move(pattern.row_ptrs));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> SparsityCsr<ValueType, IndexType>::transpose() const
{
    auto result = this->transposed_pattern();
    result->value_ = value_;
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> SparsityCsr<ValueType, IndexType>::conj_transpose() const
{
    auto result = this->transposed_pattern();
    kernels::components::conjugate_array<ValueType>(*this->get_executor(), this->get_const_value(), result->get_value(),
                                                    1);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Diagonal<ValueType>> SparsityCsr<ValueType, IndexType>::extract_diagonal() const
{
    auto result = spruce::detail::zero_diagonal_of(*this);
    kernels::sparsity_csr::extract_diagonal<ValueType, IndexType>(*this->get_executor(), *this, *result);
    return result;
}

template <typename ValueType, typename IndexType>
auto SparsityCsr<ValueType, IndexType>::compute_absolute() const -> std::unique_ptr<absolute_type>
{
    const auto exec = this->get_executor();
    auto result =
        absolute_type::create(exec, this->get_size(), array<IndexType>{col_idxs_}, array<IndexType>{row_ptrs_});
    kernels::components::absolute_array<ValueType, remove_complex<ValueType>>(*exec, this->get_const_value(),
                                                                              result->get_value(), 1);
    return result;
}

template <typename ValueType, typename IndexType>
void SparsityCsr<ValueType, IndexType>::compute_absolute_inplace()
{
    kernels::components::absolute_array<ValueType, ValueType>(*this->get_executor(), this->get_const_value(),
                                                              this->get_value(), 1);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<SparsityCsr<ValueType, IndexType>> SparsityCsr<ValueType, IndexType>::to_adjacency_matrix() const
{
    SPRUCE_ASSERT_IS_SQUARE_MATRIX(this);
    const auto exec = this->get_executor();
    const auto num_rows = this->get_size()[0];
    const auto nnz = pattern_of(*this).nnz;
    array<IndexType> positions{exec, nnz + 1};
    kernels::sparsity_csr::mark_off_diagonal<IndexType>(*exec, this->get_const_row_ptrs(), num_rows,
                                                        this->get_const_col_idxs(), nnz, positions.get_data());
    size_type num_retained{};
    kernels::components::prefix_sum<IndexType>(*exec, positions.get_data(), nnz + 1, num_retained);
    auto result = create(exec, this->get_size(), num_retained);
    kernels::sparsity_csr::drop_diagonal<IndexType>(*exec, this->get_const_row_ptrs(), num_rows,
                                                    this->get_const_col_idxs(), nnz, positions.get_const_data(),
                                                    result->get_row_ptrs(), result->get_col_idxs());
    result->max_row_length_ = max_row_length_;
    return result;
}

template <typename ValueType, typename IndexType>
void SparsityCsr<ValueType, IndexType>::sort_by_column_index()
{
    const auto sorted = spruce::detail::sort_by_column(pattern_of(*this));
    this->get_executor()->copy(sorted.col_idxs.get_size(), sorted.col_idxs.get_const_data(), this->get_col_idxs());
}

template <typename ValueType, typename IndexType>
bool SparsityCsr<ValueType, IndexType>::is_sorted_by_column_index() const
{
    return spruce::detail::is_sorted_by_column<ValueType>(pattern_of(*this));
}

template <typename ValueType, typename IndexType>
void SparsityCsr<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::apply(kernels::sparsity_csr::spmv<ValueType, IndexType>, *this, b, x);
}

template <typename ValueType, typename IndexType>
void SparsityCsr<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                                   LinOp* x) const
{
    spruce::detail::apply(kernels::sparsity_csr::advanced_spmv<ValueType, IndexType>, alpha, *this, b, beta, x);
}

#define SPRUCE_SPARSITY_CSR(_value, _index) class SPRUCE_EXPORT SparsityCsr<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_SPARSITY_CSR);

}  // namespace spruce::matrix
