// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/memory.hpp>
#include <spruce/base/types.hpp>

namespace spruce {

enum class backend : unsigned char;

namespace detail {

class DeviceRuntime;

/// Owns a stream of a device. Movable; a moved-from object owns nothing.
class SPRUCE_EXPORT device_stream {
public:
    device_stream(device_stream&& other) noexcept;
    device_stream& operator=(device_stream&& other) noexcept;
    device_stream(const device_stream&) = delete;
    ~device_stream();

protected:
    device_stream(backend which, int device_id);

    void* get_raw() const noexcept { return handle_; }

private:
    DeviceRuntime* runtime_;
    int device_id_;
    void* handle_;
};

}  // namespace detail

/// Creates and owns a stream of an NVIDIA GPU, for CudaExecutor::create(). It has to outlive the
/// executor.
class SPRUCE_EXPORT cuda_stream : public detail::device_stream {
public:
    /// @throws NotCompiled  if the cuda backend cannot be used
    /// @throws CudaError  if there is no such device
    explicit cuda_stream(int device_id = 0);
    CUstream_st* get() const noexcept { return static_cast<CUstream_st*>(this->get_raw()); }
};

/// Creates and owns a stream of a device that is used through HIP, for HipExecutor::create(). It
/// has to outlive the executor.
class SPRUCE_EXPORT hip_stream : public detail::device_stream {
public:
    /// @throws NotCompiled  if the hip backend cannot be used
    /// @throws HipError  if there is no such device
    explicit hip_stream(int device_id = 0);
    SPRUCE_HIP_STREAM_STRUCT* get() const noexcept { return static_cast<SPRUCE_HIP_STREAM_STRUCT*>(this->get_raw()); }
};

}  // namespace spruce
