// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/reduction.hpp>

namespace spruce {

Communicator::~Communicator() = default;
Distributed::~Distributed() = default;

}  // namespace spruce
