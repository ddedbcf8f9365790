// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Prints a line for each event: "[LOG] >>> " and what happened to which objects. If verbose, the entries of the
/// Dense<ValueType> operands follow. What it has to copy for that is not logged by Stream and Record loggers.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Stream : public Logger {
public:
    /// Prints to std::cerr.
    static std::unique_ptr<Stream> create(const mask_type& enabled_events = all_events_mask);
    /// @param os  has to outlive the logger; its precision and format are used for matrix entries
    static std::unique_ptr<Stream> create(const mask_type& enabled_events, std::ostream& os, bool verbose = false);

    /// Older forms: the executor plays no part; without os prints to std::cout.
    static std::unique_ptr<Stream> create(std::shared_ptr<const Executor> exec,
                                          const mask_type& enabled_events = all_events_mask);
    static std::unique_ptr<Stream> create(std::shared_ptr<const Executor> exec, const mask_type& enabled_events,
                                          std::ostream& os, bool verbose = false);

protected:
    using Logger::Logger;
};

}  // namespace log
}  // namespace spruce
