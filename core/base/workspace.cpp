// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/workspace.hpp"

#include <spruce/base/exception.hpp>

namespace spruce::detail {

Workspace::Workspace() = default;
Workspace::Workspace(const Workspace&) {}
Workspace::~Workspace() = default;

Workspace& Workspace::operator=(const Workspace&)
{
    impl_ = nullptr;
    return *this;
}

Workspace::Impl& Workspace::get()
{
    if (!impl_) {
        impl_ = std::make_unique<Impl>();
    }
    return *impl_;
}

#ifdef NDEBUG
constexpr auto checks_exclusive_use = false;
#else
constexpr auto checks_exclusive_use = true;
#endif

Workspace::exclusive_use::exclusive_use(Workspace& workspace, const char* function) : workspace_{workspace}
{
    if (checks_exclusive_use && workspace.is_in_use_.exchange(true, std::memory_order_acquire)) {
        throw InvalidStateError(
            __FILE__, __LINE__, function,
            "another apply() of this object has not returned: one thread at a time can apply it, and not from within "
            "its own apply (a clone for each thread has vectors of its own)");
    }
}

Workspace::exclusive_use::~exclusive_use()
{
    if (checks_exclusive_use) {
        workspace_.is_in_use_.store(false, std::memory_order_release);
    }
}

bool Workspace::exclusive_use::is_checked() noexcept { return checks_exclusive_use; }

}  // namespace spruce::detail
