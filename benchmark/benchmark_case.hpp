// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <spruce/base/types.hpp>

namespace spruce::bench {

/// Holds the error of a result and the bound that rounding explains.
struct accuracy {
    double error{};
    double bound{};

    /// Returns true if the error is within its bound. The result is false for NaN, too.
    bool is_correct() const { return error <= bound; }
};

/// Holds the times of an operation.
struct sample_set {
    std::vector<double> seconds;  ///< each is the mean of the calls of one measurement
    int64 calls{1};               ///< in one measurement
    double launches{};            ///< kernels of a call
    double host_waits{};          ///< waits of the host in a call
};

/// Contains an operation whose operands are set up.
struct timed_operation {
    std::function<void()> call;
    double bytes{};                 ///< the fewest that a call must move; 0 if undefined
    double flops{};                 ///< operations of a call; 0 if undefined
    std::function<void()> prepare;  ///< precedes each call and is not measured; may be empty
    /// Compares the result of a call to the reference. It may be empty, and so may its result.
    std::function<std::optional<accuracy>()> check;
    /// Returns more about the operation, after the measurement. It may be empty.
    std::function<nlohmann::ordered_json()> describe;
    /// Measures the operation in another way than by calls. It may be empty.
    std::function<sample_set()> sample;
};

/// Describes what is measured and how it is set up.
struct benchmark_case {
    nlohmann::ordered_json identity;  ///< identifies the case within a run and between runs
    /// Sets up the operation. An exception is the reason why the case fails.
    std::function<timed_operation()> create;
};

/// Reports why a case is not tried, which is not a failure.
class case_skipped : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Reports why no case of a matrix can be measured.
class matrix_failed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns the identity of an operation on a matrix.
inline nlohmann::ordered_json matrix_case(const std::string& operation, const std::string& matrix,
                                          const std::string& value_type = "double",
                                          const std::string& index_type = "int32")
{
    return {{"operation", operation}, {"matrix", matrix}, {"value_type", value_type}, {"index_type", index_type}};
}

}  // namespace spruce::bench
