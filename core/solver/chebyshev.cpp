// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/chebyshev.hpp>

#include <sstream>

#include "core/solver/cg_kernels.hpp"
#include "core/solver/enable_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
Chebyshev<ValueType>::Chebyshev(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : EnableSolver<Chebyshev>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
      parameters_{factory->get_parameters()}
{
    const auto require = [&](bool condition, const char* expected) {
        if (!condition) {
            std::ostringstream os;
            os << "the foci have to be " << expected << ", but are " << parameters_.foci.first << " and "
               << parameters_.foci.second;
            throw InvalidStateError(__FILE__, __LINE__, "solver::Chebyshev", os.str());
        }
    };
    require(is_finite(parameters_.foci.first) && is_finite(parameters_.foci.second), "finite");
    require(!is_zero(parameters_.foci.first + parameters_.foci.second),
            "those of an ellipse around the eigenvalues that does not contain zero");
}

template <typename ValueType>
void Chebyshev<ValueType>::conjugate(parameters_type& parameters)
{
    parameters.foci = {spruce::conj(parameters.foci.first), spruce::conj(parameters.foci.second)};
}

template <typename ValueType>
void Chebyshev<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    const auto r = s.residual();
    const auto z = s.preconditioned_vector("z", r);
    const auto p = s.vector("p");
    const auto q = s.vector("q");
    const auto alpha = s.scalar("alpha");
    const auto rr = s.scalar("rr");
    const auto centre = (parameters_.foci.first + parameters_.foci.second) / ValueType(2);
    const auto half_distance = (parameters_.foci.second - parameters_.foci.first) / ValueType(2);
    ValueType step_length{};
    size_type num_steps{};  // number of steps since the start

    const auto restart = [&] {
        p->fill(zero<ValueType>());
        num_steps = 0;
    };
    const auto step = [&] {
        s.precondition(r, z);
        auto beta = zero<ValueType>();
        if (num_steps == 0) {
            step_length = one<ValueType>() / centre;
        } else {
            const auto half = half_distance * step_length / ValueType(2);
            beta = half * half * ValueType(num_steps == 1 ? 2 : 1);
            step_length = one<ValueType>() / (centre - beta / step_length);
        }
        ++num_steps;
        kernels::solver::next_direction<ValueType>(s.exec(), *p, *z, beta, step_length, *alpha, s.status(),
                                                   s.reduction());
        s.apply(p, q);
        kernels::cg::update_x_and_r<ValueType>(s.exec(), *s.x(), *r, *p, *q, *alpha, *rr, *s.norm(), s.status(),
                                               s.reduction());
    };
    detail::set_initial_guess(parameters_.default_initial_guess, s);
    s.iterate(restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Chebyshev);

}  // namespace spruce::solver
