// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

#include <spruce/config.hpp>

#include "core/base/device_runtime.hpp"
#include "core/base/kernel.hpp"
#include "core/base/kernel_groups.hpp"

/// Declares the entry point of each backend. Those of reference and omp are part of the library.
/// Those of cuda and hip are found by name in separate libraries, or linked in a static build.
namespace spruce::kernels::reference {
void register_kernels();
}
namespace spruce::kernels::omp {
void register_kernels();
int get_max_threads();
/// Copies with all threads if the number of bytes is large enough.
void copy_bytes(size_type num_bytes, const void* from, void* to);
}  // namespace spruce::kernels::omp

namespace spruce::detail {

/// Identifies the core by its address, which core and backend compare.
SPRUCE_EXPORT inline Kernel<void()> probe_kernel{"probe"};

/// Lists the properties on which core and backend have to agree before they call each other.
struct backend_interface {
    char version[64];                     ///< version of Spruce; unused characters are zero
    std::uint32_t has_minimal_types;      ///< 1 if built with SPRUCE_TYPES=minimal
    std::uint32_t num_runtime_functions;  ///< size of the table of DeviceRuntime
    std::uint32_t num_kernel_groups;      ///< number of kernel groups that a GPU backend registers
    std::uint32_t executor_size;          ///< sizeof(GpuExecutor), which kernels access
    std::uint32_t kernel_size;            ///< size of an entry of the kernel table
    std::uint32_t class_layout;           ///< version of the layout of the classes that kernels access
};

/// Increases with each change of data members or virtual functions of LinOp, the formats or array.
constexpr std::uint32_t class_layout = 5;

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

/// Provides the only symbol that the core looks up in the library of a GPU backend. It consists of
/// data of fixed layout. Libraries of other versions, or without a backend, are thus detected
/// before any of their code is called.
struct spruce_backend_entry {
    spruce::detail::backend_interface interface;
    /// Returns the runtime of the backend; called once. The probe is the address of a kernel in the
    /// core. If it differs in the backend, the dynamic linker has bound the backend to another copy
    /// of the core. The result is then null.
    spruce::detail::DeviceRuntime* (*get_runtime)(const void* probe);
    void (*register_kernels)();
};

extern "C" {
// Not constant: hipcc would include constants in the device code, but their functions do not exist
// there.
SPRUCE_EXPORT extern spruce_backend_entry spruce_cuda_entry;
SPRUCE_EXPORT extern spruce_backend_entry spruce_hip_entry;
}
