// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/stop/criterion.hpp>

namespace spruce::detail {

/// Checks that a solver without implicit residual norms can use the criteria.
/// @throws NotSupported  if the criteria are ImplicitResidualNorm, or a combination with one
void require_no_implicit_norm(const stop::CriterionFactory& criteria);

/// Returns false if the criteria are limits of iterations or time alone. A solve, for instance of a
/// smoother, then performs its steps independently of the residual. Other criteria, including those
/// of applications, may depend on the residual.
bool depends_on_residual(const stop::CriterionFactory& criteria);

}  // namespace spruce::detail
