// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/ir.hpp>

#include <sstream>

#include "core/solver/enable_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
Ir<ValueType>::Ir(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
      parameters_{factory->get_parameters()}
{
    if (!is_finite(parameters_.relaxation_factor)) {
        std::ostringstream os;
        os << "the relaxation factor has to be finite, but is " << parameters_.relaxation_factor;
        throw InvalidStateError(__FILE__, __LINE__, "solver::Ir", os.str());
    }
    if (parameters_.generated_solver) {
        this->set_solver(parameters_.generated_solver);
    } else if (parameters_.solver) {
        this->set_solver(parameters_.solver->generate(this->get_system_matrix()));
    } else {
        this->set_solver(matrix::Identity<ValueType>::create(this->get_executor(), this->get_size()));
    }
}

template <typename ValueType>
Ir<ValueType>::Ir(const Ir& other) : Base(other)
{
    *this = other;
}

template <typename ValueType>
Ir<ValueType>& Ir<ValueType>::operator=(const Ir& other)
{
    if (this != &other) {
        Base::operator=(other);
        parameters_ = other.parameters_;
        this->assign_solver(detail::on_executor(this->get_executor(), other.solver_));
    }
    return *this;
}

template <typename ValueType>
Ir<ValueType>::Ir(Ir&& other) : Base(other.get_executor())
{
    *this = std::move(other);
}

template <typename ValueType>
Ir<ValueType>& Ir<ValueType>::operator=(Ir&& other)
{
    if (this != &other) {
        auto solver = detail::on_executor(this->get_executor(), other.solver_);
        Base::operator=(std::move(other));
        parameters_ = std::exchange(other.parameters_, {});
        this->assign_solver(std::move(solver));
        other.assign_solver(nullptr);
    }
    return *this;
}

template <typename ValueType>
void Ir<ValueType>::set_solver(std::shared_ptr<const LinOp> solver)
{
    detail::require_fitting_operator(*this, solver.get(), "set_solver", "the inner solver");
    this->assign_solver(detail::on_executor(this->get_executor(), std::move(solver)));
}

template <typename ValueType>
void Ir<ValueType>::assign_solver(std::shared_ptr<const LinOp> solver)
{
    solver_to_apply_ = spruce::detail::is_identity(solver.get()) ? nullptr : solver.get();
    solver_ = std::move(solver);
}

template <typename ValueType>
void Ir<ValueType>::conjugate(parameters_type& parameters)
{
    parameters.relaxation_factor = spruce::conj(parameters.relaxation_factor);
}

template <typename ValueType>
void Ir<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    const auto r = s.residual();
    const auto z = s.vector("z");  // S r, then A x
    const auto direction = s.is_preconditioned() ? z : r;

    const auto step = [&] {
        if (s.is_preconditioned()) {
            s.precondition(r, z);
            kernels::solver::check_direction<ValueType>(s.exec(), *z, s.status(), s.reduction());
        }
        kernels::solver::add_direction<ValueType>(s.exec(), *s.x(), *direction, parameters_.relaxation_factor,
                                                  s.status());
        s.apply(s.x(), z);
        kernels::solver::residual<ValueType>(s.exec(), *s.b(), *z, *r, *s.norm(), s.status(), s.reduction());
    };
    detail::set_initial_guess(parameters_.default_initial_guess, s);
    s.set_residual_is_true();
    s.iterate([] {}, step);
}

SPRUCE_INSTANTIATE_SOLVER(Ir);

}  // namespace spruce::solver
