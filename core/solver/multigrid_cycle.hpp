// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <utility>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/workspace.hpp"
#include "core/solver/multigrid_hierarchy.hpp"

namespace spruce::solver::detail {

/// Applies one multigrid cycle from x = 0.
class MultigridCycle : public EnableLinOp<MultigridCycle>, public Refreshable {
    friend class EnablePolymorphicObject<MultigridCycle, LinOp>;

public:
    MultigridCycle(std::shared_ptr<const Executor> exec, const dim<2>& size,
                   std::shared_ptr<MultigridHierarchy> hierarchy, multigrid::cycle cycle)
        : EnableLinOp(std::move(exec), size), hierarchy_{std::move(hierarchy)}, cycle_{cycle}
    {}

    const std::shared_ptr<MultigridHierarchy>& get_hierarchy() const { return hierarchy_; }

    bool shares_memory_with(const memory_extent& memory) const noexcept override
    {
        return hierarchy_ && hierarchy_->shares_memory_with(memory);
    }
    void refresh(std::shared_ptr<const LinOp> matrix) override { hierarchy_->refresh(std::move(matrix)); }

protected:
    explicit MultigridCycle(std::shared_ptr<const Executor> exec) : EnableLinOp(std::move(exec)) {}

    bool has_static_launches() const override { return hierarchy_->launches_are_static(); }

    void apply_impl(const LinOp* b, LinOp* x) const override
    {
        const spruce::detail::Workspace::exclusive_use use{workspace_, "a multigrid cycle"};
        std::visit(
            [&](auto value) {
                spruce::detail::dispatch_dense<decltype(value)>(
                    [&](const LinOp* dense_b, LinOp* dense_x) {
                        hierarchy_->apply_cycle(cycle_, dense_b, dense_x, workspace_);
                    },
                    b, x);
            },
            hierarchy_->get_value_type());
    }

    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        const spruce::detail::Workspace::exclusive_use use{workspace_, "a multigrid cycle"};
        std::visit(
            [&](auto value) {
                using V = decltype(value);
                spruce::detail::dispatch_dense<V>(
                    [&](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
                        const auto product =
                            workspace_.get().template dense<V>("product", this->get_executor(), dense_x->get_size());
                        hierarchy_->apply_cycle(cycle_, dense_b, product, workspace_);
                        dense_x->scale(dense_beta);
                        dense_x->add_scaled(dense_alpha, product);
                    },
                    alpha, b, beta, x);
            },
            hierarchy_->get_value_type());
    }

private:
    std::shared_ptr<MultigridHierarchy> hierarchy_;
    multigrid::cycle cycle_{};
    mutable spruce::detail::Workspace workspace_;
};

}  // namespace spruce::solver::detail
