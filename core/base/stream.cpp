// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/stream.hpp>

#include <utility>

#include "core/base/device_runtime.hpp"

namespace spruce {
namespace detail {

device_stream::device_stream(backend which, int device_id)
    : runtime_{load_backend(which)}, device_id_{device_id}, handle_{runtime_->create_stream(device_id)}
{}

device_stream::device_stream(device_stream&& other) noexcept
    : runtime_{other.runtime_}, device_id_{other.device_id_}, handle_{std::exchange(other.handle_, nullptr)}
{}

device_stream& device_stream::operator=(device_stream&& other) noexcept
{
    std::swap(runtime_, other.runtime_);
    std::swap(device_id_, other.device_id_);
    std::swap(handle_, other.handle_);
    return *this;
}

device_stream::~device_stream()
{
    if (handle_) {
        runtime_->destroy_stream(device_id_, handle_);
    }
}

}  // namespace detail

cuda_stream::cuda_stream(int device_id) : device_stream{backend::cuda, device_id} {}
hip_stream::hip_stream(int device_id) : device_stream{backend::hip, device_id} {}

}  // namespace spruce
