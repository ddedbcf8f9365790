// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/unified/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

using matrix::Dense;

/// Calls function(row, col) for every entry.
template <typename V, typename Function>
void for_each_entry(const DeviceExecutor& exec, const Dense<V>& x, Function function)
{
    run_for_each_entry(exec, x.get_size()[0], x.get_size()[1], function);
}

}  // namespace dense

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
