// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/ell.hpp>

#include <string>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/ell_kernels.hpp"
#include "core/matrix/format_operations.hpp"
#include "core/matrix/padded_rows.hpp"

namespace spruce::matrix {

namespace {

/// Returns the stride, or the number of rows if the stride is 0.
/// @throws BadDimension  if the stride is smaller than the number of rows
size_type checked_ell_stride(const dim<2>& size, size_type stride)
{
    if (stride == 0) {
        return size[0];
    }
    if (stride < size[0]) {
        throw BadDimension(__FILE__, __LINE__, "Ell::create", "the matrix", size[0], size[1],
                           "the stride is " + std::to_string(stride) + ", but has to be at least the rows");
    }
    return stride;
}

/// Returns the product.
/// @throws OverflowError  if size_type cannot represent it
size_type checked_product(size_type a, size_type b)
{
    if (b != 0 && a > static_cast<size_type>(-1) / b) {
        throw OverflowError(__FILE__, __LINE__, "size_type");
    }
    return a * b;
}

/// Returns a stride for which columns begin at multiples of a GPU's memory transactions, so that
/// adjacent threads read whole transactions. Matrices with few rows are not padded, because the
/// padding would cost more than it saves.
size_type aligned_stride(size_type num_rows)
{
    constexpr size_type alignment = 32;
    return num_rows < 32 * alignment ? num_rows : (num_rows + alignment - 1) / alignment * alignment;
}

}  // namespace

template <typename ValueType, typename IndexType>
Ell<ValueType, IndexType>::Ell(std::shared_ptr<const Executor> exec, const dim<2>& size,
                               size_type num_stored_elements_per_row, size_type stride)
    : EnableLinOp<Ell>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      values_{exec},
      col_idxs_{exec},
      num_stored_elements_per_row_{num_stored_elements_per_row},
      stride_{checked_ell_stride(size, stride)}
{
    const auto num_elements = checked_product(num_stored_elements_per_row_, stride_);
    values_ = array<value_type>{exec, num_elements};
    col_idxs_ = array<index_type>{exec, num_elements};
    values_.fill(zero<value_type>());
    col_idxs_.fill(padding_column);
}

template <typename ValueType, typename IndexType>
Ell<ValueType, IndexType>::Ell(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values,
                               array<index_type> col_idxs, size_type num_stored_elements_per_row, size_type stride)
    : EnableLinOp<Ell>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      values_{exec, std::move(values)},
      col_idxs_{exec, std::move(col_idxs)},
      num_stored_elements_per_row_{num_stored_elements_per_row},
      stride_{checked_ell_stride(size, stride)}
{
    const auto num_elements = checked_product(num_stored_elements_per_row_, stride_);
    if (values_.get_size() != num_elements || col_idxs_.get_size() != num_elements) {
        throw ValueMismatch(__FILE__, __LINE__, "Ell::create",
                            values_.get_size() != num_elements ? values_.get_size() : col_idxs_.get_size(),
                            num_elements, "values and col_idxs need num_stored_elements_per_row * stride elements");
    }
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Ell<ValueType, IndexType>> Ell<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                             const dim<2>& size,
                                                                             size_type num_stored_elements_per_row,
                                                                             size_type stride)
{
    return std::unique_ptr<Ell>(new Ell(std::move(exec), size, num_stored_elements_per_row, stride));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Ell<ValueType, IndexType>> Ell<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values, array<index_type> col_idxs,
    size_type num_stored_elements_per_row, size_type stride)
{
    return std::unique_ptr<Ell>(
        new Ell(std::move(exec), size, std::move(values), std::move(col_idxs), num_stored_elements_per_row, stride));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<const Ell<ValueType, IndexType>> Ell<ValueType, IndexType>::create_const(
    std::shared_ptr<const Executor> exec, const dim<2>& size, spruce::detail::const_array_view<ValueType>&& values,
    spruce::detail::const_array_view<IndexType>&& col_idxs, size_type num_stored_elements_per_row, size_type stride)
{
    using spruce::detail::array_const_cast;
    return create(std::move(exec), size, array_const_cast(std::move(values)), array_const_cast(std::move(col_idxs)),
                  num_stored_elements_per_row, stride);
}

template <typename ValueType, typename IndexType>
Ell<ValueType, IndexType>::Ell(const Ell& other) : Ell(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
Ell<ValueType, IndexType>::Ell(Ell&& other) : Ell(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
Ell<ValueType, IndexType>& Ell<ValueType, IndexType>::operator=(const Ell& other)
{
    if (this != &other) {
        spruce::detail::array_assignment values{values_, other.values_};
        spruce::detail::array_assignment col_idxs{col_idxs_, other.col_idxs_};
        commit_all(values, col_idxs);
        num_stored_elements_per_row_ = other.num_stored_elements_per_row_;
        stride_ = other.stride_;
        EnableLinOp<Ell>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Ell<ValueType, IndexType>& Ell<ValueType, IndexType>::operator=(Ell&& other)
{
    if (this != &other) {
        if (this->get_executor() == other.get_executor()) {
            values_ = std::move(other.values_);
            col_idxs_ = std::move(other.col_idxs_);
            num_stored_elements_per_row_ = other.num_stored_elements_per_row_;
            stride_ = other.stride_;
            EnableLinOp<Ell>::operator=(std::move(other));
        } else {
            *this = other;
            other.values_.clear();
            other.col_idxs_.clear();
            other.set_size({});
        }
        other.num_stored_elements_per_row_ = 0;
        other.stride_ = 0;
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Ell<ValueType, IndexType>::~Ell() = default;

// ---- conversion ---------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
void Ell<ValueType, IndexType>::convert_to(Ell<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment values{result->values_, values_};
    spruce::detail::array_assignment col_idxs{result->col_idxs_, col_idxs_};
    commit_all(values, col_idxs);
    result->num_stored_elements_per_row_ = num_stored_elements_per_row_;
    result->stride_ = stride_;
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Ell<ValueType, IndexType>::take_entries(const Csr<ValueType, IndexType>& a, size_type num_stored_elements_per_row)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size();
    const auto num_old_rows = this->get_size()[0];
    const auto is_given =
        stride_ > num_old_rows && stride_ >= size[0] && (num_old_rows == size[0] || num_old_rows == 0);
    const auto stride = is_given ? stride_ : aligned_stride(size[0]);
    const auto num_elements = checked_product(num_stored_elements_per_row, stride);
    const auto local = create(exec, size, array<value_type>{exec, num_elements}, array<index_type>{exec, num_elements},
                              num_stored_elements_per_row, stride);
    if (num_elements > 0) {  // otherwise the row pointers need not be read
        kernels::ell::fill_from_csr<ValueType, IndexType>(*exec, a, *local);
    }
    spruce::detail::array_assignment values{values_, std::move(local->values_)};
    spruce::detail::array_assignment col_idxs{col_idxs_, std::move(local->col_idxs_)};
    commit_all(values, col_idxs);
    num_stored_elements_per_row_ = num_stored_elements_per_row;
    stride_ = stride;
    this->set_size(size);
}

template <typename ValueType, typename IndexType>
void Ell<ValueType, IndexType>::convert_to(Csr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    // IndexType must be able to represent the length of a row.
    spruce::detail::require_index_fits<IndexType>(num_stored_elements_per_row_);
    auto arrays = spruce::detail::gather_in_csr(
        *this,
        [&](const Executor& exec, IndexType* counts) {
            kernels::ell::count_entries<ValueType, IndexType>(exec, *this, counts);
        },
        [&](const Executor& exec, const IndexType* row_ptrs, IndexType* col_idxs, ValueType* values) {
            kernels::ell::convert_to_csr<ValueType, IndexType>(exec, *this, row_ptrs, col_idxs, values);
        });
    result->assign_arrays(this->get_size(), std::move(arrays.values), std::move(arrays.col_idxs),
                          std::move(arrays.row_ptrs));
}

// ---- algebra ------------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
std::unique_ptr<Diagonal<ValueType>> Ell<ValueType, IndexType>::extract_diagonal() const
{
    auto result = spruce::detail::zero_diagonal_of(*this);
    kernels::ell::extract_diagonal<ValueType, IndexType>(*this->get_executor(), *this, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<remove_complex<Ell<ValueType, IndexType>>> Ell<ValueType, IndexType>::compute_absolute() const
{
    const auto exec = this->get_executor();
    auto values = spruce::detail::absolute_of(exec, values_.get_const_data(), values_.get_size());
    return absolute_type::create(exec, this->get_size(), std::move(values), col_idxs_, num_stored_elements_per_row_,
                                 stride_);
}

template <typename ValueType, typename IndexType>
void Ell<ValueType, IndexType>::compute_absolute_inplace()
{
    spruce::detail::make_absolute(*this->get_executor(), values_.get_data(), values_.get_size());
}

template <typename ValueType, typename IndexType>
void Ell<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::apply(kernels::ell::spmv<ValueType, IndexType>, *this, b, x);
}

template <typename ValueType, typename IndexType>
void Ell<ValueType, IndexType>::apply_with_dot(const Dense<ValueType>* b, Dense<ValueType>* x, Dense<ValueType>* dot,
                                               const Reduction& reduction) const
{
    spruce::detail::require_pointers("apply_with_dot", b, x, dot);
    this->template log<log::Logger::linop_apply_started>(this, b, x);
    this->validate_application_parameters(b, x);
    spruce::detail::apply_with_dot(kernels::ell::spmv_with_dot<ValueType, IndexType>, *this, b, x, dot, reduction);
    this->template log<log::Logger::linop_apply_completed>(this, b, x);
}

template <typename ValueType, typename IndexType>
void Ell<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::apply(kernels::ell::advanced_spmv<ValueType, IndexType>, alpha, *this, b, beta, x);
}

#define SPRUCE_ELL(_value, _index) class SPRUCE_EXPORT Ell<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_ELL);

}  // namespace spruce::matrix
