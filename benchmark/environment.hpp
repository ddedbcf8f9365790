// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/base/executor.hpp>

namespace spruce::bench {

/// Describes the machine and the software of a measurement.
struct environment {
    std::string version;    ///< of Spruce
    std::string compiler;   ///< of the benchmark and the library's host code
    std::string executor;   ///< "omp"
    std::string device;     ///< one line about the executor
    std::string processor;  ///< of the host
    int num_threads{};
    std::string date;  ///< start in UTC, ISO 8601
};

environment describe_environment(const std::shared_ptr<const Executor>& exec);

}  // namespace spruce::bench
