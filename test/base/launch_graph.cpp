// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/launch_graph.hpp"

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::detail::GpuExecutor;
using spruce::detail::LaunchGraph;
using Dense = spruce::matrix::Dense<double>;

class LaunchGraphs : public ::testing::Test {
protected:
    static std::vector<std::shared_ptr<const GpuExecutor>> devices()
    {
        std::vector<std::shared_ptr<const GpuExecutor>> result;
        for (const auto& exec : all_executors()) {
            if (const auto device = std::dynamic_pointer_cast<const GpuExecutor>(exec)) {
                result.push_back(device);
            }
        }
        return result;
    }
};

TEST_F(LaunchGraphs, RunAtEachReplayAndNotBefore)
{
    for (const auto& exec : devices()) {
        SCOPED_TRACE(exec->get_description());
        const auto x = spruce::initialize<Dense>({1.0, 2.0}, exec);
        const auto y = spruce::initialize<Dense>({10.0, 20.0}, exec);
        const auto two = spruce::initialize<Dense>({2.0}, exec);
        const auto before = exec->get_counters();

        LaunchGraph recording{exec, [&] {
                                  x->scale(two);
                                  y->add_scaled(two, x);
                              }};

        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({1.0, 2.0}, exec), 0.0);
        recording.replay();
        recording.replay();
        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({4.0, 8.0}, exec), 0.0);
        EXPECT_MTX_NEAR(y, spruce::initialize<Dense>({22.0, 44.0}, exec), 0.0);
        const auto did = exec->get_counters() - before;
        EXPECT_EQ(did.launches, 4u);
        EXPECT_EQ(did.replays, 2u);
        x->scale(two);  // the executor works as before
        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({8.0, 16.0}, exec), 0.0);
    }
}

TEST_F(LaunchGraphs, RefuseToWaitAndLeaveTheExecutorUsable)
{
    for (const auto& exec : devices()) {
        SCOPED_TRACE(exec->get_description());
        const auto x = spruce::initialize<Dense>({1.0, 2.0}, exec);
        const auto two = spruce::initialize<Dense>({2.0}, exec);
        double value{};

        EXPECT_THROW((LaunchGraph{exec,
                                  [&] {
                                      x->scale(two);
                                      exec->get_master()->copy_from(exec, 1, x->get_const_values(), &value);
                                  }}),
                     spruce::Error);
        EXPECT_THROW((LaunchGraph{exec, [] { throw std::runtime_error("on purpose"); }}), std::runtime_error);

        x->scale(two);
        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({2.0, 4.0}, exec), 0.0);
    }
}

}  // namespace
