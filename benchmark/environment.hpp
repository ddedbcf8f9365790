// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <spruce/base/executor.hpp>

namespace spruce::bench {

/// Describes the machine, the software and the command line of a measurement.
struct environment {
    std::vector<std::string> arguments;  ///< command line without the name of the program
    std::string version;                 ///< of Spruce
    std::string commit;                  ///< of the sources, see source_commit()
    std::string compiler;                ///< of the benchmark and the library's host code
    std::string executor;                ///< "omp"
    std::string device;                  ///< one line about the executor
    std::string processor;               ///< of the host
    int num_threads{};
    std::string date;  ///< start in UTC, ISO 8601
    /// Driver, clock rates, temperature and power of an NVIDIA GPU, by name; empty without the tool
    /// of the driver.
    std::map<std::string, std::string> device_state;
};

/// Stores the command line for describe_environment().
void store_arguments(int argc, const char* const* argv);

environment describe_environment(const std::shared_ptr<const Executor>& exec);

}  // namespace spruce::bench
