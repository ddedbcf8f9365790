// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <memory>

#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Finds operations that probably cost time: repeated allocation and release of memory of one size,
/// repeated copies between executors from or to one address, and many tiny allocations and copies.
/// It is added to executors. It prints a line when something has happened 10, 100, 1000, ... times.
class SPRUCE_EXPORT PerformanceHint : public Logger {
public:
    /// Prints to std::cerr, with the defaults below.
    static std::unique_ptr<PerformanceHint> create();
    /// Creates a logger.
    /// @param os  has to outlive the logger
    /// @param allocation_size_limit  bytes; smaller allocations are tiny and counted together
    /// @param copy_size_limit  bytes; smaller copies between executors are tiny and counted
    ///     together
    /// @param histogram_max_size  number of sizes and addresses that are distinguished; if there
    ///     are more, the rarest are dropped
    static std::unique_ptr<PerformanceHint> create(std::ostream& os, size_type allocation_size_limit = 16,
                                                   size_type copy_size_limit = 16, size_type histogram_max_size = 1024);
    ~PerformanceHint() override;

    /// Prints what has happened at least 10 times, most frequent first.
    void print_status() const;

    void on_allocation_completed(const Executor* exec, const size_type& num_bytes,
                                 const uintptr& location) const override;
    void on_free_completed(const Executor* exec, const uintptr& location) const override;
    void on_copy_started(const Executor* from, const Executor* to, const uintptr& location_from,
                         const uintptr& location_to, const size_type& num_bytes) const override;
    void on_copy_completed(const Executor* from, const Executor* to, const uintptr& location_from,
                           const uintptr& location_to, const size_type& num_bytes) const override;

protected:
    PerformanceHint(std::ostream& os, size_type allocation_size_limit, size_type copy_size_limit,
                    size_type histogram_max_size);

private:
    struct histograms;

    std::ostream& os_;
    size_type allocation_size_limit_;
    size_type copy_size_limit_;
    std::unique_ptr<histograms> histograms_;
};

}  // namespace log
}  // namespace spruce
