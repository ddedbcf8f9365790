// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

template <typename T>
__device__ __forceinline__ void atomic_add(T* target, T value)
{
    atomicAdd(target, value);
}
/// Two atomic additions, one for each part: another thread may see one without the other.
template <typename T>
__device__ __forceinline__ void atomic_add(device_complex<T>* target, device_complex<T> value)
{
    atomicAdd(&target->re, value.re);
    atomicAdd(&target->im, value.im);
}
