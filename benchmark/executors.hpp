// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <spruce/base/executor.hpp>

namespace spruce::bench {

/// Returns the names "reference", "omp", "cuda" and "hip".
const std::vector<std::string>& executor_names();

bool is_device(const Executor& exec);

/// Returns the number of host threads that run the kernels of the executor, which is one for a
/// device.
int num_threads(const Executor& exec);

/// Creates the executor of the given name.
/// @param device  number of the device; ignored on the host
/// @throws usage_error  if no executor has this name, or if it is not available on this machine
std::shared_ptr<Executor> create_executor(const std::string& name, int device);

}  // namespace spruce::bench
