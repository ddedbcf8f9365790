// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/stop/criterion.hpp>

namespace spruce::detail {

/// For solvers without implicit residual norms, before they change anything.
/// @throws NotSupported  if the criteria are ImplicitResidualNorm, or a combination with one
void require_no_implicit_norm(const stop::CriterionFactory& criteria);

}  // namespace spruce::detail
