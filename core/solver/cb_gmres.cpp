// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cb_gmres.hpp>

#include <algorithm>
#include <ostream>

#include "core/solver/arnoldi_basis.hpp"
#include "core/solver/cb_gmres_kernels.hpp"
#include "core/solver/enable_solver.hpp"
#include "core/solver/total_rows.hpp"

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

namespace {

/// Holds basis vectors in a storage precision. New vectors are orthogonalized by classical
/// Gram-Schmidt, with a second pass in columns that need it.
template <typename ValueType>
class CompressedBasis {
public:
    using Vector = matrix::Dense<ValueType>;
    using real = remove_complex<ValueType>;
    using word = real;  // allocation unit of compressed vectors

    CompressedBasis(detail::KrylovSolve<ValueType>& s, detail::ProjectedProblem<ValueType>& problem,
                    cb_gmres::storage_precision precision)
        : s_{s},
          problem_{problem},
          precision_{precision},
          v_{s.residual()},
          w_{s.vector("w")},
          remainder_{*s.real_scalar("remainder_norm"), *s.real_scalar("largest"), *s.real_scalar("again")}
    {
        const auto num_bytes = s.num_rows() * s.num_rhs() * kernels::cb_gmres::bytes_of<ValueType>(precision);
        num_words_ = (num_bytes + sizeof(word) - 1) / sizeof(word);
    }

    void begin()
    {
        if (v_ != s_.residual()) {
            std::swap(v_, w_);
        }
        kernels::cb_gmres::find_largest<ValueType>(s_.exec(), *v_, remainder_.largest, s_.reduction());
        vectors_.clear();
        this->append(*v_);
    }

    Vector* last() { return v_; }
    Vector* next() { return w_; }

    void expand(size_type step)
    {
        const auto projection = problem_.get(step + 1);
        const auto h = problem_.h();
        const auto basis = this->basis_of(step + 1);
        kernels::cb_gmres::multi_dot<ValueType>(s_.exec(), basis, *w_, false, remainder_, *h, projection.triangle,
                                                s_.reduction());
        kernels::cb_gmres::subtract<ValueType>(s_.exec(), basis, *h, *w_, remainder_, s_.reduction());
        kernels::cb_gmres::multi_dot<ValueType>(s_.exec(), basis, *w_, true, remainder_, *h, projection.triangle,
                                                s_.reduction());
        kernels::cb_gmres::finish_step<ValueType>(s_.exec(), basis, *h, *w_, remainder_, projection, s_.status(),
                                                  s_.reduction());
        this->append(*w_);
        std::swap(v_, w_);
    }

    void add_combination(size_type num_vectors, const kernels::gmres::projection<ValueType>& problem, Vector& x)
    {
        kernels::cb_gmres::add_combination<ValueType>(s_.exec(), this->basis_of(num_vectors), problem.rhs,
                                                      problem.num_steps, x);
    }
    Vector* scratch() { return w_; }

    void reserve(size_type num_steps)
    {
        for (size_type i = 0; i <= num_steps; ++i) {
            this->storage(i);
        }
        this->scales(problem_.capacity());
    }

private:
    matrix::Dense<word>* storage(size_type i)
    {
        return s_.workspace().template rows<word>({"v", i}, s_.get_executor(), dim<2>{num_words_, 1});
    }
    matrix::Dense<real>* scales(size_type capacity) { return s_.template rows<real>("scales", capacity + 1); }

    kernels::cb_gmres::basis<ValueType> basis_of(size_type num_vectors)
    {
        return {precision_, {vectors_.begin(), vectors_.begin() + num_vectors}, *this->scales(problem_.capacity())};
    }

    void append(Vector& vector)
    {
        vectors_.push_back(this->storage(vectors_.size())->get_values());
        kernels::cb_gmres::compress<ValueType>(s_.exec(), *problem_.next_norm(), remainder_.largest,
                                               vectors_.size() - 1, this->basis_of(vectors_.size()), vector);
    }

    detail::KrylovSolve<ValueType>& s_;
    detail::ProjectedProblem<ValueType>& problem_;
    cb_gmres::storage_precision precision_;
    Vector* v_;  ///< the newest vector before compression
    Vector* w_;
    kernels::cb_gmres::remainder<ValueType> remainder_;
    size_type num_words_;
    std::vector<void*> vectors_;
};

}  // namespace

template <typename ValueType>
void CbGmres<ValueType>::solve(detail::KrylovSolve<ValueType>& s) const
{
    using real = remove_complex<ValueType>;
    detail::ProjectedProblem<ValueType> problem{s, detail::limit_dimension(s, parameters_.krylov_dim)};
    CompressedBasis<ValueType> vectors{s, problem, parameters_.storage_precision};
    detail::ArnoldiBasis<ValueType, CompressedBasis<ValueType>> basis{s, problem, vectors};

    // The norms of the projected problem are estimates: columns stop by true residuals.
    const auto restart = [&](size_type lag) {
        const auto num_steps = basis.size();
        basis.reserve(s.max_speculative_steps(num_steps, lag, problem.limit()));
        basis.update_solution();
        s.compute_residual_at_restart(num_steps);
        kernels::cb_gmres::resume_unconfirmed<real>(s.exec(), *s.true_norm(), *s.norm(), s.status());
    };
    s.set_reported_residual(nullptr);
    for (s.start([] {});; s.advance()) {
        if (basis.size() > 0) {
            const auto next = s.iteration();
            const auto all_stopped = s.check_without_log(basis.is_full());
            if (all_stopped || basis.is_full()) {
                restart(next - s.iteration());
            } else {
                s.log_unfinished_iteration();
            }
            if (all_stopped) {
                s.check_norms_before_limit();
            }
        }
        if (basis.size() == 0) {
            if (s.check_on_host()) {
                break;
            }
            basis.begin(s.iteration() > 0);
        }
        basis.expand();
    }
    s.finish();
}

SPRUCE_INSTANTIATE_SOLVER(CbGmres);

}  // namespace spruce::solver
