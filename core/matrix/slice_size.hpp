// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/executor.hpp>
#include <spruce/matrix/sellp.hpp>

namespace spruce::matrix::detail {

/// Returns the slice size of Sellp for an executor, which is the size of a warp on GPUs. The
/// threads of a warp read such a slice together, and larger slices would need more padding.
inline size_type slice_size_for(const Executor& exec)
{
    const auto device = dynamic_cast<const spruce::detail::GpuExecutor*>(&exec);
    return device ? static_cast<size_type>(device->get_warp_size()) : default_slice_size;
}

}  // namespace spruce::matrix::detail
