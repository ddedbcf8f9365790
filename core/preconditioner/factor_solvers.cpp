// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/preconditioner/factor_solvers.hpp>

#include <string>
#include <utility>

#include <spruce/base/name_demangling.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/base/refreshable.hpp"
#include "core/base/workspace.hpp"

namespace spruce::preconditioner::detail {
namespace {

template <typename V>
void require_factors(const std::string& method, const Composition<V>& factors, size_type min_factors)
{
    const auto& operators = factors.get_operators();
    if (operators.size() < min_factors || operators.size() > 2) {
        throw NotSupported(__FILE__, __LINE__, method,
                           "a Composition with " + std::to_string(operators.size()) + " factors; it needs " +
                               (min_factors == 1 ? "one or two, L or L and L^H" : "two, L and U"));
    }
    for (const auto& factor : operators) {
        solver::detail::require_square(factor.get(), method.c_str());
    }
}

}  // namespace

void require_generated(const char* name, const char* parameter, const LinOp* op)
{
    if (!op) {
        throw NotSupported(__FILE__, __LINE__, name,
                           std::string("a null pointer: the factory ") + parameter + " generated no operator");
    }
}

template <typename V>
std::shared_ptr<factor_solvers<V>> factorize(const char* name, const LinOpFactory& factorization,
                                             std::shared_ptr<const LinOp> matrix, size_type min_factors)
{
    auto result = std::make_shared<factor_solvers<V>>();
    result->product = std::dynamic_pointer_cast<const Composition<V>>(matrix);
    if (!result->product) {
        auto product = share(factorization.generate(std::move(matrix)));
        require_generated(name, "factorization", product.get());
        result->own_product = as<Composition<V>>(std::move(product));
        result->product = result->own_product;
    }
    require_factors(name, *result->product, min_factors);
    result->min_factors = min_factors;
    return result;
}

template <typename V>
std::shared_ptr<factor_solvers<V>> on_executor(std::shared_ptr<const Executor> exec,
                                               const std::shared_ptr<factor_solvers<V>>& solvers)
{
    if (!solvers || exec->is_equivalent_to(solvers->l_solver->get_executor().get())) {
        return solvers;
    }
    auto result = std::make_shared<factor_solvers<V>>();
    result->l_solver = clone(exec, solvers->l_solver);
    result->u_solver = clone(exec, solvers->u_solver);
    result->are_consistent = solvers->are_consistent;
    return result;
}

namespace {

/// Checks that the factors and their solvers can be refreshed.
/// @throws NotSupported  if refresh() would fail for each matrix
template <typename V>
void require_refreshable(const std::string& method, const factor_solvers<V>* solvers, bool factors_are_given)
{
    const auto refuse = [&](const std::string& what) { throw NotSupported(__FILE__, __LINE__, method, what); };
    if (!solvers || !solvers->product) {
        refuse("a preconditioner that is empty, transposed or copied from another executor");
    }
    if (!factors_are_given && !solvers->own_product) {
        refuse("a matrix, since generate() received a Composition; it needs a Composition, too");
    }
    if (!factors_are_given && !spruce::detail::is_refreshable(solvers->own_product.get())) {
        const auto& product = *solvers->own_product;
        refuse("factors of type " + name_demangling::get_type_name(typeid(product)) + ", which cannot be refreshed");
    }
    for (const auto& solver : {solvers->l_solver, solvers->u_solver}) {
        if (!spruce::detail::is_refreshable(solver.get())) {
            const auto& op = *solver;
            refuse("a solver of type " + name_demangling::get_type_name(typeid(op)) +
                   " that is not Refreshable, or has a part that cannot be refreshed");
        }
    }
}

/// Gives the solvers the factors of a product. If L^H is not stored, it is computed.
template <typename V>
void refresh_solvers(const factor_solvers<V>& solvers, const Composition<V>& product)
{
    const auto& operators = product.get_operators();
    as<Refreshable>(solvers.l_solver)->refresh(operators[0]);
    as<Refreshable>(solvers.u_solver)
        ->refresh(operators.size() == 2 ? operators[1] : share(as<Transposable>(operators[0])->conj_transpose()));
}

}  // namespace

template <typename V>
bool can_be_refreshed(const factor_solvers<V>* solvers)
{
    return solvers && solvers->product && spruce::detail::is_refreshable(solvers->l_solver.get()) &&
           spruce::detail::is_refreshable(solvers->u_solver.get());
}

template <typename V>
void refresh(const char* name, factor_solvers<V>* solvers, std::shared_ptr<const LinOp> matrix)
{
    const auto method = name + std::string("::refresh");
    spruce::detail::require_pointers(method.c_str(), matrix);
    const auto given = std::dynamic_pointer_cast<const Composition<V>>(matrix);
    require_refreshable(method, solvers, given != nullptr);
    const auto old = solvers->product;
    const auto product = given ? given : solvers->own_product;
    if (given) {
        require_factors(method, *given, solvers->min_factors);
    } else {
        as<Refreshable>(solvers->own_product)->refresh(std::move(matrix));
    }
    const auto was_consistent = std::exchange(solvers->are_consistent, false);
    try {
        refresh_solvers(*solvers, *product);
    } catch (...) {
        if (product != old && was_consistent) {  // the old factors have not changed
            try {
                refresh_solvers(*solvers, *old);
                solvers->are_consistent = true;
            } catch (...) {
            }
        }
        throw;
    }
    solvers->product = product;
    solvers->are_consistent = true;
}

namespace {

/// Computes x = U^-1 L^-1 b, or x = L^-1 U^-1 b in reverse order. No other call uses the workspace.
template <typename V>
void solve_in_sequence(const factor_solvers<V>& solvers, bool reverse, spruce::detail::Workspace& workspace,
                       const matrix::Dense<V>* b, matrix::Dense<V>* x)
{
    const auto& first = reverse ? *solvers.u_solver : *solvers.l_solver;
    const auto& second = reverse ? *solvers.l_solver : *solvers.u_solver;
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

template <typename V>
void require_consistent(const factor_solvers<V>& solvers)
{
    if (!solvers.are_consistent) {
        throw InvalidStateError(__FILE__, __LINE__, "a preconditioner's apply",
                                "the last refresh() failed after it had changed a factor or a solver; apply() needs "
                                "a refresh() that succeeds");
    }
}

constexpr auto name_of_use = "a preconditioner's apply";

}  // namespace

template <typename V>
void apply(const factor_solvers<V>& solvers, bool reverse, spruce::detail::Workspace& workspace, const LinOp* b,
           LinOp* x)
{
    const spruce::detail::Workspace::exclusive_use use{workspace, name_of_use};
    require_consistent(solvers);
    spruce::detail::dispatch_dense<V>(
        [&](auto dense_b, auto dense_x) { solve_in_sequence<V>(solvers, reverse, workspace, dense_b, dense_x); }, b, x);
}

template <typename V>
void apply(const factor_solvers<V>& solvers, bool reverse, spruce::detail::Workspace& workspace, const LinOp* alpha,
           const LinOp* b, const LinOp* beta, LinOp* x)
{
    const spruce::detail::Workspace::exclusive_use use{workspace, name_of_use};
    require_consistent(solvers);
    spruce::detail::dispatch_dense<V>(
        [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
            const auto result = workspace.get().vector("result", dense_x);
            solve_in_sequence<V>(solvers, reverse, workspace, dense_b, result);
            dense_x->scale(dense_beta);
            dense_x->add_scaled(dense_alpha, result);
        },
        alpha, b, beta, x);
}

#define SPRUCE_FACTOR_SOLVERS(_value)                                                                                 \
    SPRUCE_EXPORT std::shared_ptr<factor_solvers<_value>> factorize<_value>(const char*, const LinOpFactory&,         \
                                                                            std::shared_ptr<const LinOp>, size_type); \
    template SPRUCE_EXPORT std::shared_ptr<factor_solvers<_value>> on_executor<_value>(                               \
        std::shared_ptr<const Executor>, const std::shared_ptr<factor_solvers<_value>>&);                             \
    template SPRUCE_EXPORT bool can_be_refreshed<_value>(const factor_solvers<_value>*);                              \
    template SPRUCE_EXPORT void refresh<_value>(const char*, factor_solvers<_value>*, std::shared_ptr<const LinOp>);  \
    template SPRUCE_EXPORT void apply<_value>(const factor_solvers<_value>&, bool, spruce::detail::Workspace&,        \
                                              const LinOp*, LinOp*);                                                  \
    template SPRUCE_EXPORT void apply<_value>(const factor_solvers<_value>&, bool, spruce::detail::Workspace&,        \
                                              const LinOp*, const LinOp*, const LinOp*, LinOp*)
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(SPRUCE_FACTOR_SOLVERS);

}  // namespace spruce::preconditioner::detail
