// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/launch_graph.hpp"

#include <utility>

#include "core/base/device_runtime.hpp"

namespace spruce::detail {

namespace {
thread_local const GpuExecutor* redirected{};
thread_local void* stream_of_recording{};
}  // namespace

void* GpuExecutor::get_raw_stream() const noexcept { return redirected == this ? stream_of_recording : stream_; }

LaunchGraph::redirection::redirection(LaunchGraph& recording)
    : recording_{recording},
      stream_{recording.exec_->get_runtime().begin_capture(recording.exec_->get_device_id())},
      launches_before_{recording.exec_->get_counters().launches}
{
    redirected = recording.exec_.get();
    stream_of_recording = stream_;
}

LaunchGraph::redirection::~redirection() noexcept(false)
{
    redirected = nullptr;
    const auto& exec = *recording_.exec_;
    recording_.num_launches_ = exec.get_counters().launches - launches_before_;
    recording_.recorded_ = exec.get_runtime().end_capture(stream_, std::uncaught_exceptions() == exceptions_);
}

LaunchGraph::~LaunchGraph()
{
    if (recorded_) {
        exec_->get_runtime().destroy_graph(recorded_);
    }
}

void LaunchGraph::replay()
{
    const auto guard = exec_->get_scoped_device_id_guard();
    exec_->count_replay(std::exchange(not_counted_, num_launches_));
    exec_->get_runtime().replay(recorded_, exec_->get_raw_stream());
}

}  // namespace spruce::detail
