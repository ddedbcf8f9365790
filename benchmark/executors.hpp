// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <spruce/base/executor.hpp>

namespace spruce::bench {

/// "reference", "omp", "cuda", "hip"
const std::vector<std::string>& executor_names();

bool is_device(const Executor& exec);

/// Threads of the host that kernels of the executor run on; the host side of a device counts as one.
int num_threads(const Executor& exec);

/// @param device  which device; ignored on the host
/// @throws usage_error  if there is no executor of this name, or not on this machine
std::shared_ptr<Executor> create_executor(const std::string& name, int device);

}  // namespace spruce::bench
