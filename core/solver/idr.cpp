// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/idr.hpp>

#include <algorithm>
#include <string>

#include "core/solver/idr_kernels.hpp"
#include "core/solver/krylov_solver.hpp"

namespace spruce::solver {
namespace {

/// By modified Gram-Schmidt.
template <typename T>
void orthonormalize(matrix::Dense<T>& p)
{
    const auto exec = p.get_executor();
    const auto column = [&](size_type i) { return p.create_submatrix(span{0, p.get_size()[0]}, span{i, i + 1}); };
    const auto product = matrix::Dense<T>::create(exec, dim<2>{1, 1});
    const auto norm = matrix::Dense<remove_complex<T>>::create(exec, dim<2>{1, 1});
    for (size_type i = 0; i < p.get_size()[1]; ++i) {
        const auto vector = column(i);
        for (size_type j = 0; j < i; ++j) {
            column(j)->compute_conj_dot(vector, product);
            vector->sub_scaled(product, column(j));
        }
        vector->compute_norm2(norm);
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
    this->workspace_ = {};  // which may hold more rows than are needed now
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
    this->workspace_ = {};  // its vectors become complex, or real
}

template <typename ValueType>
template <typename T>
const matrix::Dense<T>* Idr<ValueType>::shadow_space(size_type size, size_type subspace_dim) const
{
    const auto exec = this->get_executor();
    const dim<2> shape{size, subspace_dim};
    if (!shadow_space_ || shadow_space_->get_size() != shape || shadow_space_->get_executor() != exec) {
        const auto maker =
            parameters_.deterministic ? std::shared_ptr<const Executor>(ReferenceExecutor::create()) : exec;
        auto p = matrix::Dense<T>::create(maker, shape);
        kernels::idr::fill_random<T>(*maker, *p, parameters_.complex_subspace);
        orthonormalize(*p);
        shadow_space_ = clone(exec, p);
    }
    return static_cast<const matrix::Dense<T>*>(shadow_space_.get());
}

template <typename ValueType>
void Idr<ValueType>::iterate(const matrix::Dense<ValueType>* b, matrix::Dense<ValueType>* x) const
{
    enum : size_type { id_complex_b = Idr::first_free_id, id_complex_x };
    if constexpr (!is_complex<ValueType>()) {
        if (parameters_.complex_subspace) {
            const auto complex_like = [&](size_type id) {
                return this->workspace_.template rows<to_complex<ValueType>>(id, this->get_executor(), b->get_size()[0],
                                                                             b->get_size()[1]);
            };
            const auto complex_b = complex_like(id_complex_b);
            const auto complex_x = complex_like(id_complex_x);
            b->make_complex(complex_b);
            x->make_complex(complex_x);
            this->iterate_in(complex_b, complex_x);
            complex_x->get_real(x);  // whose residual is no larger: it is the real part of the other
            return;
        }
    }
    this->iterate_in(b, x);
}

template <typename ValueType>
template <typename T>
void Idr<ValueType>::iterate_in(const matrix::Dense<T>* b, matrix::Dense<T>* x) const
{
    using real = remove_complex<T>;
    namespace kernel = kernels::idr;
    const auto exec = this->get_executor();
    const auto size = b->get_size()[0];
    const auto num_rhs = b->get_size()[1];
    const auto subspace_dim = std::min(parameters_.subspace_dim, std::max<size_type>(size, 1));
    const auto system_matrix = this->get_system_matrix();
    const auto is_preconditioned = this->is_preconditioned();

    enum : size_type {
        id_r = Idr::first_free_id + 3,  // those before are taken
        id_v,
        id_z,
        id_m,
        id_f,
        id_c,
        id_alpha,
        id_beta,
        id_omega,
        id_begin_norm,
        first_basis_id  // of g_0, u_0, g_1, u_1, ...
    };
    auto& work = this->workspace_;
    const auto r = work.vector_like(id_r, b);
    const auto v = work.vector_like(id_v, b);
    const auto z = is_preconditioned ? work.vector_like(id_z, b) : r;
    const auto norm = work.template scalars<real>(this->id_norm, exec, num_rhs);
    const auto rows = [&](size_type id, size_type num) { return work.template rows<T>(id, exec, num, num_rhs); };
    const kernel::state<T> state{*rows(id_m, subspace_dim * subspace_dim),
                                 *rows(id_f, subspace_dim),
                                 *rows(id_c, subspace_dim),
                                 *rows(id_alpha, subspace_dim),
                                 *rows(id_beta, 1),
                                 *rows(id_omega, 1),
                                 *norm,
                                 *work.template scalars<real>(id_begin_norm, exec, num_rhs),
                                 work.counts(exec, num_rhs)};
    auto& status = work.statuses(exec, num_rhs);
    auto& tmp = work.buffer(exec);
    const auto g = [&](size_type i) { return work.vector_like(first_basis_id + 2 * i, r); };
    const auto u = [&](size_type i) { return work.vector_like(first_basis_id + 2 * i + 1, r); };
    kernel::vectors<T> gs;
    kernel::vectors<T> us;
    for (size_type i = 0; i < subspace_dim; ++i) {
        gs.push_back(g(i));
        us.push_back(u(i));
    }
    const auto p = this->template shadow_space<T>(size, subspace_dim);

    const auto start_anew = [&] { kernel::start<T>(*exec, *p, *r, state, status, tmp); };
    const auto step = [&] {
        for (size_type k = 0; k < subspace_dim; ++k) {
            const kernel::vectors<T> later_gs(gs.begin() + k, gs.end());
            const kernel::vectors<T> later_us(us.begin() + k, us.end());
            if (is_preconditioned) {
                kernel::subtract<T>(*exec, state, k, later_gs, *r, *v);
                this->precondition(v, z);
                kernel::next_direction<T>(*exec, state, k, {}, later_us, *z, *u(k));
            } else {
                kernel::next_direction<T>(*exec, state, k, later_gs, later_us, *r, *u(k));
            }
            system_matrix->apply(u(k), g(k));
            kernel::project<T>(*exec, *p, *g(k), k, state, status, tmp);
            kernel::update<T>(*exec, {gs.begin(), gs.begin() + k}, {us.begin(), us.begin() + k}, *g(k), *u(k), state,
                              *x, *r, status, tmp);
        }
        if (is_preconditioned) {
            this->precondition(r, z);
        }
        const auto t = v;
        system_matrix->apply(z, t);
        kernel::compute_omega<T>(*exec, *t, *r, parameters_.kappa, state, status, tmp);
        kernel::finish_cycle<T>(*exec, *p, *z, *t, state, *x, *r, status, tmp);
    };
    this->template take_steps<T>({b, x, r, norm, nullptr}, start_anew, step);
}

SPRUCE_INSTANTIATE_KRYLOV_SOLVER(Idr);

}  // namespace spruce::solver
