// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/gcr.hpp>

#include <algorithm>
#include <limits>

#include "core/solver/cg_kernels.hpp"
#include "core/solver/enable_solver.hpp"
#include "core/solver/gcr_kernels.hpp"
#include "core/solver/total_rows.hpp"

namespace spruce::solver {
namespace {

/// Holds the directions p and their images q = A p since the last restart, and their inner
/// products.
template <typename ValueType>
class Directions {
public:
    using real = remove_complex<ValueType>;
    using Solve = detail::KrylovSolve<ValueType>;

    Directions(Solve& s, size_type limit) : s_{s}, limit_{limit} {}

    size_type size() const { return ps_.size(); }
    bool is_full() const { return ps_.size() == limit_; }
    size_type limit() const { return limit_; }
    void clear()
    {
        ps_.clear();
        qs_.clear();
    }
    void push_back(const matrix::Dense<ValueType>* p, const matrix::Dense<ValueType>* q)
    {
        ps_.push_back(p);
        qs_.push_back(q);
    }
    const kernels::gmres::basis<ValueType>& ps() const { return ps_; }
    const kernels::gmres::basis<ValueType>& qs() const { return qs_; }
    matrix::Dense<ValueType>* p(size_type i) { return s_.vector({"p", i}); }
    matrix::Dense<ValueType>* q(size_type i) { return s_.vector({"q", i}); }
    matrix::Dense<ValueType>* dots() { return s_.template rows<ValueType>("dots", capacity_); }
    matrix::Dense<real>* inv_qq() { return s_.template rows<real>("inv_qq", capacity_); }

    /// Allocates the memory of this many steps. The inner products grow by doubling.
    void reserve(size_type num_steps)
    {
        if (num_steps > capacity_) {
            capacity_ = std::min(limit_, std::max<size_type>({num_steps, 16, 2 * capacity_}));
        }
        for (size_type i = 0; i < num_steps; ++i) {
            this->p(i);
            this->q(i);
        }
        this->dots();
        this->inv_qq();
    }

private:
    Solve& s_;
    size_type limit_;
    size_type capacity_{};
    kernels::gmres::basis<ValueType> ps_;
    kernels::gmres::basis<ValueType> qs_;
};

}  // namespace

template <typename ValueType>
void Gcr<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    const auto r = s.residual();
    const auto alpha = s.scalar("alpha");
    const auto rr = s.scalar("rr");
    const auto size = s.real_scalar("size");
    Directions<ValueType> directions{s, detail::limit_dimension(s, parameters_.krylov_dim)};

    const auto restart = [&] { directions.clear(); };
    const auto step = [&] {
        if (directions.is_full()) {
            directions.clear();
        }
        const auto i = directions.size();
        directions.reserve(i + 1);
        const auto p = directions.p(i);
        const auto q = directions.q(i);
        const auto dots = directions.dots();
        const auto z = s.is_preconditioned() ? p : r;
        s.precondition(r, z);
        s.apply(z, q);
        kernels::gcr::multi_dot<ValueType>(s.exec(), directions.qs(), *q, *dots, s.reduction());
        kernels::gcr::orthogonalize<ValueType>(s.exec(),
                                               {directions.ps(), directions.qs(), *dots, *directions.inv_qq(), *size},
                                               *z, *r, *p, *q, *alpha, s.status(), s.reduction());
        kernels::cg::update_x_and_r<ValueType>(s.exec(), *s.x(), *r, *p, *q, *alpha, *rr, *s.norm(), s.status(),
                                               s.reduction());
        directions.push_back(p, q);
    };
    s.on_finish([&](size_type lag) {
        directions.reserve(s.max_speculative_steps(directions.size(), lag, directions.limit()));
    });
    size->fill(zero<remove_complex<ValueType>>());
    s.iterate(restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Gcr);

}  // namespace spruce::solver
