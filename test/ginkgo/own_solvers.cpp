// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains solvers of an application that derive from the bases of the interface.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

namespace {

using Dense = gko::matrix::Dense<double>;
using Csr = gko::matrix::Csr<double, int>;

/// Solves A x = b by x = x + M^-1 (b - A x).
class Richardson : public gko::EnableLinOp<Richardson>,
                   public gko::solver::EnablePreconditionedIterativeSolver<double, Richardson>,
                   public gko::solver::EnableApplyWithInitialGuess<Richardson> {
    friend class gko::EnablePolymorphicObject<Richardson, gko::LinOp>;

public:
    class Factory;
    struct parameters_type
        : gko::solver::enable_preconditioned_iterative_solver_factory_parameters<parameters_type, Factory> {};
    GKO_ENABLE_LIN_OP_FACTORY(Richardson, parameters, Factory);
    GKO_ENABLE_BUILD_METHOD(Factory);

protected:
    explicit Richardson(std::shared_ptr<const gko::Executor> exec) : gko::EnableLinOp<Richardson>(std::move(exec)) {}
    Richardson(const Factory* factory, std::shared_ptr<const gko::LinOp> system_matrix)
        : gko::EnableLinOp<Richardson>(factory->get_executor(), system_matrix->get_size()),
          gko::solver::EnablePreconditionedIterativeSolver<double, Richardson>{system_matrix,
                                                                               factory->get_parameters()},
          parameters_{factory->get_parameters()}
    {}

    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override
    {
        this->apply_with_initial_guess_impl(b, x, this->get_default_initial_guess());
    }
    void apply_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta, gko::LinOp* x) const override
    {
        this->apply_with_initial_guess_impl(alpha, b, beta, x, this->get_default_initial_guess());
    }
    void apply_with_initial_guess_impl(const gko::LinOp* b, gko::LinOp* x,
                                       gko::solver::initial_guess_mode guess) const override
    {
        const auto exec = this->get_executor();
        const auto dense_x = gko::as<Dense>(x);
        if (guess == gko::solver::initial_guess_mode::zero) {
            dense_x->fill(0.0);
        } else if (guess == gko::solver::initial_guess_mode::rhs) {
            dense_x->copy_from(gko::as<Dense>(b));
        }
        const auto one = gko::initialize<Dense>({1.0}, exec);
        const auto minus_one = gko::initialize<Dense>({-1.0}, exec);
        const auto r = gko::clone(gko::as<Dense>(b));
        const auto z = Dense::create_with_config_of(r);
        this->get_system_matrix()->apply(minus_one, x, one, r);
        gko::array<gko::stopping_status> status{exec, b->get_size()[1]};
        status.fill(gko::stopping_status{});
        const auto criterion = this->get_stop_criterion_factory()->generate(
            this->get_system_matrix(), std::shared_ptr<const gko::LinOp>(b, [](const gko::LinOp*) {}), x, r.get());
        bool one_changed{};
        for (gko::size_type iteration = 0; !criterion->update().num_iterations(iteration).residual(r).solution(x).check(
                 1, true, &status, &one_changed);
             ++iteration) {
            this->get_preconditioner()->apply(r, z);
            dense_x->add_scaled(one, z);
            r->copy_from(gko::as<Dense>(b));
            this->get_system_matrix()->apply(minus_one, x, one, r);
        }
    }
    void apply_with_initial_guess_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta,
                                       gko::LinOp* x, gko::solver::initial_guess_mode guess) const override
    {
        const auto solution = gko::clone(gko::as<Dense>(x));
        this->apply_with_initial_guess_impl(b, solution.get(), guess);
        gko::as<Dense>(x)->scale(beta);
        gko::as<Dense>(x)->add_scaled(alpha, solution);
    }
};

/// Divides by the diagonal of a matrix whose type it knows.
class Jacobi : public gko::EnableLinOp<Jacobi>, public gko::solver::EnableSolverBase<Jacobi, Csr> {
    friend class gko::EnablePolymorphicObject<Jacobi, gko::LinOp>;

public:
    static std::unique_ptr<Jacobi> create(std::shared_ptr<const Csr> matrix)
    {
        return std::unique_ptr<Jacobi>(new Jacobi(std::move(matrix)));
    }

protected:
    explicit Jacobi(std::shared_ptr<const gko::Executor> exec) : gko::EnableLinOp<Jacobi>(std::move(exec)) {}
    explicit Jacobi(std::shared_ptr<const Csr> matrix)
        : gko::EnableLinOp<Jacobi>(matrix->get_executor(), matrix->get_size()),
          gko::solver::EnableSolverBase<Jacobi, Csr>{matrix}
    {}
    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override
    {
        this->get_system_matrix()->extract_diagonal()->inverse_apply(b, x);
    }
    void apply_impl(const gko::LinOp*, const gko::LinOp*, const gko::LinOp*, gko::LinOp*) const override
    {
        GKO_NOT_IMPLEMENTED;
    }
};

/// Moves x half of the way to b in each iteration. Has stopping criteria, but no system matrix.
class Approach : public gko::EnableLinOp<Approach>, public gko::solver::EnableIterativeBase<Approach> {
    friend class gko::EnablePolymorphicObject<Approach, gko::LinOp>;

public:
    static std::unique_ptr<Approach> create(std::shared_ptr<const gko::Executor> exec, gko::size_type size,
                                            std::shared_ptr<const gko::stop::CriterionFactory> criterion)
    {
        return std::unique_ptr<Approach>(new Approach(std::move(exec), size, std::move(criterion)));
    }
    bool apply_uses_initial_guess() const override { return true; }

protected:
    explicit Approach(std::shared_ptr<const gko::Executor> exec) : gko::EnableLinOp<Approach>(std::move(exec)) {}
    Approach(std::shared_ptr<const gko::Executor> exec, gko::size_type size,
             std::shared_ptr<const gko::stop::CriterionFactory> criterion)
        : gko::EnableLinOp<Approach>(std::move(exec), gko::dim<2>{size, size}),
          gko::solver::EnableIterativeBase<Approach>{std::move(criterion)}
    {}
    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override
    {
        const auto exec = this->get_executor();
        const auto half = gko::initialize<Dense>({0.5}, exec);
        gko::array<gko::stopping_status> status{exec, b->get_size()[1]};
        status.fill(gko::stopping_status{});
        const auto criterion = this->get_stop_criterion_factory()->generate(
            nullptr, std::shared_ptr<const gko::LinOp>(b, [](const gko::LinOp*) {}), x, nullptr);
        bool one_changed{};
        for (gko::size_type iteration = 0;
             !criterion->update().num_iterations(iteration).solution(x).check(1, true, &status, &one_changed);
             ++iteration) {
            gko::as<Dense>(x)->scale(half);
            gko::as<Dense>(x)->add_scaled(half, gko::as<Dense>(b));
        }
    }
    void apply_impl(const gko::LinOp*, const gko::LinOp*, const gko::LinOp*, gko::LinOp*) const override
    {
        GKO_NOT_IMPLEMENTED;
    }
};

/// Adds the initial guess to b. Starts from b unless an apply selects another guess.
class AddGuess : public gko::EnableLinOp<AddGuess>, public gko::solver::EnableApplyWithInitialGuess<AddGuess> {
    friend class gko::EnablePolymorphicObject<AddGuess, gko::LinOp>;
    friend class gko::solver::EnableApplyWithInitialGuess<AddGuess>;
    using guess_mode = gko::solver::initial_guess_mode;

public:
    static std::unique_ptr<AddGuess> create(std::shared_ptr<const gko::Executor> exec, gko::size_type size)
    {
        return std::unique_ptr<AddGuess>(new AddGuess(std::move(exec), size));
    }

protected:
    explicit AddGuess(std::shared_ptr<const gko::Executor> exec, gko::size_type size = 0)
        : gko::EnableLinOp<AddGuess>(std::move(exec), gko::dim<2>{size, size}),
          gko::solver::EnableApplyWithInitialGuess<AddGuess>{guess_mode::rhs}
    {}
    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override
    {
        this->apply_with_initial_guess_impl(b, x, this->get_default_initial_guess());
    }
    void apply_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta, gko::LinOp* x) const override
    {
        this->apply_with_initial_guess_impl(alpha, b, beta, x, this->get_default_initial_guess());
    }
    void apply_with_initial_guess_impl(const gko::LinOp* b, gko::LinOp* x, guess_mode guess) const override
    {
        const auto one = gko::initialize<Dense>({1.0}, this->get_executor());
        const auto sum = gko::as<Dense>(x);
        if (guess == guess_mode::zero) {
            sum->fill(0.0);
        } else if (guess == guess_mode::rhs) {
            sum->copy_from(gko::as<Dense>(b));
        }
        sum->add_scaled(one, gko::as<Dense>(b));
    }
    void apply_with_initial_guess_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta,
                                       gko::LinOp* x, guess_mode guess) const override
    {
        const auto sum = gko::clone(gko::as<Dense>(x));
        this->apply_with_initial_guess_impl(b, sum.get(), guess);
        gko::as<Dense>(x)->scale(beta);
        gko::as<Dense>(x)->add_scaled(alpha, sum);
    }
};

void use_criteria_alone()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto limit = [&](gko::size_type num) {
        return gko::share(gko::stop::Iteration::build().with_max_iters(num).on(exec));
    };
    const auto factory = limit(3);
    const auto approach = Approach::create(exec, 1, factory);
    const auto b = gko::initialize<Dense>({8.0}, exec);
    const auto x = gko::initialize<Dense>({0.0}, exec);

    approach->apply(b, x);
    print("after three iterations", x->at(0, 0));
    print("keeps its criterion", approach->get_stop_criterion_factory() == factory);
    approach->set_stop_criterion_factory(limit(1));
    approach->apply(b, x);
    print("after another one", x->at(0, 0));
    const auto copy = gko::clone(approach);
    x->fill(0.0);
    copy->apply(b, x);
    print("of a copy", x->at(0, 0));
    const auto target = Approach::create(exec, 1, factory);
    target->move_from(copy);
    x->fill(0.0);
    target->apply(b, x);
    print("of the target of a move", x->at(0, 0));
    print("a moved-from solver has a criterion", copy->get_stop_criterion_factory() != nullptr);
    print("null criterion", thrown_by([&] { Approach::create(exec, 1, nullptr); }));
    print("has a system matrix", dynamic_cast<const gko::solver::detail::SolverBaseLinOp*>(
                                     static_cast<const gko::LinOp*>(approach.get())) != nullptr);
}

void use_matrix_alone()
{
    const auto exec = gko::ReferenceExecutor::create();
    const std::shared_ptr<const gko::Executor> other = gko::OmpExecutor::create();
    const std::shared_ptr<const Csr> a = gko::initialize<Csr>({{4.0, 1.0}, {2.0, 8.0}}, exec);
    const auto jacobi = Jacobi::create(a);
    const auto b = gko::initialize<Dense>({8.0, 16.0}, exec);
    const auto x = gko::initialize<Dense>({0.0, 0.0}, exec);

    const std::shared_ptr<const Csr> matrix = jacobi->get_system_matrix();
    print("has the matrix with its type", matrix == a);
    const auto copy = gko::clone(other, jacobi);
    print("a copy on another executor has a matrix there", copy->get_system_matrix()->get_executor() == other);
    copy->apply(b, x);
    print("result of the copy", x->at(0, 0), x->at(1, 0));
    const auto target = Jacobi::create(gko::share(gko::initialize<Csr>({{1.0, 0.0}, {0.0, 1.0}}, exec)));
    target->move_from(copy);
    x->fill(0.0);
    target->apply(b, x);
    print("result of the target of a move", x->at(0, 0), x->at(1, 0));
    print("its matrix is on its executor", target->get_system_matrix()->get_executor() == exec);
    print("a moved-from solver has a matrix", copy->get_system_matrix() != nullptr);
}

void use_initial_guesses_alone()
{
    using mode = gko::solver::initial_guess_mode;
    const auto exec = gko::ReferenceExecutor::create();
    const auto op = AddGuess::create(exec, 1);
    const auto two = gko::initialize<Dense>({2.0}, exec);
    const auto three = gko::initialize<Dense>({3.0}, exec);
    const auto b = gko::initialize<Dense>({10.0}, exec);
    const auto result = [&](auto apply) {
        const auto x = gko::initialize<Dense>({1.0}, exec);
        apply(x.get());
        return x->at(0, 0);
    };

    print("default guess is b", op->get_default_initial_guess() == mode::rhs);
    print("apply", result([&](Dense* x) { op->apply(b, x); }));
    print("from zero, b and x", result([&](Dense* x) { op->apply_with_initial_guess(b, x, mode::zero); }),
          result([&](Dense* x) { op->apply_with_initial_guess(b, x, mode::rhs); }),
          result([&](Dense* x) { op->apply_with_initial_guess(b, x, mode::provided); }));
    print("with factors, from zero, b and x",
          result([&](Dense* x) { op->apply_with_initial_guess(two, b, three, x, mode::zero); }),
          result([&](Dense* x) { op->apply_with_initial_guess(two, b, three, x, mode::rhs); }),
          result([&](Dense* x) { op->apply_with_initial_guess(two, b, three, x, mode::provided); }));
    const auto elsewhere = gko::OmpExecutor::create();
    const auto b_elsewhere = gko::clone(elsewhere, b);
    const auto x_elsewhere = gko::clone(elsewhere, three);
    op->apply_with_initial_guess(b_elsewhere, x_elsewhere, mode::provided);
    print("operands on another executor", x_elsewhere->at(0, 0));
    const auto wrong = gko::initialize<Dense>({1.0, 2.0}, exec);
    print("wrong size of b", thrown_by([&] { op->apply_with_initial_guess(wrong, two, mode::zero); }));
    print("wrong size of alpha", thrown_by([&] { op->apply_with_initial_guess(wrong, b, two, three, mode::zero); }));
    print("guess of a copy is b", gko::clone(op)->get_default_initial_guess() == mode::rhs);
    print("has the interface",
          dynamic_cast<const gko::solver::ApplyWithInitialGuess*>(static_cast<const gko::LinOp*>(op.get())) != nullptr);
}

}  // namespace

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const std::shared_ptr<const Csr> a = gko::initialize<Csr>({{4.0, 1.0}, {2.0, 8.0}}, exec);
    const auto b = gko::initialize<Dense>({5.0, 10.0}, exec);
    const auto x = gko::initialize<Dense>({0.0, 0.0}, exec);
    const auto jacobi = gko::share(Jacobi::create(a));
    const auto solver = Richardson::build()
                            .with_criteria(gko::stop::Iteration::build().with_max_iters(100u),
                                           gko::stop::ResidualNorm<double>::build().with_reduction_factor(1e-12))
                            .with_generated_preconditioner(jacobi)
                            .on(exec)
                            ->generate(a);
    const auto near_one = [](double value) { return value > 1 - 1e-10 && value < 1 + 1e-10; };

    solver->apply(b, x);
    print("is solved", near_one(x->at(0, 0)) && near_one(x->at(1, 0)));
    print("keeps its matrix", solver->get_system_matrix() == a);
    print("keeps its preconditioner", solver->get_preconditioner() == jacobi);

    x->fill(3.0);
    solver->apply_with_initial_guess(b, x, gko::solver::initial_guess_mode::zero);
    print("is solved from zero", near_one(x->at(0, 0)) && near_one(x->at(1, 0)));

    const auto copy = gko::clone(solver);
    print("a copy has the matrix", copy->get_system_matrix() == a);
    const auto moved =
        Richardson::build().with_criteria(gko::stop::Iteration::build().with_max_iters(1u)).on(exec)->generate(a);
    moved->move_from(copy);
    print("size after a move", moved->get_size());
    print("a moved-from solver has a matrix", copy->get_system_matrix() != nullptr);
    print("wrong preconditioner",
          thrown_by([&] { solver->set_preconditioner(gko::matrix::Identity<double>::create(exec, 3)); }));
    print("rectangular matrix", thrown_by([&] { Jacobi::create(gko::share(Csr::create(exec, gko::dim<2>{1, 2}))); }));
    print("is a solver", dynamic_cast<const gko::solver::detail::SolverBaseLinOp*>(
                             static_cast<const gko::LinOp*>(jacobi.get())) != nullptr);
    use_criteria_alone();
    use_matrix_alone();
    use_initial_guesses_alone();
    return exit_status();
}
