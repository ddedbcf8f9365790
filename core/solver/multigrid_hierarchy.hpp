// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/solver/multigrid.hpp>

#include "core/base/kernel.hpp"
#include "core/base/workspace.hpp"
#include "core/multigrid/polynomial_smoother.hpp"

namespace spruce::solver::detail {

template <typename... T>
std::variant<T...> variant_of(spruce::detail::type_list<T...>);

/// Selects a value type of this build by the type of its content.
using value_tag = decltype(variant_of(spruce::detail::value_types{}));

/// Holds the operators of a multigrid method, and applies cycles with them.
class MultigridHierarchy {
public:
    using Parameters = Multigrid::parameters_type;

    /// @throws  the exceptions of Multigrid::Factory::generate(), listed in solver/multigrid.hpp
    MultigridHierarchy(std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> matrix,
                       const Parameters& parameters);

    /// Computes x = M^-1 b by one cycle from x = 0. x need not be set.
    void apply_cycle(multigrid::cycle cycle, const LinOp* b, LinOp* x, spruce::detail::Workspace& workspace) const;

    /// Recomputes all parts for other values of the matrix. If it throws InvalidStateError, only
    /// some parts are recomputed; other exceptions change nothing.
    void refresh(std::shared_ptr<const LinOp> matrix);
    /// Returns false if refresh() would throw NotSupported for each matrix.
    bool can_be_refreshed() const { return !this->find_part_without_refresh(); }
    bool launches_are_static() const;
    bool shares_memory_with(const memory_extent& memory) const noexcept;
    std::string explain() const;

    /// Holds a level and its smoothers.
    struct level {
        std::shared_ptr<const LinOp> op;  ///< the level as LinOp, for refresh()
        std::shared_ptr<const multigrid::MultigridLevel> operators;
        std::shared_ptr<const LinOp> pre_smoother;   ///< null: none
        std::shared_ptr<const LinOp> mid_smoother;   ///< null: none
        std::shared_ptr<const LinOp> post_smoother;  ///< null: none
        value_tag value_type;                        ///< that of the vectors
        size_type factory_index;                     ///< of the factory of the level, in mg_level
    };

    const std::vector<level>& get_levels() const { return levels_; }
    const std::shared_ptr<const LinOp>& get_coarsest_solver() const { return coarsest_solver_; }
    const value_tag& get_value_type() const { return levels_.empty() ? coarsest_value_type_ : levels_[0].value_type; }

private:
    /// Generates levels by the given factories.
    void generate_levels(std::shared_ptr<const LinOp> matrix, const Parameters& parameters);
    /// Generates levels by smoothed aggregation.
    void generate_default_levels(std::shared_ptr<const LinOp> matrix, const Parameters& parameters);
    void generate_smoothers(const Parameters& parameters);
    void generate_coarsest_solver(const Parameters& parameters);
    void add_level(std::shared_ptr<const LinOp> op, size_type factory_index);
    /// Removes the last level, whose coarse matrix cannot be coarsened or smoothed.
    void remove_unsuitable_level();
    /// Returns the factory of the next level: that which the last level has for this element of
    /// mg_level, else the element.
    std::shared_ptr<const LinOpFactory> find_factory(const Parameters& parameters, size_type index);
    /// Returns an operator that is not Refreshable, or that cannot be refreshed; null if there is
    /// none.
    const LinOp* find_part_without_refresh() const;

    template <typename V>
    void apply_to_level(size_type number, multigrid::cycle cycle, const matrix::Dense<V>* b, matrix::Dense<V>* x,
                        spruce::detail::Workspace::Impl& work) const;
    template <typename V>
    void correct(size_type number, multigrid::cycle cycle, const matrix::Dense<V>* b, matrix::Dense<V>* x,
                 spruce::detail::Workspace::Impl& work) const;

    std::shared_ptr<const Executor> exec_;
    std::vector<level> levels_;
    std::shared_ptr<const LinOp> coarsest_matrix_;
    std::shared_ptr<const LinOp> coarsest_solver_;
    value_tag coarsest_value_type_;
    multigrid::mid_smooth_type mid_case_;
    std::vector<std::string> remarks_;  ///< reasons of choices, for explain()
};

}  // namespace spruce::solver::detail
