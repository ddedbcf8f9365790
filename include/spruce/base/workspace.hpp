// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <memory>

#include <spruce/base/types.hpp>

namespace spruce::detail {

/// Holds what an operator needs during an apply, and keeps it for the next one: vectors, scalars
/// and other objects, each with a name. Only the first apply to operands of a given size allocates
/// memory. A copy starts empty, because the contents have no meaning between applies.
class SPRUCE_EXPORT Workspace {
public:
    /// Holds the contents. It is defined in core/base/workspace.hpp.
    class Impl;

    Workspace();
    Workspace(const Workspace&);
    ~Workspace();
    /// Clears this workspace.
    Workspace& operator=(const Workspace&);

    /// Returns the contents; the first call creates them.
    Impl& get();

    /// Marks a workspace as in use during the lifetime of this object, which is one apply. If the
    /// library is built without NDEBUG, it detects a concurrent apply. Otherwise it does nothing.
    class SPRUCE_EXPORT exclusive_use {
    public:
        /// @param function  name for the message
        /// @throws InvalidStateError  if the workspace is in use and is_checked()
        exclusive_use(Workspace& workspace, const char* function);
        exclusive_use(const exclusive_use&) = delete;
        ~exclusive_use();

        /// Returns true if the library is built without NDEBUG.
        static bool is_checked() noexcept;

    private:
        Workspace& workspace_;
    };

private:
    std::unique_ptr<Impl> impl_;
    std::atomic<bool> is_in_use_{};
};

}  // namespace spruce::detail
