// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace dense {

/// Holds the entries that a thread loads at once.
template <typename T>
struct alignas(16) chunk {
    static constexpr int size = 16 / sizeof(T);
    T values[size];
};

template <typename T>
bool is_aligned(const T* values)
{
    return reinterpret_cast<std::uintptr_t>(values) % alignof(chunk<T>) == 0;
}

/// Returns true if every row begins at the alignment of a chunk.
template <typename V>
bool has_aligned_rows(const matrix::Dense<V>& x)
{
    return is_aligned(as_device(x.get_const_values())) && x.get_stride() % chunk<device_type<V>>::size == 0;
}

}  // namespace dense

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
