// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#pragma once

// Contains the SIMT model: built-in variables, the rendezvous of lanes, shared memory and the
// launch. A GPU thread is a fibre. It runs undisturbed until it waits for other lanes. All kernels
// of a process run one after another under one lock. Therefore the state below is plain global
// data.

#include <cstring>
#include <exception>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hip/hip_runtime_api.h>

#ifndef SPRUCE_HIP_WARP_SIZE
#define SPRUCE_HIP_WARP_SIZE 64
#endif
static_assert(SPRUCE_HIP_WARP_SIZE == 32 || SPRUCE_HIP_WARP_SIZE == 64, "a warp has 32 or 64 lanes");

constexpr int warpSize = SPRUCE_HIP_WARP_SIZE;

struct uint3 {
    unsigned x;
    unsigned y;
    unsigned z;
};

namespace hip_host {

/// Bit i stands for lane i of the warp.
using lane_mask = unsigned long long;

constexpr lane_mask full_warp = ~lane_mask{} >> (64 - warpSize);

/// Represents the place in the source from which an operation is called. Lanes meet only at one
/// place, because with execution masks two branches never meet. A wrapper can pass its caller's
/// place on.
struct Site {
    static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return {file, line};
    }

    const char* file;
    int line;
};

enum class Kind : unsigned char { barrier, sync, shfl, shfl_xor, shfl_up, shfl_down, ballot, any, all };

/// Describes the operation for which a lane waits. Lanes meet if all members are equal.
struct Operation {
    Kind kind;
    unsigned char size;  // bytes of the value
    int width;           // 0: the members were given explicitly
    lane_mask members;   // lanes that take part unless they have exited
    Site site;
};

namespace detail {

struct State {
    uint3 thread_idx;
    uint3 block_idx;
    dim3 block_dim;
    dim3 grid_dim;
    unsigned lane;  // of the running thread, in its warp
    unsigned warp;
    void* dynamic_shared;
    std::size_t block_serial;  // differs for every block that ever ran
};

extern State state;

/// Waits until all live members are at this operation.
/// @param value  the caller's value
/// @param source  the lane to read from, for shuffles
/// @param result  receives the result (a lane_mask for votes)
void exchange(const Operation& operation, const void* value, unsigned source, void* result);

lane_mask live_lanes();

struct Shared_function;  // the __shared__ variables of one function

struct Shared_marker {
    std::size_t block_serial;
    Shared_function* function;
};

void enter_shared(Shared_marker& marker);

struct Launch {
    const char* text;   // as written at the launch
    const void* entry;  // the kernel's address, for its full name
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;
    hipStream_t stream;
};

void launch(const Launch& launch, std::function<void()> body);

}  // namespace detail

/// Stops the launch with hipErrorLaunchFailure and this message.
[[noreturn]] void fail(const char* message);

/// Runs all other threads of the block first. A loop that waits for another thread's write must
/// call this function, or __threadfence(), which calls it, or poll(): threads are never
/// interrupted.
void yield();

/// Runs all other threads of the block first, since the caller read this address and waits for
/// another value. Many polls without a call of stored() are an error, and so is a thread that waits
/// for a lane of its own warp without meeting it between polls: the lanes of a wavefront do not
/// proceed independently.
void poll(const void* address, Site at = Site::here());

/// Records a store that polling threads may wait for. Atomic operations that change a value record
/// it themselves. If several lanes of a warp store to an address for which they poll, they have to
/// meet before the first poll.
void stored(const void* address);

inline unsigned lane_id() { return detail::state.lane; }
inline unsigned warp_id() { return detail::state.warp; }

// Operations of an explicitly given subgroup of the caller's warp. The caller must be a member.
// Only the members that have not exited meet; the other lanes of the warp may be anywhere.

inline void sync(lane_mask members, Site at = Site::here())
{
    detail::exchange({Kind::sync, 0, 0, members, at}, nullptr, 0, nullptr);
}

template <typename T>
T shfl(lane_mask members, T value, unsigned source_lane_in_warp, Site at = Site::here(), Kind kind = Kind::shfl,
       int width = 0)
{
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 16, "shuffles move up to 16 plain bytes");
    detail::exchange({kind, sizeof(T), width, members, at}, &value, source_lane_in_warp, &value);
    return value;
}

inline lane_mask ballot(lane_mask members, bool predicate, Site at = Site::here(), Kind kind = Kind::ballot)
{
    lane_mask result{};
    detail::exchange({kind, sizeof(bool), 0, members, at}, &predicate, 0, &result);
    return result;
}

inline bool any(lane_mask members, bool predicate, Site at = Site::here())
{
    return ballot(members, predicate, at, Kind::any) != 0;
}

/// Returns true if the predicate holds for every member that has not exited.
inline bool all(lane_mask members, bool predicate, Site at = Site::here())
{
    return ballot(members, !predicate, at, Kind::all) == 0;
}

/// Runs the kernel for every thread of the grid before it returns. If launches may wait
/// (SPRUCE_HIP_HOST_LATE), the kernel runs at the latest before the next call that is no launch.
/// Errors are kept for hipGetLastError().
template <typename... Params, typename... Args>
void launch(const char* text, void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared_bytes,
            hipStream_t stream, Args&&... args)
{
    static_assert(sizeof...(Params) == sizeof...(Args), "the kernel takes another number of arguments");
    detail::launch({text, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes, stream},
                   [kernel, parameters = std::tuple<std::decay_t<Params>...>(std::forward<Args>(args)...)] {
                       std::apply(kernel, parameters);
                   });
}

}  // namespace hip_host

namespace spruce {
namespace hip_host = ::hip_host;
}

// References to const: kernels cannot assign to them, and the compiler knows that the values
// change.
inline const uint3& threadIdx = hip_host::detail::state.thread_idx;
inline const uint3& blockIdx = hip_host::detail::state.block_idx;
inline const dim3& blockDim = hip_host::detail::state.block_dim;
inline const dim3& gridDim = hip_host::detail::state.grid_dim;

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline
#define __launch_bounds__(...)

// A __shared__ variable is a static variable, since blocks run one after another. The marker before
// it lets each block, at its first passage, fill the function's variables with 0xFF bytes (NaN).
// Their addresses are found in the module's symbol table by the ABI tag. This works for variables
// in templates, too, for which a linker section does not. The macro is legal where a declaration
// statement is.
#define SPRUCE_HIP_HOST_JOIN_(a, b) a##b
#define SPRUCE_HIP_HOST_JOIN(a, b) SPRUCE_HIP_HOST_JOIN_(a, b)
#define SPRUCE_HIP_HOST_SHARED(marker)                                   \
    static ::hip_host::detail::Shared_marker marker;                     \
    if (marker.block_serial != ::hip_host::detail::state.block_serial) { \
        ::hip_host::detail::enter_shared(marker);                        \
    }                                                                    \
    static __attribute__((used, abi_tag("spruce_shared")))
#define __shared__ SPRUCE_HIP_HOST_SHARED(SPRUCE_HIP_HOST_JOIN(hip_host_shared_marker_, __COUNTER__))

#define HIP_DYNAMIC_SHARED(type, var) type* const var = static_cast<type*>(::hip_host::detail::state.dynamic_shared)

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x
#define hipLaunchKernelGGL(kernel, ...) ::hip_host::launch(#kernel, (kernel), __VA_ARGS__)
