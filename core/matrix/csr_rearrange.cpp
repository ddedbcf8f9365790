// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Implements permutations, submatrices, absolute values and changes of the diagonal.

#include <algorithm>

#include <spruce/base/exception_helpers.hpp>
#include <spruce/base/index_set.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/index_checks.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_rearrange_kernels.hpp"

namespace spruce::matrix {

namespace {

/// Returns a permutation, or its inverse, in memory that the executor can access.
template <typename IndexType>
array<IndexType> local_permutation(std::shared_ptr<const Executor> exec, const char* method,
                                   const array<IndexType>* permutation, size_type size, bool invert)
{
    if (!permutation) {
        spruce::detail::throw_null_pointer(method);
    }
    array<IndexType> local{exec, *permutation};
    spruce::detail::require_permutation(method, local, size);
    if (!invert) {
        return local;
    }
    array<IndexType> inverse{exec, size};
    kernels::csr::invert_permutation<IndexType>(*exec, local.get_const_data(), size, inverse.get_data());
    return inverse;
}

}  // namespace

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::rearrange(const IndexType* rows,
                                                                                size_type num_rows,
                                                                                const IndexType* columns) const
{
    const auto exec = this->get_executor();
    auto row_ptrs = rows ? array<IndexType>{exec, num_rows + 1} : row_ptrs_;
    size_type nnz{};
    if (rows) {
        kernels::csr::count_in_rows<IndexType>(*exec, this->get_const_row_ptrs(), rows, num_rows, row_ptrs.get_data());
        kernels::components::prefix_sum<IndexType>(*exec, row_ptrs.get_data(), row_ptrs.get_size(), nnz);
    } else {  // the arrays may have more elements than there are entries
        nnz = static_cast<size_type>(exec->copy_val_to_host(row_ptrs.get_const_data() + num_rows));
    }
    auto result = create(exec, dim<2>{num_rows, this->get_size()[1]}, array<ValueType>{exec, nnz},
                         array<IndexType>{exec, nnz}, std::move(row_ptrs), strategy_);
    array<IndexType> positions{exec};
    if (rows) {
        positions.resize_and_reset(nnz);
        kernels::components::convert_ptrs_to_idxs<IndexType>(*exec, result->get_const_row_ptrs(), num_rows,
                                                             positions.get_data());
        kernels::csr::locate_in_rows<IndexType>(*exec, this->get_const_row_ptrs(), rows, result->get_const_row_ptrs(),
                                                nnz, positions.get_data());
    }
    kernels::csr::gather_entries<ValueType, IndexType>(*exec, *this, positions.get_const_data(), columns, *result);
    if (columns) {
        result->sort_by_column_index();
    }
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::permute(const array<IndexType>* permutation) const
{
    SPRUCE_ASSERT_IS_SQUARE_MATRIX(this);
    const auto exec = this->get_executor();
    const auto rows = local_permutation(exec, "Csr::permute", permutation, this->get_size()[0], false);
    const auto columns = local_permutation(exec, "Csr::permute", permutation, this->get_size()[1], true);
    return this->rearrange(rows.get_const_data(), columns.get_const_data());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::inverse_permute(const array<IndexType>* permutation) const
{
    SPRUCE_ASSERT_IS_SQUARE_MATRIX(this);
    const auto exec = this->get_executor();
    const auto rows = local_permutation(exec, "Csr::inverse_permute", permutation, this->get_size()[0], true);
    const auto columns = local_permutation(exec, "Csr::inverse_permute", permutation, this->get_size()[1], false);
    return this->rearrange(rows.get_const_data(), columns.get_const_data());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::row_permute(const array<IndexType>* permutation) const
{
    const auto rows =
        local_permutation(this->get_executor(), "Csr::row_permute", permutation, this->get_size()[0], false);
    return this->rearrange(rows.get_const_data(), nullptr);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::inverse_row_permute(const array<IndexType>* permutation) const
{
    const auto rows =
        local_permutation(this->get_executor(), "Csr::inverse_row_permute", permutation, this->get_size()[0], true);
    return this->rearrange(rows.get_const_data(), nullptr);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::column_permute(const array<IndexType>* permutation) const
{
    const auto columns =
        local_permutation(this->get_executor(), "Csr::column_permute", permutation, this->get_size()[1], true);
    return this->rearrange(nullptr, columns.get_const_data());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::inverse_column_permute(const array<IndexType>* permutation) const
{
    const auto columns =
        local_permutation(this->get_executor(), "Csr::inverse_column_permute", permutation, this->get_size()[1], false);
    return this->rearrange(nullptr, columns.get_const_data());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::create_submatrix(const span& rows,
                                                                                       const span& columns) const
{
    const auto require_inside = [](const span& part, size_type size) {
        if (!part.is_valid() || part.end > size) {
            throw OutOfBoundsError(__FILE__, __LINE__, std::max(part.begin, part.end), size + 1);
        }
    };
    require_inside(rows, this->get_size()[0]);
    require_inside(columns, this->get_size()[1]);
    const auto exec = this->get_executor();
    const auto first = exec->copy_val_to_host(this->get_const_row_ptrs() + rows.begin);
    const auto last = exec->copy_val_to_host(this->get_const_row_ptrs() + rows.end);
    const auto num_entries = static_cast<size_type>(last - first);
    const auto first_column = static_cast<IndexType>(columns.begin);
    array<IndexType> targets{exec, num_entries + 1};
    kernels::csr::mark_columns<IndexType>(*exec, this->get_const_col_idxs() + first, num_entries, first_column,
                                          static_cast<IndexType>(columns.end), targets.get_data());
    size_type nnz{};
    kernels::components::prefix_sum<IndexType>(*exec, targets.get_data(), targets.get_size(), nnz);
    auto result = create(exec, dim<2>{rows.length(), columns.length()}, nnz, strategy_);
    kernels::csr::fill_submatrix<ValueType, IndexType>(*exec, *this, rows.begin, first_column, targets.get_const_data(),
                                                       num_entries, *result);
    result->update_srow();
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::create_submatrix(
    const index_set<IndexType>& rows, const index_set<IndexType>& columns) const
{
    const auto require_inside = [](const index_set<IndexType>& part, size_type size) {
        if (static_cast<size_type>(part.get_size()) > size) {
            throw OutOfBoundsError(__FILE__, __LINE__, part.get_size(), size + 1);
        }
    };
    require_inside(rows, this->get_size()[0]);
    require_inside(columns, this->get_size()[1]);
    const auto exec = this->get_executor();
    const auto num_columns = static_cast<size_type>(columns.get_num_elems());
    if (rows.get_num_elems() == 0) {
        return create(exec, dim<2>{0, num_columns}, 0, strategy_);
    }
    const auto row_idxs = index_set<IndexType>{exec, rows}.to_global_indices();
    const auto whole_rows = this->rearrange(row_idxs.get_const_data(), row_idxs.get_size(), nullptr);
    // Columns outside the submatrix get the index -1 and are dropped afterwards.
    whole_rows->col_idxs_ = index_set<IndexType>{exec, columns}.map_global_to_local(whole_rows->col_idxs_);
    whole_rows->set_size(dim<2>{row_idxs.get_size(), num_columns});
    return whole_rows->create_submatrix(span{0, row_idxs.get_size()}, span{0, num_columns});
}

template <typename ValueType, typename IndexType>
auto Csr<ValueType, IndexType>::compute_absolute() const -> std::unique_ptr<absolute_type>
{
    using real = remove_complex<ValueType>;
    const auto exec = this->get_executor();
    array<real> values{exec, values_.get_size()};
    kernels::components::absolute_array<ValueType, real>(*exec, this->get_const_values(), values.get_data(),
                                                         values.get_size());
    return absolute_type::create(exec, this->get_size(), std::move(values), col_idxs_, row_ptrs_);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::compute_absolute_inplace()
{
    kernels::components::absolute_array<ValueType, ValueType>(*this->get_executor(), this->get_const_values(),
                                                              this->get_values(), values_.get_size());
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::add_scaled_identity_impl(const LinOp* a, const LinOp* b)
{
    const auto exec = this->get_executor();
    const spruce::detail::const_converted_dense<ValueType> alpha{a, "a"};
    const spruce::detail::const_converted_dense<ValueType> beta{b, "b"};
    array<IndexType> positions{exec, std::min(this->get_size()[0], this->get_size()[1])};
    size_type num_missing{};
    kernels::csr::find_diagonal<IndexType>(*exec, this->get_const_row_ptrs(), this->get_const_col_idxs(),
                                           positions.get_size(), this->get_num_stored_elements(), positions.get_data(),
                                           num_missing);
    if (num_missing > 0) {
        const auto on_host = positions.copy_to_host();
        const auto row = std::find(on_host.begin(), on_host.end(), IndexType{-1}) - on_host.begin();
        throw UnsupportedMatrixProperty(
            __FILE__, __LINE__,
            "Csr::add_scaled_identity: all diagonal entries have to be stored, but that of row " + std::to_string(row) +
                " is not (" + std::to_string(num_missing) + " are missing)");
    }
    this->create_value_view()->scale(beta.get());
    kernels::csr::add_at_positions<ValueType, IndexType>(*exec, *alpha.get(), positions.get_const_data(),
                                                         positions.get_size(), this->get_values());
}

// Other members of the class are instantiated in csr.cpp.
#define SPRUCE_CSR_REARRANGE(_value, _index)                                                                      \
    std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::rearrange(const _index*, size_type, const _index*)  \
        const;                                                                                                    \
    template std::unique_ptr<LinOp> Csr<_value, _index>::permute(const array<_index>*) const;                     \
    template std::unique_ptr<LinOp> Csr<_value, _index>::inverse_permute(const array<_index>*) const;             \
    template std::unique_ptr<LinOp> Csr<_value, _index>::row_permute(const array<_index>*) const;                 \
    template std::unique_ptr<LinOp> Csr<_value, _index>::column_permute(const array<_index>*) const;              \
    template std::unique_ptr<LinOp> Csr<_value, _index>::inverse_row_permute(const array<_index>*) const;         \
    template std::unique_ptr<LinOp> Csr<_value, _index>::inverse_column_permute(const array<_index>*) const;      \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::create_submatrix(const span&, const span&) \
        const;                                                                                                    \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::create_submatrix(                          \
        const index_set<_index>&, const index_set<_index>&) const;                                                \
    template std::unique_ptr<typename Csr<_value, _index>::absolute_type> Csr<_value, _index>::compute_absolute() \
        const;                                                                                                    \
    template void Csr<_value, _index>::compute_absolute_inplace();                                                \
    template void Csr<_value, _index>::add_scaled_identity_impl(const LinOp*, const LinOp*)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_CSR_REARRANGE);

}  // namespace spruce::matrix
