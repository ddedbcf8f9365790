// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cg.hpp>

#include "core/base/dispatch.hpp"
#include "core/matrix/dense_kernels.hpp"
#include "core/solver/cg_kernels.hpp"

namespace spruce::solver {

using log::Logger;

template <typename ValueType>
std::unique_ptr<LinOp> Cg<ValueType>::transpose() const
{
    return build()
        .with_generated_preconditioner(share(as<Transposable>(this->get_preconditioner())->transpose()))
        .with_criteria(this->get_stop_criterion_factory())
        .on(this->get_executor())
        ->generate(share(as<Transposable>(this->get_system_matrix())->transpose()));
}

template <typename ValueType>
std::unique_ptr<LinOp> Cg<ValueType>::conj_transpose() const
{
    return build()
        .with_generated_preconditioner(share(as<Transposable>(this->get_preconditioner())->conj_transpose()))
        .with_criteria(this->get_stop_criterion_factory())
        .on(this->get_executor())
        ->generate(share(as<Transposable>(this->get_system_matrix())->conj_transpose()));
}

template <typename ValueType>
void Cg<ValueType>::apply_impl(const LinOp* b, LinOp* x) const
{
    if (!this->get_system_matrix()) {
        spruce::detail::throw_null_pointer("Cg::apply (the system matrix)");
    }
    spruce::detail::dispatch_dense<ValueType>([&](auto dense_b, auto dense_x) { this->iterate(dense_b, dense_x); }, b,
                                              x);
}

template <typename ValueType>
void Cg<ValueType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    if (!this->get_system_matrix()) {
        spruce::detail::throw_null_pointer("Cg::apply (the system matrix)");
    }
    spruce::detail::dispatch_dense<ValueType>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            auto solution = dense_x->clone();
            this->iterate(dense_b, solution.get());
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, solution);
        },
        alpha, b, beta, x);
}

template <typename ValueType>
void Cg<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    namespace kernel = kernels::cg;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto system_matrix = this->get_system_matrix();
    const auto preconditioner = this->get_preconditioner();
    const auto is_preconditioned = !dynamic_cast<const matrix::Identity<ValueType>*>(preconditioner.get());

    enum : size_type { id_r, id_z, id_p, id_q, id_rho, id_prev_rho, id_beta, id_rr, id_norm, id_one, id_neg_one };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto z = is_preconditioned ? work.vector_like(id_z, b) : r;
    const auto p = work.vector_like(id_p, b);
    const auto q = work.vector_like(id_q, b);
    auto rho = work.template scalars<ValueType>(id_rho, exec, num_rhs);
    auto prev_rho = work.template scalars<ValueType>(id_prev_rho, exec, num_rhs);
    const auto beta = work.template scalars<ValueType>(id_beta, exec, num_rhs);
    auto rr = work.template scalars<ValueType>(id_rr, exec, num_rhs);
    const auto norm = work.template scalars<real>(id_norm, exec, num_rhs);
    const auto one_scalar = work.template scalars<ValueType>(id_one, exec, 1);
    const auto neg_one_scalar = work.template scalars<ValueType>(id_neg_one, exec, 1);
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);
    one_scalar->fill(one<ValueType>());
    neg_one_scalar->fill(-one<ValueType>());

    kernel::initialize<ValueType>(*exec, *p, *prev_rho, *rho, status);
    r->copy_from(b);
    system_matrix->apply(neg_one_scalar, x, one_scalar, r);
    r->compute_norm2(norm, tmp);
    const auto criterion = this->get_stop_criterion_factory()->generate(
        system_matrix, std::shared_ptr<const LinOp>(b, [](const LinOp*) {}), x, r);

    for (size_type iteration = 0;; ++iteration) {
        if (is_preconditioned) {
            preconditioner->apply(r, z);
        }
        if (is_preconditioned || iteration == 0) {
            r->compute_conj_dot(z, rho, tmp);
        } else {
            std::swap(rho, rr);  // z = r: step_2 has (r, z) at hand
        }
        constexpr uint8 stopping_id = 1;
        bool one_changed{};
        const auto all_stopped = criterion->update()
                                     .num_iterations(iteration)
                                     .residual(r)
                                     .residual_norm(norm)
                                     .implicit_sq_residual_norm(rho)
                                     .solution(x)
                                     .check(stopping_id, true, &status, &one_changed);
        this->template log<Logger::iteration_complete>(this, b, x, iteration, r, norm, rho, &status, all_stopped);
        if (all_stopped) {
            break;
        }
        kernel::step_1<ValueType>(*exec, *p, *z, *rho, *prev_rho, status);
        system_matrix->apply(p, q);
        p->compute_conj_dot(q, beta, tmp);
        kernel::step_2<ValueType>(*exec, *x, *r, *p, *q, *beta, *rho, status, *rr, *norm, tmp);
        std::swap(prev_rho, rho);
    }
}

#define SPRUCE_CG(_value) class SPRUCE_EXPORT Cg<_value>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_CG);

}  // namespace spruce::solver
