// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/sellp.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/format_operations.hpp"
#include "core/matrix/padded_rows.hpp"
#include "core/matrix/sellp_kernels.hpp"

namespace spruce::matrix {

namespace {

void require_slice_extent(const char* name, size_type extent, const dim<2>& size)
{
    if (extent == 0 || extent > max_slice_extent) {
        throw BadDimension(__FILE__, __LINE__, "Sellp::create", "the matrix", size[0], size[1],
                           std::string("the ") + name + " is " + std::to_string(extent) +
                               ", but has to be at least 1 and at most " + std::to_string(max_slice_extent));
    }
}

}  // namespace

template <typename ValueType, typename IndexType>
Sellp<ValueType, IndexType>::Sellp(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type total_cols)
    : Sellp(std::move(exec), size, default_slice_size, default_stride_factor, total_cols)
{}

template <typename ValueType, typename IndexType>
Sellp<ValueType, IndexType>::Sellp(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type slice_size,
                                   size_type stride_factor, size_type total_cols)
    : EnableLinOp<Sellp>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      values_{exec},
      col_idxs_{exec},
      slice_lengths_{exec},
      slice_sets_{exec},
      slice_size_{slice_size},
      stride_factor_{stride_factor}
{
    require_slice_extent("slice size", slice_size, size);
    require_slice_extent("stride factor", stride_factor, size);
    this->allocate(total_cols);
    values_.fill(zero<value_type>());
    col_idxs_.fill(padding_column);
    slice_lengths_.fill(0);
    slice_sets_.fill(0);
}

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::allocate(size_type total_cols)
{
    if (total_cols > static_cast<size_type>(-1) / slice_size_) {
        throw OverflowError(__FILE__, __LINE__, "size_type");
    }
    const auto exec = this->get_executor();
    const auto num_slices = (this->get_size()[0] + slice_size_ - 1) / slice_size_;
    slice_lengths_.resize_and_reset(num_slices);
    slice_sets_.resize_and_reset(num_slices + 1);
    values_.resize_and_reset(slice_size_ * total_cols);
    col_idxs_.resize_and_reset(slice_size_ * total_cols);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Sellp<ValueType, IndexType>> Sellp<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                                 const dim<2>& size,
                                                                                 size_type total_cols)
{
    return std::unique_ptr<Sellp>(new Sellp(std::move(exec), size, total_cols));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Sellp<ValueType, IndexType>> Sellp<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                                 const dim<2>& size,
                                                                                 size_type slice_size,
                                                                                 size_type stride_factor,
                                                                                 size_type total_cols)
{
    return std::unique_ptr<Sellp>(new Sellp(std::move(exec), size, slice_size, stride_factor, total_cols));
}

template <typename ValueType, typename IndexType>
Sellp<ValueType, IndexType>::Sellp(const Sellp& other) : Sellp(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
Sellp<ValueType, IndexType>::Sellp(Sellp&& other) : Sellp(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
Sellp<ValueType, IndexType>& Sellp<ValueType, IndexType>::operator=(const Sellp& other)
{
    if (this != &other) {
        spruce::detail::array_assignment values{values_, other.values_};
        spruce::detail::array_assignment col_idxs{col_idxs_, other.col_idxs_};
        spruce::detail::array_assignment slice_lengths{slice_lengths_, other.slice_lengths_};
        spruce::detail::array_assignment slice_sets{slice_sets_, other.slice_sets_};
        commit_all(values, col_idxs, slice_lengths, slice_sets);
        slice_size_ = other.slice_size_;
        stride_factor_ = other.stride_factor_;
        EnableLinOp<Sellp>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Sellp<ValueType, IndexType>& Sellp<ValueType, IndexType>::operator=(Sellp&& other)
{
    if (this != &other) {
        // The moved-from matrix has no rows, and its slices end where they begin.
        array<size_type> no_slices{other.get_executor(), {size_type{}}};
        if (this->get_executor() == other.get_executor()) {
            values_ = std::move(other.values_);
            col_idxs_ = std::move(other.col_idxs_);
            slice_lengths_ = std::move(other.slice_lengths_);
            slice_sets_ = std::move(other.slice_sets_);
            slice_size_ = other.slice_size_;
            stride_factor_ = other.stride_factor_;
            EnableLinOp<Sellp>::operator=(std::move(other));
        } else {
            *this = other;
            other.values_.clear();
            other.col_idxs_.clear();
            other.slice_lengths_.clear();
            other.set_size({});
        }
        other.slice_sets_ = std::move(no_slices);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Sellp<ValueType, IndexType>::~Sellp() = default;

// ---- conversion ---------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::convert_to(Sellp<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment values{result->values_, values_};
    spruce::detail::array_assignment col_idxs{result->col_idxs_, col_idxs_};
    spruce::detail::array_assignment slice_lengths{result->slice_lengths_, slice_lengths_};
    spruce::detail::array_assignment slice_sets{result->slice_sets_, slice_sets_};
    commit_all(values, col_idxs, slice_lengths, slice_sets);
    result->slice_size_ = slice_size_;
    result->stride_factor_ = stride_factor_;
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::take_entries(const Csr<ValueType, IndexType>& a)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size();
    const auto local = create(exec, size, slice_size_, stride_factor_, 0);
    const auto num_slices = local->slice_lengths_.get_size();
    kernels::sellp::compute_slice_lengths<IndexType>(*exec, a.get_const_row_ptrs(), size[0], slice_size_,
                                                     stride_factor_, local->get_slice_lengths());
    exec->copy_from(exec, num_slices, local->get_const_slice_lengths(), local->get_slice_sets());
    size_type num_columns{};
    kernels::components::prefix_sum<int64>(*exec, reinterpret_cast<int64*>(local->get_slice_sets()), num_slices + 1,
                                           num_columns);
    local->allocate(num_columns);
    kernels::sellp::fill_from_csr<ValueType, IndexType>(*exec, a, *local);
    *this = std::move(*local);
}

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::convert_to(Csr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    // IndexType must be able to represent the length of a row. The lengths are only read if the
    // total number of columns is larger, which is rare.
    if (this->get_total_cols() > static_cast<size_type>(std::numeric_limits<IndexType>::max())) {
        const auto lengths = slice_lengths_.copy_to_host();
        spruce::detail::require_index_fits<IndexType>(*std::max_element(lengths.begin(), lengths.end()));
    }
    auto arrays = spruce::detail::gather_in_csr(
        *this,
        [&](const Executor& exec, IndexType* counts) {
            kernels::sellp::count_entries<ValueType, IndexType>(exec, *this, counts);
        },
        [&](const Executor& exec, const IndexType* row_ptrs, IndexType* col_idxs, ValueType* values) {
            kernels::sellp::convert_to_csr<ValueType, IndexType>(exec, *this, row_ptrs, col_idxs, values);
        });
    result->assign_arrays(this->get_size(), std::move(arrays.values), std::move(arrays.col_idxs),
                          std::move(arrays.row_ptrs));
}

// ---- algebra ------------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
std::unique_ptr<Diagonal<ValueType>> Sellp<ValueType, IndexType>::extract_diagonal() const
{
    auto result = spruce::detail::zero_diagonal_of(*this);
    kernels::sellp::extract_diagonal<ValueType, IndexType>(*this->get_executor(), *this, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<remove_complex<Sellp<ValueType, IndexType>>> Sellp<ValueType, IndexType>::compute_absolute() const
{
    const auto exec = this->get_executor();
    auto values = spruce::detail::absolute_of(exec, values_.get_const_data(), values_.get_size());
    auto result = absolute_type::create(exec, dim<2>{}, slice_size_, stride_factor_, 0);
    result->values_ = std::move(values);
    result->col_idxs_ = col_idxs_;
    result->slice_lengths_ = slice_lengths_;
    result->slice_sets_ = slice_sets_;
    result->set_size(this->get_size());
    return result;
}

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::compute_absolute_inplace()
{
    spruce::detail::make_absolute(*this->get_executor(), values_.get_data(), values_.get_size());
}

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::apply(kernels::sellp::spmv<ValueType, IndexType>, *this, b, x);
}

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::apply_with_dot(const Dense<ValueType>* b, Dense<ValueType>* x, Dense<ValueType>* dot,
                                                 const Reduction& reduction) const
{
    spruce::detail::require_pointers("apply_with_dot", b, x, dot);
    this->template log<log::Logger::linop_apply_started>(this, b, x);
    this->validate_application_parameters(b, x);
    spruce::detail::apply_with_dot(kernels::sellp::spmv_with_dot<ValueType, IndexType>, *this, b, x, dot, reduction);
    this->template log<log::Logger::linop_apply_completed>(this, b, x);
}

template <typename ValueType, typename IndexType>
void Sellp<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::apply(kernels::sellp::advanced_spmv<ValueType, IndexType>, alpha, *this, b, beta, x);
}

#define SPRUCE_SELLP(_value, _index) class SPRUCE_EXPORT Sellp<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_SELLP);

}  // namespace spruce::matrix
