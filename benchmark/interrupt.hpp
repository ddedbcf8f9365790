// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace spruce::bench {

/// From now on SIGINT and SIGTERM only set a flag. The second signal of a kind ends the program at once.
void catch_interrupts();

/// Whether one of them came: to be asked between two measurements.
bool was_interrupted();

}  // namespace spruce::bench
