// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace spruce::bench {

/// Sets the handlers of SIGINT and SIGTERM. The first signal of each kind only sets a flag, and the
/// second one ends the program at once.
void catch_interrupts();

/// Returns true if SIGINT or SIGTERM arrived. The program polls it between two measurements.
bool was_interrupted();

}  // namespace spruce::bench
