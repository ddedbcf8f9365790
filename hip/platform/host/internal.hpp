// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#pragma once

// Declares the functions and constants that the sources of the host platform share.

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include <hip/host/simt.hpp>

// Kernels are compiled with a sanitizer, these sources are not.
#ifndef SPRUCE_HIP_HOST_ASAN
#define SPRUCE_HIP_HOST_ASAN 0
#endif
#ifndef SPRUCE_HIP_HOST_TSAN
#define SPRUCE_HIP_HOST_TSAN 0
#endif

namespace hip_host {
namespace detail {

constexpr unsigned max_block_size = 1024;
constexpr unsigned max_grid_yz = 65535;
constexpr std::size_t max_shared_bytes = 64 * 1024;  // as on AMD hardware, also for static and dynamic together
constexpr int uninitialized_byte = 0xff;             // NaN in every floating-point type, -1 in integers

/// Returns the lock of the whole platform. It is recursive, so that a kernel that calls the host
/// interface by mistake cannot hang.
std::recursive_mutex& platform_mutex();

/// Runs all blocks. The caller holds the lock.
/// @return an empty string, or a description of the failure
std::string run_grid(const Launch& launch, const std::function<void()>& body);

/// Returns how many shuffles kernels have performed. Lanes that meet perform one.
std::size_t num_shuffles();

/// Returns true while this host thread is inside a kernel.
bool in_kernel();

/// Prepares the accounting of shared memory for the next block. The dynamic bytes count against the
/// limit.
void begin_block_shared(std::size_t dynamic_bytes);

/// Calls `visit(name, address, size)` for each symbol with a size in the symbol table of the module
/// that contains `address`. It visits nothing if the module was stripped.
void for_each_symbol(const void* address,
                     const std::function<void(const char* name, const char* address, std::size_t size)>& visit);

/// Returns the kernel's full, demangled name if its module has symbols, otherwise the text of the
/// launch.
std::string kernel_name(const Launch& launch);

}  // namespace detail
}  // namespace hip_host
