// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/coo.hpp>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/entry_order.hpp"
#include "core/base/overlap.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/coo_kernels.hpp"
#include "core/matrix/diagonal_kernels.hpp"
#include "core/matrix/format_operations.hpp"

namespace spruce::matrix {

template <typename ValueType, typename IndexType>
Coo<ValueType, IndexType>::Coo(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_nonzeros)
    : EnableLinOp<Coo>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      values_{exec, num_nonzeros},
      col_idxs_{exec, num_nonzeros},
      row_idxs_{exec, num_nonzeros}
{}

template <typename ValueType, typename IndexType>
Coo<ValueType, IndexType>::Coo(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values,
                               array<index_type> col_idxs, array<index_type> row_idxs)
    : EnableLinOp<Coo>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      values_{exec, std::move(values)},
      col_idxs_{exec, std::move(col_idxs)},
      row_idxs_{exec, std::move(row_idxs)}
{
    if (values_.get_size() != col_idxs_.get_size() || values_.get_size() != row_idxs_.get_size()) {
        throw ValueMismatch(__FILE__, __LINE__, "Coo::create", values_.get_size(),
                            values_.get_size() != col_idxs_.get_size() ? col_idxs_.get_size() : row_idxs_.get_size(),
                            "values, col_idxs and row_idxs need the same length");
    }
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Coo<ValueType, IndexType>> Coo<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                             const dim<2>& size, size_type num_nonzeros)
{
    return std::unique_ptr<Coo>(new Coo(std::move(exec), size, num_nonzeros));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Coo<ValueType, IndexType>> Coo<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                             const dim<2>& size,
                                                                             array<value_type> values,
                                                                             array<index_type> col_idxs,
                                                                             array<index_type> row_idxs)
{
    return std::unique_ptr<Coo>(
        new Coo(std::move(exec), size, std::move(values), std::move(col_idxs), std::move(row_idxs)));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<const Coo<ValueType, IndexType>> Coo<ValueType, IndexType>::create_const(
    std::shared_ptr<const Executor> exec, const dim<2>& size, spruce::detail::const_array_view<ValueType>&& values,
    spruce::detail::const_array_view<IndexType>&& col_idxs, spruce::detail::const_array_view<IndexType>&& row_idxs)
{
    using spruce::detail::array_const_cast;
    return create(std::move(exec), size, array_const_cast(std::move(values)), array_const_cast(std::move(col_idxs)),
                  array_const_cast(std::move(row_idxs)));
}

template <typename ValueType, typename IndexType>
Coo<ValueType, IndexType>::Coo(const Coo& other) : Coo(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
Coo<ValueType, IndexType>::Coo(Coo&& other) : Coo(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
Coo<ValueType, IndexType>& Coo<ValueType, IndexType>::operator=(const Coo& other)
{
    if (this != &other) {
        spruce::detail::array_assignment values{values_, other.values_};
        spruce::detail::array_assignment col_idxs{col_idxs_, other.col_idxs_};
        spruce::detail::array_assignment row_idxs{row_idxs_, other.row_idxs_};
        commit_all(values, col_idxs, row_idxs);
        EnableLinOp<Coo>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Coo<ValueType, IndexType>& Coo<ValueType, IndexType>::operator=(Coo&& other)
{
    if (this != &other) {
        if (this->get_executor() == other.get_executor()) {
            values_ = std::move(other.values_);
            col_idxs_ = std::move(other.col_idxs_);
            row_idxs_ = std::move(other.row_idxs_);
            EnableLinOp<Coo>::operator=(std::move(other));
        } else {
            *this = other;
            other.values_.clear();
            other.col_idxs_.clear();
            other.row_idxs_.clear();
            other.set_size({});
        }
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Coo<ValueType, IndexType>::~Coo() = default;

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::convert_to(Coo<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment values{result->values_, values_};
    spruce::detail::array_assignment col_idxs{result->col_idxs_, col_idxs_};
    spruce::detail::array_assignment row_idxs{result->row_idxs_, row_idxs_};
    commit_all(values, col_idxs, row_idxs);
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::convert_to(Csr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = this->get_executor();
    if (spruce::detail::find_order(*this) == spruce::detail::entry_order::none) {
        result->read(device_matrix_data<ValueType, IndexType>{exec, this->get_size(), row_idxs_, col_idxs_, values_});
        return;
    }
    array<IndexType> row_ptrs{exec, this->get_size()[0] + 1};
    kernels::components::convert_idxs_to_ptrs<IndexType>(
        *exec, this->get_const_row_idxs(), this->get_num_stored_elements(), row_ptrs.get_data(), this->get_size()[0]);
    spruce::detail::array_assignment new_values{result->values_, values_};
    spruce::detail::array_assignment new_col_idxs{result->col_idxs_, col_idxs_};
    spruce::detail::array_assignment new_row_ptrs{result->row_ptrs_, std::move(row_ptrs)};
    auto prepared =
        result->prepare_strategy(*result->strategy_, new_row_ptrs.get_source(), this->get_num_stored_elements());
    commit_all(new_values, new_col_idxs, new_row_ptrs);
    result->set_prepared(std::move(prepared));
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::read(const mat_data& data)
{
    this->read(device_matrix_data<ValueType, IndexType>::create_from_host(this->get_executor(), data));
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::read(const device_matrix_data<ValueType, IndexType>& data)
{
    this->read_impl(data);
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::read(device_matrix_data<ValueType, IndexType>&& data)
{
    this->read_impl(std::move(data));
    data.empty_out();
}

template <typename ValueType, typename IndexType>
template <typename Data>
void Coo<ValueType, IndexType>::read_impl(Data&& data)
{
    const auto size = spruce::detail::require_index_fits<IndexType>(data.get_size());
    if (spruce::detail::find_order(data) == spruce::detail::entry_order::none) {
        this->read_impl(spruce::detail::sorted_copy_of(this->get_executor(), data));
        return;
    }
    spruce::detail::array_assignment values{values_, std::forward<Data>(data).values_};
    spruce::detail::array_assignment col_idxs{col_idxs_, std::forward<Data>(data).col_idxs_};
    spruce::detail::array_assignment row_idxs{row_idxs_, std::forward<Data>(data).row_idxs_};
    commit_all(values, col_idxs, row_idxs);
    this->set_size(size);
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::write(mat_data& data) const
{
    const auto row_idxs = row_idxs_.copy_to_host();
    const auto col_idxs = col_idxs_.copy_to_host();
    const auto values = values_.copy_to_host();
    mat_data result{this->get_size()};
    result.nonzeros.reserve(values.size());
    for (size_type nz = 0; nz < values.size(); ++nz) {
        result.nonzeros.emplace_back(row_idxs[nz], col_idxs[nz], values[nz]);
    }
    data = std::move(result);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Diagonal<ValueType>> Coo<ValueType, IndexType>::extract_diagonal() const
{
    auto result = spruce::detail::zero_diagonal_of(*this);
    kernels::diagonal::extract_from_coo<ValueType, IndexType>(*this->get_executor(), *this, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Coo<ValueType, IndexType>::transpose_impl(bool conjugate) const
{
    const auto exec = this->get_executor();
    spruce::detail::require_index_fits<IndexType>(this->get_num_stored_elements());
    auto result = create(exec, spruce::transpose(this->get_size()), this->get_num_stored_elements());
    const auto& run =
        conjugate ? kernels::coo::conj_transpose<ValueType, IndexType> : kernels::coo::transpose<ValueType, IndexType>;
    run(*exec, *this, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Coo<ValueType, IndexType>::transpose() const
{
    return this->transpose_impl(false);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Coo<ValueType, IndexType>::conj_transpose() const
{
    return this->transpose_impl(true);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<typename Coo<ValueType, IndexType>::absolute_type> Coo<ValueType, IndexType>::compute_absolute() const
{
    const auto exec = this->get_executor();
    auto values = spruce::detail::absolute_of(exec, values_.get_const_data(), values_.get_size());
    return absolute_type::create(exec, this->get_size(), std::move(values), array<IndexType>{col_idxs_},
                                 array<IndexType>{row_idxs_});
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::compute_absolute_inplace()
{
    spruce::detail::make_absolute(*this->get_executor(), values_.get_data(), values_.get_size());
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::apply(kernels::coo::spmv<ValueType, IndexType>, *this, b, x);
}

template <typename ValueType, typename IndexType>
void Coo<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::apply(kernels::coo::advanced_spmv<ValueType, IndexType>, alpha, *this, b, beta, x);
}

template <typename ValueType, typename IndexType>
const LinOp* Coo<ValueType, IndexType>::apply2(ptr_param<const LinOp> b, ptr_param<LinOp> x) const
{
    this->validate_application_parameters(b.get(), x.get());
    const auto exec = this->get_executor();
    const auto local_b = spruce::detail::result_memory{"apply2", *x, "x", this}.separate(exec, b.get(), "b");
    const auto local_x = spruce::detail::separate_result(exec, x.get(), *this);
    if (spruce::detail::visit_if_of_higher_precision<ValueType>(local_x.get(), [&](auto precise_x) {
            this->apply2(spruce::detail::make_scalar(exec, one<ValueType>()), local_b.get(), precise_x);
        })) {
        return this;
    }
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            kernels::coo::spmv2<ValueType, IndexType>(*exec, *this, *dense_b, *dense_x);
        },
        local_b.get(), local_x.get());
    return this;
}

template <typename ValueType, typename IndexType>
const LinOp* Coo<ValueType, IndexType>::apply2(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b,
                                               ptr_param<LinOp> x) const
{
    this->validate_application_parameters(alpha.get(), b.get(), alpha.get(), x.get());
    const auto exec = this->get_executor();
    const spruce::detail::result_memory result{"apply2", *x, "x", this};
    const auto local_b = result.separate(exec, b.get(), "b");
    const auto local_alpha = result.separate_factor(exec, alpha.get());
    const auto local_x = spruce::detail::separate_result(exec, x.get(), *this);
    if (spruce::detail::visit_if_of_higher_precision<ValueType>(local_x.get(), [&](auto precise_x) {
            const auto one_scalar = spruce::detail::make_scalar(exec, one<ValueType>());
            this->apply_impl(local_alpha.get(), local_b.get(), one_scalar.get(), precise_x);
        })) {
        return this;
    }
    const spruce::detail::const_converted_dense<ValueType> dense_alpha{local_alpha.get(), "alpha"};
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            kernels::coo::advanced_spmv2<ValueType, IndexType>(*exec, *dense_alpha.get(), *this, *dense_b, *dense_x);
        },
        local_b.get(), local_x.get());
    return this;
}

template <typename ValueType, typename IndexType>
LinOp* Coo<ValueType, IndexType>::apply2(ptr_param<const LinOp> b, ptr_param<LinOp> x)
{
    static_cast<const Coo*>(this)->apply2(b, x);
    return this;
}

template <typename ValueType, typename IndexType>
LinOp* Coo<ValueType, IndexType>::apply2(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<LinOp> x)
{
    static_cast<const Coo*>(this)->apply2(alpha, b, x);
    return this;
}

#define SPRUCE_COO(_value, _index) class SPRUCE_EXPORT Coo<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_COO);

}  // namespace spruce::matrix
