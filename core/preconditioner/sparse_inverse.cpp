// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/preconditioner/sparse_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <tuple>
#include <utility>

#include <spruce/preconditioner/factor_solvers.hpp>
#include <spruce/solver/gmres.hpp>
#include <spruce/solver/triangular.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/components/array_kernels.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/triangles.hpp"
#include "core/solver/level_order.hpp"

namespace spruce::preconditioner::detail {
namespace {

using factorization::detail::matrix_part;
using matrix::Csr;

constexpr auto name = "preconditioner::Isai";

/// The largest number of entries of an excess system with several blocks.
constexpr size_type max_excess_entries = size_type{1} << 24;
/// The largest number of iterations of the default solver of an excess system.
constexpr size_type max_excess_iterations = 1000;

/// Finds the diagonal of a matrix that stores all of its entries.
/// @throws InvalidStateError  with the first row without a diagonal entry
template <typename V, typename I>
array<I> require_diagonal(const Csr<V, I>& a, const char* what)
{
    array<I> diagonal{a.get_executor()};
    if (factorization::detail::find_diagonal(a, diagonal) > 0) {
        const auto host = diagonal.copy_to_host();
        throw InvalidStateError(__FILE__, __LINE__, name,
                                "row " + std::to_string(std::find(host.begin(), host.end(), I{-1}) - host.begin()) +
                                    " of " + what + " has no entry on the diagonal; every row needs one");
    }
    return diagonal;
}

const char* describe_failure(isai_type type)
{
    switch (type) {
    case isai_type::general:
        return " has a system that is singular, or so ill-conditioned that its solution has no correct digits, or an "
               "entry that is not finite; A(S, S) has to be regular for the columns S of this row of the inverse";
    case isai_type::spd:
        return " has a pivot that is not positive, or an entry that is not finite; A has to be Hermitian positive "
               "definite";
    default:
        return " has a zero on the diagonal, or an entry of the inverse that is not finite; A needs finite entries "
               "and a diagonal without zeros";
    }
}

}  // namespace

template <typename V, typename I>
SparseInverse<V, I>::SparseInverse(const Csr& a, isai_options<V> options)
    : options_{std::move(options)},
      sources_{a.get_executor()},
      order_{a.get_executor()},
      new_values_{a.get_executor()},
      workspace_{a.get_executor()},
      conjugates_{options_.type == isai_type::spd},
      found_row_{a.get_executor(), 1}
{
    if (options_.sparsity_power < 1) {
        throw OutOfBoundsError(__FILE__, __LINE__,
                               std::string(name) + ": sparsity_power " + std::to_string(options_.sparsity_power) +
                                   " (it has to be at least 1)");
    }
    if (!(options_.excess_solver_reduction > 0 && options_.excess_solver_reduction < 1)) {
        throw OutOfBoundsError(__FILE__, __LINE__,
                               std::string(name) + ": excess_solver_reduction " +
                                   std::to_string(options_.excess_solver_reduction) +
                                   " (it has to be greater than 0 and less than 1)");
    }
    this->analyze_pattern(a);
    this->classify_rows();
    new_values_.resize_and_reset(inverse_->get_num_stored_elements());
    this->compute(a);
}

template <typename V, typename I>
SparseInverse<V, I>::SparseInverse(const SparseInverse& other, bool conjugate)
    : options_{other.options_},
      sources_{other.sources_.get_executor()},
      order_{other.order_},
      excess_ranges_{other.excess_ranges_},
      inverse_{clone(other.inverse_)},
      new_values_{other.new_values_},
      workspace_{other.workspace_},
      transposed_pattern_{as<Csr>(share(other.t_->transpose()))},
      conjugates_{conjugate},
      found_row_{other.found_row_}
{
    t_ = other.t_ == other.inverse_ ? inverse_ : other.t_;
    std::copy(std::begin(other.class_begins_), std::end(other.class_begins_), class_begins_);
    const auto reuse = transposed_pattern_->transpose_reuse().second;
    sources_ = array<I>::const_view(t_->get_executor(), t_->get_num_stored_elements(),
                                    reuse.value_permutation->get_const_permutation())
                   .copy_to_array();
    this->transpose_inverse();
}

template <typename V, typename I>
matrix_part SparseInverse<V, I>::part_of_a() const
{
    switch (options_.type) {
    case isai_type::general:
        return matrix_part::whole;
    case isai_type::upper:
        return matrix_part::upper_triangle;
    default:
        return matrix_part::lower_triangle;
    }
}

template <typename V, typename I>
void SparseInverse<V, I>::analyze_pattern(const Csr& a)
{
    const auto is_sorted = options_.skip_sorting || a.is_sorted_by_column_index();
    auto sorted = is_sorted ? nullptr : a.clone();
    if (sorted) {
        sorted->sort_by_column_index();
    }
    const auto& sorted_a = sorted ? *sorted : a;
    factorization::detail::require_increasing_columns(name, sorted_a, options_.skip_sorting, found_row_);
    std::shared_ptr<Csr> t;
    if (options_.type == isai_type::general) {
        t = sorted ? std::move(sorted) : a.clone();
    } else {
        const auto diagonal = require_diagonal(sorted_a, "A");
        t = factorization::detail::extract_triangle(sorted_a, diagonal, options_.type == isai_type::upper, false);
    }
    if (!is_sorted || t->get_num_stored_elements() != a.get_num_stored_elements()) {
        factorization::detail::locate_entries(a, is_sorted, *t, sources_);
    }
    inverse_ = t;
    for (int power = 1; power < options_.sparsity_power; ++power) {
        inverse_ = inverse_->multiply(t);
    }
    t_ = std::move(t);
    if (options_.type == isai_type::general) {
        require_diagonal(*inverse_, "the pattern of M");
    }
}

template <typename V, typename I>
void SparseInverse<V, I>::classify_rows()
{
    const auto exec = inverse_->get_executor();
    array<I> classes{exec, inverse_->get_size()[0]};
    kernels::isai::classify_rows<I>(*exec, inverse_->get_const_row_ptrs(), inverse_->get_size()[0],
                                    is_triangular(options_.type), options_.limits, classes.get_data());
    const auto begins = kernels::order_by_group(classes, order_).copy_to_host();
    for (size_type i = 0; i <= num_row_classes; ++i) {
        class_begins_[i] = static_cast<size_type>(begins[std::min(i, begins.size() - 1)]);
    }
    if (class_begins_[excess_class] < class_begins_[excess_class + 1]) {
        this->divide_excess_rows(class_begins_[excess_class]);
    }
}

template <typename V, typename I>
void SparseInverse<V, I>::divide_excess_rows(size_type begin)
{
    const auto exec = inverse_->get_executor();
    const auto size = inverse_->get_size()[0];
    const auto host_ptrs = [&](const Csr& matrix) {
        return array<I>::const_view(exec, size + 1, matrix.get_const_row_ptrs()).copy_to_array().copy_to_host();
    };
    const auto rows = order_.copy_to_host();
    const auto row_ptrs = host_ptrs(*inverse_);
    size_type longest_of_t{};
    const auto t_row_ptrs = host_ptrs(*t_);
    for (size_type row = 0; row < size; ++row) {
        longest_of_t = std::max(longest_of_t, static_cast<size_type>(t_row_ptrs[row + 1] - t_row_ptrs[row]));
    }
    while (begin < size) {
        std::vector<I> block_ptrs{0};
        size_type num_entries{};
        auto end = begin;
        for (; end < size; ++end) {
            const auto length = static_cast<size_type>(row_ptrs[rows[end] + 1] - row_ptrs[rows[end]]);
            const auto num_unknowns = static_cast<size_type>(block_ptrs.back()) + length;
            num_entries += length * std::min(length, longest_of_t);
            const auto is_too_large =
                num_entries > max_excess_entries || (options_.excess_limit > 0 && num_unknowns > options_.excess_limit);
            if (end > begin && is_too_large) {
                break;
            }
            block_ptrs.push_back(static_cast<I>(num_unknowns));
        }
        excess_ranges_.push_back({begin, end, array<I>{exec, block_ptrs.begin(), block_ptrs.end()}});
        begin = end;
    }
}

template <typename V, typename I>
void SparseInverse<V, I>::refresh(const Csr& a)
{
    if (transposed_pattern_) {
        factorization::detail::require_pattern<V, I>(name, a, *transposed_pattern_, nullptr, matrix_part::whole,
                                                     found_row_);
    } else {
        factorization::detail::require_pattern(name, a, *t_, sources_.get_const_data(), this->part_of_a(), found_row_);
    }
    this->compute(a);
}

template <typename V, typename I>
isai_view<V, I> SparseInverse<V, I>::view(const Csr& a) const
{
    isai_view<V, I> result{options_.type,
                           inverse_->get_const_row_ptrs(),
                           inverse_->get_const_col_idxs(),
                           t_->get_const_row_ptrs(),
                           t_->get_const_col_idxs(),
                           a.get_const_values(),
                           sources_.get_const_data(),
                           transposed_pattern_ != nullptr && conjugates_,
                           order_.get_const_data(),
                           {}};
    std::copy(std::begin(class_begins_), std::end(class_begins_), result.class_begins);
    return result;
}

template <typename V, typename I>
template <typename Kernel>
void SparseInverse<V, I>::require_solved(Kernel kernel) const
{
    const auto row = factorization::detail::find_row(found_row_, inverse_->get_size()[0], kernel);
    if (row >= 0) {
        throw InvalidStateError(__FILE__, __LINE__, name,
                                "row " + std::to_string(row) + describe_failure(options_.type));
    }
}

template <typename V, typename I>
void SparseInverse<V, I>::compute(const Csr& a)
{
    const auto exec = inverse_->get_executor();
    const auto m = this->view(a);
    this->require_solved(
        [&](I* bad_row) { kernels::isai::compute_rows<V, I>(*exec, m, workspace_, new_values_.get_data(), bad_row); });
    for (const auto& range : excess_ranges_) {
        this->solve_excess_system(m, range);
    }
    exec->copy(new_values_.get_size(), new_values_.get_const_data(), inverse_->get_values());
    if (options_.type == isai_type::spd || transposed_pattern_) {
        this->transpose_inverse();
    }
}

template <typename V, typename I>
void SparseInverse<V, I>::transpose_inverse()
{
    if (transpose_) {
        transposition_.update_values(inverse_, transpose_);
    } else {
        std::tie(transpose_, transposition_) = inverse_->transpose_reuse();
    }
    if constexpr (is_complex<V>()) {
        if (conjugates_) {
            kernels::components::conjugate_array<V>(*transpose_->get_executor(), transpose_->get_const_values(),
                                                    transpose_->get_values(), transpose_->get_num_stored_elements());
        }
    }
}

template <typename V, typename I>
void SparseInverse<V, I>::solve_excess_system(const isai_view<V, I>& m, const excess_range& range)
{
    const auto exec = inverse_->get_executor();
    const auto num_blocks = range.end - range.begin;
    const auto size = static_cast<size_type>(exec->copy_val_to_host(range.block_ptrs.get_const_data() + num_blocks));
    const excess_view<I> system{order_.get_const_data() + range.begin, num_blocks, range.block_ptrs.get_const_data(),
                                size};
    array<I> candidate_ptrs{exec, size + 1};
    kernels::isai::bound_excess_rows<V, I>(*exec, m, system, candidate_ptrs.get_data());
    size_type num_candidates{};
    kernels::components::prefix_sum<I>(*exec, candidate_ptrs.get_data(), size + 1, num_candidates);
    array<I> positions{exec, num_candidates + 1};
    kernels::isai::find_excess_entries<V, I>(*exec, m, system, candidate_ptrs.get_const_data(), num_candidates,
                                             positions.get_data());
    size_type num_entries{};
    kernels::components::prefix_sum<I>(*exec, positions.get_data(), num_candidates + 1, num_entries);
    auto matrix = Csr::create(exec, dim<2>{size, size}, num_entries);
    const auto rhs = Dense::create(exec, dim<2>{size, 1});
    rhs->fill(zero<V>());
    const auto row_scales = Diagonal::create(exec, size);
    array<V>::view(exec, size, row_scales->get_values()).fill(one<V>());
    this->require_solved([&](I* bad_row) {
        kernels::isai::fill_excess_system<V, I>(*exec, m, system, candidate_ptrs.get_const_data(), num_candidates,
                                                positions.get_const_data(), *matrix, rhs->get_values(),
                                                row_scales->get_values(), bad_row);
    });
    if (options_.type == isai_type::spd) {
        const auto one_on_exec = spruce::detail::make_scalar(exec, one<V>());
        matrix = matrix->scale_add(one_on_exec, one_on_exec, as<Csr>(matrix->conj_transpose()));
    }
    const auto col_scales = clone(row_scales);
    const auto scaled = share(this->transpose_and_scale(*matrix, *row_scales, *col_scales));
    const auto solver = this->generate_excess_solver(scaled, num_blocks);
    const auto solution = Dense::create(exec, dim<2>{size, 1});
    solution->fill(zero<V>());
    solver->apply(rhs, solution);
    this->require_solved([&](I* bad_row) {
        kernels::isai::store_excess_rows<V, I>(*exec, m, system, solution->get_const_values(),
                                               row_scales->get_const_values(), col_scales->get_const_values(),
                                               new_values_.get_data(), bad_row);
    });
    if (options_.excess_solver_factory || !is_triangular(options_.type)) {
        this->check_residuals(system, *scaled, *rhs, *solution);
    }
}

template <typename V, typename I>
std::unique_ptr<typename SparseInverse<V, I>::Csr> SparseInverse<V, I>::transpose_and_scale(const Csr& matrix,
                                                                                            Diagonal& row_scales,
                                                                                            Diagonal& col_scales) const
{
    // Rows of M are multiplied by T(S, S) from the left.
    const auto exec = matrix.get_executor();
    auto result = as<Csr>(matrix.transpose());
    if (options_.type == isai_type::general) {
        const auto size = matrix.get_size()[0];
        array<V> new_row_scales{exec, size};
        array<V> new_col_scales{exec, size};
        for (int sweep = 0; sweep < max_scaling_sweeps; ++sweep) {
            kernels::isai::equilibrate_rows<V, I>(*exec, matrix, row_scales.get_const_values(),
                                                  col_scales.get_const_values(), new_row_scales.get_data());
            kernels::isai::equilibrate_rows<V, I>(*exec, *result, col_scales.get_const_values(),
                                                  row_scales.get_const_values(), new_col_scales.get_data());
            exec->copy(size, new_row_scales.get_const_data(), row_scales.get_values());
            exec->copy(size, new_col_scales.get_const_data(), col_scales.get_values());
        }
    }
    col_scales.apply(result, result);
    row_scales.rapply(result, result);
    return result;
}

template <typename V, typename I>
void SparseInverse<V, I>::check_residuals(const excess_view<I>& system, const Csr& matrix, const Dense& rhs,
                                          const Dense& solution) const
{
    using Real = remove_complex<V>;
    const auto exec = matrix.get_executor();
    const auto residuals = rhs.clone();
    matrix.apply(spruce::detail::make_scalar(exec, -one<V>()), &solution, spruce::detail::make_scalar(exec, one<V>()),
                 residuals);
    const auto bounds = rhs.compute_absolute();
    const auto one_on_exec = spruce::detail::make_scalar(exec, one<Real>());
    matrix.compute_absolute()->apply(one_on_exec, solution.compute_absolute(), one_on_exec, bounds);
    // A solver that reduces the residual of the whole system reduces that of each block less.
    const auto num_blocks = static_cast<Real>(system.num_blocks);
    const auto limit = options_.excess_solver_reduction * (options_.excess_solver_factory ? std::sqrt(num_blocks) : 1);
    array<Real> norms{exec, system.num_blocks};
    const auto row = factorization::detail::find_row(found_row_, inverse_->get_size()[0], [&](I* bad_row) {
        kernels::isai::check_excess_blocks<V, I>(*exec, system, residuals->get_const_values(),
                                                 bounds->get_const_values(), limit, norms.get_data(), bad_row);
    });
    if (row < 0) {
        return;
    }
    const auto rows = array<I>::const_view(exec, system.num_blocks, system.rows).copy_to_array().copy_to_host();
    const auto block = std::find(rows.begin(), rows.end(), row) - rows.begin();
    std::ostringstream message;
    message << "row " << row << ": the residual norm of its part of the excess system is "
            << exec->copy_val_to_host(norms.get_const_data() + block)
            << " times that of its right-hand side, but at most " << limit
            << " is accepted (excess_solver_reduction); the system may be singular, or need another "
            << "excess_solver_factory";
    throw InvalidStateError(__FILE__, __LINE__, name, message.str());
}

template <typename V, typename I>
std::unique_ptr<LinOp> SparseInverse<V, I>::generate_excess_solver(std::shared_ptr<const Csr> matrix,
                                                                   size_type num_blocks) const
{
    const auto exec = matrix->get_executor();
    if (options_.excess_solver_factory) {
        auto solver = options_.excess_solver_factory->generate(std::move(matrix));
        require_generated(name, "excess_solver_factory", solver.get());
        return solver;
    }
    switch (options_.type) {
    case isai_type::lower:  // the transpose of a lower triangle
        return solver::UpperTrs<V, I>::build().on(exec)->generate(std::move(matrix));
    case isai_type::upper:
        return solver::LowerTrs<V, I>::build().on(exec)->generate(std::move(matrix));
    default:
        break;
    }
    // With this norm of all residuals, that of each block is reduced enough.
    using Real = remove_complex<V>;
    constexpr auto smallest_reduction = 8 * std::numeric_limits<Real>::epsilon();
    const auto reduction = std::max(options_.excess_solver_reduction / std::sqrt(static_cast<Real>(num_blocks)),
                                    std::min(options_.excess_solver_reduction, smallest_reduction));
    return solver::Gmres<V>::build()
        .with_criteria(stop::Iteration::build().with_max_iters(max_excess_iterations),
                       stop::ResidualNorm<V>::build().with_reduction_factor(reduction))
        .on(exec)
        ->generate(std::move(matrix));
}

#define SPRUCE_SPARSE_INVERSE(_value, _index) class SparseInverse<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_SPARSE_INVERSE);

}  // namespace spruce::preconditioner::detail
