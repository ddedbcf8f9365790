// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests a solver with the suites of test/solver/suites, which are compiled once for each value type
// and not for each solver. A solver's source file contains
// SPRUCE_TEST_SOLVER(Chebyshev, solver_cases);

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "test/solver/solver_fixture.hpp"

namespace spruce::test {

/// Gives the number of iterations after which a solver has allocated all vectors that it keeps.
/// Specialised for solvers that allocate a vector at the step that needs it first.
template <typename Solver>
constexpr size_type iterations_until_all_is_allocated = 4;

/// Counts the products with A, or its transpose, in a step.
template <typename Solver>
constexpr int products_per_step = is_one_of<Solver, solver::Idr>                                   ? 3
                                  : is_one_of<Solver, solver::Bicg, solver::Bicgstab, solver::Cgs> ? 2
                                                                                                   : 1;

/// True if the recurrence breaks down in single precision for some right-hand sides of a real
/// problem and a restart does not help.
template <typename Solver>
constexpr bool may_break_down = false;

/// True if the method does not always converge if A has eigenvalues of both signs.
template <typename Solver>
constexpr bool needs_one_sign = false;

/// Contains what the suites set in a solver's factory.
struct any_parameters {
    std::vector<deferred_factory_parameter<stop::CriterionFactory>> criteria;
    std::shared_ptr<const LinOp> preconditioner;
    size_type dimension{};  // of the Krylov space or of the shadow space; 0 for the default
};

/// Describes the solver under test to the suites.
struct tested_solver {
    std::unique_ptr<LinOpFactory> (*make_factory)(const any_parameters&, std::shared_ptr<const Executor>){};
    // These two access the inner solver if the method has one instead of a preconditioner.
    std::shared_ptr<const LinOp> (*get_preconditioner)(const LinOp&){};
    void (*set_preconditioner)(LinOp&, std::shared_ptr<const LinOp>){};
    std::shared_ptr<const LinOp> (*get_system_matrix)(const LinOp&){};
    void (*move_assign)(LinOp& to, LinOp& from){};

    bool is_preconditionable{};  // has a preconditioner, not an inner solver
    bool is_stationary{};
    bool is_gcr{};
    bool has_implicit_norm{};
    bool has_dimension{};
    bool replays_steps{};
    bool rounds_what_it_keeps{};
    bool takes_vectors_in_groups{};
    bool may_break_down{};
    bool needs_one_sign{};
    size_type iterations_until_all_is_allocated{};
    size_type num_cycles{};
    int products_per_step{};
    int other_products{};  // of a solve: the first or the last residual, and A r
};

/// Describes solvers of this class.
template <typename Solver>
tested_solver describe()
{
    constexpr auto has_krylov_dim = is_one_of<Solver, solver::Gmres, solver::CbGmres, solver::Gcr>;
    constexpr auto has_subspace_dim = is_one_of<Solver, solver::Idr>;
    constexpr auto is_preconditionable = std::is_base_of_v<Preconditionable, Solver>;
    tested_solver result;
    result.make_factory = [](const any_parameters& from,
                             std::shared_ptr<const Executor> exec) -> std::unique_ptr<LinOpFactory> {
        auto parameters = solver_parameters<Solver>::make();
        if (!from.criteria.empty()) {
            parameters.with_criteria(from.criteria);
        }
        if constexpr (is_preconditionable) {
            parameters.with_generated_preconditioner(from.preconditioner);
        }
        if constexpr (has_krylov_dim) {
            parameters.with_krylov_dim(from.dimension);
        } else if constexpr (has_subspace_dim) {
            if (from.dimension != 0) {
                parameters.with_subspace_dim(from.dimension);
            }
        }
        return parameters.on(std::move(exec));
    };
    result.get_preconditioner = [](const LinOp& op) -> std::shared_ptr<const LinOp> {
        if constexpr (is_preconditionable) {
            return dynamic_cast<const Solver&>(op).get_preconditioner();
        } else {
            return dynamic_cast<const Solver&>(op).get_solver();
        }
    };
    result.set_preconditioner = [](LinOp& op, std::shared_ptr<const LinOp> m) {
        if constexpr (is_preconditionable) {
            dynamic_cast<Solver&>(op).set_preconditioner(std::move(m));
        } else {
            dynamic_cast<Solver&>(op).set_solver(std::move(m));
        }
    };
    result.get_system_matrix = [](const LinOp& op) -> std::shared_ptr<const LinOp> {
        return dynamic_cast<const Solver&>(op).get_system_matrix();
    };
    result.move_assign = [](LinOp& to, LinOp& from) {
        dynamic_cast<Solver&>(to) = std::move(dynamic_cast<Solver&>(from));
    };
    result.is_preconditionable = is_preconditionable;
    result.is_stationary = is_one_of<Solver, solver::Ir, solver::Chebyshev>;
    result.is_gcr = is_one_of<Solver, solver::Gcr>;
    result.has_implicit_norm = has_implicit_norm<Solver>;
    result.has_dimension = has_krylov_dim || has_subspace_dim;
    result.replays_steps = replays_steps<Solver>;
    result.rounds_what_it_keeps = rounds_what_it_keeps<Solver>;
    result.takes_vectors_in_groups = is_one_of<Solver, solver::Gmres>;
    result.may_break_down = may_break_down<Solver>;
    result.needs_one_sign = needs_one_sign<Solver>;
    result.iterations_until_all_is_allocated = iterations_until_all_is_allocated<Solver>;
    result.num_cycles = num_cycles<Solver>;
    result.products_per_step = products_per_step<Solver>;
    result.other_products = is_one_of<Solver, solver::PipeCg, solver::CbGmres> ? 2 : 1;
    return result;
}

/// Holds a solver of the type under test. It has the functions that suites use.
template <typename V>
class AnySolver {
public:
    using value_type = V;

    /// The type under test. Programs set it before the tests begin.
    static inline tested_solver tested{};

    class Factory {
    public:
        explicit Factory(std::unique_ptr<LinOpFactory> factory) : factory_{std::move(factory)} {}
        std::unique_ptr<AnySolver> generate(std::shared_ptr<const LinOp> a) const
        {
            return std::make_unique<AnySolver>(factory_->generate(std::move(a)));
        }

    private:
        std::unique_ptr<LinOpFactory> factory_;
    };

    class parameters {
    public:
        template <typename... Criteria>
        parameters& with_criteria(Criteria&&... criteria)
        {
            values_.criteria =
                spruce::detail::to_deferred_list<stop::CriterionFactory>(std::forward<Criteria>(criteria)...);
            return *this;
        }
        parameters& with_generated_preconditioner(std::shared_ptr<const LinOp> m)
        {
            values_.preconditioner = std::move(m);
            return *this;
        }
        parameters& with_dimension(size_type dimension)
        {
            values_.dimension = dimension;
            return *this;
        }
        std::unique_ptr<Factory> on(std::shared_ptr<const Executor> exec) const
        {
            return std::make_unique<Factory>(tested.make_factory(values_, std::move(exec)));
        }

    private:
        any_parameters values_;
    };
    static parameters build() { return {}; }

    explicit AnySolver(std::unique_ptr<LinOp> op) : op_{std::move(op)} {}
    operator const LinOp&() const { return *op_; }

    template <typename... Operands>
    void apply(Operands&&... operands) const
    {
        std::as_const(*op_).apply(std::forward<Operands>(operands)...);
    }
    void add_logger(std::shared_ptr<const log::Logger> logger) { op_->add_logger(std::move(logger)); }
    template <typename Logger>
    void remove_logger(const Logger& logger)
    {
        op_->remove_logger(logger);
    }
    std::unique_ptr<AnySolver> clone() const { return wrap(op_->clone()); }
    std::unique_ptr<AnySolver> clone(std::shared_ptr<const Executor> exec) const
    {
        return wrap(op_->clone(std::move(exec)));
    }
    std::unique_ptr<AnySolver> create_default() const { return wrap(op_->create_default()); }
    std::unique_ptr<AnySolver> create_default(std::shared_ptr<const Executor> exec) const
    {
        return wrap(op_->create_default(std::move(exec)));
    }
    void move_from(AnySolver& other) { op_->move_from(other.op_); }
    void move_assign(AnySolver& other) { tested.move_assign(*op_, *other.op_); }
    void clear() { op_->clear(); }
    std::unique_ptr<LinOp> transpose() const { return dynamic_cast<const Transposable&>(*op_).transpose(); }
    std::unique_ptr<LinOp> conj_transpose() const { return dynamic_cast<const Transposable&>(*op_).conj_transpose(); }

    dim<2> get_size() const { return op_->get_size(); }
    std::shared_ptr<const Executor> get_executor() const { return op_->get_executor(); }
    std::shared_ptr<const LinOp> get_system_matrix() const { return tested.get_system_matrix(*op_); }
    std::shared_ptr<const LinOp> get_preconditioner() const { return tested.get_preconditioner(*op_); }
    void set_preconditioner(std::shared_ptr<const LinOp> m) { tested.set_preconditioner(*op_, std::move(m)); }
    const std::vector<stop_reason>& get_stop_reasons() const { return this->iterative().get_stop_reasons(); }
    std::shared_ptr<const stop::CriterionFactory> get_stop_criterion_factory() const
    {
        return this->iterative().get_stop_criterion_factory();
    }
    void set_stop_criterion_factory(std::shared_ptr<const stop::CriterionFactory> factory)
    {
        dynamic_cast<solver::IterativeBase&>(*op_).set_stop_criterion_factory(std::move(factory));
    }

private:
    static std::unique_ptr<AnySolver> wrap(std::unique_ptr<LinOp> op)
    {
        return std::make_unique<AnySolver>(std::move(op));
    }
    const solver::IterativeBase& iterative() const { return dynamic_cast<const solver::IterativeBase&>(*op_); }

    std::unique_ptr<LinOp> op_;
};

// Each function links a suite to the program, for one value type. They are defined in
// test/solver/suites/suite.cpp.in.
template <typename V>
void add_iterative_suite(const tested_solver& solver);
template <typename V>
void add_krylov_suite(const tested_solver& solver);
template <typename V>
void add_unsymmetric_suite(const tested_solver& solver);

/// Adds a suite for the solvers of all cases.
template <typename Cases>
struct suites_of;
template <typename... Cases>
struct suites_of<::testing::Types<Cases...>> {
    static bool add_iterative()
    {
        (add_iterative_suite<typename Cases::value_type>(describe<typename Cases::solver>()), ...);
        return true;
    }
    static bool add_krylov()
    {
        (add_krylov_suite<typename Cases::value_type>(describe<typename Cases::solver>()), ...);
        return true;
    }
    static bool add_unsymmetric()
    {
        (add_unsymmetric_suite<typename Cases::value_type>(describe<typename Cases::solver>()), ...);
        return true;
    }
};

#define SPRUCE_TEST_SOLVER(_solver, _cases) \
    [[maybe_unused]] const auto is_iterative_tested = suites_of<_cases<spruce::solver::_solver>>::add_iterative()
#define SPRUCE_TEST_KRYLOV_SOLVER(_solver, _cases) \
    SPRUCE_TEST_SOLVER(_solver, _cases);           \
    [[maybe_unused]] const auto is_krylov_tested = suites_of<_cases<spruce::solver::_solver>>::add_krylov()
#define SPRUCE_TEST_UNSYMMETRIC_SOLVER(_solver)         \
    [[maybe_unused]] const auto is_unsymmetric_tested = \
        suites_of<solver_cases<spruce::solver::_solver>>::add_unsymmetric()

}  // namespace spruce::test
