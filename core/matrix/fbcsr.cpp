// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/fbcsr.hpp>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/fbcsr_kernels.hpp"
#include "core/matrix/format_operations.hpp"
#include "core/matrix/max_row_length.hpp"
#include "core/matrix/pattern.hpp"
#include "core/matrix/via_csr.hpp"

namespace spruce::matrix {
namespace {

template <typename IndexType>
int checked_block_size(int block_size, const dim<2>& size)
{
    for (const auto extent : {size[0], size[1]}) {
        if (block_size <= 0 || extent % block_size != 0) {
            throw BlockSizeError<IndexType>(__FILE__, __LINE__, block_size, static_cast<IndexType>(extent));
        }
    }
    return block_size;
}

/// Returns the pattern of the blocks. The arrays may have more elements than there are blocks.
template <typename ValueType, typename IndexType>
spruce::detail::pattern_view<IndexType> pattern_of(const Fbcsr<ValueType, IndexType>& a)
{
    const auto exec = a.get_executor();
    const auto num_blocks = exec->copy_val_to_host(a.get_const_row_ptrs() + a.get_num_block_rows());
    return {exec,
            dim<2>{static_cast<size_type>(a.get_num_block_rows()), static_cast<size_type>(a.get_num_block_cols())},
            static_cast<size_type>(num_blocks), a.get_const_row_ptrs(), a.get_const_col_idxs()};
}

/// Returns a copy with strictly increasing column indices in each row. Entries at the same position
/// are summed in their order.
template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> sum_duplicates(const Csr<ValueType, IndexType>& a)
{
    const auto exec = a.get_executor();
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto num_rows = a.get_size()[0];
    const auto nnz = static_cast<size_type>(exec->copy_val_to_host(row_ptrs + num_rows));
    array<IndexType> row_idxs{exec, nnz};
    kernels::components::convert_ptrs_to_idxs<IndexType>(*exec, row_ptrs, num_rows, row_idxs.get_data());
    // The arrays are only read: results are written to other memory.
    using spruce::detail::array_const_cast;
    device_matrix_data<ValueType, IndexType> data{
        exec, a.get_size(), std::move(row_idxs),
        array_const_cast(make_const_array_view(exec, nnz, a.get_const_col_idxs())),
        array_const_cast(make_const_array_view(exec, nnz, a.get_const_values()))};
    data.sum_duplicates();
    auto sums = spruce::detail::create_intermediate_csr<ValueType, IndexType>(exec);
    sums->read(std::move(data));
    return sums;
}

size_type square(int block_size) { return static_cast<size_type>(block_size) * block_size; }

}  // namespace

// ---- construction, copies -----------------------------------------------------------------------

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>::Fbcsr(std::shared_ptr<const Executor> exec, int block_size)
    : Fbcsr(std::move(exec), dim<2>{}, 0, block_size)
{}

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>::Fbcsr(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_nonzeros,
                                   int block_size)
    : EnableLinOp<Fbcsr>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      block_size_{checked_block_size<IndexType>(block_size, size)},
      values_{exec},
      col_idxs_{exec, num_nonzeros / square(block_size)},
      row_ptrs_{exec, size[0] / block_size + 1}
{
    if (num_nonzeros % square(block_size) != 0) {
        throw BlockSizeError<IndexType>(__FILE__, __LINE__, block_size, static_cast<IndexType>(num_nonzeros));
    }
    values_.resize_and_reset(num_nonzeros);
    row_ptrs_.fill(0);
}

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>::Fbcsr(std::shared_ptr<const Executor> exec, const dim<2>& size, int block_size,
                                   array<value_type> values, array<index_type> col_idxs, array<index_type> row_ptrs)
    : EnableLinOp<Fbcsr>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      block_size_{checked_block_size<IndexType>(block_size, size)},
      values_{exec, std::move(values)},
      col_idxs_{exec, std::move(col_idxs)},
      row_ptrs_{exec, std::move(row_ptrs)}
{
    if (values_.get_size() != col_idxs_.get_size() * square(block_size)) {
        throw ValueMismatch(__FILE__, __LINE__, "Fbcsr::create", values_.get_size(),
                            col_idxs_.get_size() * square(block_size),
                            "values needs block_size squared elements for each of col_idxs");
    }
    if (row_ptrs_.get_size() != size[0] / block_size + 1) {
        throw ValueMismatch(__FILE__, __LINE__, "Fbcsr::create", row_ptrs_.get_size(), size[0] / block_size + 1,
                            "row_ptrs needs one element more than there are block rows");
    }
    max_block_row_length_ = spruce::detail::max_row_length(row_ptrs_);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Fbcsr<ValueType, IndexType>> Fbcsr<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                                 int block_size)
{
    return std::unique_ptr<Fbcsr>(new Fbcsr(std::move(exec), block_size));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Fbcsr<ValueType, IndexType>> Fbcsr<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                                 const dim<2>& size,
                                                                                 size_type num_nonzeros, int block_size)
{
    return std::unique_ptr<Fbcsr>(new Fbcsr(std::move(exec), size, num_nonzeros, block_size));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Fbcsr<ValueType, IndexType>> Fbcsr<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                                 const dim<2>& size, int block_size,
                                                                                 array<value_type> values,
                                                                                 array<index_type> col_idxs,
                                                                                 array<index_type> row_ptrs)
{
    return std::unique_ptr<Fbcsr>(
        new Fbcsr(std::move(exec), size, block_size, std::move(values), std::move(col_idxs), std::move(row_ptrs)));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<const Fbcsr<ValueType, IndexType>> Fbcsr<ValueType, IndexType>::create_const(
    std::shared_ptr<const Executor> exec, const dim<2>& size, int block_size,
    spruce::detail::const_array_view<value_type>&& values, spruce::detail::const_array_view<index_type>&& col_idxs,
    spruce::detail::const_array_view<index_type>&& row_ptrs)
{
    using spruce::detail::array_const_cast;
    return create(std::move(exec), size, block_size, array_const_cast(std::move(values)),
                  array_const_cast(std::move(col_idxs)), array_const_cast(std::move(row_ptrs)));
}

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>::Fbcsr(const Fbcsr& other) : Fbcsr(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>::Fbcsr(Fbcsr&& other) : Fbcsr(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>& Fbcsr<ValueType, IndexType>::operator=(const Fbcsr& other)
{
    if (this != &other) {
        spruce::detail::array_assignment values{values_, other.values_};
        spruce::detail::array_assignment col_idxs{col_idxs_, other.col_idxs_};
        spruce::detail::array_assignment row_ptrs{row_ptrs_, other.row_ptrs_};
        commit_all(values, col_idxs, row_ptrs);
        block_size_ = other.block_size_;
        max_block_row_length_ = other.max_block_row_length_;
        EnableLinOp<Fbcsr>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>& Fbcsr<ValueType, IndexType>::operator=(Fbcsr&& other)
{
    if (this != &other) {
        // The moved-from matrix is empty and has one row pointer.
        array<index_type> no_rows{other.get_executor(), {index_type{}}};
        if (this->get_executor() == other.get_executor()) {
            block_size_ = other.block_size_;
            max_block_row_length_ = other.max_block_row_length_;
            values_ = std::move(other.values_);
            col_idxs_ = std::move(other.col_idxs_);
            row_ptrs_ = std::move(other.row_ptrs_);
            EnableLinOp<Fbcsr>::operator=(std::move(other));
        } else {
            *this = other;
            other.values_.clear();
            other.col_idxs_.clear();
            other.set_size({});
        }
        other.row_ptrs_ = std::move(no_rows);
        other.max_block_row_length_ = unknown_length;
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Fbcsr<ValueType, IndexType>::~Fbcsr() = default;

// ---- conversion ---------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
void Fbcsr<ValueType, IndexType>::convert_to(Fbcsr<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment values{result->values_, values_};
    spruce::detail::array_assignment col_idxs{result->col_idxs_, col_idxs_};
    spruce::detail::array_assignment row_ptrs{result->row_ptrs_, row_ptrs_};
    commit_all(values, col_idxs, row_ptrs);
    result->block_size_ = block_size_;
    result->max_block_row_length_ = max_block_row_length_;
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Fbcsr<ValueType, IndexType>::convert_to(Csr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = this->get_executor();
    const auto nnz = pattern_of(*this).nnz * square(block_size_);
    spruce::detail::require_index_fits<IndexType>(nnz);
    const auto csr = Csr<ValueType, IndexType>::create(
        exec, this->get_size(), nnz, std::make_shared<typename Csr<ValueType, IndexType>::classical>());
    kernels::fbcsr::convert_to_csr<ValueType, IndexType>(*exec, *this, *csr);
    result->assign_arrays(this->get_size(), std::move(csr->values_), std::move(csr->col_idxs_),
                          std::move(csr->row_ptrs_));
}

template <typename ValueType, typename IndexType>
void Fbcsr<ValueType, IndexType>::take_entries(const Csr<ValueType, IndexType>& source)
{
    using csr = Csr<ValueType, IndexType>;
    const auto size = source.get_size();
    checked_block_size<IndexType>(block_size_, size);
    const auto exec = source.get_executor();
    const auto num_block_rows = size[0] / block_size_;
    array<IndexType> row_ptrs{exec, num_block_rows + 1};
    array<char> workspace{exec};
    const auto find_blocks = [&](const csr& a) {
        bool is_sorted{};
        kernels::fbcsr::find_blocks<ValueType, IndexType>(*exec, a, block_size_, row_ptrs.get_data(), workspace,
                                                          is_sorted);
        return is_sorted;
    };
    std::unique_ptr<csr> sums;
    if (!find_blocks(source)) {
        sums = sum_duplicates(source);
        find_blocks(*sums);
    }
    const auto& a = sums ? *sums : source;
    size_type num_blocks{};
    kernels::components::prefix_sum<IndexType>(*exec, row_ptrs.get_data(), num_block_rows + 1, num_blocks);
    auto blocks = create(exec, size, num_blocks * square(block_size_), block_size_);
    blocks->row_ptrs_ = std::move(row_ptrs);
    const auto max_length = spruce::detail::max_row_length(blocks->row_ptrs_);
    kernels::fbcsr::fill_blocks<ValueType, IndexType>(*exec, a, workspace, *blocks);
    spruce::detail::array_assignment new_values{values_, std::move(blocks->values_)};
    spruce::detail::array_assignment new_col_idxs{col_idxs_, std::move(blocks->col_idxs_)};
    spruce::detail::array_assignment new_row_ptrs{row_ptrs_, std::move(blocks->row_ptrs_)};
    commit_all(new_values, new_col_idxs, new_row_ptrs);
    max_block_row_length_ = max_length;
    this->set_size(size);
}

// ---- algebra ------------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Fbcsr<ValueType, IndexType>::transpose_impl(bool conjugate) const
{
    const auto exec = this->get_executor();
    auto pattern = spruce::detail::transpose(pattern_of(*this));
    const auto num_blocks = pattern.positions.get_size();
    array<ValueType> values{exec, num_blocks * square(block_size_)};
    kernels::fbcsr::gather_blocks<ValueType, IndexType>(
        *exec, this->get_const_values(), pattern.positions.get_const_data(), num_blocks, block_size_,
        conjugate ? kernels::fbcsr::block_copy::conj_transposed : kernels::fbcsr::block_copy::transposed,
        values.get_data());
    return create(exec, spruce::transpose(this->get_size()), block_size_, std::move(values),
                  std::move(pattern.col_idxs), std::move(pattern.row_ptrs));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Fbcsr<ValueType, IndexType>::transpose() const
{
    return this->transpose_impl(false);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Fbcsr<ValueType, IndexType>::conj_transpose() const
{
    return this->transpose_impl(true);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Diagonal<ValueType>> Fbcsr<ValueType, IndexType>::extract_diagonal() const
{
    auto result = spruce::detail::zero_diagonal_of(*this);
    kernels::fbcsr::extract_diagonal<ValueType, IndexType>(*this->get_executor(), *this, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<typename Fbcsr<ValueType, IndexType>::absolute_type> Fbcsr<ValueType, IndexType>::compute_absolute()
    const
{
    const auto exec = this->get_executor();
    auto values = spruce::detail::absolute_of(exec, values_.get_const_data(), values_.get_size());
    return absolute_type::create(exec, this->get_size(), block_size_, std::move(values), col_idxs_, row_ptrs_);
}

template <typename ValueType, typename IndexType>
void Fbcsr<ValueType, IndexType>::compute_absolute_inplace()
{
    spruce::detail::make_absolute(*this->get_executor(), values_.get_data(), values_.get_size());
}

template <typename ValueType, typename IndexType>
void Fbcsr<ValueType, IndexType>::sort_by_column_index()
{
    const auto exec = this->get_executor();
    const auto sorted = spruce::detail::sort_by_column(pattern_of(*this));
    const auto num_blocks = sorted.positions.get_size();
    array<ValueType> values{exec, num_blocks * square(block_size_)};
    kernels::fbcsr::gather_blocks<ValueType, IndexType>(*exec, this->get_const_values(),
                                                        sorted.positions.get_const_data(), num_blocks, block_size_,
                                                        kernels::fbcsr::block_copy::plain, values.get_data());
    // The results are copied, so that views are sorted in place.
    exec->copy(num_blocks, sorted.col_idxs.get_const_data(), this->get_col_idxs());
    exec->copy(values.get_size(), values.get_const_data(), this->get_values());
}

template <typename ValueType, typename IndexType>
bool Fbcsr<ValueType, IndexType>::is_sorted_by_column_index() const
{
    return spruce::detail::is_sorted_by_column<ValueType>(pattern_of(*this));
}

template <typename ValueType, typename IndexType>
void Fbcsr<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::apply(kernels::fbcsr::spmv<ValueType, IndexType>, *this, b, x);
}

template <typename ValueType, typename IndexType>
void Fbcsr<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::apply(kernels::fbcsr::advanced_spmv<ValueType, IndexType>, alpha, *this, b, beta, x);
}

#define SPRUCE_FBCSR(_value, _index) class SPRUCE_EXPORT Fbcsr<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_FBCSR);

}  // namespace spruce::matrix
