// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/preconditioner/factor_solvers.hpp>

#include <string>

#include <spruce/base/name_demangling.hpp>
#include <spruce/solver/ir.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/workspace.hpp"

namespace spruce::preconditioner::detail {
namespace {

template <typename V>
void require_factors(const char* method, const Composition<V>& factors, size_type min_factors)
{
    const auto& operators = factors.get_operators();
    if (operators.size() < min_factors || operators.size() > 2) {
        throw NotSupported(__FILE__, __LINE__, method,
                           "a Composition of " + std::to_string(operators.size()) + " operators");
    }
    for (const auto& factor : operators) {
        solver::detail::require_square(factor.get());
    }
}

}  // namespace

template <typename V>
matrix_factors<V> factorize(const char* method, const LinOpFactory& factorization, std::shared_ptr<const LinOp> matrix,
                            size_type min_factors)
{
    matrix_factors<V> result;
    result.product = std::dynamic_pointer_cast<const Composition<V>>(matrix);
    if (!result.product) {
        const auto product = as<Composition<V>>(share(factorization.generate(std::move(matrix))));
        result.refreshable = std::dynamic_pointer_cast<Refreshable>(product);
        result.product = product;
    }
    require_factors(method, *result.product, min_factors);
    return result;
}

namespace {

/// Returns true if a solver can take new values of its factor, which may change in place.
template <typename V>
bool can_be_refreshed(const LinOp* solver, const LinOp* factor)
{
    const auto base = dynamic_cast<const solver::detail::SolverBaseLinOp*>(solver);
    const auto preconditionable = dynamic_cast<const Preconditionable*>(solver);
    const auto ir = dynamic_cast<const solver::Ir<V>*>(solver);
    const auto preconditioner = preconditionable ? preconditionable->get_preconditioner()
                                : ir             ? ir->get_solver()
                                                 : nullptr;
    return dynamic_cast<const Refreshable*>(solver) ||
           (base && base->get_system_matrix().get() == factor &&
            (!preconditioner || spruce::detail::is_identity(preconditioner.get())));
}

}  // namespace

template <typename V>
std::shared_ptr<const Composition<V>> refresh_factors(const char* method, const matrix_factors<V>& factors,
                                                      const LinOp* l_solver, const LinOp* u_solver,
                                                      std::shared_ptr<const LinOp> matrix)
{
    spruce::detail::require_pointers(method, matrix);
    const auto given = std::dynamic_pointer_cast<const Composition<V>>(matrix);
    if (!factors.product || (!given && !factors.refreshable)) {
        throw NotSupported(__FILE__, __LINE__, method,
                           factors.product
                               ? "factors of type " + name_demangling::get_type_name(typeid(*factors.product))
                               : "an operator that is empty or transposed");
    }
    const auto& old = factors.product->get_operators();
    const auto& next = (given ? given : factors.product)->get_operators();
    require_factors(method, given ? *given : *factors.product, old.size());
    for (const size_type i : {0, 1}) {
        const auto solver = i == 0 ? l_solver : u_solver;
        const auto factor = i < old.size() && old[i] == next[i] ? old[i].get() : nullptr;
        if (!can_be_refreshed<V>(solver, factor)) {
            throw NotSupported(__FILE__, __LINE__, method,
                               "a solver of type " + name_demangling::get_type_name(typeid(*solver)));
        }
    }
    if (given) {
        return given;
    }
    factors.refreshable->refresh(std::move(matrix));
    return factors.product;
}

template <typename V>
std::shared_ptr<const LinOp> adjoint_factor(const Composition<V>& product)
{
    const auto& operators = product.get_operators();
    return operators.size() == 2 ? operators[1] : share(as<Transposable>(operators[0])->conj_transpose());
}

void refresh_solvers(LinOp& l_solver, LinOp& u_solver, const std::shared_ptr<const LinOp>& old_l,
                     const std::shared_ptr<const LinOp>& new_l, const std::shared_ptr<const LinOp>& new_u)
{
    const auto refresh = [](LinOp& solver, const std::shared_ptr<const LinOp>& factor) {
        if (const auto refreshable = dynamic_cast<Refreshable*>(&solver)) {
            refreshable->refresh(factor);
        }
    };
    refresh(l_solver, new_l);
    try {
        refresh(u_solver, new_u);
    } catch (...) {
        refresh(l_solver, old_l);
        throw;
    }
}

namespace {

/// Computes x = second(first(b)). The workspace is in exclusive use.
template <typename V>
void solve_in_sequence(const LinOp& first, const LinOp& second, spruce::detail::Workspace& workspace,
                       const matrix::Dense<V>* b, matrix::Dense<V>* x)
{
    const auto between = workspace.get().vector("between", x);
    if (first.apply_uses_initial_guess()) {
        between->copy_from(b);
    }
    first.apply(b, between);
    if (second.apply_uses_initial_guess()) {
        x->copy_from(between);
    }
    second.apply(between, x);
}

constexpr auto name_of_use = "a preconditioner's apply";

}  // namespace

template <typename V>
void apply_in_sequence(const LinOp& first, const LinOp& second, spruce::detail::Workspace& workspace, const LinOp* b,
                       LinOp* x)
{
    const spruce::detail::Workspace::exclusive_use use{workspace, name_of_use};
    spruce::detail::dispatch_dense<V>(
        [&](auto dense_b, auto dense_x) { solve_in_sequence<V>(first, second, workspace, dense_b, dense_x); }, b, x);
}

template <typename V>
void apply_in_sequence(const LinOp& first, const LinOp& second, spruce::detail::Workspace& workspace,
                       const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x)
{
    const spruce::detail::Workspace::exclusive_use use{workspace, name_of_use};
    spruce::detail::dispatch_dense<V>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto result = workspace.get().vector("result", dense_x);
            solve_in_sequence<V>(first, second, workspace, dense_b, result);
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, result);
        },
        alpha, b, beta, x);
}

#define SPRUCE_FACTOR_SOLVERS(_value)                                                                             \
    SPRUCE_EXPORT matrix_factors<_value> factorize<_value>(const char*, const LinOpFactory&,                      \
                                                           std::shared_ptr<const LinOp>, size_type);              \
    template SPRUCE_EXPORT std::shared_ptr<const Composition<_value>> refresh_factors<_value>(                    \
        const char*, const matrix_factors<_value>&, const LinOp*, const LinOp*, std::shared_ptr<const LinOp>);    \
    template SPRUCE_EXPORT std::shared_ptr<const LinOp> adjoint_factor<_value>(const Composition<_value>&);       \
    template SPRUCE_EXPORT void apply_in_sequence<_value>(const LinOp&, const LinOp&, spruce::detail::Workspace&, \
                                                          const LinOp*, LinOp*);                                  \
    template SPRUCE_EXPORT void apply_in_sequence<_value>(const LinOp&, const LinOp&, spruce::detail::Workspace&, \
                                                          const LinOp*, const LinOp*, const LinOp*, LinOp*)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_FACTOR_SOLVERS);

}  // namespace spruce::preconditioner::detail
