// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/device_runtime.hpp"
#include "core/base/kernel.hpp"

/// Entry points of the backends, one each. Those of reference and omp are part of the library; those of cuda and hip are
/// looked up in libraries of their own by name, or linked in a static build.
namespace spruce::kernels::reference {
void register_kernels();
}
namespace spruce::kernels::omp {
void register_kernels();
int get_max_threads();
/// By all threads, where there is enough.
void copy_bytes(size_type num_bytes, const void* from, void* to);
}  // namespace spruce::kernels::omp

/// Set up once when a GPU backend's library is opened. The probe is the address of a kernel's slot as the core sees it: if
/// the backend sees another, the dynamic linker has bound it to a copy of its own and it must not be used (null).
using spruce_backend_entry = spruce::detail::DeviceRuntime*(const void* probe);
using spruce_backend_register = void();

extern "C" {
SPRUCE_EXPORT spruce_backend_entry spruce_cuda_entry;
SPRUCE_EXPORT spruce_backend_register spruce_cuda_register;
SPRUCE_EXPORT spruce_backend_entry spruce_hip_entry;
SPRUCE_EXPORT spruce_backend_register spruce_hip_register;
}

namespace spruce::detail {
/// The slot whose address core and backend compare.
SPRUCE_EXPORT inline Kernel<void()> probe_kernel{"probe"};
}  // namespace spruce::detail
