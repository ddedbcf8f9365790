// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/gmres.hpp>

#include <algorithm>
#include <ostream>

#include "core/solver/gmres_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {

namespace gmres {

std::ostream& operator<<(std::ostream& stream, ortho_method method)
{
    switch (method) {
    case ortho_method::mgs:
        return stream << "mgs";
    case ortho_method::cgs:
        return stream << "cgs";
    case ortho_method::cgs2:
        return stream << "cgs2";
    }
    return stream << "unknown ortho_method";
}

}  // namespace gmres

template <typename ValueType>
void Gmres<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    using real = remove_complex<ValueType>;
    using gmres::ortho_method;
    namespace kernel = kernels::gmres;
    const auto exec = this->get_executor();
    const auto num_rhs = b->get_size()[1];
    const auto krylov_dim = std::min(parameters_.krylov_dim, std::max<size_type>(b->get_size()[0], 1));
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();
    const auto is_flexible = parameters_.flexible && is_preconditioned;

    enum : size_type {
        id_triangle = Gmres::first_free_id,
        id_cos,
        id_sin,
        id_rhs,
        id_h,
        id_overlaps,
        id_next_norm,
        id_cycle_norm,
        id_weight,
        id_z,
        id_u,
        first_basis_id  // of v_0, z_0, v_1, z_1, ...
    };
    auto& work = this->workspace_;
    auto& status = work.statuses(exec, num_rhs);
    auto& num_steps = work.counts(exec, num_rhs);
    auto& tmp = work.buffer(exec);
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto next_norm = work.template scalars<real>(id_next_norm, exec, num_rhs);
    const auto start_norm = work.template scalars<real>(this->id_start_norm, exec, num_rhs);
    const auto cycle_norm = work.template scalars<real>(id_cycle_norm, exec, num_rhs);
    const auto true_norm = work.template scalars<real>(this->id_true_norm, exec, num_rhs);
    const auto weight = work.template scalars<ValueType>(id_weight, exec, num_rhs);
    const auto vector = [&](size_type i) { return work.vector_like(first_basis_id + 2 * i, b); };
    const auto preconditioned = [&](size_type i) {
        return work.vector_like(is_flexible ? first_basis_id + 2 * i + 1 : id_z, b);
    };
    // The problem has room for this many steps; it grows by doubling.
    size_type capacity = 0;
    const auto with_room_for = [&](size_type steps) {
        if (steps > capacity) {
            capacity = std::min(krylov_dim, std::max<size_type>(steps, capacity == 0 ? 16 : 2 * capacity));
        }
        return kernel::projection<ValueType>{
            *work.template rows<ValueType>(id_triangle, exec, kernel::packed_begin(capacity), num_rhs),
            *work.template rows<real>(id_cos, exec, capacity, num_rhs),
            *work.template rows<ValueType>(id_sin, exec, capacity, num_rhs),
            *work.template rows<ValueType>(id_rhs, exec, capacity + 1, num_rhs),
            *next_norm,
            *cycle_norm,
            *norm,
            num_steps};
    };
    kernel::basis<ValueType> basis;
    kernel::basis<ValueType> directions;  // M v_i: what x is made of
    constexpr auto group_size = kernel::group_size<ValueType>;
    const auto is_modified = parameters_.ortho_method == ortho_method::mgs;
    const auto group_from = [&](size_type first) {
        const auto end = std::min<size_type>(first + group_size, basis.size());
        return kernel::basis<ValueType>(basis.begin() + first, basis.begin() + end);
    };
    const auto overlaps = [&] {
        return work.template rows<ValueType>(id_overlaps, exec, (capacity + 1) * group_size, num_rhs);
    };
    const auto begin_cycle = [&](bool is_restart) {
        kernel::start_cycle<ValueType>(*exec, *true_norm, is_restart, with_room_for(1), status);
        kernel::normalize<ValueType>(*exec, *next_norm, *vector(0));
        basis.assign({vector(0)});
        directions.clear();
    };
    const auto update_solution = [&] {
        if (directions.empty()) {
            return;
        }
        const auto problem = with_room_for(1);
        kernel::solve<ValueType>(*exec, problem, *weight, status);
        if (is_preconditioned && !is_flexible) {
            // M is linear: one application in place of one for each direction.
            const auto u = work.vector_like(id_u, b);
            const auto z = work.vector_like(id_z, b);
            u->fill(zero<ValueType>());
            directions.assign(basis.begin(), basis.begin() + directions.size());
            kernel::add_combination<ValueType>(*exec, directions, problem.rhs, num_steps, *u);
            this->precondition(u, z);
            kernel::add_combination<ValueType>(*exec, {z}, *weight, num_steps, *x);
        } else {
            kernel::add_combination<ValueType>(*exec, directions, problem.rhs, num_steps, *x);
        }
        directions.clear();
    };
    const auto expand = [&](size_type step) {
        auto z = vector(step);
        if (is_preconditioned) {
            z = preconditioned(step);
            this->precondition(vector(step), z);
        }
        directions.push_back(z);
        const auto w = vector(step + 1);
        system_matrix->apply(z, w);
        const auto problem = with_room_for(step + 1);
        const auto h = work.template rows<ValueType>(id_h, exec, capacity, num_rhs);
        if (is_modified) {
            kernel::basis<ValueType> before;
            for (size_type first = 0; first <= step; first += group_size) {
                const auto group = group_from(first);
                kernel::subtract_and_dot<ValueType>(*exec, before, group, first, step, *overlaps(), *w, *h,
                                                    problem.triangle, tmp);
                before = group;
            }
            kernel::finish_step<ValueType>(*exec, before, *h, step, *w, problem, status, tmp);
        } else {
            kernel::multi_dot<ValueType>(*exec, basis, *w, step, false, *h, problem.triangle, tmp);
            if (parameters_.ortho_method == ortho_method::cgs2) {
                kernel::subtract<ValueType>(*exec, basis, *h, *w);
                kernel::multi_dot<ValueType>(*exec, basis, *w, step, true, *h, problem.triangle, tmp);
            }
            kernel::finish_step<ValueType>(*exec, basis, *h, step, *w, problem, status, tmp);
        }
        const auto group_begin = (step + 1) / group_size * group_size;
        if (is_modified && group_begin <= step) {
            kernel::normalize_in_group<ValueType>(*exec, *next_norm, group_from(group_begin), step + 1, *w, *overlaps(),
                                                  tmp);
        } else {
            kernel::normalize<ValueType>(*exec, *next_norm, *w);
        }
        basis.push_back(w);
    };

    const auto compute_true_residual = [&](auto norm_of_it) {
        update_solution();
        this->compute_best_residual(b, x, vector(0), norm_of_it);
    };
    const auto start_anew = [&] { begin_cycle(false); };
    this->start(b, x, vector(0), true_norm, status);
    norm->copy_from(true_norm);
    start_norm->copy_from(true_norm);
    this->watch_restart(0, 0, x, true_norm, status);
    const auto criterion = this->make_criterion(b, x, vector(0));
    start_anew();  // vector(0) is the residual no more
    const auto ends = [&](size_type& iteration) {
        const auto next = iteration;
        if (!this->has_ended_by_now(*criterion, status, iteration, b, x, nullptr, norm)) {
            return false;
        }
        const auto steps = detail::most_steps(*exec, *b, directions.size(), next - iteration, krylov_dim);
        for (size_type i = 0; i < steps; ++i) {
            vector(i + 1);
            if (is_flexible) {
                preconditioned(i);
            }
        }
        with_room_for(std::max<size_type>(steps, 1));
        work.template rows<ValueType>(id_h, exec, capacity, num_rhs);
        if (is_modified) {
            overlaps();
        }
        return true;
    };
    for (size_type iteration = 0; !ends(iteration) || this->goes_on(iteration, norm, start_norm, status,
                                                                    compute_true_residual, start_anew, ends);
         ++iteration) {
        if (directions.size() == krylov_dim) {
            update_solution();
            this->compute_residual(b, x, vector(0), true_norm);
            this->watch_restart(iteration, krylov_dim, x, true_norm, status);
            begin_cycle(true);
        }
        expand(directions.size());
    }
    update_solution();
    this->return_to_best(b, x);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Gmres);

}  // namespace spruce::solver
