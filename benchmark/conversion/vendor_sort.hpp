// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>

#include <spruce/base/executor.hpp>

#include "core/base/build_config.hpp"

namespace spruce::bench {

/// Returns a radix sort by NVIDIA's CUB of num random keys with num_bits bits, each with a value of
/// 8 bytes. The sorts of triples and of rows are compared to it.
/// @return  a function that sorts identical keys each time; empty if the executor is not a
///          CudaExecutor
#if SPRUCE_WITH_CUDA
std::function<void()> make_vendor_sort(std::shared_ptr<const Executor> exec, size_type num, int num_bits);
#else
inline std::function<void()> make_vendor_sort(std::shared_ptr<const Executor>, size_type, int) { return {}; }
#endif

}  // namespace spruce::bench
