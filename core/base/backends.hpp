// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

#include <spruce/config.hpp>

#include "core/base/device_runtime.hpp"
#include "core/base/kernel.hpp"
#include "core/base/kernel_groups.hpp"

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

namespace spruce::detail {

/// The slot whose address core and backend compare.
SPRUCE_EXPORT inline Kernel<void()> probe_kernel{"probe"};

/// Lists what core and backend have to agree on before one calls the other.
struct backend_interface {
    char version[64];                     ///< of Spruce; unused characters are zero
    std::uint32_t has_minimal_types;      ///< 1 if built with SPRUCE_TYPES=minimal
    std::uint32_t num_runtime_functions;  ///< the size of DeviceRuntime's table
    std::uint32_t num_kernel_groups;      ///< groups of kernels that a GPU backend registers
    std::uint32_t executor_size;          ///< sizeof(GpuExecutor), which kernels read
    std::uint32_t kernel_size;            ///< the size of an entry of the kernel table
    std::uint32_t class_layout;           ///< number of the layout of the classes that kernels take
};

/// Is raised with each change of data members or virtual functions of LinOp, the formats or array.
constexpr std::uint32_t class_layout = 2;

#define SPRUCE_COUNT_KERNEL_GROUP(_group) +1u
constexpr backend_interface own_interface{
    SPRUCE_VERSION_STR " " SPRUCE_VERSION_TAG,
    SPRUCE_TYPES_MINIMAL,
    DeviceRuntime::num_functions,
    0u SPRUCE_GPU_KERNEL_GROUPS(SPRUCE_COUNT_KERNEL_GROUP),
    sizeof(GpuExecutor),
    sizeof(Kernel<void()>),
    class_layout,
};
#undef SPRUCE_COUNT_KERNEL_GROUP

}  // namespace spruce::detail

/// Is the one symbol that the core looks up in the library of a GPU backend: data of fixed layout, so that a library of another
/// version, or one that is no backend, is detected before any of its code is called.
struct spruce_backend_entry {
    spruce::detail::backend_interface interface;
    /// Returns the runtime of the backend; called once. The probe is the address of a kernel's slot in the core. If it differs
    /// in the backend, the dynamic linker has bound the backend to a copy of its own, and the result is null.
    spruce::detail::DeviceRuntime* (*get_runtime)(const void* probe);
    void (*register_kernels)();
};

extern "C" {
// Not constant: hipcc takes constants into the device code, too, where the functions in them are not.
SPRUCE_EXPORT extern spruce_backend_entry spruce_cuda_entry;
SPRUCE_EXPORT extern spruce_backend_entry spruce_hip_entry;
}
