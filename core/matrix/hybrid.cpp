// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/hybrid.hpp>

#include <algorithm>
#include <numeric>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/base/dispatch.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/coo_kernels.hpp"
#include "core/matrix/diagonal_kernels.hpp"
#include "core/matrix/ell_kernels.hpp"
#include "core/matrix/format_operations.hpp"
#include "core/matrix/hybrid_kernels.hpp"

namespace spruce::matrix {

// ---- strategies ---------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>::strategy_type::~strategy_type() = default;

template <typename ValueType, typename IndexType>
size_type Hybrid<ValueType, IndexType>::imbalance_limit::compute_ell_num_stored_elements_per_row(
    const std::vector<size_type>& rows_by_length) const
{
    const auto num_rows = std::accumulate(rows_by_length.begin(), rows_by_length.end(), size_type{});
    if (num_rows == 0) {
        return 0;
    }
    // The result is the length of the row at this position if rows were sorted by length.
    const auto quantile_rank = std::min(static_cast<size_type>(static_cast<double>(num_rows) * percent_), num_rows - 1);
    size_type length = 0;
    for (auto num_shorter = rows_by_length[0]; num_shorter <= quantile_rank; num_shorter += rows_by_length[length]) {
        ++length;
    }
    return length;
}

template <typename ValueType, typename IndexType>
size_type Hybrid<ValueType, IndexType>::imbalance_bounded_limit::compute_ell_num_stored_elements_per_row(
    const std::vector<size_type>& rows_by_length) const
{
    const auto num_rows = std::accumulate(rows_by_length.begin(), rows_by_length.end(), size_type{});
    return std::min(limit_.compute_ell_num_stored_elements_per_row(rows_by_length),
                    static_cast<size_type>(static_cast<double>(num_rows) * ratio_));
}

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>::minimal_storage_limit::minimal_storage_limit()
    : limit_{static_cast<double>(sizeof(IndexType)) / (sizeof(ValueType) + 2 * sizeof(IndexType))}
{}

// ---- construction, copies -----------------------------------------------------------------------

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>::Hybrid(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                     size_type num_stored_elements_per_row, size_type stride, size_type num_nonzeros,
                                     std::shared_ptr<strategy_type> strategy)
    : EnableLinOp<Hybrid>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      ell_{ell_type::create(exec, size, num_stored_elements_per_row, stride)},
      coo_{coo_type::create(exec, size, num_nonzeros)},
      strategy_{strategy ? std::move(strategy) : std::make_shared<automatic>()}
{}

template <typename ValueType, typename IndexType>
std::unique_ptr<Hybrid<ValueType, IndexType>> Hybrid<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_stored_elements_per_row, size_type stride,
    size_type num_nonzeros, std::shared_ptr<strategy_type> strategy)
{
    return std::unique_ptr<Hybrid>(
        new Hybrid(std::move(exec), size, num_stored_elements_per_row, stride, num_nonzeros, std::move(strategy)));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Hybrid<ValueType, IndexType>> Hybrid<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_stored_elements_per_row, size_type stride,
    std::shared_ptr<strategy_type> strategy)
{
    return create(std::move(exec), size, num_stored_elements_per_row, stride, 0, std::move(strategy));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Hybrid<ValueType, IndexType>> Hybrid<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_stored_elements_per_row,
    std::shared_ptr<strategy_type> strategy)
{
    return create(std::move(exec), size, num_stored_elements_per_row, size[0], std::move(strategy));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Hybrid<ValueType, IndexType>> Hybrid<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, std::shared_ptr<strategy_type> strategy)
{
    return create(std::move(exec), size, 0, std::move(strategy));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Hybrid<ValueType, IndexType>> Hybrid<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, std::shared_ptr<strategy_type> strategy)
{
    return create(std::move(exec), dim<2>{}, 0, std::move(strategy));
}

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>::Hybrid(const Hybrid& other) : Hybrid(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>::Hybrid(Hybrid&& other) : Hybrid(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>& Hybrid<ValueType, IndexType>::operator=(const Hybrid& other)
{
    if (this != &other) {
        auto ell = other.ell_->clone(this->get_executor());
        auto coo = other.coo_->clone(this->get_executor());
        ell_ = std::move(ell);
        coo_ = std::move(coo);
        strategy_ = other.strategy_;
        EnableLinOp<Hybrid>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>& Hybrid<ValueType, IndexType>::operator=(Hybrid&& other)
{
    if (this != &other) {
        if (this->get_executor() == other.get_executor()) {
            *ell_ = std::move(*other.ell_);
            *coo_ = std::move(*other.coo_);
            strategy_ = other.strategy_;
            EnableLinOp<Hybrid>::operator=(std::move(other));
        } else {
            *this = other;
            other.ell_->clear();
            other.coo_->clear();
            other.set_size({});
        }
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Hybrid<ValueType, IndexType>::~Hybrid() = default;

// ---- conversion ---------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
void Hybrid<ValueType, IndexType>::convert_to(Hybrid<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    using other = Hybrid<next_precision<ValueType>, IndexType>;
    const auto exec = result->get_executor();
    auto ell = other::ell_type::create(exec);
    auto coo = other::coo_type::create(exec);
    ell_->convert_to(ell.get());
    coo_->convert_to(coo.get());
    result->strategy_ = this->template get_strategy<other>();
    result->ell_ = std::move(ell);
    result->coo_ = std::move(coo);
    result->set_size(this->get_size());
}

namespace {

/// Counts the rows of each length below max_length. The last element is the number of rows with at
/// least max_length entries.
template <typename ValueType, typename IndexType>
std::vector<size_type> count_rows_by_length(const Csr<ValueType, IndexType>& a, size_type max_length)
{
    array<size_type> counts{a.get_executor(), max_length + 1};
    counts.fill(0);
    kernels::hybrid::count_rows_by_length<IndexType>(*a.get_executor(), a.get_const_row_ptrs(), a.get_size()[0],
                                                     max_length, counts.get_data());
    return counts.copy_to_host();
}

}  // namespace

template <typename ValueType, typename IndexType>
void Hybrid<ValueType, IndexType>::take_entries(const Csr<ValueType, IndexType>& a)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size();
    const auto num_rows = size[0];
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto max_row_length = a.compute_max_row_length();
    // The number of counters must not depend on a single row of 1e8 entries. Rows beyond max_length
    // are therefore counted together, unless the strategy splits rows beyond that length.
    auto max_length = std::min(max_row_length, size_type{16384});
    auto rows_by_length = count_rows_by_length(a, max_length);
    auto ell_length = strategy_->compute_ell_num_stored_elements_per_row(rows_by_length);
    while (ell_length >= max_length && max_length < max_row_length) {
        max_length = std::min(max_row_length, 16 * max_length);
        rows_by_length = count_rows_by_length(a, max_length);
        ell_length = strategy_->compute_ell_num_stored_elements_per_row(rows_by_length);
    }
    ell_length = std::min(ell_length, max_row_length);
    auto num_longer = num_rows;
    // The arrays may have more elements than the matrix has entries.
    auto num_rest = num_rows == 0 ? size_type{0} : static_cast<size_type>(exec->copy_val_to_host(row_ptrs + num_rows));
    for (size_type length = 0; length < ell_length; ++length) {
        num_longer -= rows_by_length[length];
        num_rest -= rows_by_length[length] * length;
    }
    num_rest -= num_longer * ell_length;

    auto local = create(exec, ell_->get_size(), 0, ell_->get_stride(), strategy_);
    local->set_size(size);
    local->ell_->take_entries(a, ell_length);
    auto coo = coo_type::create(exec, size, num_rest);
    if (num_rest > 0) {
        array<IndexType> memory{exec};
        auto rest_ptrs = row_ptrs;  // if all entries are rest
        if (ell_length > 0) {
            memory.resize_and_reset(num_rows + 1);
            kernels::hybrid::count_rest<IndexType>(*exec, row_ptrs, num_rows, ell_length, memory.get_data());
            kernels::components::prefix_sum<IndexType>(*exec, memory.get_data(), num_rows + 1, num_rest);
            rest_ptrs = memory.get_const_data();
        }
        kernels::components::convert_ptrs_to_idxs<IndexType>(*exec, rest_ptrs, num_rows, coo->get_row_idxs());
        kernels::hybrid::fill_rest<ValueType, IndexType>(*exec, a, ell_length, rest_ptrs, *coo);
    }
    local->coo_ = std::move(coo);
    *this = std::move(*local);
}

template <typename ValueType, typename IndexType>
void Hybrid<ValueType, IndexType>::convert_to(Csr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    // IndexType must be able to represent the length of a row and the number of entries of the Coo
    // part.
    spruce::detail::require_index_fits<IndexType>(ell_->get_num_stored_elements_per_row());
    spruce::detail::require_index_fits<IndexType>(coo_->get_num_stored_elements());
    const auto exec = this->get_executor();
    const auto num_rows = this->get_size()[0];
    const auto num_rest = coo_->get_num_stored_elements();
    array<IndexType> rest_ptrs{exec, num_rows + 1};
    kernels::components::convert_idxs_to_ptrs<IndexType>(*exec, coo_->get_const_row_idxs(), num_rest,
                                                         rest_ptrs.get_data(), num_rows);
    if (ell_->get_num_stored_elements_per_row() == 0) {
        // There may be many more rows than entries, so their counts are not added and scanned.
        array<ValueType> values{exec, num_rest};
        array<IndexType> col_idxs{exec, num_rest};
        exec->copy(num_rest, coo_->get_const_values(), values.get_data());
        exec->copy(num_rest, coo_->get_const_col_idxs(), col_idxs.get_data());
        result->assign_arrays(this->get_size(), std::move(values), std::move(col_idxs), std::move(rest_ptrs));
        return;
    }
    auto arrays = spruce::detail::gather_in_csr(
        *this,
        [&](const Executor& exec, IndexType* counts) {
            kernels::ell::count_entries<ValueType, IndexType>(exec, *ell_, counts);
            kernels::hybrid::add_lengths<IndexType>(exec, rest_ptrs.get_const_data(), num_rows, counts);
        },
        [&](const Executor& exec, const IndexType* row_ptrs, IndexType* col_idxs, ValueType* values) {
            kernels::ell::convert_to_csr<ValueType, IndexType>(exec, *ell_, row_ptrs, col_idxs, values);
            kernels::hybrid::fill_rest_in_csr<ValueType, IndexType>(exec, *coo_, rest_ptrs.get_const_data(), row_ptrs,
                                                                    col_idxs, values);
        });
    result->assign_arrays(this->get_size(), std::move(arrays.values), std::move(arrays.col_idxs),
                          std::move(arrays.row_ptrs));
}

// ---- algebra ------------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
std::unique_ptr<Diagonal<ValueType>> Hybrid<ValueType, IndexType>::extract_diagonal() const
{
    auto result = spruce::detail::zero_diagonal_of(*this);
    kernels::ell::extract_diagonal<ValueType, IndexType>(*this->get_executor(), *ell_, *result);
    kernels::diagonal::extract_from_coo<ValueType, IndexType>(*this->get_executor(), *coo_, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<remove_complex<Hybrid<ValueType, IndexType>>> Hybrid<ValueType, IndexType>::compute_absolute() const
{
    auto result = absolute_type::create(this->get_executor(), this->template get_strategy<absolute_type>());
    result->ell_ = ell_->compute_absolute();
    result->coo_ = coo_->compute_absolute();
    result->set_size(this->get_size());
    return result;
}

template <typename ValueType, typename IndexType>
void Hybrid<ValueType, IndexType>::compute_absolute_inplace()
{
    ell_->compute_absolute_inplace();
    coo_->compute_absolute_inplace();
}

template <typename ValueType, typename IndexType>
void Hybrid<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_b, auto dense_x) {
            const auto exec = this->get_executor();
            kernels::ell::spmv<ValueType, IndexType>(*exec, *ell_, *dense_b, *dense_x);
            kernels::coo::spmv2<ValueType, IndexType>(*exec, *coo_, *dense_b, *dense_x);
        },
        b, x, spruce::detail::access_mode::overwrite);
}

template <typename ValueType, typename IndexType>
void Hybrid<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto exec = this->get_executor();
            kernels::ell::advanced_spmv<ValueType, IndexType>(*exec, *dense_alpha, *ell_, *dense_b, *dense_beta,
                                                              *dense_x);
            kernels::coo::advanced_spmv2<ValueType, IndexType>(*exec, *dense_alpha, *coo_, *dense_b, *dense_x);
        },
        alpha, b, beta, x, spruce::detail::access_mode::overwrite);
}

#define SPRUCE_HYBRID(_value, _index) class SPRUCE_EXPORT Hybrid<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_HYBRID);

}  // namespace spruce::matrix
