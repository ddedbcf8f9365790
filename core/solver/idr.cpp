// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/idr.hpp>

#include <string>

#include "core/solver/enable_solver.hpp"
#include "core/solver/idr_kernels.hpp"
#include "core/solver/total_rows.hpp"

namespace spruce::solver {
namespace {

/// Makes the columns of p orthonormal by modified Gram-Schmidt.
template <typename T>
void orthonormalize(matrix::Dense<T>& p, const Reduction& reduction)
{
    const auto exec = p.get_executor();
    const auto column = [&](size_type i) { return p.create_submatrix(span{0, p.get_size()[0]}, span{i, i + 1}); };
    const auto product = matrix::Dense<T>::create(exec, dim<2>{1, 1});
    const auto norm = matrix::Dense<remove_complex<T>>::create(exec, dim<2>{1, 1});
    for (size_type i = 0; i < p.get_size()[1]; ++i) {
        const auto vector = column(i);
        for (size_type j = 0; j < i; ++j) {
            kernels::dense::conj_dot<T>(*exec, *column(j), *vector, *product, reduction);
            vector->sub_scaled(product, column(j));
        }
        kernels::dense::norm2<T>(*exec, *vector, *norm, reduction);
        vector->inv_scale(norm);
    }
}

}  // namespace

template <typename ValueType>
void Idr<ValueType>::set_subspace_dim(size_type subspace_dim)
{
    if (subspace_dim == 0) {
        throw InvalidStateError(__FILE__, __LINE__, "solver::Idr", "subspace_dim is 0, it has to be 1 at least");
    }
    parameters_.subspace_dim = subspace_dim;
    this->clear_workspace();  // the workspace may hold more rows than are needed now
}

template <typename ValueType>
void Idr<ValueType>::set_kappa(remove_complex<ValueType> kappa)
{
    if (!(kappa >= 0 && kappa <= 1)) {
        throw InvalidStateError(__FILE__, __LINE__, "solver::Idr",
                                "kappa is " + std::to_string(kappa) + ", it has to be the cosine of an angle, 0 to 1");
    }
    parameters_.kappa = kappa;
}

template <typename ValueType>
void Idr<ValueType>::set_deterministic(bool deterministic)
{
    parameters_.deterministic = deterministic;
    shadow_space_ = nullptr;
}

template <typename ValueType>
void Idr<ValueType>::set_complex_subspace(bool complex_subspace)
{
    parameters_.complex_subspace = complex_subspace;
    shadow_space_ = nullptr;
    this->clear_workspace();  // the vectors become complex, or real
}

template <typename ValueType>
template <typename T>
const matrix::Dense<T>* Idr<ValueType>::shadow_space(size_type size, size_type subspace_dim,
                                                     const Communicator* communicator) const
{
    const auto exec = this->get_executor();
    const dim<2> shape{size, subspace_dim};
    if (!shadow_space_ || shadow_space_->get_size() != shape || shadow_space_->get_executor() != exec) {
        const auto maker =
            parameters_.deterministic ? std::shared_ptr<const Executor>(ReferenceExecutor::create()) : exec;
        auto p = matrix::Dense<T>::create(maker, shape);
        const auto first_row = communicator ? communicator->get_first_row() : 0;
        kernels::idr::fill_random<T>(*maker, *p, first_row, parameters_.complex_subspace);
        array<char> buffer{maker};
        orthonormalize(*p, Reduction{buffer, communicator});
        shadow_space_ = clone(exec, p);
    }
    return static_cast<const matrix::Dense<T>*>(shadow_space_.get());
}

template <typename ValueType>
template <typename T>
void Idr<ValueType>::run(const detail::solve_setup& setup, const matrix::Dense<T>* b, matrix::Dense<T>* x) const
{
    if constexpr (!is_complex<T>()) {
        if (parameters_.complex_subspace) {
            using complex = to_complex<T>;
            const auto complex_b = setup.workspace.dense<complex>("complex b", this->get_executor(), b->get_size());
            const auto complex_x = setup.workspace.dense<complex>("complex x", this->get_executor(), x->get_size());
            b->make_complex(complex_b);
            x->make_complex(complex_x);
            Base::run(setup, complex_b, complex_x);
            complex_x->get_real(x);  // its residual is not larger: it is the real part of the complex residual
            return;
        }
    }
    Base::run(setup, b, x);
}

template <typename ValueType>
template <typename T>
void Idr<ValueType>::solve(detail::KrylovSolve<T>& s) const
{
    const auto subspace_dim = detail::limit_dimension(s, parameters_.subspace_dim);
    const auto r = s.residual();
    const auto v = s.vector("v");
    const auto z = s.preconditioned_vector("z", r);
    const auto rows = [&](const char* name, size_type num) { return s.template rows<T>(name, num); };
    const kernels::idr::state<T> state{*rows("m", subspace_dim * subspace_dim),
                                       *rows("f", subspace_dim),
                                       *rows("c", subspace_dim),
                                       *rows("alpha", subspace_dim),
                                       *rows("beta", 1),
                                       *rows("omega", 1),
                                       *s.norm(),
                                       *s.real_scalar("begin_norm"),
                                       s.counts("breakdown")};
    kernels::idr::vectors<T> gs;
    kernels::idr::vectors<T> us;
    for (size_type i = 0; i < subspace_dim; ++i) {
        gs.push_back(s.vector({"g", i}));
        us.push_back(s.vector({"u", i}));
    }
    const auto p = this->template shadow_space<T>(s.num_rows(), subspace_dim, s.reduction().get_communicator());

    const auto restart = [&] { kernels::idr::start<T>(s.exec(), *p, *r, state, s.status(), s.reduction()); };
    const auto expand = [&](size_type k) {
        const auto g = s.vector({"g", k});
        const auto u = s.vector({"u", k});
        const kernels::idr::vectors<T> later_gs(gs.begin() + k, gs.end());
        const kernels::idr::vectors<T> later_us(us.begin() + k, us.end());
        if (s.is_preconditioned()) {
            kernels::idr::compute_v<T>(s.exec(), state, k, later_gs, *r, *v);
            s.precondition(v, z);
            kernels::idr::compute_u<T>(s.exec(), state, k, {}, later_us, *z, *u);
        } else {
            kernels::idr::compute_u<T>(s.exec(), state, k, later_gs, later_us, *r, *u);
        }
        s.apply(u, g);
        kernels::idr::project_g<T>(s.exec(), *p, *g, k, state, s.status(), s.reduction());
        kernels::idr::update_x_and_r<T>(s.exec(), {gs.begin(), gs.begin() + k}, {us.begin(), us.begin() + k}, {*g, *u},
                                        state, *s.x(), *r, s.status(), s.reduction());
    };
    const auto step = [&] {
        for (size_type k = 0; k < subspace_dim; ++k) {
            expand(k);
        }
        const auto t = v;
        s.precondition(r, z);
        s.apply(z, t);
        kernels::idr::compute_omega<T>(s.exec(), *t, *r, parameters_.kappa, state, s.status(), s.reduction());
        kernels::idr::finish_cycle<T>(s.exec(), *p, *z, *t, state, *s.x(), *r, s.status(), s.reduction());
    };
    s.iterate_with_graph(restart, step);
}

SPRUCE_INSTANTIATE_SOLVER(Idr);

}  // namespace spruce::solver
