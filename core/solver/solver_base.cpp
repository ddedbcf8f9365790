// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/solver_base.hpp>

#include <algorithm>

#include <spruce/solver/enable_solver.hpp>
#include <spruce/solver/initial_guess.hpp>

namespace spruce::solver {

detail::SolverBaseLinOp::~SolverBaseLinOp() = default;
ApplyWithInitialGuess::~ApplyWithInitialGuess() = default;
IterativeBase::~IterativeBase() = default;

void IterativeBase::set_stop_criterion_factory(std::shared_ptr<const stop::CriterionFactory> factory)
{
    if (!factory) {
        spruce::detail::throw_null_pointer("set_stop_criterion_factory");
    }
    stop_criterion_factory_ = std::move(factory);
}

void IterativeBase::store_stop_reasons(const stop::Criterion& criterion, const array<stopping_status>& status) const
{
    const auto on_host = status.copy_to_host();
    stop_reasons_.resize(on_host.size());
    std::transform(on_host.begin(), on_host.end(), stop_reasons_.begin(), [&](stopping_status column) {
        const auto reason = column.get_reason();
        return reason == stop_reason::criterion ? criterion.get_stop_reason(column.get_id()) : reason;
    });
}

namespace detail {

dim<2> require_square(const LinOp* system_matrix, const char* name)
{
    if (!system_matrix) {
        spruce::detail::throw_null_pointer((std::string("the matrix of ") + name).c_str());
    }
    const auto size = system_matrix->get_size();
    if (size[0] != size[1]) {
        throw DimensionMismatch(__FILE__, __LINE__, name, "the system matrix", size[0], size[1], "a square matrix",
                                size[0], size[0], "the system matrix has to be square");
    }
    return size;
}

void require_fitting_matrix(const LinOp& solver, const LinOp* system_matrix)
{
    if (!system_matrix) {
        return;
    }
    const auto size = require_square(system_matrix);
    const auto expected = solver.get_size();
    if (size != expected) {
        throw DimensionMismatch(__FILE__, __LINE__, "a solver", "the solver", expected[0], expected[1],
                                "the system matrix", size[0], size[1], "equal sizes are needed");
    }
}

void require_fitting_operator(const LinOp& solver, const LinOp* op, const char* function, const char* name)
{
    if (!op) {
        spruce::detail::throw_null_pointer(function);
    }
    const auto expected = solver.get_size();
    const auto found = op->get_size();
    if (expected != found) {
        throw DimensionMismatch(__FILE__, __LINE__, "a solver", "the system matrix", expected[0], expected[1], name,
                                found[0], found[1], "equal sizes are needed");
    }
}

}  // namespace detail
}  // namespace spruce::solver
