// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/chebyshev.hpp>

#include "core/solver/cg_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

template <typename ValueType>
Chebyshev<ValueType>::Chebyshev(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : EnableKrylovSolver<Chebyshev>(factory->get_executor(), std::move(system_matrix), factory->get_parameters()),
      parameters_{factory->get_parameters()}
{
    if (!is_finite(parameters_.foci.first) || !is_finite(parameters_.foci.second)) {
        throw InvalidStateError(__FILE__, __LINE__, "solver::Chebyshev", "the foci are not finite");
    }
    if (is_zero(parameters_.foci.first + parameters_.foci.second)) {
        throw InvalidStateError(__FILE__, __LINE__, "solver::Chebyshev",
                                "the foci are symmetric about zero; they have to be those of an ellipse around the "
                                "eigenvalues that does not contain zero");
    }
}

template <typename ValueType>
void Chebyshev<ValueType>::conjugate(parameters_type& parameters)
{
    parameters.foci = {spruce::conj(parameters.foci.first), spruce::conj(parameters.foci.second)};
}

template <typename ValueType>
void Chebyshev<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();

    enum : size_type { id_r = Chebyshev::first_free_id, id_z, id_p, id_q, id_alpha, id_rr };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto z = this->is_preconditioned() ? work.vector_like(id_z, b) : r;
    const auto p = work.vector_like(id_p, b);
    const auto q = work.vector_like(id_q, b);
    const auto alpha = work.template scalars<ValueType>(id_alpha, exec, num_rhs);
    const auto rr = work.template scalars<ValueType>(id_rr, exec, num_rhs);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto start_norm = work.template scalars<real>(this->id_start_norm, exec, num_rhs);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);

    const auto centre = (parameters_.foci.first + parameters_.foci.second) / ValueType(2);
    const auto half_distance = (parameters_.foci.second - parameters_.foci.first) / ValueType(2);
    ValueType step{};
    size_type num_steps{};  // since the start

    const auto compute_true_residual = [&](auto true_norm) { this->compute_best_residual(b, x, r, true_norm); };
    const auto start_anew = [&] {
        p->fill(zero<ValueType>());
        num_steps = 0;
    };
    this->set_initial_guess(parameters_.default_initial_guess, b, x);
    this->start(b, x, r, norm, status);
    start_norm->copy_from(norm);
    start_anew();
    const auto criterion = this->make_criterion(b, x, r);
    const auto ends = [&](size_type& iteration) {
        this->watch_progress(iteration, x, norm, status);
        return this->has_ended_by_now(*criterion, status, iteration, b, x, r, norm);
    };
    for (size_type iteration = 0; !ends(iteration) || this->goes_on(iteration, norm, start_norm, status,
                                                                    compute_true_residual, start_anew, ends);
         ++iteration, ++num_steps) {
        if (z != r) {
            this->precondition(r, z);
        }
        auto beta = zero<ValueType>();
        if (num_steps == 0) {
            step = one<ValueType>() / centre;
        } else {
            const auto half = half_distance * step / ValueType(2);
            beta = half * half * ValueType(num_steps == 1 ? 2 : 1);
            step = one<ValueType>() / (centre - beta / step);
        }
        kernels::solver::next_direction<ValueType>(*exec, *p, *z, beta, step, *alpha, status, tmp);
        system_matrix->apply(p, q);
        kernels::cg::advance<ValueType>(*exec, *x, *r, *p, *q, *alpha, *rr, *norm, status, tmp);
    }
    this->return_to_best(b, x);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Chebyshev);

}  // namespace spruce::solver
