// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/spruce.hpp>

#include "benchmark/generators/generators.hpp"
#include "test/utils/fixture.hpp"

namespace spruce::test {

/// Combines a solver of one value type with matrices of one index type.
template <typename Solver>
struct solver_case {
    using value_type = typename Solver::value_type;
    using index_type = std::conditional_t<is_complex<value_type>(), int64, int32>;
    using solver = Solver;
};
#if SPRUCE_TYPES_MINIMAL
template <template <typename> class Solver>
using solver_cases = ::testing::Types<solver_case<Solver<double>>>;
#elif !SPRUCE_TEST_EVERY_COMBINATION
/// Lists two cases, because the recurrences do not depend on the type. Their steps are tested for
/// each type. Builds for minimal types use double.
template <template <typename> class Solver>
using solver_cases = ::testing::Types<solver_case<Solver<float>>, solver_case<Solver<std::complex<double>>>>;
#else
template <template <typename> class Solver>
using solver_cases =
    ::testing::Types<solver_case<Solver<float>>, solver_case<Solver<double>>, solver_case<Solver<std::complex<float>>>,
                     solver_case<Solver<std::complex<double>>>>;
#endif

/// Lists cases in double precision only. They are for methods whose accuracy in single precision
/// does not suffice for the tests.
#if SPRUCE_TYPES_MINIMAL
template <template <typename> class Solver>
using solver_cases_in_double = ::testing::Types<solver_case<Solver<double>>>;
#else
template <template <typename> class Solver>
using solver_cases_in_double = ::testing::Types<solver_case<Solver<double>>, solver_case<Solver<std::complex<double>>>>;
#endif

/// True if Solver is one of the Solvers for its value type.
template <typename Solver, template <typename> class... Solvers>
constexpr bool is_one_of = (std::is_same_v<Solver, Solvers<typename Solver::value_type>> || ...);

/// True if stored vectors are rounded to few digits. A sum in another order then changes the
/// solution by as much as the stopping criterion admits.
template <typename Solver>
constexpr bool rounds_what_it_keeps = is_one_of<Solver, solver::CbGmres>;

/// True if the recurrence computes the norm of the residual for stop::ImplicitResidualNorm.
template <typename Solver>
constexpr bool has_implicit_norm = is_one_of<Solver, solver::Cg, solver::Fcg, solver::PipeCg, solver::Minres,
                                             solver::Bicg, solver::Bicgstab, solver::Cgs>;

/// True if steps on few entries are recorded on devices.
template <typename Solver>
constexpr bool replays_steps = is_one_of<Solver, solver::Cg, solver::Fcg, solver::Bicg, solver::Bicgstab, solver::Cgs,
                                         solver::Minres, solver::Idr>;

/// Makes a solver for a matrix with eigenvalues between 2 and 6.
template <typename Solver>
struct solver_parameters {
    static auto make() { return Solver::build(); }
};

/// Number of restarts from the true residual until the residual is small enough for the tests. It
/// exceeds 1 if the solver computes in lower precision in between. The solver takes this multiple
/// of the iterations in exact arithmetic.
template <typename Solver>
constexpr size_type num_cycles = 1;

/// Generates a matrix, see benchmark/generators/generators.hpp.
inline host_matrix generated_data(const std::string& spec)
{
    const auto matrix = spruce::bench::generate(spec);
    host_matrix data{dim<2>{matrix.rows, matrix.cols}};
    for (spruce::int64 row = 0; row < matrix.rows; ++row) {
        for (auto nz = matrix.row_ptrs[row]; nz < matrix.row_ptrs[row + 1]; ++nz) {
            data.nonzeros.emplace_back(row, matrix.col_idxs[nz], matrix.values[nz]);
        }
    }
    return data;
}

/// Returns one triangle of the matrix, with ones on the diagonal if unit_diagonal is true.
inline host_matrix triangle_of(const host_matrix& a, bool upper, bool unit_diagonal)
{
    host_matrix result{a.size};
    for (const auto& entry : a.nonzeros) {
        if (entry.row == entry.column) {
            result.nonzeros.emplace_back(entry.row, entry.column, unit_diagonal ? 1.0 : entry.value);
        } else if ((entry.column > entry.row) == upper) {
            result.nonzeros.push_back(entry);
        }
    }
    return result;
}

/// Applies a different matrix each time, which only flexible Krylov methods support. It consists of
/// Csr matrices, so every executor supports it.
template <typename V>
class Erratic : public EnableLinOp<Erratic<V>>, public Transposable {
    friend class EnablePolymorphicObject<Erratic, LinOp>;

public:
    static std::shared_ptr<Erratic> create(std::shared_ptr<const Executor> exec, size_type size)
    {
        auto result = std::shared_ptr<Erratic>(new Erratic(exec, dim<2>{size, size}));
        for (int i = 0; i < 5; ++i) {
            host_matrix diagonal{dim<2>{size, size}};
            for (size_type row = 0; row < size; ++row) {
                diagonal.nonzeros.emplace_back(row, row, static_cast<double>((7 * i + 3 * row) % 11) - 4.9);
            }
            result->diagonals_.push_back(make_csr<V, int32>(exec, diagonal));
        }
        return result;
    }

    std::unique_ptr<LinOp> transpose() const override { return this->clone(); }
    std::unique_ptr<LinOp> conj_transpose() const override { return this->clone(); }

protected:
    explicit Erratic(std::shared_ptr<const Executor> exec, dim<2> size = {})
        : EnableLinOp<Erratic>(std::move(exec), size)
    {}
    void apply_impl(const LinOp* b, LinOp* x) const override { diagonals_[num_applies_++ % 5]->apply(b, x); }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        diagonals_[num_applies_++ % 5]->apply(alpha, b, beta, x);
    }

private:
    std::vector<std::shared_ptr<const LinOp>> diagonals_;
    mutable size_type num_applies_{};
};

/// Counts the launches of one kernel.
struct launches_of : log::Logger {
    explicit launches_of(std::string kernel) : Logger(Logger::operation_launched_mask), name{std::move(kernel)} {}
    void on_operation_launched(const Executor*, const Operation* op) const override
    {
        num += op->get_name() == name ? 1 : 0;
    }

    std::string name;
    mutable int num{};
};

/// Throws at the event with this number, counted from 1. Counts events of the executors, operators
/// and solvers that it is added to.
class Interruption : public log::Logger {
public:
    struct exception {};

    explicit Interruption(size_type when)
        : Logger(Logger::operation_launched_mask | Logger::operation_completed_mask | Logger::allocation_started_mask |
                 Logger::copy_started_mask | Logger::linop_apply_started_mask | Logger::linop_apply_completed_mask |
                 Logger::linop_advanced_apply_started_mask | Logger::iteration_complete_mask |
                 Logger::criterion_check_started_mask),
          when_{when}
    {}
    void on_operation_launched(const Executor*, const Operation*) const override { this->count(); }
    void on_operation_completed(const Executor*, const Operation*) const override { this->count(); }
    void on_allocation_started(const Executor*, const size_type&) const override { this->count(); }
    void on_copy_started(const Executor*, const Executor*, const uintptr&, const uintptr&,
                         const size_type&) const override
    {
        this->count();
    }
    void on_linop_apply_started(const LinOp*, const LinOp*, const LinOp*) const override { this->count(); }
    void on_linop_apply_completed(const LinOp*, const LinOp*, const LinOp*) const override { this->count(); }
    void on_linop_advanced_apply_started(const LinOp*, const LinOp*, const LinOp*, const LinOp*,
                                         const LinOp*) const override
    {
        this->count();
    }
    void on_iteration_complete(const LinOp*, const size_type&, const LinOp*, const LinOp*, const LinOp*) const override
    {
        this->count();
    }
    void on_criterion_check_started(const stop::Criterion*, const size_type&, const LinOp*, const LinOp*, const LinOp*,
                                    const uint8&, const bool&) const override
    {
        this->count();
    }

private:
    void count() const
    {
        if (++count_ == when_) {
            throw exception{};
        }
    }

    size_type when_;
    mutable size_type count_{};
};

/// Solves once with a logger of each iteration and twice without it. Expects equal results.
/// @param make  makes a solver
/// @param log   logs the solve with a logger of each iteration
/// @return number of replays of recorded steps in the last solve
template <typename V, typename Make>
size_type replays_with_the_same_results(Make make, const matrix::Dense<V>& b, const matrix::Dense<V>& start,
                                        std::shared_ptr<spruce::log::Convergence<V>> log)
{
    struct listener : spruce::log::Logger {};
    const auto exec = b.get_executor();
    const auto listened = make();
    const auto not_listened = make();
    const auto end = share(spruce::log::Convergence<V>::create());
    listened->add_logger(std::make_shared<listener>());
    listened->add_logger(log);
    not_listened->add_logger(end);
    const auto expected = clone(&start);
    const auto x = clone(&start);
    const auto again = clone(&start);

    listened->apply(&b, expected);
    not_listened->apply(&b, x);
    const auto before = exec->get_counters();
    not_listened->apply(&b, again);  // the first solve has no effect on the next

    const auto did = exec->get_counters() - before;
    EXPECT_MTX_NEAR(x, expected, 0.0);
    EXPECT_MTX_NEAR(again, expected, 0.0);
    EXPECT_EQ(end->get_num_iterations(), log->get_num_iterations());
    EXPECT_EQ(end->has_converged(), log->has_converged());
    EXPECT_MTX_NEAR(end->get_residual_norm(), log->get_residual_norm(), 0.0);
    EXPECT_EQ(not_listened->get_stop_reasons(), listened->get_stop_reasons());
    return did.replays;
}

/// Provides systems, a factory with two criteria, and the true residual to tests of a solver.
template <typename Types>
class SolverTest : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::real;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::RealDense;
    using typename kernel_test<Types>::Csr;
    using solver = typename Types::solver;
    using convergence = spruce::log::Convergence<V>;

    static real reduction() { return std::sqrt(static_cast<real>(kernel_test<Types>::epsilon())); }

    /// Returns i for complex values, 1 for real ones.
    static V unit()
    {
        if constexpr (spruce::is_complex<V>()) {
            return V{0, 1};
        } else {
            return V{1};
        }
    }

    /// Creates a solver that stops at max_iters iterations or at a residual reduced by reduction().
    std::unique_ptr<solver> make_solver(std::shared_ptr<const spruce::LinOp> a, size_type max_iters = 1000) const
    {
        auto result = solver_parameters<solver>::make()
                          .with_criteria(stop::Iteration::build().with_max_iters(max_iters),
                                         stop::ResidualNorm<V>::build().with_reduction_factor(reduction()))
                          .on(this->exec)
                          ->generate(std::move(a));
        result->add_logger(log);
        return result;
    }

    /// Returns n, halved on the simulated device, which is much slower than the other executors.
    size_type smaller(size_type n) const { return this->is_simulated() ? (n + 1) / 2 : n; }
    bool is_simulated() const { return test::is_simulated(*this->exec); }

    std::shared_ptr<Csr> poisson(size_type width) const { return make_csr<V, I>(this->exec, poisson_2d(width)); }

    /// Creates a tridiagonal matrix with -1 beside the diagonal. Its product is reproducible
    /// because it does not use atomics.
    static std::shared_ptr<Csr> tridiagonal(std::shared_ptr<const Executor> exec, const std::vector<double>& diagonal)
    {
        const auto size = diagonal.size();
        host_matrix data{dim<2>{size, size}};
        for (size_type i = 0; i < size; ++i) {
            if (i > 0) {
                data.nonzeros.emplace_back(i, i - 1, -1.0);
            }
            data.nonzeros.emplace_back(i, i, diagonal[i]);
            if (i + 1 < size) {
                data.nonzeros.emplace_back(i, i + 1, -1.0);
            }
        }
        std::shared_ptr<Csr> result = make_csr<V, I>(std::move(exec), data);
        result->set_strategy(std::make_shared<typename Csr::classical>());
        return result;
    }
    /// Creates a matrix with eigenvalues between 2 and 6.
    std::shared_ptr<Csr> well_conditioned(size_type size) const
    {
        return tridiagonal(this->exec, std::vector<double>(size, 4.0));
    }

    std::shared_ptr<Csr> generated(const std::string& spec) const
    {
        return make_csr<V, I>(this->exec, generated_data(spec));
    }

    /// Returns ||b - A x|| / ||b||, the maximum over the columns.
    real relative_residual(const spruce::LinOp* a, const Dense* b, const Dense* x) const
    {
        const auto r = clone(this->exec, b);
        const dim<2> norm_size{1, b->get_size()[1]};
        const auto r_norm = RealDense::create(this->ref, norm_size);
        const auto b_norm = RealDense::create(this->ref, norm_size);
        a->apply(this->dense({{-1}}), x, this->dense({{1}}), r);
        r->compute_norm2(r_norm);
        b->compute_norm2(b_norm);
        real largest{};
        for (size_type col = 0; col < norm_size[1]; ++col) {
            largest = std::max(largest, r_norm->at(0, col) / b_norm->at(0, col));
        }
        return largest;
    }

    /// Tests a method that minimises the residual. The component of b outside the range is a
    /// constant.
    /// @param factor  bound of the residual, relative to the least one
    void expect_least_residual_where_nearly_compatible(double factor)
    {
        for (const auto& [width, height] : {std::pair<size_type, size_type>{60, 1}, {9, 9}}) {
            const auto size = width * height;
            const auto a = share(make_csr<V, I>(this->exec, neumann_problem(width, height)));
            const auto samples = this->is_simulated() ? 1 : 4;
            for (int sample = 0; sample < samples; ++sample) {
                for (const double slip : {10, 100, 1000}) {
                    for (const size_type max_iters : {300, 100000}) {
                        SCOPED_TRACE(::testing::Message() << width << " x " << height << ", " << slip << ", at most "
                                                          << max_iters << " iterations, sample " << sample);
                        const auto constant = this->dense_of_nan(size, 1);
                        constant->fill(V(slip * reduction()));
                        const auto b = this->apply(a, this->random_dense(size, 1));
                        b->add_scaled(this->dense({{1}}), constant);
                        const auto x = this->dense_of_nan(size, 1);
                        x->fill(spruce::zero<V>());
                        const auto solver = this->make_solver(a, max_iters);

                        solver->apply(b, x);

                        const auto reason = solver->get_stop_reasons()[0];
                        EXPECT_TRUE(reason == stop_reason::breakdown_subspace || reason == stop_reason::stagnation)
                            << reason;
                        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()),
                                  factor * norm_of(constant) / norm_of(b));
                    }
                }
            }
        }
    }

    real norm_of(const std::unique_ptr<Dense>& vector) const
    {
        const auto result = RealDense::create(this->ref, dim<2>{1, 1});
        vector->compute_norm2(result);
        return result->at(0, 0);
    }

    bool is_finite(const Dense* x) const
    {
        const auto on_host = clone(this->ref, x);
        for (size_type row = 0; row < x->get_size()[0]; ++row) {
            for (size_type col = 0; col < x->get_size()[1]; ++col) {
                if (!spruce::is_finite(on_host->at(row, col))) {
                    return false;
                }
            }
        }
        return true;
    }

    void expect_solves(std::shared_ptr<const spruce::LinOp> a, size_type num_rhs, size_type padding = 0)
    {
        const auto size = a->get_size()[0];
        const auto b = this->random_dense(size, num_rhs, num_rhs + padding);
        const auto x = this->random_dense(size, num_rhs, num_rhs + 2 * padding);

        this->make_solver(a)->apply(b, x);

        EXPECT_TRUE(log->has_converged());
        EXPECT_GT(log->get_num_iterations(), 0u);
        EXPECT_LT(log->get_num_iterations(), 1000u);
        EXPECT_LE(this->relative_residual(a.get(), b.get(), x.get()), 2 * reduction());  // recurrences drift a little
        EXPECT_TRUE(padding_is_intact(*x));
    }

    size_type replays_with_the_same_results(
        std::shared_ptr<const spruce::LinOp> a, const std::unique_ptr<Dense>& b, const std::unique_ptr<Dense>& start,
        const std::vector<std::shared_ptr<const stop::CriterionFactory>>& criteria) const
    {
        const auto make = [&] {
            auto parameters = solver_parameters<solver>::make();
            return parameters.with_criteria(criteria).on(this->exec)->generate(a);
        };
        return test::replays_with_the_same_results<V>(make, *b, *start, log);
    }

    /// Applies a solver in the plain and the advanced form, with the same numbers each time.
    /// Expects that only the first applications allocate.
    void expect_no_allocation_in_later_applies(const LinOp& solver)
    {
        const auto b = this->random_dense(solver.get_size()[0], 2);
        const auto start = this->random_dense(solver.get_size()[0], 2);
        const auto x = clone(start);
        const auto alpha = this->dense({{2}});
        const auto beta = this->dense({{-1}});
        const auto apply_both = [&] {
            x->copy_from(start);
            solver.apply(b, x);
            solver.apply(alpha, b, beta, x);
        };
        apply_both();

        const auto before = this->exec->get_counters();
        apply_both();

        EXPECT_EQ((this->exec->get_counters() - before).allocations, 0u);
    }

    /// Expects bitwise equal results of repeated solves.
    /// @param make  makes a solver of a matrix
    template <typename Make>
    void expect_the_same_bits_again(Make make)
    {
        // The larger system has work for several threads.
        for (const size_type size : {size_type{121}, this->is_simulated() ? size_type{122} : size_type{6000}}) {
            const auto a = this->well_conditioned(size);
            const auto b = this->random_dense(size, 2);
            const auto first = this->random_dense(size, 2);
            const auto second = clone(first);

            make(a)->apply(b, first);
            make(a)->apply(b, second);

            EXPECT_TRUE(this->is_finite(first.get()));
            EXPECT_MTX_NEAR(second, first, 0.0);
        }
    }

    /// Expects a breakdown within a few iterations from x = 0, without any better x in between.
    void expect_breakdown(std::shared_ptr<const spruce::LinOp> a, const std::unique_ptr<Dense>& b, stop_reason reason)
    {
        const auto x = clone(b);
        x->fill(zero<V>());
        const auto start = clone(x);
        const auto solver = this->make_solver(std::move(a), 10);

        solver->apply(b, x);

        EXPECT_FALSE(log->has_converged());
        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>(b->get_size()[1], reason)));
        EXPECT_LT(log->get_num_iterations(), 4u);
        EXPECT_MTX_NEAR(x, start, 0.0);
    }

    std::shared_ptr<convergence> log{convergence::create()};
};
}  // namespace spruce::test
