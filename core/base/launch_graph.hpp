// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>
#include <memory>

#include <spruce/base/executor.hpp>

namespace spruce::detail {

/// Records kernel launches on an executor once and replays them many times. A replay costs about as
/// much as a single launch.
class SPRUCE_EXPORT LaunchGraph {
public:
    /// Records the kernels that this thread launches on the executor in launch_all(); they do not
    /// run. launch_all() must not allocate or free memory, copy or synchronize.
    /// @throws CudaError, HipError  if the launches cannot be recorded
    template <typename Function>
    LaunchGraph(std::shared_ptr<const GpuExecutor> exec, Function launch_all) : LaunchGraph{std::move(exec)}
    {
        const redirection all_launches{*this};
        launch_all();
    }
    LaunchGraph(const LaunchGraph&) = delete;
    ~LaunchGraph();

    /// Launches all kernels in their order with the recorded arguments.
    void replay();

private:
    explicit LaunchGraph(std::shared_ptr<const GpuExecutor> exec) : exec_{std::move(exec)} {}

    /// Records the launches of this thread on the executor during its lifetime.
    class redirection {
    public:
        explicit redirection(LaunchGraph& recording);
        redirection(const redirection&) = delete;
        ~redirection() noexcept(false);

    private:
        LaunchGraph& recording_;
        void* stream_;
        size_type launches_before_;
        int exceptions_{std::uncaught_exceptions()};
    };

    std::shared_ptr<const GpuExecutor> exec_;
    void* recorded_{};
    size_type num_launches_{};
    /// Number of launches that the next replay adds to the counters. It is 0 for the first replay,
    /// because recording has counted its launches.
    size_type not_counted_{};
};

}  // namespace spruce::detail
