// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/csr.hpp>

#include <algorithm>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/identity.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/entry_order.hpp"
#include "core/base/overlap.hpp"
#include "core/components/array_kernels.hpp"
#include "core/matrix/csr_kernels.hpp"
#include "core/matrix/csr_tiles.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/matrix/diagonal_kernels.hpp"
#include "core/matrix/format_operations.hpp"
#include "core/matrix/max_row_length.hpp"

namespace spruce::matrix {

// ---- strategies ---------------------------------------------------------------------------------

namespace {

template <typename DeviceExecutor>
const DeviceExecutor& checked(const std::shared_ptr<DeviceExecutor>& exec)
{
    spruce::detail::require_pointers("Csr::strategy_type (the executor)", exec);
    return *exec;
}

bool is_device(const Executor& exec)
{
    return exec.get_backend() == backend::cuda || exec.get_backend() == backend::hip;
}

/// Returns the number of tiles that a GPU multiplies at the same time.
size_type num_resident_tiles(const Executor& exec)
{
    constexpr size_type threads_per_tile = 256;  // default_block_size of the backends
    const auto count = [](const auto& device) {
        return static_cast<size_type>(device.get_num_multiprocessor()) *
               static_cast<size_type>(device.get_num_warps_per_sm() * device.get_warp_size()) / threads_per_tile;
    };
    if (const auto cuda = dynamic_cast<const CudaExecutor*>(&exec)) {
        return count(*cuda);
    }
    const auto hip = dynamic_cast<const HipExecutor*>(&exec);
    return hip ? count(*hip) : 1;
}

/// Computes the first row of each tile of a product on a GPU. If with_entries is true, the first
/// entries of these rows follow. The result is empty on a host, where products distribute the
/// entries themselves.
template <typename IndexType>
void partition_entries(const array<IndexType>& row_ptrs, size_type nnz, size_type items_per_tile, size_type row_weight,
                       bool with_entries, array<IndexType>* starts)
{
    const auto exec = starts->get_executor();
    if (!is_device(*exec) || row_ptrs.get_size() <= 1) {
        starts->resize_and_reset(0);
        return;
    }
    const array<IndexType> local{exec, row_ptrs};
    const auto num_rows = local.get_size() - 1;
    const auto num_items = nnz + row_weight * num_rows;
    const auto num_starts = (num_items + items_per_tile - 1) / items_per_tile + 1;
    starts->resize_and_reset(with_entries ? 2 * num_starts : num_starts);
    kernels::csr::find_start_rows<IndexType>(*exec, local.get_const_data(), num_rows, items_per_tile, row_weight,
                                             starts->get_data(),
                                             with_entries ? starts->get_data() + num_starts : nullptr, num_starts);
}

/// Computes the first row of each tile of the merge path.
/// @return  the number of items of each tile
template <typename ValueType, typename IndexType>
int64 partition_merge_path(const array<IndexType>& row_ptrs, size_type nnz, size_type max_length,
                           array<IndexType>* srow)
{
    const auto items_per_tile = csr::merge_path_tile_items<ValueType>(nnz, max_length);
    partition_entries(row_ptrs, nnz, items_per_tile, 1, false, srow);
    return static_cast<int64>(items_per_tile);
}

/// Returns true if a tile begins more than max_rows rows after the preceding one. The rows before
/// the first entry belong to the first tile. Small matrices are not inspected, since it takes a
/// wait for the device.
template <typename IndexType>
bool has_tile_of_many_rows(const array<IndexType>& row_ptrs, size_type max_rows, array<IndexType>* starts)
{
    if (row_ptrs.get_size() <= max_rows + 1 || starts->get_size() <= 1) {
        return false;
    }
    const auto exec = starts->get_executor();
    make_array_view(exec, 1, starts->get_data()).fill(0);
    size_type num_oversized{};
    kernels::csr::count_oversized_groups<IndexType>(*exec, starts->get_const_data(), starts->get_size() - 1, 1,
                                                    max_rows, num_oversized);
    return num_oversized > 0;
}

/// Chooses the rows of each block for the strategy classical on a GPU, if blocks with equal numbers
/// of rows would be unbalanced.
/// @return  the number of blocks, or 0 for blocks with equal numbers of rows
template <typename ValueType, typename IndexType>
int64 partition_rows(const array<IndexType>& row_ptrs, size_type nnz, size_type max_length, array<IndexType>* srow)
{
    srow->resize_and_reset(0);
    if (!is_device(*row_ptrs.get_executor()) || row_ptrs.get_size() <= 1) {
        return 0;
    }
    const auto num_rows = row_ptrs.get_size() - 1;
    const auto mean = (nnz + num_rows - 1) / num_rows;
    const auto rows_per_block = csr::rows_per_block<ValueType>(mean, max_length);
    if (rows_per_block * max_length <= csr::spmv_tile_entries<ValueType>) {
        return 0;
    }
    size_type num_oversized{};
    kernels::csr::count_oversized_groups<IndexType>(*row_ptrs.get_executor(), row_ptrs.get_const_data(), num_rows,
                                                    rows_per_block, csr::spmv_tile_entries<ValueType>, num_oversized);
    if (num_oversized * rows_per_block * csr::blocks_per_oversized_one <= num_rows) {
        return 0;
    }
    partition_entries(row_ptrs, nnz, csr::chosen_block_items<ValueType>(max_length), 1, true, srow);
    return std::max<int64>(static_cast<int64>(srow->get_size()) / 2 - 1, 0);
}

}  // namespace

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::strategy_type::~strategy_type() = default;

template <typename ValueType, typename IndexType>
size_type Csr<ValueType, IndexType>::strategy_type::count_entries(const array<index_type>& row_ptrs)
{
    if (row_ptrs.get_size() == 0) {
        return 0;
    }
    const auto last = row_ptrs.get_const_data() + row_ptrs.get_size() - 1;
    return static_cast<size_type>(row_ptrs.get_executor()->copy_val_to_host(last));
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::classical::process(const array<index_type>& row_ptrs, array<index_type>* srow)
{
    max_length_per_row_ = -1;  // products on hosts do not use it
    num_row_blocks_ = 0;
    if (is_device(*row_ptrs.get_executor())) {
        const auto max_length = spruce::detail::max_row_length(row_ptrs);
        max_length_per_row_ = static_cast<int64_t>(max_length);
        num_row_blocks_ = partition_rows<ValueType>(row_ptrs, this->count_entries(row_ptrs), max_length, srow);
    }
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::merge_path::process(const array<index_type>& row_ptrs, array<index_type>* srow)
{
    num_tile_items_ = 0;
    srow->resize_and_reset(0);
    if (is_device(*srow->get_executor())) {
        num_tile_items_ = partition_merge_path<ValueType>(row_ptrs, this->count_entries(row_ptrs),
                                                          spruce::detail::max_row_length(row_ptrs), srow);
    }
}

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::load_balance::load_balance() : load_balance(0)
{}
template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::load_balance::load_balance(std::shared_ptr<const CudaExecutor> exec)
    : load_balance(checked(exec).get_num_warps(), checked(exec).get_warp_size())
{}
template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::load_balance::load_balance(std::shared_ptr<const HipExecutor> exec)
    : load_balance(checked(exec).get_num_warps(), checked(exec).get_warp_size(), false)
{}
template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::load_balance::load_balance(int64_t nwarps, int warp_size, bool, std::string)
    : strategy_type("load_balance"), nwarps_{nwarps}, warp_size_{warp_size}
{}

template <typename ValueType, typename IndexType>
int64_t Csr<ValueType, IndexType>::load_balance::clac_size(const int64_t nnz)
{
    if (nwarps_ <= 0 || warp_size_ <= 0) {
        return 0;
    }
    return std::min(nwarps_, nnz / warp_size_ + (nnz % warp_size_ > 0 ? 1 : 0));
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::load_balance::process(const array<index_type>& row_ptrs, array<index_type>* srow)
{
    if (is_device(*srow->get_executor())) {
        partition_entries(row_ptrs, this->count_entries(row_ptrs), csr::spmv_tile_entries<ValueType>, 0, false, srow);
        if (has_tile_of_many_rows(row_ptrs, csr::max_rows_of_balanced_tile<ValueType>, srow)) {
            srow->resize_and_reset(0);  // products use the merge path
        }
        return;
    }
    const auto num_parts = srow->get_size();
    if (num_parts == 0) {
        return;
    }
    const auto ptrs = row_ptrs.copy_to_host();
    const auto nnz = ptrs.empty() ? size_type{} : static_cast<size_type>(ptrs.back());
    for (size_type part = 0; part < num_parts; ++part) {
        const auto first_entry = static_cast<IndexType>(nnz / num_parts * part + nnz % num_parts * part / num_parts);
        const auto next_row = std::upper_bound(ptrs.begin(), ptrs.end(), first_entry);
        const auto row = next_row == ptrs.end() || next_row == ptrs.begin() ? 0 : next_row - ptrs.begin() - 1;
        srow->get_data()[part] = static_cast<IndexType>(row);
    }
}

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::automatical::automatical() : automatical(0)
{}
template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::automatical::automatical(std::shared_ptr<const CudaExecutor> exec)
    : automatical(checked(exec).get_num_warps(), checked(exec).get_warp_size())
{}
template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::automatical::automatical(std::shared_ptr<const HipExecutor> exec)
    : automatical(checked(exec).get_num_warps(), checked(exec).get_warp_size(), false)
{}
template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::automatical::automatical(int64_t, int, bool, std::string) : strategy_type("automatical")
{}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::automatical::process(const array<index_type>& row_ptrs, array<index_type>* srow)
{
    num_row_blocks_ = 0;
    num_tile_items_ = 0;
    max_length_per_row_ = 0;
    if (row_ptrs.get_size() <= 1) {
        return;
    }
    const auto num_rows = row_ptrs.get_size() - 1;
    const auto nnz = this->count_entries(row_ptrs);
    const auto max_length = spruce::detail::max_row_length(row_ptrs);
    max_length_per_row_ = static_cast<int64_t>(max_length);
    algorithm_ =
        csr::suits_whole_rows<ValueType>({num_rows, nnz, max_length}, num_resident_tiles(*row_ptrs.get_executor()))
            ? csr::spmv_algorithm::classical
            : csr::spmv_algorithm::merge_path;
    if (algorithm_ == csr::spmv_algorithm::merge_path) {
        this->set_name("merge_path");
        num_tile_items_ = partition_merge_path<ValueType>(row_ptrs, nnz, max_length, srow);
    } else {
        this->set_name("classical");
        num_row_blocks_ = partition_rows<ValueType>(row_ptrs, nnz, max_length, srow);
    }
}

template <typename ValueType, typename IndexType>
std::shared_ptr<typename Csr<ValueType, IndexType>::strategy_type> Csr<ValueType, IndexType>::default_strategy() const
{
    const auto exec = this->get_executor();
    if (const auto cuda = std::dynamic_pointer_cast<const CudaExecutor>(exec)) {
        return std::make_shared<automatical>(cuda);
    }
    if (const auto hip = std::dynamic_pointer_cast<const HipExecutor>(exec)) {
        return std::make_shared<automatical>(hip);
    }
    return std::make_shared<classical>();
}

template <typename ValueType, typename IndexType>
std::shared_ptr<typename Csr<ValueType, IndexType>::strategy_type> Csr<ValueType, IndexType>::adapt_strategy(
    const strategy_type& other, const Executor& from) const
{
    const auto exec = this->get_executor();
    const auto is_prepared =
        dynamic_cast<const load_balance*>(&other) != nullptr || dynamic_cast<const automatical*>(&other) != nullptr;
    if (!is_prepared || exec->is_equivalent_to(&from)) {
        return const_cast<strategy_type&>(other).copy();
    }
    if (dynamic_cast<const load_balance*>(&other) && is_device(*exec)) {
        if (const auto cuda = std::dynamic_pointer_cast<const CudaExecutor>(exec)) {
            return std::make_shared<load_balance>(cuda);
        }
        return std::make_shared<load_balance>(std::dynamic_pointer_cast<const HipExecutor>(exec));
    }
    return this->default_strategy();
}

template <typename ValueType, typename IndexType>
typename Csr<ValueType, IndexType>::prepared_strategy Csr<ValueType, IndexType>::prepare_strategy(
    const strategy_type& strategy, const array<index_type>& row_ptrs, size_type num_nonzeros) const
{
    prepared_strategy prepared{const_cast<strategy_type&>(strategy).copy(), {}};
    prepared.srow = array<index_type>{
        this->get_executor(), static_cast<size_type>(prepared.strategy->clac_size(static_cast<int64_t>(num_nonzeros)))};
    // Strategies analyse the rows where products will be computed.
    if (is_device(*this->get_executor()) && row_ptrs.get_executor() != this->get_executor()) {
        prepared.strategy->process({this->get_executor(), row_ptrs}, &prepared.srow);
    } else {
        prepared.strategy->process(row_ptrs, &prepared.srow);
    }
    return prepared;
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::set_prepared(prepared_strategy&& prepared) noexcept
{
    strategy_ = std::move(prepared.strategy);
    srow_ = std::move(prepared.srow);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::update_srow()
{
    this->set_prepared(this->prepare_strategy(*strategy_, row_ptrs_, this->get_num_stored_elements()));
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::set_strategy(std::shared_ptr<strategy_type> strategy)
{
    if (!strategy) {
        spruce::detail::throw_null_pointer("Csr::set_strategy");
    }
    this->set_prepared(this->prepare_strategy(*strategy, row_ptrs_, this->get_num_stored_elements()));
}

// ---- construction, copies -----------------------------------------------------------------------

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::Csr(std::shared_ptr<const Executor> exec, const dim<2>& size, size_type num_nonzeros,
                               std::shared_ptr<strategy_type> strategy)
    : EnableLinOp<Csr>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      strategy_{strategy ? strategy->copy() : this->default_strategy()},
      values_{exec, num_nonzeros},
      col_idxs_{exec, num_nonzeros},
      row_ptrs_{exec, size[0] + 1},
      srow_{exec}
{
    row_ptrs_.fill(0);
    if (!is_device(*exec)) {
        srow_.resize_and_reset(static_cast<size_type>(strategy_->clac_size(static_cast<int64_t>(num_nonzeros))));
        srow_.fill(0);
    }
}

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::Csr(std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values,
                               array<index_type> col_idxs, array<index_type> row_ptrs,
                               std::shared_ptr<strategy_type> strategy)
    : EnableLinOp<Csr>(exec, spruce::detail::require_index_fits<IndexType>(size)),
      strategy_{strategy ? strategy->copy() : this->default_strategy()},
      values_{exec, std::move(values)},
      col_idxs_{exec, std::move(col_idxs)},
      row_ptrs_{exec, std::move(row_ptrs)},
      srow_{exec}
{
    if (values_.get_size() != col_idxs_.get_size()) {
        throw ValueMismatch(__FILE__, __LINE__, "Csr::create", values_.get_size(), col_idxs_.get_size(),
                            "values and col_idxs need the same length");
    }
    if (row_ptrs_.get_size() != size[0] + 1) {
        throw ValueMismatch(__FILE__, __LINE__, "Csr::create", row_ptrs_.get_size(), size[0] + 1,
                            "row_ptrs needs one element more than there are rows");
    }
    this->update_srow();
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                             const dim<2>& size, size_type num_nonzeros,
                                                                             std::shared_ptr<strategy_type> strategy)
{
    return std::unique_ptr<Csr>(new Csr(std::move(exec), size, num_nonzeros, std::move(strategy)));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                             std::shared_ptr<strategy_type> strategy)
{
    return create(std::move(exec), dim<2>{}, 0, std::move(strategy));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::create(
    std::shared_ptr<const Executor> exec, const dim<2>& size, array<value_type> values, array<index_type> col_idxs,
    array<index_type> row_ptrs, std::shared_ptr<strategy_type> strategy)
{
    return std::unique_ptr<Csr>(new Csr(std::move(exec), size, std::move(values), std::move(col_idxs),
                                        std::move(row_ptrs), std::move(strategy)));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<const Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::create_const(
    std::shared_ptr<const Executor> exec, const dim<2>& size, spruce::detail::const_array_view<ValueType>&& values,
    spruce::detail::const_array_view<IndexType>&& col_idxs, spruce::detail::const_array_view<IndexType>&& row_ptrs,
    std::shared_ptr<strategy_type> strategy)
{
    using spruce::detail::array_const_cast;
    return create(std::move(exec), size, array_const_cast(std::move(values)), array_const_cast(std::move(col_idxs)),
                  array_const_cast(std::move(row_ptrs)), std::move(strategy));
}

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::Csr(const Csr& other) : Csr(other.get_executor())
{
    *this = other;
}

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::Csr(Csr&& other) : Csr(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>::~Csr() = default;

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>& Csr<ValueType, IndexType>::operator=(const Csr& other)
{
    if (this != &other) {
        spruce::detail::array_assignment values{values_, other.values_};
        spruce::detail::array_assignment col_idxs{col_idxs_, other.col_idxs_};
        spruce::detail::array_assignment row_ptrs{row_ptrs_, other.row_ptrs_};
        auto prepared = this->prepare_strategy(*this->adapt_strategy(*other.strategy_, *other.get_executor()),
                                               other.row_ptrs_, other.get_num_stored_elements());
        commit_all(values, col_idxs, row_ptrs);
        this->set_prepared(std::move(prepared));
        EnableLinOp<Csr>::operator=(other);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
Csr<ValueType, IndexType>& Csr<ValueType, IndexType>::operator=(Csr&& other)
{
    if (this != &other) {
        // The moved-from matrix is empty and has one row pointer.
        array<index_type> no_rows{other.get_executor(), {index_type{}}};
        if (this->get_executor() == other.get_executor()) {
            auto strategy = other.strategy_->copy();
            values_ = std::move(other.values_);
            col_idxs_ = std::move(other.col_idxs_);
            row_ptrs_ = std::move(other.row_ptrs_);
            srow_ = std::move(other.srow_);
            strategy_ = std::exchange(other.strategy_, std::move(strategy));
            EnableLinOp<Csr>::operator=(std::move(other));
        } else {
            *this = other;
            other.values_.clear();
            other.col_idxs_.clear();
            other.srow_.clear();
            other.set_size({});
        }
        other.row_ptrs_ = std::move(no_rows);
    }
    return *this;
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::assign_arrays(const dim<2>& size, array<value_type>&& values,
                                              array<index_type>&& col_idxs, array<index_type>&& row_ptrs)
{
    this->take_or_copy(size, std::move(values), std::move(col_idxs), std::move(row_ptrs));
}

template <typename ValueType, typename IndexType>
template <typename Values, typename ColIdxs>
void Csr<ValueType, IndexType>::take_or_copy(const dim<2>& size, Values&& values, ColIdxs&& col_idxs,
                                             array<index_type>&& row_ptrs)
{
    spruce::detail::require_index_fits<IndexType>(size);
    const auto num_nonzeros = values.get_size();
    spruce::detail::array_assignment new_values{values_, std::forward<Values>(values)};
    spruce::detail::array_assignment new_col_idxs{col_idxs_, std::forward<ColIdxs>(col_idxs)};
    spruce::detail::array_assignment new_row_ptrs{row_ptrs_, std::move(row_ptrs)};
    auto prepared = this->prepare_strategy(*strategy_, new_row_ptrs.get_source(), num_nonzeros);
    commit_all(new_values, new_col_idxs, new_row_ptrs);
    this->set_prepared(std::move(prepared));
    this->set_size(size);
}

// ---- conversion, input, output ------------------------------------------------------------------

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(Csr<next_precision<ValueType>, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    spruce::detail::array_assignment values{result->values_, values_};
    spruce::detail::array_assignment col_idxs{result->col_idxs_, col_idxs_};
    spruce::detail::array_assignment row_ptrs{result->row_ptrs_, row_ptrs_};
    auto prepared = result->prepare_strategy(*result->strategy_, row_ptrs_, this->get_num_stored_elements());
    commit_all(values, col_idxs, row_ptrs);
    result->set_prepared(std::move(prepared));
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(Dense<ValueType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = this->get_executor();
    const auto local = spruce::detail::separate_operand(exec, this, *result);
    result->overwrite(exec, this->get_size(), [&](Dense<ValueType>& dense) {
        kernels::dense::fill<ValueType>(*exec, dense, zero<ValueType>());
        kernels::csr::fill_in_dense<ValueType, IndexType>(*exec, *local, dense);
    });
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(Coo<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = this->get_executor();
    // The arrays may have more elements than the matrix has entries.
    const auto nnz = static_cast<size_type>(exec->copy_val_to_host(this->get_const_row_ptrs() + this->get_size()[0]));
    const auto values = spruce::detail::array_const_cast(make_const_array_view(exec, nnz, this->get_const_values()));
    const auto col_idxs =
        spruce::detail::array_const_cast(make_const_array_view(exec, nnz, this->get_const_col_idxs()));
    array<IndexType> row_idxs{exec, nnz};
    kernels::components::convert_ptrs_to_idxs<IndexType>(*exec, this->get_const_row_ptrs(), this->get_size()[0],
                                                         row_idxs.get_data());
    spruce::detail::array_assignment new_values{result->values_, values};
    spruce::detail::array_assignment new_col_idxs{result->col_idxs_, col_idxs};
    spruce::detail::array_assignment new_row_idxs{result->row_idxs_, std::move(row_idxs)};
    commit_all(new_values, new_col_idxs, new_row_idxs);
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(Ell<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    result->take_entries(*this, this->compute_max_row_length());
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(Sellp<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    result->take_entries(*this);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(Hybrid<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    result->take_entries(*this);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(Fbcsr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    result->take_entries(*this);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::convert_to(SparsityCsr<ValueType, IndexType>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    array<ValueType> value{result->get_executor(), {one<ValueType>()}};
    // It may be outdated if row pointers were changed since, but only selects an algorithm.
    const auto known_length = strategy_->get_max_length_per_row();
    const auto max_row_length =
        known_length < 0 ? this->compute_max_row_length() : static_cast<size_type>(known_length);
    spruce::detail::array_assignment new_col_idxs{result->col_idxs_, col_idxs_};
    spruce::detail::array_assignment new_row_ptrs{result->row_ptrs_, row_ptrs_};
    spruce::detail::array_assignment new_value{result->value_, std::move(value)};
    commit_all(new_col_idxs, new_row_ptrs, new_value);
    result->max_row_length_ = max_row_length;
    result->set_size(this->get_size());
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::read(const mat_data& data)
{
    this->read(device_matrix_data<ValueType, IndexType>::create_from_host(this->get_executor(), data));
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::read(const device_matrix_data<ValueType, IndexType>& data)
{
    this->read_impl(data);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::read(device_matrix_data<ValueType, IndexType>&& data)
{
    this->read_impl(std::move(data));
    data.empty_out();
}

template <typename ValueType, typename IndexType>
template <typename Data>
void Csr<ValueType, IndexType>::read_impl(Data&& data)
{
    const auto exec = this->get_executor();
    const auto size = spruce::detail::require_index_fits<IndexType>(data.get_size());
    if (spruce::detail::find_order(data) == spruce::detail::entry_order::none) {
        this->read_impl(spruce::detail::sorted_copy_of(this->get_executor(), data));
        return;
    }
    array<IndexType> row_ptrs{exec, size[0] + 1};
    array<IndexType> copy{exec};
    const auto& row_idxs = exec->memory_accessible(data.get_executor()) ? data.row_idxs_ : copy = data.row_idxs_;
    kernels::components::convert_idxs_to_ptrs<IndexType>(*exec, row_idxs.get_const_data(), row_idxs.get_size(),
                                                         row_ptrs.get_data(), size[0]);
    this->take_or_copy(size, std::forward<Data>(data).values_, std::forward<Data>(data).col_idxs_, std::move(row_ptrs));
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::write(mat_data& data) const
{
    const auto row_ptrs = row_ptrs_.copy_to_host();
    const auto col_idxs = col_idxs_.copy_to_host();
    const auto values = values_.copy_to_host();
    mat_data result{this->get_size()};
    result.nonzeros.reserve(values.size());
    for (size_type row = 0; row < this->get_size()[0]; ++row) {
        for (auto nz = row_ptrs[row]; nz < row_ptrs[row + 1]; ++nz) {
            result.nonzeros.emplace_back(static_cast<IndexType>(row), col_idxs[nz], values[nz]);
        }
    }
    data = std::move(result);
}

// ---- row lengths --------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
size_type Csr<ValueType, IndexType>::compute_max_row_length() const
{
    return spruce::detail::max_row_length(row_ptrs_);
}

template <typename ValueType, typename IndexType>
double Csr<ValueType, IndexType>::compute_mean_row_length() const
{
    const auto num_rows = this->get_size()[0];
    const auto nnz = this->get_executor()->copy_val_to_host(this->get_const_row_ptrs() + num_rows);
    return num_rows == 0 ? 0.0 : static_cast<double>(nnz) / static_cast<double>(num_rows);
}

// ---- algebra ------------------------------------------------------------------------------------

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::transpose_impl(bool conjugate) const
{
    const auto exec = this->get_executor();
    auto result = create(exec, spruce::transpose(this->get_size()), this->get_num_stored_elements(), strategy_);
    const auto& run =
        conjugate ? kernels::csr::conj_transpose<ValueType, IndexType> : kernels::csr::transpose<ValueType, IndexType>;
    run(*exec, *this, *result);
    result->update_srow();
    return result;
}

template <typename ValueType, typename IndexType>
bool Csr<ValueType, IndexType>::has_static_launches() const
{
    // The kernel launches of a vendor's library are unknown.
    return typeid(*this) == typeid(Csr) && this->get_strategy()->get_name() != "sparselib";
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::transpose() const
{
    return this->transpose_impl(false);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> Csr<ValueType, IndexType>::conj_transpose() const
{
    return this->transpose_impl(true);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::sort_by_column_index()
{
    kernels::csr::sort_by_column_index<ValueType, IndexType>(*this->get_executor(), *this);
}

template <typename ValueType, typename IndexType>
bool Csr<ValueType, IndexType>::is_sorted_by_column_index() const
{
    bool result{};
    kernels::csr::is_sorted_by_column_index<ValueType, IndexType>(*this->get_executor(), *this, false, result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Diagonal<ValueType>> Csr<ValueType, IndexType>::extract_diagonal() const
{
    auto result = spruce::detail::zero_diagonal_of(*this);
    kernels::diagonal::extract_from_csr<ValueType, IndexType>(*this->get_executor(), *this, *result);
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Dense<ValueType>> Csr<ValueType, IndexType>::create_value_view()
{
    return Dense<ValueType>::create(this->get_executor(), dim<2>{values_.get_size(), 1}, values_.as_view(), 1);
}

template <typename ValueType, typename IndexType>
std::unique_ptr<const Dense<ValueType>> Csr<ValueType, IndexType>::create_const_value_view() const
{
    return Dense<ValueType>::create_const(this->get_executor(), dim<2>{values_.get_size(), 1}, values_.as_const_view(),
                                          1);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::scale(ptr_param<const LinOp> alpha)
{
    SPRUCE_ASSERT_IS_SCALAR(alpha);
    this->create_value_view()->scale(alpha);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::inv_scale(ptr_param<const LinOp> alpha)
{
    SPRUCE_ASSERT_IS_SCALAR(alpha);
    this->create_value_view()->inv_scale(alpha);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    if (const auto sparse_b = dynamic_cast<const Csr*>(b)) {
        const auto sparse_x = as<Csr>(x);
        *sparse_x = std::move(*this->multiply_impl(nullptr, *sparse_b, nullptr, nullptr, sparse_x->strategy_));
        return;
    }
    spruce::detail::apply(kernels::csr::spmv<ValueType, IndexType>, *this, b, x);
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    const auto sparse_b = dynamic_cast<const Csr*>(b);
    if (sparse_b || dynamic_cast<const Identity<ValueType>*>(b)) {
        const auto sparse_x = as<Csr>(x);
        const spruce::detail::const_converted_dense<ValueType> factor{alpha, "alpha"};
        const spruce::detail::const_converted_dense<ValueType> x_factor{beta, "beta"};
        *sparse_x = std::move(
            sparse_b ? *this->multiply_impl(factor.get(), *sparse_b, x_factor.get(), sparse_x, sparse_x->strategy_)
                     : *this->scale_add_impl(*factor.get(), *x_factor.get(), *sparse_x, sparse_x->strategy_));
        return;
    }
    spruce::detail::apply(kernels::csr::advanced_spmv<ValueType, IndexType>, alpha, *this, b, beta, x);
}

#define SPRUCE_CSR(_value, _index) class SPRUCE_EXPORT Csr<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_CSR);

}  // namespace spruce::matrix
