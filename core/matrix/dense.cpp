// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/dense.hpp>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/overlap.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/dense_checks.hpp"
#include "core/matrix/dense_kernels.hpp"

namespace spruce::matrix {
namespace {

/// Returns the number of elements of the rows with their padding.
/// @throws OverflowError  if size_type cannot represent it
size_type buffer_size(const dim<2>& size, size_type stride)
{
    if (stride != 0 && size[0] > static_cast<size_type>(-1) / stride) {
        throw OverflowError(__FILE__, __LINE__, "size_type");
    }
    return size[0] * stride;
}

/// Returns the number of elements from the first to the last one.
/// @throws OverflowError  if size_type cannot represent it
size_type spanned_size(const dim<2>& size, size_type stride)
{
    if (!size) {
        return 0;
    }
    const auto before_last_row = buffer_size({size[0] - 1, size[1]}, stride);
    if (size[1] > static_cast<size_type>(-1) - before_last_row) {
        throw OverflowError(__FILE__, __LINE__, "size_type");
    }
    return before_last_row + size[1];
}

/// Returns the stride, or the number of columns if the stride is 0.
/// @throws BadDimension  if the stride is smaller than the number of columns
size_type checked_stride(const dim<2>& size, size_type stride)
{
    if (stride == 0) {
        return size[1];
    }
    if (stride < size[1]) {
        throw BadDimension(__FILE__, __LINE__, "Dense::create", "the matrix", size[0], size[1],
                           "the stride is " + std::to_string(stride) + ", but has to be at least the columns");
    }
    return stride;
}

}  // namespace

// ---- construction, copies -----------------------------------------------------------------------

template <typename ValueType>
Dense<ValueType>::Dense(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type stride)
    : EnableLinOp<Dense>(exec, size), values_{exec}, stride_{checked_stride(size, stride)}
{
    values_ = array<value_type>{exec, buffer_size(size, stride_)};
}

template <typename ValueType>
Dense<ValueType>::Dense(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values,
                        size_type stride)
    : EnableLinOp<Dense>(exec, size), values_{exec, std::move(values)}, stride_{checked_stride(size, stride)}
{
    const auto needed = spanned_size(size, stride_);
    if (needed > values_.get_size()) {
        throw OutOfBoundsError(__FILE__, __LINE__, needed, values_.get_size());
    }
}

template <typename ValueType>
std::unique_ptr<Dense<ValueType>> Dense<ValueType>::create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                           size_type stride)
{
    return std::unique_ptr<Dense>(new Dense(std::move(exec), size, stride));
}

template <typename ValueType>
std::unique_ptr<Dense<ValueType>> Dense<ValueType>::create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                           array<value_type> values, size_type stride)
{
    return std::unique_ptr<Dense>(new Dense(std::move(exec), size, std::move(values), stride));
}

template <typename ValueType>
std::unique_ptr<const Dense<ValueType>> Dense<ValueType>::create_const(
    std::shared_ptr<const Executor> exec, const dim<2>& size, spruce::detail::const_array_view<ValueType>&& values,
    size_type stride)
{
    return create(std::move(exec), size, spruce::detail::array_const_cast(std::move(values)), stride);
}

template <typename ValueType>
std::unique_ptr<Dense<ValueType>> Dense<ValueType>::create_with_same_config() const
{
    return create(this->get_executor(), this->get_size(), stride_);
}

template <typename ValueType>
std::unique_ptr<Dense<ValueType>> Dense<ValueType>::create_with_type_of_impl(std::shared_ptr<const Executor> exec,
                                                                             const dim<2>& size, size_type stride) const
{
    return create(std::move(exec), size, stride);
}

template <typename ValueType>
std::unique_ptr<Dense<ValueType>> Dense<ValueType>::create_view_of_impl()
{
    return create(this->get_executor(), this->get_size(), values_.as_view(), stride_);
}

template <typename ValueType>
std::unique_ptr<const Dense<ValueType>> Dense<ValueType>::create_const_view_of_impl() const
{
    return create_const(this->get_executor(), this->get_size(), values_.as_const_view(), stride_);
}

template <typename ValueType>
std::unique_ptr<Dense<ValueType>> Dense<ValueType>::create_submatrix_impl(const span& rows, const span& columns,
                                                                          size_type stride)
{
    if (!rows.is_valid() || !columns.is_valid() || rows.end > this->get_size()[0] ||
        columns.end > this->get_size()[1]) {
        throw OutOfBoundsError(__FILE__, __LINE__, rows.end > this->get_size()[0] ? rows.end : columns.end,
                               rows.end > this->get_size()[0] ? this->get_size()[0] : this->get_size()[1]);
    }
    const dim<2> size{rows.length(), columns.length()};
    const auto num_elements = spanned_size(size, stride_);
    const auto begin = size ? this->get_values() + rows.begin * stride_ + columns.begin : nullptr;
    return create(this->get_executor(), size, make_array_view(this->get_executor(), num_elements, begin), stride);
}

template <typename ValueType>
std::unique_ptr<remove_complex<Dense<ValueType>>> Dense<ValueType>::create_real_view()
{
    constexpr size_type parts = is_complex<ValueType>() ? 2 : 1;
    using real = remove_complex<ValueType>;
    return Dense<real>::create(
        this->get_executor(), dim<2>{this->get_size()[0], this->get_size()[1] * parts},
        make_array_view(this->get_executor(), values_.get_size() * parts, reinterpret_cast<real*>(this->get_values())),
        stride_ * parts);
}

template <typename ValueType>
std::unique_ptr<const remove_complex<Dense<ValueType>>> Dense<ValueType>::create_real_view() const
{
    return const_cast<Dense*>(this)->create_real_view();
}

template <typename ValueType>
Dense<ValueType>::Dense(const Dense& other) : Dense(other.get_executor())
{
    *this = other;
}

template <typename ValueType>
Dense<ValueType>::Dense(Dense&& other) : Dense(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType>
Dense<ValueType>::~Dense() = default;

template <typename ValueType>
bool Dense<ValueType>::can_be_overwritten(const Executor& exec, const dim<2>& size) const
{
    if (this->get_size() != size && !values_.is_owning()) {
        throw NotSupported(__FILE__, __LINE__, "a Dense of another size", "a view, which keeps its own");
    }
    return this->get_size() == size && exec.memory_accessible(this->get_executor());
}

template <typename ValueType>
typename Dense<ValueType>::memory Dense<ValueType>::exchange_memory(array<value_type>&& values, const dim<2>& size,
                                                                    size_type stride)
{
    memory before{std::move(values_), this->get_size(), stride_};
    values_ = std::move(values);
    stride_ = stride;
    this->set_size(size);
    return before;
}

template <typename ValueType>
array<ValueType> Dense<ValueType>::allocate(const dim<2>& size) const
{
    return {this->get_executor(), buffer_size(size, size[1])};
}

template <typename ValueType>
Dense<ValueType>& Dense<ValueType>::operator=(const Dense& other)
{
    const spruce::detail::result_memory result{"Dense::copy_from", *this, "this"};
    const auto is_same = this == &other || result.must_copy(other, "other");
    if (is_same && this->get_size() == other.get_size()) {
        return *this;
    }
    const auto exec = this->get_executor();
    this->overwrite(exec, other.get_size(), [&](Dense& target) {
        const auto is_packed = target.stride_ == target.get_size()[1] && other.stride_ == target.stride_;
        if (is_packed && target.values_.get_size() == other.values_.get_size()) {
            target.values_ = other.values_;
        } else if (exec->memory_accessible(other.get_executor())) {
            kernels::dense::copy<ValueType, ValueType>(*exec, other, target);
        } else {
            // The padding is copied, too, because one transfer is faster than one for each row.
            const auto local = create(exec, other.get_size(), array<value_type>{exec, other.values_}, other.stride_);
            kernels::dense::copy<ValueType, ValueType>(*exec, *local, target);
        }
    });
    return *this;
}

template <typename ValueType>
Dense<ValueType>& Dense<ValueType>::operator=(Dense&& other)
{
    if (this == &other) {
        return *this;
    }
    if (values_.is_owning() && !other.values_.is_owning() && spruce::detail::share_memory(*this, other)) {
        // The other matrix views memory that this one owns. A move of the view would free that
        // memory.
        *this = other;
        other.values_.clear();
        other.set_size({});
        other.stride_ = 0;
    } else {
        values_ = std::move(other.values_);
        stride_ = std::exchange(other.stride_, 0);
        EnableLinOp<Dense>::operator=(std::move(other));
    }
    return *this;
}

// ---- conversion, input, output ------------------------------------------------------------------

template <typename ValueType>
void Dense<ValueType>::convert_to(Dense<next_precision<ValueType>>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = result->get_executor();
    const auto local = spruce::detail::separate_operand(exec, this, *result);
    result->overwrite(exec, this->get_size(), [&](Dense<next_precision<ValueType>>& target) {
        kernels::dense::copy<ValueType, next_precision<ValueType>>(*exec, *local, target);
    });
}

template <typename ValueType>
template <typename IndexType>
void Dense<ValueType>::convert_to_csr(Csr<ValueType, IndexType>* result) const
{
    const auto exec = this->get_executor();
    const auto num_rows = spruce::detail::require_index_fits<IndexType>(this->get_size())[0];
    array<IndexType> row_ptrs{exec, num_rows + 1};
    kernels::components::fill_array<IndexType>(*exec, row_ptrs.get_data(), num_rows + 1, IndexType{});
    kernels::dense::count_nonzeros_per_row<ValueType, IndexType>(*exec, *this, row_ptrs.get_data());
    size_type nnz{};
    kernels::components::prefix_sum<IndexType>(*exec, row_ptrs.get_data(), num_rows + 1, nnz);
    array<IndexType> col_idxs{exec, nnz};
    array<ValueType> values{exec, nnz};
    kernels::dense::collect_nonzeros<ValueType, IndexType>(*exec, *this, row_ptrs.get_const_data(), col_idxs.get_data(),
                                                           values.get_data());
    result->assign_arrays(this->get_size(), std::move(values), std::move(col_idxs), std::move(row_ptrs));
}

template <typename ValueType>
template <typename Result>
void Dense<ValueType>::convert_via_csr(Result* result) const
{
    auto csr = Csr<ValueType, typename Result::index_type>::create(this->get_executor());
    this->convert_to_csr(csr.get());
    csr->move_to(result);
}

template <typename ValueType>
template <typename IndexType>
void Dense<ValueType>::read_impl(const device_matrix_data<ValueType, IndexType>& data)
{
    using coo = Coo<ValueType, IndexType>;
    const auto exec = data.get_executor();
    const auto view = coo::create_const(
        exec, data.get_size(), make_const_array_view(exec, data.get_num_stored_elements(), data.get_const_values()),
        make_const_array_view(exec, data.get_num_stored_elements(), data.get_const_col_idxs()),
        make_const_array_view(exec, data.get_num_stored_elements(), data.get_const_row_idxs()));
    make_temporary_clone(this->get_executor(), view.get())->convert_to(this);
}

template <typename ValueType>
template <typename IndexType>
void Dense<ValueType>::write_impl(matrix_data<ValueType, IndexType>& data) const
{
    const auto size = spruce::detail::require_index_fits<IndexType>(this->get_size());
    const auto host = make_temporary_clone(this->get_executor()->get_master(), this);
    matrix_data<ValueType, IndexType> result{size};
    for (size_type row = 0; row < size[0]; ++row) {
        for (size_type col = 0; col < size[1]; ++col) {
            if (const auto value = host->at(row, col); is_nonzero(value)) {
                result.nonzeros.emplace_back(static_cast<IndexType>(row), static_cast<IndexType>(col), value);
            }
        }
    }
    data = std::move(result);
}

#define SPRUCE_DENSE_FOR_INDEX(_index)                                                                        \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::convert_to(Coo<ValueType, _index>* result) const                                   \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_via_csr(result);                                                                        \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::convert_to(Csr<ValueType, _index>* result) const                                   \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_to_csr(result);                                                                         \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::convert_to(Hybrid<ValueType, _index>* result) const                                \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_via_csr(result);                                                                        \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::convert_to(Sellp<ValueType, _index>* result) const                                 \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_via_csr(result);                                                                        \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::convert_to(Ell<ValueType, _index>* result) const                                   \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_via_csr(result);                                                                        \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::convert_to(Fbcsr<ValueType, _index>* result) const                                 \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_via_csr(result);                                                                        \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::convert_to(SparsityCsr<ValueType, _index>* result) const                           \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_via_csr(result);                                                                        \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::read(const matrix_data<ValueType, _index>& data)                                   \
    {                                                                                                         \
        this->read_impl(device_matrix_data<ValueType, _index>::create_from_host(this->get_executor(), data)); \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::read(const device_matrix_data<ValueType, _index>& data)                            \
    {                                                                                                         \
        this->read_impl(data);                                                                                \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::read(device_matrix_data<ValueType, _index>&& data)                                 \
    {                                                                                                         \
        this->read_impl(data);                                                                                \
        data.empty_out();                                                                                     \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Dense<ValueType>::write(matrix_data<ValueType, _index>& data) const                                  \
    {                                                                                                         \
        this->write_impl(data);                                                                               \
    }
SPRUCE_DENSE_FOR_INDEX(int32)
SPRUCE_DENSE_FOR_INDEX(int64)

// ---- products and transposition -----------------------------------------------------------------

template <typename ValueType>
std::unique_ptr<LinOp> Dense<ValueType>::transpose() const
{
    auto result = create(this->get_executor(), spruce::transpose(this->get_size()));
    this->transpose(result.get());
    return result;
}

template <typename ValueType>
std::unique_ptr<LinOp> Dense<ValueType>::conj_transpose() const
{
    auto result = create(this->get_executor(), spruce::transpose(this->get_size()));
    this->conj_transpose(result.get());
    return result;
}

template <typename ValueType>
void Dense<ValueType>::transpose(ptr_param<Dense> output) const
{
    spruce::detail::require_equal_size("Dense::transpose", spruce::transpose(this->get_size()), output->get_size(),
                                       "output");
    const auto exec = this->get_executor();
    const spruce::detail::result_memory result{"Dense::transpose", *output, "output"};
    const auto self = result.separate(exec, this, "this");
    kernels::dense::transpose<ValueType>(*exec, *self, *make_temporary_clone(exec, output));
}

template <typename ValueType>
void Dense<ValueType>::conj_transpose(ptr_param<Dense> output) const
{
    spruce::detail::require_equal_size("Dense::conj_transpose", spruce::transpose(this->get_size()), output->get_size(),
                                       "output");
    const auto exec = this->get_executor();
    const spruce::detail::result_memory result{"Dense::conj_transpose", *output, "output"};
    const auto self = result.separate(exec, this, "this");
    kernels::dense::conj_transpose<ValueType>(*exec, *self, *make_temporary_clone(exec, output));
}

template <typename ValueType>
void Dense<ValueType>::fill(const ValueType value)
{
    kernels::dense::fill<ValueType>(*this->get_executor(), *this, value);
}

template <typename ValueType>
void Dense<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            kernels::dense::simple_apply<ValueType>(*this->get_executor(), *this, *dense_b, *dense_x);
        },
        b, x, spruce::detail::access_mode::overwrite);
}

template <typename ValueType>
void Dense<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            kernels::dense::apply<ValueType>(*this->get_executor(), *dense_alpha, *this, *dense_b, *dense_beta,
                                             *dense_x);
        },
        alpha, b, beta, x, spruce::detail::access_mode::overwrite);
}

#define SPRUCE_DENSE(_value) class SPRUCE_EXPORT Dense<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_DENSE);

}  // namespace spruce::matrix
