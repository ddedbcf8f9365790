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

/// A bound on the norm of the residual: column j has converged where norm_j <= factor baseline_j.
struct residual_bound {
    const LinOp* baseline;  ///< Dense, 1 x k, real
    double factor;
    uint8 id;          ///< of the criterion
    bool is_implicit;  ///< the norm is the root of what the recurrence has for its square
};

/// Decides after each iteration which right-hand sides are done.
class SPRUCE_EXPORT Criterion : public EnableAbstractPolymorphicObject<Criterion> {
    friend class EnablePolymorphicObject<Criterion>;

public:
    /// What a solver knows at a check; pointers may be null. criterion->update().num_iterations(k)....check(...)
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
#undef SPRUCE_UPDATER_OPERAND

    private:
        explicit Updater(Criterion* parent) : parent_{parent} {}
        Criterion* parent_;
    };

    Updater update() { return Updater{this}; }

    /// @param status  of each column; running columns that are done are stopped with stopping_id
    /// @param one_changed  whether any status changed
    /// @return whether every column has stopped
    bool check(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
               const Updater& updater);

    /// What check() will look at before step number iteration, for solvers that let the device do it and look at the outcome
    /// later.
    /// @return false if only check() can tell: the criterion looks at something else, somebody listens to its checks, or it
    ///         ends the iteration here
    bool append_bounds(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const
    {
        return this->get_loggers().empty() && this->append_bounds_impl(stopping_id, iteration, bounds);
    }

    /// Before so many steps, where the device has no residuals to check, somebody looks whether all columns have broken down.
    static constexpr size_type period_of_looks = 120;

    /// What it means that this criterion stopped a column with this id, and not as converged.
    virtual stop_reason get_stop_reason(uint8) const { return stop_reason::criterion; }

protected:
    explicit Criterion(std::shared_ptr<const Executor> exec)
        : EnableAbstractPolymorphicObject<Criterion>(std::move(exec))
    {}

    /// @return true if it stopped the last column that ran; check() finds out whether all have stopped for other reasons
    virtual bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                            const Updater& updater) = 0;

    virtual bool append_bounds_impl(uint8, size_type, std::vector<residual_bound>&) const { return false; }

    /// Stops every column that still runs, not as converged.
    void set_all_statuses(uint8 stopping_id, bool set_finalized, array<stopping_status>* status);
};

/// What a criterion is made from, once for each solve.
struct CriterionArgs {
    std::shared_ptr<const LinOp> system_matrix;
    std::shared_ptr<const LinOp> b;
    const LinOp* x;
    const LinOp* initial_residual;
    /// What the library's criteria need in each solve, kept by the solver between them; null where nobody keeps it.
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

}  // namespace stop
}  // namespace spruce
