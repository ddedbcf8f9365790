// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>

#include "core/solver/gmres_kernels.hpp"
#include "core/solver/krylov_solve.hpp"

namespace spruce::solver::detail {

/// Holds the least-squares problem onto which GMRES projects the system. Its memory grows by
/// doubling.
template <typename ValueType>
class ProjectedProblem {
public:
    using real = remove_complex<ValueType>;

    /// @param limit  largest number of steps in a cycle
    ProjectedProblem(KrylovSolve<ValueType>& s, size_type limit) : s_{s}, limit_{limit}
    {
        this->history()->fill(zero<real>());
    }

    /// Returns the problem with space for this many steps.
    kernels::gmres::projection<ValueType> get(size_type num_steps)
    {
        if (num_steps > capacity_) {
            capacity_ = std::min(limit_, std::max<size_type>(num_steps, capacity_ == 0 ? 16 : 2 * capacity_));
        }
        return {*s_.template rows<ValueType>("triangle", kernels::gmres::packed_begin(capacity_)),
                *s_.template rows<real>("cos", capacity_),
                *s_.template rows<ValueType>("sin", capacity_),
                *s_.template rows<ValueType>("rhs", capacity_ + 1),
                *this->next_norm(),
                *s_.real_scalar("cycle_norm"),
                *s_.norm(),
                *this->history(),
                this->num_steps()};
    }
    /// Returns space for the inner products of one step.
    matrix::Dense<ValueType>* h() { return s_.template rows<ValueType>("h", capacity_); }
    matrix::Dense<real>* next_norm() { return s_.real_scalar("next_norm"); }
    array<size_type>& num_steps() { return s_.counts("num_steps"); }
    size_type capacity() const { return capacity_; }
    size_type limit() const { return limit_; }

private:
    matrix::Dense<real>* history() { return s_.template rows<real>("history", kernels::gmres::num_history_rows); }

    KrylovSolve<ValueType>& s_;
    size_type limit_;
    size_type capacity_{};
};

/// Builds an orthonormal basis of a Krylov space by the Arnoldi process, and solves the projected
/// problem.
///
/// Storage holds the vectors and makes new ones orthogonal to them:
/// - begin() takes the residual as the first vector,
/// - last() is the newest vector, and next() receives its product with the operator,
/// - expand() makes next() orthogonal to the others and adds it to the basis,
/// - add_combination() adds the combination of the first vectors to x,
/// - reserve() allocates the memory of a number of steps,
/// - scratch() is an n x k vector that may be overwritten before update_solution().
template <typename ValueType, typename Storage>
class ArnoldiBasis {
public:
    using Vector = matrix::Dense<ValueType>;

    /// @param keeps_directions  whether z_j = M^-1 v_j of each step is kept, as a preconditioner
    ///                          that changes requires
    ArnoldiBasis(KrylovSolve<ValueType>& s, ProjectedProblem<ValueType>& problem, Storage& storage,
                 bool keeps_directions = false)
        : s_{s}, problem_{problem}, storage_{storage}, keeps_directions_{keeps_directions && s.is_preconditioned()}
    {}

    /// Returns the number of steps in this cycle.
    size_type size() const { return num_steps_; }
    bool is_full() const { return num_steps_ == problem_.limit(); }
    void clear() { num_steps_ = 0; }

    /// Starts a cycle from the residual, whose norm is s.true_norm().
    /// @param is_restart  whether another cycle of this solve precedes
    void begin(bool is_restart)
    {
        kernels::gmres::start_cycle<ValueType>(s_.exec(), *s_.true_norm(), is_restart, problem_.get(1), s_.status());
        storage_.begin();
        num_steps_ = 0;
    }

    /// Performs one Arnoldi step: adds a vector, and updates the residual norm of the projected
    /// problem.
    void expand()
    {
        const auto z = s_.preconditioned_vector(this->direction_key(num_steps_), storage_.last());
        s_.precondition(storage_.last(), z);
        s_.apply(z, storage_.next());
        storage_.expand(num_steps_);
        ++num_steps_;
    }

    /// Adds the correction of this cycle to x: x = x + M^-1 V y.
    void update_solution()
    {
        if (num_steps_ == 0) {
            return;
        }
        const auto weight = s_.scalar("weight");
        const auto problem = problem_.get(1);
        kernels::gmres::solve_triangle<ValueType>(s_.exec(), problem, *weight, s_.status());
        if (!s_.is_preconditioned()) {
            storage_.add_combination(num_steps_, problem, *s_.x());
        } else if (keeps_directions_) {
            kernels::gmres::basis<ValueType> directions;
            for (size_type i = 0; i < num_steps_; ++i) {
                directions.push_back(s_.vector(this->direction_key(i)));
            }
            kernels::gmres::add_combination<ValueType>(s_.exec(), directions, problem.rhs, problem.num_steps, *s_.x());
        } else {
            // M is linear: one application instead of one for each vector.
            const auto u = storage_.scratch();
            const auto z = s_.vector("z");
            u->fill(zero<ValueType>());
            storage_.add_combination(num_steps_, problem, *u);
            s_.precondition(u, z);
            kernels::gmres::add_combination<ValueType>(s_.exec(), {z}, *weight, problem.num_steps, *s_.x());
        }
        num_steps_ = 0;
    }

    /// Allocates the memory of a cycle of this many steps.
    void reserve(size_type num_steps)
    {
        problem_.get(std::max<size_type>(num_steps, 1));
        problem_.h();
        storage_.reserve(num_steps);
        if (keeps_directions_) {
            for (size_type i = 0; i < num_steps; ++i) {
                s_.vector(this->direction_key(i));
            }
        }
    }

private:
    typename KrylovSolve<ValueType>::Key direction_key(size_type step) const
    {
        return {"z", keeps_directions_ ? step : 0};
    }

    KrylovSolve<ValueType>& s_;
    ProjectedProblem<ValueType>& problem_;
    Storage& storage_;
    bool keeps_directions_;
    size_type num_steps_{};
};

}  // namespace spruce::solver::detail
