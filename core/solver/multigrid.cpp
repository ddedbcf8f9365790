// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/multigrid.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <spruce/base/temporary_clone.hpp>
#include <spruce/log/logger.hpp>
#include <spruce/solver/ir.hpp>
#include <spruce/stop/iteration.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/solver/multigrid_cycle.hpp"
#include "core/solver/multigrid_hierarchy.hpp"

namespace spruce::solver {
namespace {

constexpr auto name_of_multigrid = "solver::Multigrid";

/// Returns the criterion of a list; if it is empty, one iteration.
std::shared_ptr<const stop::CriterionFactory> combine_or_one_iteration(
    const std::vector<std::shared_ptr<const stop::CriterionFactory>>& criteria, std::shared_ptr<const Executor> exec)
{
    if (criteria.empty()) {
        return stop::Iteration::build().with_max_iters(1u).on(std::move(exec));
    }
    return stop::combine(criteria);
}

template <typename Get>
auto list_of(const std::shared_ptr<detail::MultigridCycle>& cycle, Get get)
{
    std::vector<std::decay_t<decltype(get(std::declval<const detail::MultigridHierarchy::level&>()))>> result;
    if (cycle) {
        for (const auto& level : cycle->get_hierarchy()->get_levels()) {
            result.push_back(get(level));
        }
    }
    return result;
}

/// Passes the iterations of the Ir that performs the cycles to the loggers of a Multigrid.
class CycleEvents : public spruce::log::Logger {
public:
    explicit CycleEvents(const Multigrid& solver) : Logger{iteration_complete_mask}, solver_{solver} {}

    bool needs_every_iteration() const override
    {
        const auto& loggers = solver_.get_loggers();
        return std::any_of(loggers.begin(), loggers.end(),
                           [](const auto& logger) { return logger->needs_every_iteration(); });
    }

    using Logger::on_iteration_complete;
    void on_iteration_complete(const LinOp*, const LinOp* b, const LinOp* x, const size_type& it, const LinOp* r,
                               const LinOp* tau, const LinOp* implicit_tau_sq, const array<stopping_status>* status,
                               bool stopped) const override
    {
        const auto& loggers = solver_.get_loggers();
        for (size_type i = 0; i < loggers.size(); ++i) {  // a handler may remove loggers
            const auto logger = loggers[i];
            logger->on<iteration_complete>(&solver_, b, x, it, r, tau, implicit_tau_sq, status, stopped);
        }
    }

private:
    const Multigrid& solver_;
};

}  // namespace

Multigrid::Multigrid(std::shared_ptr<const Executor> exec)
    : EnableLinOp(std::move(exec)), EnableApplyWithInitialGuess(initial_guess_mode::zero)
{}

Multigrid::Multigrid(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : EnableLinOp(factory->get_executor(), detail::require_square(system_matrix.get(), name_of_multigrid)),
      EnableSolverBase<Multigrid>(std::move(system_matrix)),
      EnableIterativeBase<Multigrid>(
          combine_or_one_iteration(factory->get_parameters().criteria, factory->get_executor())),
      EnableApplyWithInitialGuess(factory->get_parameters().default_initial_guess),
      parameters_{factory->get_parameters()}
{
    this->generate();
    const auto text = this->explain();
    this->log<spruce::log::Logger::hierarchy_generated>(this, text);
    for (const auto& logger : std::vector(factory->get_loggers())) {
        logger->on<spruce::log::Logger::hierarchy_generated>(this, text);
    }
}

void Multigrid::generate()
{
    const auto exec = this->get_executor();
    const auto hierarchy = std::make_shared<detail::MultigridHierarchy>(exec, this->get_system_matrix(), parameters_);
    cycle_ = std::make_shared<detail::MultigridCycle>(exec, this->get_size(), hierarchy, parameters_.cycle);
    iteration_ = nullptr;
}

Multigrid::Multigrid(const Multigrid& other) : Multigrid(other.get_executor()) { *this = other; }

Multigrid::Multigrid(Multigrid&& other) : Multigrid(other.get_executor()) { *this = std::move(other); }

Multigrid& Multigrid::operator=(const Multigrid& other)
{
    if (this != &other) {
        // Does first what can fail.
        const auto exec = this->get_executor();
        const auto matrix = detail::on_executor(exec, other.get_system_matrix());
        std::shared_ptr<detail::MultigridCycle> cycle;
        if (other.cycle_) {
            const auto hierarchy = exec == other.get_executor()
                                       ? other.cycle_->get_hierarchy()
                                       : std::make_shared<detail::MultigridHierarchy>(exec, matrix, other.parameters_);
            cycle =
                std::make_shared<detail::MultigridCycle>(exec, other.get_size(), hierarchy, other.parameters_.cycle);
        }
        EnableLinOp::operator=(other);
        if (matrix) {
            this->set_system_matrix(matrix);
        } else {
            EnableSolverBase<Multigrid>::operator=(other);
        }
        EnableIterativeBase<Multigrid>::operator=(other);
        EnableApplyWithInitialGuess::operator=(other);
        parameters_ = other.parameters_;
        cycle_ = std::move(cycle);
        iteration_ = nullptr;
    }
    return *this;
}

Multigrid& Multigrid::operator=(Multigrid&& other)
{
    if (this != &other) {
        const auto& source = other;
        const auto& empty = Multigrid{other.get_executor()};
        *this = source;
        other = empty;
    }
    return *this;
}

Multigrid::~Multigrid() = default;

bool Multigrid::shares_memory_with(const memory_extent& memory) const noexcept
{
    return cycle_ && cycle_->shares_memory_with(memory);
}

std::vector<std::shared_ptr<const multigrid::MultigridLevel>> Multigrid::get_mg_level_list() const
{
    return list_of(cycle_, [](const auto& level) { return level.operators; });
}

std::vector<std::shared_ptr<const LinOp>> Multigrid::get_pre_smoother_list() const
{
    return list_of(cycle_, [](const auto& level) { return level.pre_smoother; });
}

std::vector<std::shared_ptr<const LinOp>> Multigrid::get_mid_smoother_list() const
{
    return list_of(cycle_, [](const auto& level) { return level.mid_smoother; });
}

std::vector<std::shared_ptr<const LinOp>> Multigrid::get_post_smoother_list() const
{
    return list_of(cycle_, [](const auto& level) { return level.post_smoother; });
}

std::shared_ptr<const LinOp> Multigrid::get_coarsest_solver() const
{
    return cycle_ ? cycle_->get_hierarchy()->get_coarsest_solver() : nullptr;
}

void Multigrid::set_cycle(multigrid::cycle cycle)
{
    parameters_.cycle = cycle;
    iteration_ = nullptr;
    if (cycle_) {
        cycle_ = std::make_shared<detail::MultigridCycle>(this->get_executor(), this->get_size(),
                                                          cycle_->get_hierarchy(), cycle);
    }
}

std::string Multigrid::explain() const { return cycle_ ? cycle_->get_hierarchy()->explain() : "no matrix\n"; }

void Multigrid::set_stop_criterion_factory(std::shared_ptr<const stop::CriterionFactory> factory)
{
    EnableIterativeBase<Multigrid>::set_stop_criterion_factory(std::move(factory));
    iteration_ = nullptr;
}

void Multigrid::refresh(std::shared_ptr<const LinOp> matrix)
{
    spruce::detail::require_pointers("the refresh of solver::Multigrid", matrix);
    if (!cycle_) {
        throw NotSupported(__FILE__, __LINE__, "the refresh of solver::Multigrid", "an empty solver");
    }
    const auto on_executor = detail::on_executor(this->get_executor(), std::move(matrix));
    cycle_->get_hierarchy()->refresh(on_executor);
    this->set_system_matrix(on_executor);
    iteration_ = nullptr;
    this->log<spruce::log::Logger::hierarchy_generated>(this, this->explain());
}

bool Multigrid::can_be_refreshed() const { return cycle_ && cycle_->get_hierarchy()->can_be_refreshed(); }

bool Multigrid::is_single_cycle() const
{
    const auto iteration = dynamic_cast<const stop::Iteration::Factory*>(this->get_stop_criterion_factory().get());
    return iteration && iteration->get_parameters().max_iters == 1;
}

bool Multigrid::has_static_launches() const
{
    return cycle_ && this->is_single_cycle() && this->get_default_initial_guess() == initial_guess_mode::zero &&
           cycle_->launches_are_static();
}

void Multigrid::iterate(const LinOp* b, LinOp* x) const
{
    std::visit(
        [&](auto value) {
            using Iteration = Ir<decltype(value)>;
            if (!iteration_) {
                iteration_ = Iteration::build()
                                 .with_generated_solver(cycle_)
                                 .with_criteria(this->get_stop_criterion_factory())
                                 .on(this->get_executor())
                                 ->generate(this->get_system_matrix());
                iteration_->add_logger(std::make_shared<CycleEvents>(*this));
            }
            iteration_->apply(b, x);
            this->copy_stop_reasons(*as<const IterativeBase>(iteration_.get()));
        },
        cycle_->get_hierarchy()->get_value_type());
}

void Multigrid::apply_impl(const LinOp* b, LinOp* x) const
{
    this->apply_with_initial_guess_impl(b, x, this->get_default_initial_guess());
}

void Multigrid::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    this->apply_with_initial_guess_impl(alpha, b, beta, x, this->get_default_initial_guess());
}

void Multigrid::apply_with_initial_guess_impl(const LinOp* b, LinOp* x, initial_guess_mode guess) const
{
    if (!cycle_) {
        return;  // an empty solver, and LinOp::apply() has checked that b and x are empty, too
    }
    if (guess == initial_guess_mode::zero && this->is_single_cycle()) {
        cycle_->apply(b, x);
        return;
    }
    std::visit(
        [&](auto value) {
            spruce::detail::dispatch_dense<decltype(value)>(
                [&](auto dense_b, auto dense_x) {
                    if (guess == initial_guess_mode::zero) {
                        dense_x->fill(zero<typename std::decay_t<decltype(*dense_x)>::value_type>());
                    } else if (guess == initial_guess_mode::rhs) {
                        dense_x->copy_from(dense_b);
                    }
                    this->iterate(dense_b, dense_x);
                },
                b, x);
        },
        cycle_->get_hierarchy()->get_value_type());
}

void Multigrid::apply_with_initial_guess_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x,
                                              initial_guess_mode guess) const
{
    if (!cycle_) {
        return;
    }
    std::visit(
        [&](auto value) {
            spruce::detail::dispatch_dense<decltype(value)>(
                [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
                    const auto solution = spruce::clone(dense_x);
                    this->apply_with_initial_guess_impl(dense_b, solution.get(), guess);
                    dense_x->scale(dense_beta);
                    dense_x->add_scaled(dense_alpha, solution);
                },
                alpha, b, beta, x);
        },
        cycle_->get_hierarchy()->get_value_type());
}

SPRUCE_DEFINE_FACTORY((), Multigrid);

}  // namespace spruce::solver
