// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/gmres.hpp>

#include <algorithm>
#include <ostream>

#include "core/solver/arnoldi_basis.hpp"
#include "core/solver/enable_solver.hpp"
#include "core/solver/gmres_kernels.hpp"
#include "core/solver/total_rows.hpp"

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

namespace {

/// Holds basis vectors in the precision of the system. New vectors are orthogonalized by one of the
/// methods of gmres::ortho_method.
template <typename ValueType>
class FullBasis {
public:
    using Vector = matrix::Dense<ValueType>;

    FullBasis(detail::KrylovSolve<ValueType>& s, detail::ProjectedProblem<ValueType>& problem,
              gmres::ortho_method method)
        : s_{s}, problem_{problem}, method_{method}
    {}

    void begin()
    {
        kernels::gmres::normalize<ValueType>(s_.exec(), *problem_.next_norm(), *this->vector(0));
        vectors_.assign({this->vector(0)});
    }

    Vector* last() { return this->vector(vectors_.size() - 1); }
    Vector* next() { return this->vector(vectors_.size()); }

    void expand(size_type step)
    {
        const auto w = this->next();
        const auto projection = problem_.get(step + 1);
        const auto h = problem_.h();
        if (method_ == gmres::ortho_method::mgs) {
            this->orthogonalize_by_groups(step, *w, *h, projection);
        } else {
            const kernels::gmres::coefficients<ValueType> result{step, *h, projection.triangle};
            kernels::gmres::multi_dot<ValueType>(s_.exec(), vectors_, *w, false, result, s_.reduction());
            if (method_ == gmres::ortho_method::cgs2) {
                kernels::gmres::subtract<ValueType>(s_.exec(), vectors_, *h, *w);
                kernels::gmres::multi_dot<ValueType>(s_.exec(), vectors_, *w, true, result, s_.reduction());
            }
            kernels::gmres::finish_step<ValueType>(s_.exec(), vectors_, *h, step, *w, projection, s_.status(),
                                                   s_.reduction());
            kernels::gmres::normalize<ValueType>(s_.exec(), *problem_.next_norm(), *w);
        }
        vectors_.push_back(w);
    }

    void add_combination(size_type num_vectors, const kernels::gmres::projection<ValueType>& problem, Vector& x)
    {
        kernels::gmres::add_combination<ValueType>(s_.exec(), {vectors_.begin(), vectors_.begin() + num_vectors},
                                                   problem.rhs, problem.num_steps, x);
    }
    Vector* scratch() { return s_.vector("u"); }

    void reserve(size_type num_steps)
    {
        for (size_type i = 0; i <= num_steps; ++i) {
            this->vector(i);
        }
        if (method_ == gmres::ortho_method::mgs) {
            this->overlaps();
        }
    }

private:
    using basis = kernels::gmres::basis<ValueType>;
    static constexpr auto group_size = kernels::gmres::group_size<ValueType>;

    /// Returns vector number i. The first one is the residual.
    Vector* vector(size_type i) { return i == 0 ? s_.residual() : s_.vector({"v", i}); }
    basis group_from(size_type first) const
    {
        const auto end = std::min<size_type>(first + group_size, vectors_.size());
        return basis(vectors_.begin() + first, vectors_.begin() + end);
    }
    /// Returns space for the inner products of the vectors within a group.
    Vector* overlaps() { return s_.template rows<ValueType>("overlaps", (problem_.capacity() + 1) * group_size); }

    /// Performs modified Gram-Schmidt, a group of vectors in each pass over w
    /// (doc/tuning/solvers.md).
    void orthogonalize_by_groups(size_type step, Vector& w, Vector& h,
                                 const kernels::gmres::projection<ValueType>& projection)
    {
        basis before;
        for (size_type first = 0; first <= step; first += group_size) {
            const auto group = this->group_from(first);
            kernels::gmres::subtract_and_dot<ValueType>(s_.exec(), before, group, first, *this->overlaps(), w,
                                                        {step, h, projection.triangle}, s_.reduction());
            before = group;
        }
        kernels::gmres::finish_step<ValueType>(s_.exec(), before, h, step, w, projection, s_.status(), s_.reduction());
        const auto group_begin = (step + 1) / group_size * group_size;
        if (group_begin <= step) {
            kernels::gmres::normalize_in_group<ValueType>(s_.exec(), *problem_.next_norm(),
                                                          this->group_from(group_begin), step + 1, w, *this->overlaps(),
                                                          s_.reduction());
        } else {
            kernels::gmres::normalize<ValueType>(s_.exec(), *problem_.next_norm(), w);
        }
    }

    detail::KrylovSolve<ValueType>& s_;
    detail::ProjectedProblem<ValueType>& problem_;
    gmres::ortho_method method_;
    basis vectors_;
};

}  // namespace

template <typename ValueType>
void Gmres<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    detail::ProjectedProblem<ValueType> problem{s, detail::limit_dimension(s, parameters_.krylov_dim)};
    FullBasis<ValueType> vectors{s, problem, parameters_.ortho_method};
    detail::ArnoldiBasis<ValueType, FullBasis<ValueType>> basis{s, problem, vectors, parameters_.flexible};

    const auto restart = [&] { basis.begin(false); };
    const auto step = [&] {
        if (basis.is_full()) {
            const auto num_steps = basis.size();
            basis.update_solution();
            s.compute_residual_at_restart(num_steps);
            basis.begin(true);
        }
        basis.expand();
    };
    s.set_reported_residual(nullptr);
    s.on_stop([&] { basis.update_solution(); });
    s.on_finish([&](size_type lag) { basis.reserve(s.max_speculative_steps(basis.size(), lag, problem.limit())); });
    s.iterate(restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Gmres);

}  // namespace spruce::solver
