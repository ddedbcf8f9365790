// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/ir.hpp>

#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
Ir<ValueType>::Ir(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
      parameters_{factory->get_parameters()}
{
    if (!is_finite(parameters_.relaxation_factor)) {
        throw InvalidStateError(__FILE__, __LINE__, "solver::Ir", "the relaxation factor is not finite");
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
        solver_ = this->to_here(other.solver_);
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
        auto solver = this->to_here(other.solver_);
        Base::operator=(std::move(other));
        parameters_ = std::exchange(other.parameters_, {});
        solver_ = std::move(solver);
        other.solver_ = nullptr;
    }
    return *this;
}

template <typename ValueType>
void Ir<ValueType>::set_solver(std::shared_ptr<const LinOp> solver)
{
    detail::require_fitting_preconditioner(*this, solver.get());
    solver_ = this->to_here(std::move(solver));
}

template <typename ValueType>
void Ir<ValueType>::conjugate(parameters_type& parameters)
{
    parameters.relaxation_factor = spruce::conj(parameters.relaxation_factor);
}

template <typename ValueType>
void Ir<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();
    const auto has_solver = !dynamic_cast<const matrix::Identity<ValueType>*>(solver_.get());

    enum : size_type { id_r = Ir::first_free_id, id_z };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto z = work.vector_like(id_z, b);  // S r, then A x
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);

    this->set_initial_guess(parameters_.default_initial_guess, b, x);
    this->start(b, x, r, norm, status);
    const auto criterion = this->make_criterion(b, x, r);
    const auto ends = [&](size_type& iteration) {
        this->watch_progress(iteration, x, norm, status);
        return this->has_ended_by_now(*criterion, status, iteration, b, x, r, norm);
    };
    for (size_type iteration = 0; !ends(iteration); ++iteration) {
        if (has_solver) {
            if (solver_->apply_uses_initial_guess()) {
                z->fill(zero<ValueType>());
            }
            solver_->apply(r, z);
            kernels::solver::check_direction<ValueType>(*exec, *z, status, tmp);
        }
        kernels::solver::add_direction<ValueType>(*exec, *x, has_solver ? *z : *r, parameters_.relaxation_factor,
                                                  status);
        system_matrix->apply(x, z);
        kernels::solver::residual<ValueType>(*exec, *b, *z, *r, *norm, status, tmp);
    }
    this->return_to_best(b, x);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Ir);

}  // namespace spruce::solver
