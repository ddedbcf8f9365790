// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Prints a line for each event: "[LOG] >>> ", what happened, and to which objects. If verbose, the
/// entries of the Dense<ValueType> operands follow. The copies that this requires are not logged by
/// Stream and Record loggers.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Stream : public Logger {
public:
    /// Prints to std::cerr.
    static std::unique_ptr<Stream> create(const mask_type& enabled_events = all_events_mask);
    /// Prints to os, which has to outlive the logger. Its precision and format are used for matrix
    /// entries.
    static std::unique_ptr<Stream> create(const mask_type& enabled_events, std::ostream& os, bool verbose = false);

    /// Prints to std::cout, or to os. The executor is ignored; these forms exist for compatibility.
    static std::unique_ptr<Stream> create(std::shared_ptr<const Executor> exec,
                                          const mask_type& enabled_events = all_events_mask);
    static std::unique_ptr<Stream> create(std::shared_ptr<const Executor> exec, const mask_type& enabled_events,
                                          std::ostream& os, bool verbose = false);

protected:
    using Logger::Logger;
};

}  // namespace log
}  // namespace spruce
