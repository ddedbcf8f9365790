// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#pragma once

// Contains HIP's device functions: barriers, warp operations, atomics, bit counting. They are based
// on the rendezvous in simt.hpp.

#include <hip/host/simt.hpp>

namespace hip_host {
namespace detail {

template <typename T, typename... Allowed>
using only = std::enable_if_t<(std::is_same<T, Allowed>::value || ...), T>;

/// Prevents the deduction of T, so that the value is converted to the type of the pointer's target.
template <typename T>
struct identity {
    using type = T;
};

template <typename T>
using same = typename identity<T>::type;

template <typename T>
using if_shuffled = only<T, int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;

/// Returns the mask of the aligned group of `width` lanes that contains the caller.
inline lane_mask segment(int width)
{
    if (width <= 0 || width > warpSize || (width & (width - 1)) != 0) {
        fail("the width of a shuffle is no power of two up to warpSize");
    }
    return (full_warp >> (warpSize - width)) << (lane_id() & ~static_cast<unsigned>(width - 1));
}

// These functions return the lane to read from. It is the caller's lane if HIP specifies so.

inline unsigned source_shfl(int lane, int width)
{
    const auto mask = static_cast<unsigned>(width - 1);
    return (static_cast<unsigned>(lane) & mask) + (lane_id() & ~mask);
}

inline unsigned source_shfl_xor(int mask, int width)
{
    const auto self = lane_id();
    const auto source = self ^ static_cast<unsigned>(mask);
    return source < ((self + width) & ~static_cast<unsigned>(width - 1)) ? source : self;
}

inline unsigned source_shfl_up(unsigned delta, int width)
{
    return (lane_id() & static_cast<unsigned>(width - 1)) < delta ? lane_id() : lane_id() - delta;
}

inline unsigned source_shfl_down(unsigned delta, int width)
{
    return (lane_id() & static_cast<unsigned>(width - 1)) + static_cast<unsigned long long>(delta) >=
                   static_cast<unsigned>(width)
               ? lane_id()
               : lane_id() + delta;
}

}  // namespace detail
}  // namespace hip_host

// ---- barriers and fences

inline void __syncthreads(hip_host::Site at = hip_host::Site::here())
{
    hip_host::detail::exchange({hip_host::Kind::barrier, 0, 0, 0, at}, nullptr, 0, nullptr);
}

inline void __syncwarp(hip_host::lane_mask members = hip_host::full_warp, hip_host::Site at = hip_host::Site::here())
{
    hip_host::sync(members, at);
}

inline void __threadfence() { hip_host::yield(); }
inline void __threadfence_block() { hip_host::yield(); }
inline void __threadfence_system() { hip_host::yield(); }

// ---- Warp operations: shuffles meet in the aligned group of `width` lanes, votes in the whole
// warp. The forms with `_sync` meet only among the given members.

#define SPRUCE_HIP_HOST_SHUFFLE(name, Argument)                                                                        \
    template <typename T>                                                                                              \
    hip_host::detail::if_shuffled<T> __##name##_sync(hip_host::lane_mask members, T value, Argument argument,          \
                                                     int width = warpSize, hip_host::Site at = hip_host::Site::here()) \
    {                                                                                                                  \
        const auto segment = hip_host::detail::segment(width);                                                         \
        return hip_host::shfl(members & segment, value, hip_host::detail::source_##name(argument, width), at,          \
                              hip_host::Kind::name, width);                                                            \
    }                                                                                                                  \
                                                                                                                       \
    template <typename T>                                                                                              \
    hip_host::detail::if_shuffled<T> __##name(T value, Argument argument, int width = warpSize,                        \
                                              hip_host::Site at = hip_host::Site::here())                              \
    {                                                                                                                  \
        return __##name##_sync(hip_host::full_warp, value, argument, width, at);                                       \
    }                                                                                                                  \
    static_assert(true, "")

SPRUCE_HIP_HOST_SHUFFLE(shfl, int);
SPRUCE_HIP_HOST_SHUFFLE(shfl_xor, int);
SPRUCE_HIP_HOST_SHUFFLE(shfl_up, unsigned);
SPRUCE_HIP_HOST_SHUFFLE(shfl_down, unsigned);
#undef SPRUCE_HIP_HOST_SHUFFLE

inline unsigned long long __ballot_sync(hip_host::lane_mask members, int predicate,
                                        hip_host::Site at = hip_host::Site::here())
{
    return hip_host::ballot(members, predicate != 0, at);
}

inline int __any_sync(hip_host::lane_mask members, int predicate, hip_host::Site at = hip_host::Site::here())
{
    return hip_host::any(members, predicate != 0, at);
}

inline int __all_sync(hip_host::lane_mask members, int predicate, hip_host::Site at = hip_host::Site::here())
{
    return hip_host::all(members, predicate != 0, at);
}

inline unsigned long long __ballot(int predicate, hip_host::Site at = hip_host::Site::here())
{
    return __ballot_sync(hip_host::full_warp, predicate, at);
}

inline int __any(int predicate, hip_host::Site at = hip_host::Site::here())
{
    return __any_sync(hip_host::full_warp, predicate, at);
}

inline int __all(int predicate, hip_host::Site at = hip_host::Site::here())
{
    return __all_sync(hip_host::full_warp, predicate, at);
}

/// Returns the lanes that have not exited. The lanes in the caller's branch are not known here.
inline unsigned long long __activemask() { return hip_host::detail::live_lanes(); }

inline unsigned __lane_id() { return hip_host::lane_id(); }

[[noreturn]] inline void __trap() { hip_host::fail("__trap()"); }

// ---- bits

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(unsigned x) { return __builtin_ffs(static_cast<int>(x)); }
inline int __ffsll(unsigned long long x) { return __builtin_ffsll(static_cast<long long>(x)); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }

inline unsigned long long __brevll(unsigned long long x)
{
    unsigned long long result{};
    for (int i = 0; i < 64; ++i) {
        result |= (x >> i & 1) << (63 - i);
    }
    return result;
}

inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }

template <typename T>
T __ldg(const T* address)
{
    return *address;
}

// ---- Atomics, for the types that HIP documents; all return the old value. Other host threads may
// access the memory, so they are atomic for the CPU as well.

namespace hip_host {
namespace detail {

template <typename T, typename Update>
T atomic_update(T* address, Update update)
{
    T expected;
    __atomic_load(address, &expected, __ATOMIC_RELAXED);
    T desired = update(expected);
    while (!__atomic_compare_exchange(address, &expected, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        desired = update(expected);
    }
    if (std::memcmp(&desired, &expected, sizeof(T)) != 0) {
        stored(address);
    }
    return expected;
}

}  // namespace detail
}  // namespace hip_host

#define SPRUCE_HIP_HOST_ATOMIC(name, new_value, ...)                                         \
    template <typename T>                                                                    \
    hip_host::detail::only<T, __VA_ARGS__> name(T* address, hip_host::detail::same<T> value) \
    {                                                                                        \
        return hip_host::detail::atomic_update(address, [value](T old) -> T {                \
            (void)old;                                                                       \
            return new_value;                                                                \
        });                                                                                  \
    }                                                                                        \
    static_assert(true, "")

SPRUCE_HIP_HOST_ATOMIC(atomicExch, value, int, unsigned, unsigned long long, float, double);
SPRUCE_HIP_HOST_ATOMIC(atomicMin, value < old ? value : old, int, unsigned, long long, unsigned long long, float,
                       double);
SPRUCE_HIP_HOST_ATOMIC(atomicMax, value > old ? value : old, int, unsigned, long long, unsigned long long, float,
                       double);
SPRUCE_HIP_HOST_ATOMIC(atomicAnd, old& value, int, unsigned, unsigned long long);
SPRUCE_HIP_HOST_ATOMIC(atomicOr, old | value, int, unsigned, unsigned long long);
SPRUCE_HIP_HOST_ATOMIC(atomicXor, old ^ value, int, unsigned, unsigned long long);
#undef SPRUCE_HIP_HOST_ATOMIC

/// Adds a value atomically. Integers wrap around, as on the device.
template <typename T>
hip_host::detail::only<T, int, unsigned, unsigned long long, float, double> atomicAdd(T* address,
                                                                                      hip_host::detail::same<T> value)
{
    if constexpr (std::is_integral<T>::value) {
        const auto old = __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
        if (value != 0) {
            hip_host::stored(address);
        }
        return old;
    } else {
        return hip_host::detail::atomic_update(address, [value](T old) -> T { return old + value; });
    }
}

template <typename T>
hip_host::detail::only<T, int, unsigned, unsigned long long> atomicSub(T* address, hip_host::detail::same<T> value)
{
    const auto old = __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
    if (value != 0) {
        hip_host::stored(address);
    }
    return old;
}

template <typename T>
hip_host::detail::only<T, int, unsigned, unsigned long long> atomicCAS(T* address, hip_host::detail::same<T> expected,
                                                                       hip_host::detail::same<T> desired)
{
    if (!__atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        hip_host::yield();  // it may be a lock: its owner must be able to run
    } else if (desired != expected) {
        hip_host::stored(address);
    }
    return expected;
}
