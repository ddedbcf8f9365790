// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>
#include <memory>

#include <spruce/base/executor.hpp>

namespace spruce::detail {

/// Launches on an executor, recorded once and then started again and again, all of them at the cost of about one.
class SPRUCE_EXPORT LaunchGraph {
public:
    /// Calls launch_all(), in which this thread starts kernels on the executor: none of them runs. It may do nothing else there:
    /// no memory comes or goes, nothing is copied or waited for.
    /// @throws CudaError, HipError  if it cannot be recorded
    template <typename Function>
    LaunchGraph(std::shared_ptr<const GpuExecutor> exec, Function launch_all) : LaunchGraph{std::move(exec)}
    {
        const redirection all_launches{*this};
        launch_all();
    }
    LaunchGraph(const LaunchGraph&) = delete;
    ~LaunchGraph();

    /// Starts all kernels in their order, with the arguments that they had.
    void replay();

private:
    explicit LaunchGraph(std::shared_ptr<const GpuExecutor> exec) : exec_{std::move(exec)} {}

    /// While it lives, what this thread starts on the executor is recorded.
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
    size_type not_counted_{};  ///< of the launches of the next replay; recording counted the first's
};

}  // namespace spruce::detail
