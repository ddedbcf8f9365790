// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/triangular.hpp>

#include <algorithm>

#include <spruce/base/temporary_clone.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/base/workspace.hpp"
#include "core/components/array_kernels.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/triangles.hpp"
#include "core/solver/triangular_kernels.hpp"

namespace spruce::solver {
namespace {

template <typename Concrete>
constexpr bool is_upper = false;
template <typename ValueType, typename IndexType>
constexpr bool is_upper<UpperTrs<ValueType, IndexType>> = true;
template <typename Concrete>
constexpr auto name_of = is_upper<Concrete> ? "UpperTrs" : "LowerTrs";

[[noreturn]] void throw_zero_diagonal(bool upper, int64 row)
{
    throw InvalidStateError(__FILE__, __LINE__, upper ? "UpperTrs" : "LowerTrs",
                            "row " + std::to_string(row) +
                                " has no nonzero entry on the diagonal; every row needs one, unless "
                                "with_unit_diagonal(true) is set");
}

/// Writes the first row with a zero at schedule.diagonal, or the number of rows, to
/// schedule.found_row.
template <typename V, typename I>
void find_zero(const matrix::Csr<V, I>& matrix, detail::triangular_schedule<V, I>& schedule)
{
    const auto size = matrix.get_size()[0];
    schedule.found_row.fill(static_cast<I>(size));
    kernels::factor_pattern::find_zero<V, I>(*matrix.get_executor(), matrix.get_const_values(),
                                             schedule.diagonal.get_const_data(), size, schedule.found_row.get_data());
}

/// Throws if find_zero() has found a row.
template <typename V, typename I>
void require_no_zero(const matrix::Csr<V, I>& matrix, bool upper, const detail::triangular_schedule<V, I>& schedule)
{
    const auto row = matrix.get_executor()->copy_val_to_host(schedule.found_row.get_const_data());
    if (static_cast<size_type>(row) < matrix.get_size()[0]) {
        throw_zero_diagonal(upper, row);
    }
}

/// Finds the schedule of a triangle on the executor of the matrix.
template <typename V, typename I>
std::shared_ptr<detail::triangular_schedule<V, I>> analyze(const matrix::Csr<V, I>& matrix, bool upper,
                                                           bool unit_diagonal)
{
    const auto exec = matrix.get_executor();
    const auto result = std::make_shared<detail::triangular_schedule<V, I>>(exec);
    if (!unit_diagonal) {
        if (factorization::detail::find_diagonal(matrix, result->diagonal) > 0) {
            const auto diagonal = result->diagonal.copy_to_host();
            throw_zero_diagonal(upper, std::find(diagonal.begin(), diagonal.end(), I{-1}) - diagonal.begin());
        }
        find_zero(matrix, *result);
    }
    result->num_entries = matrix.get_num_stored_elements();
    kernels::triangular::analyze<V, I>(*exec, matrix, upper, *result);
    if (!unit_diagonal) {
        require_no_zero(matrix, upper, *result);  // now, since the host waits for it
    }
    return result;
}

template <typename Concrete, typename Transpose>
std::unique_ptr<LinOp> transposed_triangle(const Concrete& solver, Transpose transpose)
{
    const auto parameters = solver.get_parameters();
    return Concrete::transposed_type::build()
        .with_num_rhs(parameters.num_rhs)
        .with_unit_diagonal(parameters.unit_diagonal)
        .with_algorithm(parameters.algorithm)
        .on(solver.get_executor())
        ->generate(std::shared_ptr<const LinOp>(transpose(*as<Transposable>(solver.get_system_matrix()))));
}

}  // namespace

template <typename Concrete, typename V, typename I>
EnableTriangularSolver<Concrete, V, I>::EnableTriangularSolver(std::shared_ptr<const Executor> exec,
                                                               std::shared_ptr<const LinOp> system_matrix,
                                                               bool unit_diagonal)
    : EnableLinOp<Concrete>(exec, detail::require_square(system_matrix.get(), name_of<Concrete>)),
      unit_diagonal_{unit_diagonal}
{
    const auto matrix = copy_and_convert_to<const matrix::Csr<V, I>>(exec, std::move(system_matrix));
    schedule_ = analyze(*matrix, is_upper<Concrete>, unit_diagonal_);
    this->set_system_matrix_base(matrix);
}

template <typename Concrete, typename V, typename I>
EnableTriangularSolver<Concrete, V, I>::EnableTriangularSolver(const EnableTriangularSolver& other)
    : EnableTriangularSolver(other.get_executor())
{
    *this = other;
}

template <typename Concrete, typename V, typename I>
EnableTriangularSolver<Concrete, V, I>& EnableTriangularSolver<Concrete, V, I>::operator=(
    const EnableTriangularSolver& other)
{
    if (this != &other) {
        auto matrix = detail::on_executor(this->get_executor(), other.get_system_matrix());
        auto schedule = this->schedule_of(matrix.get(), other);
        EnableLinOp<Concrete>::operator=(other);
        schedule_ = std::move(schedule);
        unit_diagonal_ = other.unit_diagonal_;
        this->set_system_matrix_base(std::move(matrix));
    }
    return *this;
}

template <typename Concrete, typename V, typename I>
EnableTriangularSolver<Concrete, V, I>::EnableTriangularSolver(EnableTriangularSolver&& other)
    : EnableTriangularSolver(other.get_executor())
{
    *this = std::move(other);
}

template <typename Concrete, typename V, typename I>
EnableTriangularSolver<Concrete, V, I>& EnableTriangularSolver<Concrete, V, I>::operator=(
    EnableTriangularSolver&& other)
{
    if (this != &other) {
        auto matrix = detail::on_executor(this->get_executor(), other.get_system_matrix());
        auto schedule = this->schedule_of(matrix.get(), other);
        EnableLinOp<Concrete>::operator=(std::move(other));
        schedule_ = std::move(schedule);
        other.schedule_ = nullptr;
        unit_diagonal_ = std::exchange(other.unit_diagonal_, false);
        this->set_system_matrix_base(std::move(matrix));
        other.set_system_matrix_base(nullptr);
        other.workspace_ = {};
    }
    return *this;
}

/// Returns the schedule of the other solver. If it is of another executor, the matrix is analysed.
template <typename Concrete, typename V, typename I>
auto EnableTriangularSolver<Concrete, V, I>::schedule_of(const matrix::Csr<V, I>* matrix,
                                                         const EnableTriangularSolver& other) const
    -> std::shared_ptr<detail::triangular_schedule<V, I>>
{
    if (!matrix || this->get_executor() == other.get_executor()) {
        return other.schedule_;
    }
    return analyze(*matrix, is_upper<Concrete>, other.unit_diagonal_);
}

template <typename Concrete, typename V, typename I>
void EnableTriangularSolver<Concrete, V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    const std::string name = name_of<Concrete>;
    spruce::detail::require_pointers((name + "::refresh").c_str(), matrix);
    if (!schedule_) {
        throw NotSupported(__FILE__, __LINE__, name + "::refresh", "an empty solver");
    }
    const auto exec = this->get_executor();
    const auto old = this->get_system_matrix();
    const auto a = copy_and_convert_to<const matrix::Csr<V, I>>(exec, std::move(matrix));
    factorization::detail::require_same_size(name, a->get_size(), this->get_size());
    if (a != old) {
        factorization::detail::require_pattern<V, I>(name, *a, *old, nullptr, factorization::detail::matrix_part::whole,
                                                     schedule_->found_row);
    } else if (a->get_num_stored_elements() != schedule_->num_entries) {
        factorization::detail::throw_other_pattern(name, "it has " + std::to_string(a->get_num_stored_elements()) +
                                                             " instead of " + std::to_string(schedule_->num_entries) +
                                                             " entries");
    }
    if (!unit_diagonal_) {
        find_zero(*a, *schedule_);
        require_no_zero(*a, is_upper<Concrete>, *schedule_);
    }
    if (schedule_.use_count() > 1) {  // a copy of this solver uses it, too
        schedule_ = analyze(*a, is_upper<Concrete>, unit_diagonal_);
    } else {
        kernels::triangular::update_values<V, I>(*exec, *a, *schedule_);
    }
    schedule_->num_entries = a->get_num_stored_elements();
    this->set_system_matrix_base(a);
}

template <typename Concrete, typename V, typename I>
size_type EnableTriangularSolver<Concrete, V, I>::get_num_levels() const
{
    const auto size = this->get_size()[0];
    if (size == 0) {
        return 0;
    }
    const auto exec = this->get_executor();
    array<I> levels{exec, size};
    kernels::triangular::compute_levels<V, I>(*exec, *this->get_system_matrix(), is_upper<Concrete>, nullptr,
                                              levels.get_data());
    I last_level{};
    kernels::components::compute_max<I>(*exec, levels.get_const_data(), size, last_level);
    return static_cast<size_type>(last_level) + 1;
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> EnableTriangularSolver<Concrete, V, I>::transpose() const
{
    return transposed_triangle(static_cast<const Concrete&>(*this), [](const auto& a) { return a.transpose(); });
}

template <typename Concrete, typename V, typename I>
std::unique_ptr<LinOp> EnableTriangularSolver<Concrete, V, I>::conj_transpose() const
{
    return transposed_triangle(static_cast<const Concrete&>(*this), [](const auto& a) { return a.conj_transpose(); });
}

template <typename Concrete, typename V, typename I>
void EnableTriangularSolver<Concrete, V, I>::solve(const matrix::Dense<V>* b, matrix::Dense<V>* x) const
{
    const auto matrix = this->get_system_matrix();
    if (!matrix) {
        return;  // an empty solver, and LinOp::apply() has checked that b and x are empty, too
    }
    kernels::triangular::solve<V, I>(*this->get_executor(), *matrix, is_upper<Concrete>, unit_diagonal_, *schedule_, *b,
                                     *x);
}

template <typename Concrete, typename V, typename I>
void EnableTriangularSolver<Concrete, V, I>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::dispatch_dense<V>([&](auto dense_b, auto dense_x) { this->solve(dense_b, dense_x); }, b, x);
}

template <typename Concrete, typename V, typename I>
void EnableTriangularSolver<Concrete, V, I>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta,
                                                        LinOp* x) const
{
    const spruce::detail::Workspace::exclusive_use use{workspace_, "a triangular solver's apply"};
    spruce::detail::dispatch_dense<V>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto solution = workspace_.get().vector("solution", dense_x);
            this->solve(dense_b, solution);
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, solution);
        },
        alpha, b, beta, x);
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), LowerTrs<V, I>);
SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), UpperTrs<V, I>);

#define SPRUCE_LOWER_TRS(_value, _index) class SPRUCE_EXPORT LowerTrs<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_LOWER_TRS);
#define SPRUCE_LOWER_TRS_BASE(_value, _index) class EnableTriangularSolver<LowerTrs<_value, _index>, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_LOWER_TRS_BASE);
#define SPRUCE_UPPER_TRS(_value, _index) class SPRUCE_EXPORT UpperTrs<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_UPPER_TRS);
#define SPRUCE_UPPER_TRS_BASE(_value, _index) class EnableTriangularSolver<UpperTrs<_value, _index>, _value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_UPPER_TRS_BASE);

}  // namespace spruce::solver
