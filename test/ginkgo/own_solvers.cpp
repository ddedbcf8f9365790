// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Applications write solvers of their own with the bases of the interface.

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

/// Divides by the diagonal of a matrix, of which it knows the type.
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
    return exit_status();
}
