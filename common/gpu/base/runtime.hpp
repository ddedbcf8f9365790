// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Gives the runtime's entities the names that kernels and the executor's backend use.

#include <string>

#include <spruce/base/exception.hpp>
#include <spruce/base/executor.hpp>

#include "common/backend.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

using stream_type = SPRUCE_GPU(Stream_t);
using event_type = SPRUCE_GPU(Event_t);
using error_type = SPRUCE_GPU(Error_t);
using memory_pool = SPRUCE_GPU(MemPool_t);
constexpr auto copy_by_address = SPRUCE_GPU(MemcpyDefault);

inline void throw_on_error(error_type error, const std::string& what)
{
    if (error != SPRUCE_GPU(Success)) {
        const auto description =
            std::string(SPRUCE_GPU(GetErrorName)(error)) + ", " + SPRUCE_GPU(GetErrorString)(error);
        static_cast<void>(SPRUCE_GPU(GetLastError)());
        throw device_error(__FILE__, __LINE__, what, error, description);
    }
}

inline error_type malloc_managed(void** ptr, size_type num_bytes) { return SPRUCE_GPU(MallocManaged)(ptr, num_bytes); }

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
