// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cb_gmres.hpp>

#include <algorithm>
#include <ostream>

#include "core/solver/cb_gmres_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

namespace cb_gmres {

std::ostream& operator<<(std::ostream& stream, storage_precision precision)
{
    switch (precision) {
    case storage_precision::keep:
        return stream << "keep";
    case storage_precision::reduce1:
        return stream << "reduce1";
    case storage_precision::reduce2:
        return stream << "reduce2";
    case storage_precision::integer:
        return stream << "integer";
    case storage_precision::ireduce1:
        return stream << "ireduce1";
    case storage_precision::ireduce2:
        return stream << "ireduce2";
    }
    return stream << "unknown storage_precision";
}

}  // namespace cb_gmres

template <typename ValueType>
void CbGmres<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    using word = real;  // what compressed vectors are allocated in
    namespace kernel = kernels::cb_gmres;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto krylov_dim = std::min(parameters_.krylov_dim, std::max<size_type>(b->get_size()[0], 1));
    const auto num_words =
        (b->get_size()[0] * num_rhs * kernel::bytes_of<ValueType>(parameters_.storage_precision) + sizeof(word) - 1) /
        sizeof(word);
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type {
        id_triangle = CbGmres::first_free_id,
        id_cos,
        id_sin,
        id_rhs,
        id_h,
        id_scales,
        id_next_norm,
        id_left_norm,
        id_left_largest,
        id_again,
        id_weight,
        id_v,
        id_w,
        id_z,
        first_basis_id
    };
    auto& work = this->workspace_;
    auto& status = work.statuses(exec, num_rhs);
    auto& num_steps = work.counts(exec, num_rhs);
    auto& tmp = work.buffer(exec);
    const auto real_scalars = [&](size_type id) { return work.template scalars<real>(id, exec, num_rhs); };
    const auto norm = real_scalars(this->id_norm);
    const auto next_norm = real_scalars(id_next_norm);
    const auto start_norm = real_scalars(this->id_start_norm);
    const auto true_norm = real_scalars(this->id_true_norm);
    const auto weight = work.template scalars<ValueType>(id_weight, exec, num_rhs);
    const kernel::remainder<ValueType> left{*real_scalars(id_left_norm), *real_scalars(id_left_largest),
                                            *real_scalars(id_again)};
    auto v = work.vector_like(id_v, b);
    auto w = work.vector_like(id_w, b);

    // The problem has room for this many steps; it grows by doubling.
    size_type capacity = 0;
    const auto with_room_for = [&](size_type steps) {
        if (steps > capacity) {
            capacity = std::min(krylov_dim, std::max<size_type>(steps, capacity == 0 ? 16 : 2 * capacity));
        }
        return kernels::gmres::projection<ValueType>{
            *work.template rows<ValueType>(id_triangle, exec, kernels::gmres::packed_begin(capacity), num_rhs),
            *work.template rows<real>(id_cos, exec, capacity, num_rhs),
            *work.template rows<ValueType>(id_sin, exec, capacity, num_rhs),
            *work.template rows<ValueType>(id_rhs, exec, capacity + 1, num_rhs),
            *next_norm,
            *start_norm,
            *norm,
            num_steps};
    };
    std::vector<void*> vectors;
    const auto basis_of = [&](size_type num_vectors) {
        return kernel::basis<ValueType>{parameters_.storage_precision,
                                        {vectors.begin(), vectors.begin() + num_vectors},
                                        *work.template rows<real>(id_scales, exec, capacity + 1, num_rhs)};
    };
    const auto append = [&](matrix::Dense<ValueType>* vector) {
        vectors.push_back(work.template rows<word>(first_basis_id + vectors.size(), exec, num_words, 1)->get_values());
        kernel::compress<ValueType>(*exec, *next_norm, left.largest, vectors.size() - 1, basis_of(vectors.size()),
                                    *vector);
    };
    const auto begin_cycle = [&](bool is_restart) {
        kernels::gmres::start_cycle<ValueType>(*exec, *true_norm, is_restart, with_room_for(1), status);
        kernel::find_largest<ValueType>(*exec, *v, left.largest, tmp);
        vectors.clear();
        append(v);
    };
    const auto update_solution = [&](size_type steps) {
        const auto problem = with_room_for(1);
        kernels::gmres::solve<ValueType>(*exec, problem, *weight, status);
        if (is_preconditioned) {
            // M is linear: one application in place of one for each vector.
            const auto z = work.vector_like(id_z, b);
            w->fill(zero<ValueType>());
            kernel::add_combination<ValueType>(*exec, basis_of(steps), problem.rhs, num_steps, *w);
            this->precondition(w, z);
            kernels::gmres::add_combination<ValueType>(*exec, {z}, *weight, num_steps, *x);
        } else {
            kernel::add_combination<ValueType>(*exec, basis_of(steps), problem.rhs, num_steps, *x);
        }
    };
    const auto expand = [&](size_type step) {
        auto z = v;
        if (is_preconditioned) {
            z = work.vector_like(id_z, b);
            this->precondition(v, z);
        }
        system_matrix->apply(z, w);
        const auto problem = with_room_for(step + 1);
        const auto h = work.template rows<ValueType>(id_h, exec, capacity, num_rhs);
        const auto basis = basis_of(step + 1);
        kernel::multi_dot<ValueType>(*exec, basis, *w, false, left, *h, problem.triangle, tmp);
        kernel::subtract<ValueType>(*exec, basis, *h, *w, left, tmp);
        kernel::multi_dot<ValueType>(*exec, basis, *w, true, left, *h, problem.triangle, tmp);
        kernel::finish_step<ValueType>(*exec, basis, *h, *w, left, problem, status, tmp);
        append(w);
        std::swap(v, w);
    };

    const auto make_room_for = [&](size_type steps) {
        for (size_type i = 0; i <= steps; ++i) {
            work.template rows<word>(first_basis_id + i, exec, num_words, 1);
        }
        with_room_for(steps);
        work.template rows<ValueType>(id_h, exec, capacity, num_rhs);
        work.template rows<real>(id_scales, exec, capacity + 1, num_rhs);
    };

    this->start(b, x, v, true_norm, status);
    norm->copy_from(true_norm);
    this->watch_restart(0, 0, x, true_norm, status);
    const auto criterion = this->make_criterion(b, x, v);
    size_type step = 0;
    for (size_type iteration = 0;; ++iteration) {
        if (step > 0) {
            if (step == krylov_dim) {
                detail::wait_in_next_check(work);  // columns are reopened now
            }
            const auto next = iteration;
            const auto ended = this->has_stopped_by_now(*criterion, status, iteration, x, norm);
            if (ended || step == krylov_dim) {
                make_room_for(detail::most_steps(*exec, *b, step, next - iteration, krylov_dim));
                update_solution(step);
                this->compute_residual(b, x, v, true_norm);
                this->watch_restart(iteration, step, x, true_norm, status);
                kernel::reopen<real>(*exec, *true_norm, *norm, status);
                if (ended) {
                    // What has converged is not for the limit that ends others.
                    bool one_changed{};
                    criterion->update()
                        .num_iterations(iteration - 1)
                        .residual_norm(norm)
                        .solution(x)
                        .check(1, true, &status, &one_changed);
                }
                step = 0;
            } else {
                this->template log<log::Logger::iteration_complete>(this, b, x, iteration, nullptr, norm, nullptr,
                                                                    &status, false);
            }
        }
        if (step == 0) {
            if (this->has_ended(*criterion, status, iteration, b, x, nullptr, norm)) {
                break;
            }
            begin_cycle(iteration > 0);
        }
        expand(step++);
    }
    this->return_to_best(b, x);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(CbGmres);

}  // namespace spruce::solver
