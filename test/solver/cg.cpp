// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/solver/cg.hpp>

#include "test/solver/conjugate_gradients_suite.hpp"

namespace spruce::test {

SPRUCE_TEST_CONJUGATE_GRADIENTS(Cg, solver_cases);

}  // namespace spruce::test
