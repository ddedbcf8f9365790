// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "core/base/device_runtime.hpp"

namespace spruce::test {

/// Implements a runtime with one device that does nothing. Tests override the functions that they
/// observe.
class IdleRuntime : public spruce::detail::DeviceRuntime {
public:
    int get_num_devices() noexcept override { return 1; }
    spruce::detail::gpu_properties get_properties(int) override { return {}; }
    int get_built_warp_size() const noexcept override { return 0; }
    int exchange_device(int) noexcept override { return 0; }
    void* allocate(spruce::detail::memory_kind, size_type, void*) override { return nullptr; }
    void deallocate(spruce::detail::memory_kind, void*, void*) noexcept override {}
    void copy(void*, const void*, size_type, void*) override {}
    void synchronize(void*) override {}
    void* create_stream(int) override { return nullptr; }
    void destroy_stream(int, void*) noexcept override {}
    void* create_event() override { return nullptr; }
    void destroy_event(void*) noexcept override {}
    void record_event(void*, void*) override {}
    void wait_event(void*) override {}
    double elapsed_milliseconds(void*, void*) override { return 0.0; }
    void* create_sparselib_handle(void*) override { return nullptr; }
    void destroy_sparselib_handle(void*) noexcept override {}
    void* create_blas_handle(void*) override { return nullptr; }
    void destroy_blas_handle(void*) noexcept override {}
    void* create_block_counter(void*) override { return nullptr; }
    void destroy_block_counter(void*) noexcept override {}
    void* begin_capture(int) override { return nullptr; }
    void* end_capture(void*, bool) override { return nullptr; }
    void replay(void*, void*) override {}
    void destroy_graph(void*) noexcept override {}
};

}  // namespace spruce::test
