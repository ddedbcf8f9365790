// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/preconditioner/jacobi.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <spruce/solver/solver_base.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/preconditioner/jacobi_kernels.hpp"

namespace spruce::preconditioner {
namespace {

template <typename Parameters>
void require_valid(const Parameters& parameters)
{
    const auto max_size = parameters.max_block_size;
    if (max_size < 1 || max_size > detail::largest_block_size) {
        throw NotSupported(__FILE__, __LINE__, "Jacobi",
                           "max_block_size " + std::to_string(max_size) + " (it has to be 1 to 32)");
    }
    if (parameters.max_block_stride != 0 && parameters.max_block_stride < max_size) {
        throw NotSupported(__FILE__, __LINE__, "Jacobi",
                           "max_block_stride " + std::to_string(parameters.max_block_stride) +
                               " (it has to be 0 or at least max_block_size, which is " + std::to_string(max_size) +
                               ")");
    }
    if (!(parameters.accuracy > 0 && parameters.accuracy < 1)) {
        std::ostringstream message;
        message << "Jacobi: accuracy " << parameters.accuracy << " (it has to be greater than 0 and less than 1)";
        throw OutOfBoundsError(__FILE__, __LINE__, message.str());
    }
}

/// Checks that pointers divide num_rows rows into blocks of at most max_size rows. Returns the size
/// of the largest block.
template <typename I>
size_type require_valid_blocks(const array<I>& block_pointers, size_type num_rows, size_type max_size)
{
    const auto ptrs = block_pointers.copy_to_host();
    if (ptrs.front() != 0) {
        throw OutOfBoundsError(
            __FILE__, __LINE__,
            "Jacobi: the first of block_pointers is " + std::to_string(ptrs.front()) + " (it has to be 0)");
    }
    size_type largest{};
    for (size_type block = 0; block + 1 < ptrs.size(); ++block) {
        const auto begin = ptrs[block];
        const auto end = ptrs[block + 1];
        if (end <= begin || static_cast<size_type>(end - begin) > max_size) {
            throw OutOfBoundsError(__FILE__, __LINE__,
                                   "Jacobi: block " + std::to_string(block) + " begins at row " +
                                       std::to_string(begin) + " and ends before row " + std::to_string(end) +
                                       " (a block has 1 to max_block_size rows, here at most " +
                                       std::to_string(max_size) + ")");
        }
        largest = std::max(largest, static_cast<size_type>(end - begin));
    }
    if (static_cast<size_type>(ptrs.back()) != num_rows) {
        throw ValueMismatch(__FILE__, __LINE__, "Jacobi", static_cast<size_type>(ptrs.back()), num_rows,
                            "the last of block_pointers has to be the number of rows");
    }
    return largest;
}

/// Reports the first block that has an entry which is not finite.
template <typename V, typename I>
[[noreturn]] void throw_not_invertible(const detail::block_diagonal<V, I>& blocks)
{
    const detail::block_diagonal<V, I> host{blocks.values.get_executor()->get_master(), blocks};
    const auto scheme = host.get_scheme();
    const auto ptrs = host.block_ptrs.get_const_data();
    for (size_type block = 0; block < host.get_num_blocks(); ++block) {
        const auto begin = host.is_scalar ? block : static_cast<size_type>(ptrs[block]);
        const auto size = host.is_scalar ? 1 : static_cast<size_type>(ptrs[block + 1]) - begin;
        for (size_type i = 0; i < size * size; ++i) {
            if (!is_finite(host.values.get_const_data()[scheme.get_offset(begin + i / size, i % size)])) {
                throw UnsupportedMatrixProperty(__FILE__, __LINE__,
                                                "Jacobi: block " + std::to_string(block) + ", which begins at row " +
                                                    std::to_string(begin) + " and has " + std::to_string(size) +
                                                    " rows, is singular, contains infinity or NaN, or has an inverse "
                                                    "with an overflow");
            }
        }
    }
    throw UnsupportedMatrixProperty(
        __FILE__, __LINE__,
        "Jacobi: a block is singular, contains infinity or NaN, or has an inverse with an overflow");
}

/// Prepares blocks for the formats that are requested.
template <typename V, typename I>
void request_formats(const storage_optimization& storage, detail::block_diagonal<V, I>& blocks)
{
    const auto exec = blocks.values.get_executor();
    const auto num_blocks = blocks.get_num_blocks();
    if (storage.is_block_wise && storage.block_wise.get_size() != num_blocks) {
        throw ValueMismatch(__FILE__, __LINE__, "Jacobi", storage.block_wise.get_size(), num_blocks,
                            "formats of storage_optimization and blocks have to have equal numbers");
    }
    if (num_blocks == 0 || (!storage.is_block_wise && storage.of_all_blocks == precision_reduction{})) {
        return;
    }
    blocks.requested = storage.is_block_wise ? array<precision_reduction>{exec, storage.block_wise}
                                             : array<precision_reduction>{exec, {storage.of_all_blocks}};
    blocks.formats.resize_and_reset(blocks.get_num_slices());
    blocks.block_formats.resize_and_reset(num_blocks);
    blocks.row_formats.resize_and_reset(blocks.num_rows);
    blocks.conditioning.resize_and_reset(num_blocks);
    blocks.norms.resize_and_reset(3 * blocks.num_rows);
}

/// Sets all values to NaN, in full precision.
template <typename V, typename I>
void invalidate(detail::block_diagonal<V, I>& blocks)
{
    const auto use_full_precision = [](array<precision_reduction>& formats) {
        const std::vector<precision_reduction> full_precision(formats.get_size());
        formats = array<precision_reduction>{formats.get_executor()->get_master(), full_precision.begin(),
                                             full_precision.end()};
    };
    use_full_precision(blocks.formats);
    use_full_precision(blocks.block_formats);
    if (blocks.rows.get_size() > 0) {
        array<detail::block_row> rows{blocks.rows.get_executor()->get_master(), blocks.rows};
        for (size_type row = 0; row < rows.get_size(); ++row) {
            rows.get_data()[row].is_halved = false;
        }
        blocks.rows = rows;
    }
    blocks.values.fill(nan<V>());
}

/// Returns a copy that is stored in full.
template <typename V, typename I>
detail::block_diagonal<V, I> restored(const detail::block_diagonal<V, I>& blocks)
{
    const auto exec = blocks.values.get_executor();
    detail::block_diagonal<V, I> copy{exec, blocks};
    if (copy.formats.get_size() > 0) {
        kernels::jacobi::restore_storage<V, I>(*exec, copy);
    } else if (!copy.is_scalar) {
        kernels::jacobi::expand<V, I>(*exec, blocks, copy);
    }
    return copy;
}

/// Moves the arrays of parameters to an executor.
template <typename Parameters>
void move_to_executor(std::shared_ptr<const Executor> exec, Parameters& parameters)
{
    parameters.block_pointers.set_executor(exec);
    parameters.storage_optimization.block_wise.set_executor(exec);
}

/// Returns the matrix with sorted columns, which is a copy unless they are sorted.
template <typename Csr>
std::shared_ptr<const Csr> sorted(std::shared_ptr<const Csr> matrix, bool is_sorted)
{
    if (is_sorted) {
        return matrix;
    }
    auto copy = share(clone(matrix));
    copy->sort_by_column_index();
    return copy;
}

}  // namespace

template <typename V, typename I>
Jacobi<V, I>::Jacobi(std::shared_ptr<const Executor> exec)
    : EnableLinOp<Jacobi>(exec), blocks_{std::make_unique<block_diagonal>(exec)}
{}

template <typename V, typename I>
Jacobi<V, I>::Jacobi(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : EnableLinOp<Jacobi>(factory->get_executor(), solver::detail::require_square(system_matrix.get(), "Jacobi")),
      parameters_{factory->get_parameters()},
      blocks_{std::make_unique<block_diagonal>(factory->get_executor())}
{
    require_valid(parameters_);
    const auto exec = this->get_executor();
    const auto given_matrix = copy_and_convert_to<const csr>(exec, std::move(system_matrix));
    auto& blocks = *blocks_;
    blocks.num_rows = this->get_size()[0];
    blocks.max_block_size = parameters_.max_block_size;
    blocks.is_scalar = blocks.max_block_size == 1;
    const auto has_block_pointers = parameters_.block_pointers.get_size() > 0;
    if (has_block_pointers) {
        blocks.max_block_size =
            require_valid_blocks(parameters_.block_pointers, blocks.num_rows, parameters_.max_block_size);
    }
    blocks.columns_are_sorted = parameters_.skip_sorting || given_matrix->is_sorted_by_column_index();
    const auto matrix = sorted(given_matrix, blocks.columns_are_sorted);
    if (blocks.is_scalar) {
        blocks.values.resize_and_reset(blocks.num_rows);
    } else {
        if (has_block_pointers) {
            blocks.block_ptrs = parameters_.block_pointers;
        } else {
            kernels::jacobi::find_blocks<V, I>(*exec, *matrix, parameters_.max_block_size, blocks.block_ptrs);
        }
        kernels::jacobi::divide_into_slices<V, I>(*exec, blocks);
        request_formats(parameters_.storage_optimization, blocks);
    }
    move_to_executor(exec, parameters_);
    parameters_.block_pointers = blocks.block_ptrs;
    const auto has_replaced_zeros = this->compute_values(*matrix, blocks);
    blocks.row_hashes.resize_and_reset(blocks.num_rows);
    kernels::jacobi::hash_rows<V, I>(*exec, *given_matrix, blocks.row_hashes.get_data());
    if (blocks.workspace.get_size() < sizeof(int32)) {
        blocks.workspace.resize_and_reset(sizeof(int32));  // refresh() does not allocate its result
    }
    if (has_replaced_zeros) {
        this->template log<log::Logger::zero_diagonal_replaced>(this);
        for (const auto& logger : std::vector(factory->get_loggers())) {
            logger->template on<log::Logger::zero_diagonal_replaced>(this);
        }
    }
}

template <typename V, typename I>
Jacobi<V, I>::Jacobi(const Jacobi& other) : Jacobi(other.get_executor())
{
    *this = other;
}

template <typename V, typename I>
Jacobi<V, I>::Jacobi(Jacobi&& other) : Jacobi(other.get_executor())
{
    *this = std::move(other);
}

template <typename V, typename I>
Jacobi<V, I>& Jacobi<V, I>::operator=(const Jacobi& other)
{
    if (this != &other) {
        const auto exec = this->get_executor();
        auto blocks = std::make_unique<block_diagonal>(exec, *other.blocks_);
        auto parameters = other.parameters_;
        move_to_executor(exec, parameters);
        EnableLinOp<Jacobi>::operator=(other);
        parameters_ = std::move(parameters);
        blocks_ = std::move(blocks);
    }
    return *this;
}

template <typename V, typename I>
Jacobi<V, I>& Jacobi<V, I>::operator=(Jacobi&& other)
{
    if (this != &other) {
        auto empty = std::make_unique<block_diagonal>(other.get_executor());
        if (this->get_executor() == other.get_executor()) {
            EnableLinOp<Jacobi>::operator=(std::move(other));
            parameters_ = std::exchange(other.parameters_, {});
            blocks_ = std::exchange(other.blocks_, std::move(empty));
        } else {
            *this = other;
            other.set_size({});
            other.parameters_ = {};
            other.blocks_ = std::move(empty);
        }
    }
    return *this;
}

template <typename V, typename I>
Jacobi<V, I>::~Jacobi() = default;

template <typename V, typename I>
bool Jacobi<V, I>::compute_values(const csr& matrix, block_diagonal& blocks)
{
    const auto exec = this->get_executor();
    kernels::jacobi::extract<V, I>(*exec, matrix, blocks);
    if (parameters_.aggregate_l1) {
        // The sums of the rows are a product, which distributes long rows.
        const auto nnz = matrix.get_num_stored_elements();
        array<V> off_block{exec, nnz};
        kernels::jacobi::absolute_off_block<V, I>(*exec, matrix, blocks, off_block.get_data());
        const auto off_block_matrix =
            csr::create_const(exec, matrix.get_size(), off_block.as_const_view(),
                              make_const_array_view(exec, nnz, matrix.get_const_col_idxs()),
                              make_const_array_view(exec, blocks.num_rows + 1, matrix.get_const_row_ptrs()));
        const auto ones = matrix::Dense<V>::create(exec, dim<2>{blocks.num_rows, 1});
        ones->fill(one<V>());
        const auto sums = matrix::Dense<V>::create(exec, dim<2>{blocks.num_rows, 1});
        off_block_matrix->apply(ones, sums);
        kernels::jacobi::add_to_diagonal<V, I>(*exec, *sums, blocks);
    }
    const auto is_reduced = blocks.formats.get_size() > 0;
    if (is_reduced) {
        kernels::jacobi::compute_norms<V, I>(*exec, blocks, 0, false);
    }
    detail::inversion_flags flags{};
    kernels::jacobi::invert<V, I>(*exec, blocks, !is_reduced && !blocks.is_scalar, flags);
    if (!flags.all_finite) {
        throw_not_invertible(blocks);
    }
    if (is_reduced) {
        kernels::jacobi::compute_norms<V, I>(*exec, blocks, blocks.num_rows, true);
        kernels::jacobi::choose_formats<V, I>(*exec, blocks, parameters_.accuracy);
        kernels::jacobi::reduce_storage<V, I>(*exec, blocks);
        parameters_.storage_optimization.is_block_wise = true;
        parameters_.storage_optimization.block_wise = blocks.block_formats;
    }
    return flags.has_replaced_zeros;
}

template <typename V, typename I>
void Jacobi<V, I>::refresh(std::shared_ptr<const LinOp> system_matrix)
{
    const auto exec = this->get_executor();
    spruce::detail::require_pointers("Jacobi::refresh", system_matrix);
    const auto size = system_matrix->get_size();
    if (size != this->get_size()) {
        throw DimensionMismatch(__FILE__, __LINE__, "Jacobi::refresh", "this", this->get_size()[0], this->get_size()[1],
                                "the matrix", size[0], size[1], "equal sizes are needed");
    }
    if (!this->can_be_refreshed()) {
        throw NotSupported(__FILE__, __LINE__, "Jacobi::refresh", "a transposed Jacobi");
    }
    const auto matrix = copy_and_convert_to<const csr>(exec, std::move(system_matrix));
    auto is_equal = false;
    kernels::jacobi::has_row_hashes<V, I>(*exec, *matrix, *blocks_, is_equal);
    if (!is_equal) {
        array<int64> hashes{exec, blocks_->num_rows};
        kernels::jacobi::hash_rows<V, I>(*exec, *matrix, hashes.get_data());
        const auto found = hashes.copy_to_host();
        const auto expected = blocks_->row_hashes.copy_to_host();
        const auto row = std::mismatch(found.begin(), found.end(), expected.begin()).first - found.begin();
        throw UnsupportedMatrixProperty(__FILE__, __LINE__,
                                        "Jacobi::refresh: row " + std::to_string(row) +
                                            " has other columns, or in another order, than the row of the matrix "
                                            "from which the preconditioner was generated");
    }
    auto has_replaced_zeros = false;
    try {
        has_replaced_zeros = this->compute_values(*sorted(matrix, blocks_->columns_are_sorted), *blocks_);
    } catch (...) {
        invalidate(*blocks_);
        if (blocks_->formats.get_size() > 0) {
            parameters_.storage_optimization.block_wise = blocks_->block_formats;
        }
        throw;
    }
    if (has_replaced_zeros) {
        this->template log<log::Logger::zero_diagonal_replaced>(this);
    }
}

template <typename V, typename I>
bool Jacobi<V, I>::can_be_refreshed() const
{
    return blocks_->row_hashes.get_size() == blocks_->num_rows;
}

template <typename V, typename I>
void Jacobi<V, I>::convert_to(matrix::Dense<V>* result) const
{
    spruce::detail::require_pointers("convert_to", result);
    const auto exec = this->get_executor();
    const auto dense = matrix::Dense<V>::create(exec, this->get_size());
    kernels::jacobi::fill_dense<V, I>(*exec, restored(*blocks_), *dense);
    result->move_from(dense);
}

template <typename V, typename I>
void Jacobi<V, I>::write(mat_data& data) const
{
    const block_diagonal host{this->get_executor()->get_master(), restored(*blocks_)};
    const auto scheme = host.get_scheme();
    mat_data result{this->get_size()};
    for (size_type row = 0; row < host.num_rows; ++row) {
        const auto row_info = host.is_scalar ? detail::block_row{0, 1, 0} : host.rows.get_const_data()[row];
        for (size_type j = 0; j < row_info.block_size; ++j) {
            result.nonzeros.emplace_back(static_cast<I>(row), static_cast<I>(row - row_info.position + j),
                                         host.values.get_const_data()[scheme.get_offset(row, j)]);
        }
    }
    data = std::move(result);
}

template <typename V, typename I>
std::unique_ptr<LinOp> Jacobi<V, I>::transpose() const
{
    return this->transpose_impl(false);
}

template <typename V, typename I>
std::unique_ptr<LinOp> Jacobi<V, I>::conj_transpose() const
{
    return this->transpose_impl(true);
}

template <typename V, typename I>
std::unique_ptr<LinOp> Jacobi<V, I>::transpose_impl(bool conjugate) const
{
    auto result = std::unique_ptr<Jacobi>{new Jacobi(*this)};
    const auto exec = this->get_executor();
    kernels::jacobi::transpose<V, I>(*exec, restored(*blocks_), conjugate, *result->blocks_);
    if (blocks_->formats.get_size() > 0) {
        kernels::jacobi::reduce_storage<V, I>(*exec, *result->blocks_);
    } else if (!blocks_->is_scalar) {
        kernels::jacobi::halve<V, I>(*exec, *result->blocks_);
    }
    result->blocks_->row_hashes.clear();
    return result;
}

template <typename V, typename I>
size_type Jacobi<V, I>::get_num_blocks() const noexcept
{
    return blocks_->get_num_blocks();
}

template <typename V, typename I>
block_storage_scheme Jacobi<V, I>::get_storage_scheme() const noexcept
{
    return blocks_->get_scheme();
}

template <typename V, typename I>
const V* Jacobi<V, I>::get_blocks() const noexcept
{
    return blocks_->values.get_const_data();
}

template <typename V, typename I>
const remove_complex<V>* Jacobi<V, I>::get_conditioning() const noexcept
{
    return blocks_->conditioning.get_const_data();
}

template <typename V, typename I>
size_type Jacobi<V, I>::get_num_stored_elements() const noexcept
{
    return blocks_->values.get_size();
}

template <typename V, typename I>
size_type Jacobi<V, I>::get_num_read_bytes() const
{
    const auto& blocks = *blocks_;
    if (blocks.is_scalar) {
        return blocks.num_rows * sizeof(V);
    }
    const auto rows = blocks.rows.copy_to_host();
    const auto formats = blocks.formats.copy_to_host();
    auto result = blocks.num_rows * sizeof(detail::block_row) + blocks.get_num_slices() * sizeof(int64) +
                  formats.size() * sizeof(precision_reduction);
    for (size_type row = 0; row < blocks.num_rows; ++row) {
        const size_type num_values = rows[row].is_halved ? rows[row].block_size / 2 + 1 : rows[row].block_size;
        const auto format = formats.empty() ? precision_reduction{} : formats[row / block_storage_scheme::slice_size];
        result += num_values * (sizeof(V) >> (format.get_preserving() + format.get_nonpreserving()));
    }
    return result;
}

template <typename V, typename I>
memory_extent Jacobi<V, I>::get_memory_extent() const noexcept
{
    return spruce::detail::extent_of(blocks_->values);
}

template <typename V, typename I>
void Jacobi<V, I>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::dispatch_dense<V>(
        [&](auto dense_b, auto dense_x) {
            kernels::jacobi::apply<V, I>(*this->get_executor(), *blocks_, *dense_b, *dense_x);
        },
        b, x);
}

template <typename V, typename I>
void Jacobi<V, I>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::dispatch_dense<V>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            kernels::jacobi::advanced_apply<V, I>(*this->get_executor(), *dense_alpha, *blocks_, *dense_b, *dense_beta,
                                                  *dense_x);
        },
        alpha, b, beta, x, spruce::detail::access_mode::overwrite);
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), Jacobi<V, I>);

#define SPRUCE_JACOBI(_value, _index) class SPRUCE_EXPORT Jacobi<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_JACOBI);

}  // namespace spruce::preconditioner
