// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/diagonal.hpp>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/base/name_demangling.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/entry_order.hpp"
#include "core/base/overlap.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/matrix/diagonal_kernels.hpp"
#include "core/matrix/via_csr.hpp"

namespace spruce::matrix {
namespace {

template <typename... Formats>
bool is_one_of(const LinOp* matrix)
{
    return ((dynamic_cast<const Formats*>(matrix) != nullptr) || ...);
}

template <typename V, typename I>
bool is_sparse(const LinOp* matrix)
{
    return is_one_of<Csr<V, I>, Coo<V, I>, Ell<V, I>, Sellp<V, I>, Hybrid<V, I>, Fbcsr<V, I>>(matrix);
}

/// Computes x = b, scaled by the kernel. The computation uses a temporary Csr if x has another
/// format. Returns false if b is not a sparse matrix of these types.
/// @throws NotSupported  if b is such a matrix, but x is not
template <typename IndexType, typename ValueType, typename Operation>
bool scale_if_sparse(const Diagonal<ValueType>& diagonal, const Operation& scale, const LinOp* b, LinOp* x)
{
    using csr = Csr<ValueType, IndexType>;
    if (!is_sparse<ValueType, IndexType>(b)) {
        return false;
    }
    const auto& exec = *diagonal.get_executor();
    const auto csr_x = dynamic_cast<csr*>(x);
    if (!csr_x && !is_sparse<ValueType, IndexType>(x)) {
        throw NotSupported(__FILE__, __LINE__, "a Diagonal times a sparse matrix",
                           name_demangling::get_type_name(typeid(*x)));
    }
    if (!csr_x) {
        const auto scaled = spruce::detail::convert_to_csr<ValueType, IndexType>(*b);
        scale(exec, diagonal, *scaled);
        x->move_from(scaled);
        return true;
    }
    if (csr_x != b) {
        csr_x->copy_from(b);
    }
    scale(exec, diagonal, *csr_x);
    return true;
}

void require_size(const char* function, const LinOp& diagonal, size_type needed, const LinOp& b, const LinOp& x)
{
    const auto d = diagonal.get_size();
    const auto b_size = b.get_size();
    if (d[0] != needed) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "this", d[0], d[1], "b", b_size[0], b_size[1],
                                "one value is needed for each row or column that is scaled");
    }
    if (b_size != x.get_size()) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "b", b_size[0], b_size[1], "x", x.get_size()[0],
                                x.get_size()[1], "equal sizes are needed");
    }
}

}  // namespace

template <typename ValueType>
Diagonal<ValueType>::Diagonal(std::shared_ptr<const Executor> exec, size_type size)
    : EnableLinOp<Diagonal>(exec, dim<2>{size}), values_{exec, size}
{}

template <typename ValueType>
Diagonal<ValueType>::Diagonal(std::shared_ptr<const Executor> exec, size_type size, array<value_type> values)
    : EnableLinOp<Diagonal>(exec, dim<2>{size}), values_{exec, std::move(values)}
{
    if (values_.get_size() != size) {
        throw ValueMismatch(__FILE__, __LINE__, "Diagonal::create", values_.get_size(), size,
                            "one value is needed for each row");
    }
}

template <typename ValueType>
std::unique_ptr<Diagonal<ValueType>> Diagonal<ValueType>::create(std::shared_ptr<const Executor> exec, size_type size)
{
    return std::unique_ptr<Diagonal>(new Diagonal(std::move(exec), size));
}

template <typename ValueType>
std::unique_ptr<Diagonal<ValueType>> Diagonal<ValueType>::create(std::shared_ptr<const Executor> exec, size_type size,
                                                                 array<value_type> values)
{
    return std::unique_ptr<Diagonal>(new Diagonal(std::move(exec), size, std::move(values)));
}

template <typename ValueType>
std::unique_ptr<const Diagonal<ValueType>> Diagonal<ValueType>::create_const(
    std::shared_ptr<const Executor> exec, size_type size, spruce::detail::const_array_view<ValueType>&& values)
{
    return create(std::move(exec), size, spruce::detail::array_const_cast(std::move(values)));
}

template <typename ValueType>
Diagonal<ValueType>::Diagonal(const Diagonal& other) : Diagonal(other.get_executor())
{
    *this = other;
}

template <typename ValueType>
Diagonal<ValueType>::Diagonal(Diagonal&& other) : Diagonal(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType>
Diagonal<ValueType>& Diagonal<ValueType>::operator=(const Diagonal& other)
{
    if (this != &other) {
        spruce::detail::array_assignment values{values_, other.values_};
        values.commit();
        EnableLinOp<Diagonal>::operator=(other);
    }
    return *this;
}

template <typename ValueType>
Diagonal<ValueType>& Diagonal<ValueType>::operator=(Diagonal&& other)
{
    values_ = std::move(other.values_);
    EnableLinOp<Diagonal>::operator=(std::move(other));
    return *this;
}

template <typename ValueType>
Diagonal<ValueType>::~Diagonal() = default;

// ---- conversion, input, output ------------------------------------------------------------------

template <typename ValueType>
void Diagonal<ValueType>::convert_to(Diagonal<next_precision<ValueType>>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment values{result->values_, values_};
    values.commit();
    result->set_size(this->get_size());
}

template <typename ValueType>
void Diagonal<ValueType>::convert_to(Dense<ValueType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = this->get_executor();
    const auto size = this->get_size()[0];
    const auto dense = Dense<ValueType>::create(exec, this->get_size());
    dense->fill(zero<ValueType>());
    // The diagonal is a vector with a stride of one row and one column.
    const auto stride = dense->get_stride() + 1;
    const auto num_spanned = size == 0 ? 0 : (size - 1) * stride + 1;
    const dim<2> vector_size{size, 1};
    const auto from = Dense<ValueType>::create_const(exec, vector_size,
                                                     make_const_array_view(exec, size, this->get_const_values()), 1);
    const auto to =
        Dense<ValueType>::create(exec, vector_size, make_array_view(exec, num_spanned, dense->get_values()), stride);
    kernels::dense::copy<ValueType, ValueType>(*exec, *from, *to);
    result->move_from(dense);
}

template <typename ValueType>
template <typename IndexType>
void Diagonal<ValueType>::convert_to_csr(Csr<ValueType, IndexType>* result) const
{
    const auto exec = this->get_executor();
    const auto size = this->get_size()[0];
    spruce::detail::require_index_fits<IndexType>(size);
    array<IndexType> row_ptrs{exec, size + 1};
    kernels::components::fill_sequence<IndexType>(*exec, row_ptrs.get_data(), size + 1);
    array<IndexType> col_idxs{exec, size};
    kernels::components::fill_sequence<IndexType>(*exec, col_idxs.get_data(), size);
    result->assign_arrays(this->get_size(), array<ValueType>{exec, values_}, std::move(col_idxs), std::move(row_ptrs));
}

template <typename ValueType>
template <typename IndexType>
void Diagonal<ValueType>::read_impl(const device_matrix_data<ValueType, IndexType>& data)
{
    const auto size = data.get_size();
    if (size[0] != size[1]) {
        throw DimensionMismatch(__FILE__, __LINE__, "Diagonal::read", "data", size[0], size[1], "its transpose",
                                size[1], size[0], "a diagonal matrix is square");
    }
    const auto exec = data.get_executor();
    const auto nnz = data.get_num_stored_elements();
    spruce::detail::find_order(data);  // throws an exception if indices are outside
    bool has_others{};
    kernels::diagonal::has_off_diagonal<IndexType>(*exec, data.get_const_row_idxs(), data.get_const_col_idxs(), nnz,
                                                   has_others);
    if (has_others) {
        throw UnsupportedMatrixProperty(__FILE__, __LINE__, "Diagonal::read: there are entries off the diagonal");
    }
    const auto entries =
        Coo<ValueType, IndexType>::create_const(exec, size, make_const_array_view(exec, nnz, data.get_const_values()),
                                                make_const_array_view(exec, nnz, data.get_const_col_idxs()),
                                                make_const_array_view(exec, nnz, data.get_const_row_idxs()));
    const auto diagonal = entries->extract_diagonal();
    spruce::detail::array_assignment values{values_, std::move(diagonal->values_)};
    values.commit();
    this->set_size(size);
}

template <typename ValueType>
template <typename IndexType>
void Diagonal<ValueType>::write_impl(matrix_data<ValueType, IndexType>& data) const
{
    spruce::detail::require_index_fits<IndexType>(this->get_size()[0]);
    const auto values = values_.copy_to_host();
    matrix_data<ValueType, IndexType> result{this->get_size()};
    result.nonzeros.reserve(values.size());
    for (size_type i = 0; i < values.size(); ++i) {
        result.nonzeros.emplace_back(static_cast<IndexType>(i), static_cast<IndexType>(i), values[i]);
    }
    data = std::move(result);
}

#define SPRUCE_DIAGONAL_FOR_INDEX(_index)                                                                     \
    template <typename ValueType>                                                                             \
    void Diagonal<ValueType>::convert_to(Csr<ValueType, _index>* result) const                                \
    {                                                                                                         \
        spruce::detail::require_pointers("convert_to", result);                                               \
        this->convert_to_csr(result);                                                                         \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Diagonal<ValueType>::read(const matrix_data<ValueType, _index>& data)                                \
    {                                                                                                         \
        this->read_impl(device_matrix_data<ValueType, _index>::create_from_host(this->get_executor(), data)); \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Diagonal<ValueType>::read(const device_matrix_data<ValueType, _index>& data)                         \
    {                                                                                                         \
        this->read_impl(data);                                                                                \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Diagonal<ValueType>::read(device_matrix_data<ValueType, _index>&& data)                              \
    {                                                                                                         \
        this->read_impl(data);                                                                                \
        data.empty_out();                                                                                     \
    }                                                                                                         \
    template <typename ValueType>                                                                             \
    void Diagonal<ValueType>::write(matrix_data<ValueType, _index>& data) const                               \
    {                                                                                                         \
        this->write_impl(data);                                                                               \
    }
SPRUCE_DIAGONAL_FOR_INDEX(int32)
SPRUCE_DIAGONAL_FOR_INDEX(int64)

// ---- algebra ------------------------------------------------------------------------------------

template <typename ValueType>
std::unique_ptr<LinOp> Diagonal<ValueType>::transpose() const
{
    return this->clone();
}

template <typename ValueType>
std::unique_ptr<LinOp> Diagonal<ValueType>::conj_transpose() const
{
    auto result = create(this->get_executor(), this->get_size()[0]);
    kernels::components::conjugate_array<ValueType>(*this->get_executor(), this->get_const_values(),
                                                    result->get_values(), values_.get_size());
    return result;
}

template <typename ValueType>
std::unique_ptr<typename Diagonal<ValueType>::absolute_type> Diagonal<ValueType>::compute_absolute() const
{
    auto result = absolute_type::create(this->get_executor(), this->get_size()[0]);
    kernels::components::absolute_array<ValueType, remove_complex<ValueType>>(
        *this->get_executor(), this->get_const_values(), result->get_values(), values_.get_size());
    return result;
}

template <typename ValueType>
void Diagonal<ValueType>::compute_absolute_inplace()
{
    kernels::components::absolute_array<ValueType, ValueType>(*this->get_executor(), this->get_const_values(),
                                                              this->get_values(), values_.get_size());
}

template <typename ValueType>
void Diagonal<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    if (scale_if_sparse<int32>(*this, kernels::diagonal::scale_csr_rows<ValueType, int32>, b, x) ||
        scale_if_sparse<int64>(*this, kernels::diagonal::scale_csr_rows<ValueType, int64>, b, x)) {
        return;
    }
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            kernels::diagonal::scale_rows<ValueType>(*this->get_executor(), *this, *dense_b, *dense_x);
        },
        b, x);
}

template <typename ValueType>
void Diagonal<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            kernels::diagonal::advanced_scale_rows<ValueType>(*this->get_executor(), *dense_alpha, *this, *dense_b,
                                                              *dense_beta, *dense_x);
        },
        alpha, b, beta, x, spruce::detail::access_mode::overwrite);
}

template <typename ValueType>
void Diagonal<ValueType>::inverse_apply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const
{
    require_size("Diagonal::inverse_apply", *this, b->get_size()[0], *b, *x);
    const auto exec = this->get_executor();
    const auto local_b = spruce::detail::result_memory{"inverse_apply", *x, "x", this}.separate(exec, b.get(), "b");
    const auto local_x = spruce::detail::separate_result(exec, x.get(), *this);
    if (scale_if_sparse<int32>(*this, kernels::diagonal::inv_scale_csr_rows<ValueType, int32>, local_b.get(),
                               local_x.get()) ||
        scale_if_sparse<int64>(*this, kernels::diagonal::inv_scale_csr_rows<ValueType, int64>, local_b.get(),
                               local_x.get())) {
        return;
    }
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            kernels::diagonal::inv_scale_rows<ValueType>(*exec, *this, *dense_b, *dense_x);
        },
        local_b.get(), local_x.get());
}

template <typename ValueType>
void Diagonal<ValueType>::rapply(ptr_param<const LinOp> b, ptr_param<LinOp> x) const
{
    require_size("Diagonal::rapply", *this, b->get_size()[1], *b, *x);
    const auto exec = this->get_executor();
    const auto local_b = spruce::detail::result_memory{"rapply", *x, "x", this}.separate(exec, b.get(), "b");
    const auto local_x = spruce::detail::separate_result(exec, x.get(), *this);
    if (scale_if_sparse<int32>(*this, kernels::diagonal::scale_csr_columns<ValueType, int32>, local_b.get(),
                               local_x.get()) ||
        scale_if_sparse<int64>(*this, kernels::diagonal::scale_csr_columns<ValueType, int64>, local_b.get(),
                               local_x.get())) {
        return;
    }
    const spruce::detail::const_converted_dense<ValueType> dense_b{local_b.get(), "b"};
    const spruce::detail::converted_dense<ValueType> dense_x{local_x.get(), "x"};
    kernels::diagonal::scale_columns<ValueType>(*exec, *this, *dense_b.get(), *dense_x.get());
}

#define SPRUCE_DIAGONAL(_value) class SPRUCE_EXPORT Diagonal<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_DIAGONAL);

}  // namespace spruce::matrix
