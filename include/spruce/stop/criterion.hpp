// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/abstract_factory.hpp>
#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/stop/stopping_status.hpp>

namespace spruce {
namespace detail {

class criterion_workspace;

}  // namespace detail

namespace stop {

/// Bounds the norm of the residual: column j has converged if norm_j <= factor baseline_j.
struct residual_bound {
    const LinOp* baseline;  ///< Dense of real numbers, 1 x k
    double factor;
    uint8 id;          ///< id of the criterion
    bool is_implicit;  ///< norm_j is sqrt(|rho_j|), rho_j being the squared norm of the recurrence
};

/// Decides before each iteration which right-hand sides (columns) stop.
class SPRUCE_EXPORT Criterion : public EnableAbstractPolymorphicObject<Criterion> {
    friend class EnablePolymorphicObject<Criterion>;

public:
    /// Collects what a solver knows at a check:
    /// criterion->update().num_iterations(k).residual_norm(norm).check(...). Quantities that are
    /// not set are unknown.
    class Updater {
        friend class Criterion;

    public:
        Updater(const Updater&) = delete;
        Updater(Updater&&) = delete;
        Updater& operator=(const Updater&) = delete;

        bool check(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed) const
        {
            return parent_->check(stopping_id, set_finalized, status, one_changed, *this);
        }

#define SPRUCE_UPDATER_PARAMETER(_type, _name) \
    const Updater& _name(_type value) const    \
    {                                          \
        _name##_ = value;                      \
        return *this;                          \
    }                                          \
    mutable _type _name##_ {}
        SPRUCE_UPDATER_PARAMETER(size_type, num_iterations);
        SPRUCE_UPDATER_PARAMETER(bool, ignore_residual_check);
#undef SPRUCE_UPDATER_PARAMETER
#define SPRUCE_UPDATER_OPERAND(_name)                          \
    const Updater& _name(ptr_param<const LinOp> operand) const \
    {                                                          \
        _name##_ = operand.get();                              \
        return *this;                                          \
    }                                                          \
    mutable const LinOp* _name##_ {}
        SPRUCE_UPDATER_OPERAND(residual);
        SPRUCE_UPDATER_OPERAND(residual_norm);
        SPRUCE_UPDATER_OPERAND(implicit_sq_residual_norm);
        SPRUCE_UPDATER_OPERAND(solution);
        /// Holds sqrt(|implicit_sq_residual_norm|), because the square itself may overflow.
        SPRUCE_UPDATER_OPERAND(implicit_residual_norm);
#undef SPRUCE_UPDATER_OPERAND

    private:
        explicit Updater(Criterion* parent) : parent_{parent} {}
        Criterion* parent_;
    };

    Updater update() { return Updater{this}; }

    /// Checks each running column, and stops it if the criterion is satisfied.
    /// @param stopping_id  id of this criterion, from 1 to stopping_status::max_criterion_id
    /// @param set_finalized  true if the results of columns that stop are marked as final
    /// @param status  status of each column
    /// @param one_changed  set to true if a status changed; the caller sets it to false before
    /// @return true if all columns have stopped
    bool check(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
               const Updater& updater);

    /// Adds the bounds that check() tests before step number iteration to bounds. So a device can
    /// test them without the host.
    /// @return false if check() has to be called: the criterion is not a bound on the residual, has
    ///     loggers, or stops all columns at this iteration
    bool append_bounds(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const
    {
        return this->get_loggers().empty() && this->append_bounds_impl(stopping_id, iteration, bounds);
    }

    /// Number of iterations between two tests by the host. Each test finds out if all columns on a
    /// device have stopped for a reason that the criterion does not test, such as a breakdown
    /// (doc/tuning/solvers.md).
    static constexpr size_type checkpoint_interval = 120;

    /// Returns the reason why this criterion stopped a column with this id without convergence.
    virtual stop_reason get_stop_reason(uint8) const { return stop_reason::criterion; }

protected:
    explicit Criterion(std::shared_ptr<const Executor> exec)
        : EnableAbstractPolymorphicObject<Criterion>(std::move(exec))
    {}

    /// Performs check() without logging.
    /// @return true if all columns have stopped by this criterion; check() detects other reasons
    virtual bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                            const Updater& updater) = 0;

    /// Performs append_bounds() of a criterion without loggers.
    virtual bool append_bounds_impl(uint8, size_type, std::vector<residual_bound>&) const { return false; }

    /// Stops every running column, without convergence.
    void set_all_statuses(uint8 stopping_id, bool set_finalized, array<stopping_status>* status);
};

/// Holds the data from which a criterion is created for one solve. x and initial_residual may be
/// null.
struct CriterionArgs {
    std::shared_ptr<const LinOp> system_matrix;
    std::shared_ptr<const LinOp> b;
    const LinOp* x;
    const LinOp* initial_residual;
    /// Memory of the library's criteria that the solver keeps for its next solves; null: not kept.
    std::shared_ptr<spruce::detail::criterion_workspace> memory;

    CriterionArgs(std::shared_ptr<const LinOp> system_matrix, std::shared_ptr<const LinOp> b, const LinOp* x,
                  const LinOp* initial_residual = nullptr,
                  std::shared_ptr<spruce::detail::criterion_workspace> memory = nullptr)
        : system_matrix{std::move(system_matrix)},
          b{std::move(b)},
          x{x},
          initial_residual{initial_residual},
          memory{std::move(memory)}
    {}
};

using CriterionFactory = AbstractFactory<Criterion, CriterionArgs>;

#define SPRUCE_ENABLE_CRITERION_FACTORY(_criterion, _parameters_name, _factory_name) \
    SPRUCE_ENABLE_FACTORY(_criterion, _parameters_name, _factory_name, ::spruce::stop::CriterionFactory)
#define SPRUCE_DECLARE_CRITERION_FACTORY(_criterion, _parameters_name, _factory_name) \
    SPRUCE_DECLARE_FACTORY(_criterion, _parameters_name, _factory_name, ::spruce::stop::CriterionFactory)

}  // namespace stop
}  // namespace spruce
