// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/multigrid/multigrid_level.hpp>

#include <spruce/base/exception.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/instantiate.hpp"

namespace spruce::multigrid {
namespace {

void require_size(const char* name, const LinOp& op, const dim<2>& expected)
{
    const auto size = op.get_size();
    if (size != expected) {
        throw DimensionMismatch(__FILE__, __LINE__, "set_multigrid_level", name, size[0], size[1], "the level",
                                expected[0], expected[1], "the sizes of the operators of a level have to match");
    }
}

}  // namespace

MultigridLevel::~MultigridLevel() = default;

template <typename V>
void EnableMultigridLevel<V>::set_multigrid_level(std::shared_ptr<const LinOp> prolong_op,
                                                  std::shared_ptr<const LinOp> coarse_op,
                                                  std::shared_ptr<const LinOp> restrict_op)
{
    spruce::detail::require_pointers("set_multigrid_level", prolong_op, coarse_op, restrict_op);
    const auto num_coarse = coarse_op->get_size()[0];
    const auto num_fine = fine_op_ ? fine_op_->get_size()[0] : prolong_op->get_size()[0];
    require_size("the coarse matrix", *coarse_op, dim<2>{num_coarse, num_coarse});
    require_size("the prolongation", *prolong_op, dim<2>{num_fine, num_coarse});
    require_size("the restriction", *restrict_op, dim<2>{num_coarse, num_fine});
    prolong_op_ = std::move(prolong_op);
    coarse_op_ = std::move(coarse_op);
    restrict_op_ = std::move(restrict_op);
}

template <typename V>
void EnableMultigridLevel<V>::copy_operators(const std::shared_ptr<const Executor>& exec,
                                             const EnableMultigridLevel& other)
{
    fine_op_ = solver::detail::on_executor(exec, other.fine_op_);
    restrict_op_ = solver::detail::on_executor(exec, other.restrict_op_);
    coarse_op_ = solver::detail::on_executor(exec, other.coarse_op_);
    prolong_op_ = solver::detail::on_executor(exec, other.prolong_op_);
}

template <typename V>
void EnableMultigridLevel<V>::clear_operators()
{
    fine_op_ = nullptr;
    restrict_op_ = nullptr;
    coarse_op_ = nullptr;
    prolong_op_ = nullptr;
}

#define SPRUCE_ENABLE_MULTIGRID_LEVEL(_value) template class EnableMultigridLevel<_value>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_TYPE(SPRUCE_ENABLE_MULTIGRID_LEVEL);

}  // namespace spruce::multigrid
