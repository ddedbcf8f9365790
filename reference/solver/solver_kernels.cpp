// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/solver_kernels.hpp"

#include "common/base/recurrence.hpp"
#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace solver {

template <typename V>
void start(const ReferenceExecutor&, const matrix::Dense<V>& norm, array<stopping_status>& status)
{
    for (size_type col = 0; col < status.get_size(); ++col) {
        status.get_data()[col].reset();
        stop_at_end(norm.at(0, col), status.get_data()[col]);
    }
}

}  // namespace solver

void register_solver()
{
    kernels::solver::start<float>.set<ReferenceExecutor>(&solver::start<float>);
    kernels::solver::start<double>.set<ReferenceExecutor>(&solver::start<double>);
}

}  // namespace spruce::kernels::reference
