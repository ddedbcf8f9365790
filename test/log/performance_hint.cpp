// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/performance_hint.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spruce/base/executor.hpp>

namespace {

class PerformanceHint : public ::testing::Test {
protected:
    void allocate(int times, spruce::size_type num_bytes)
    {
        for (int i = 0; i < times; ++i) {
            exec->free(exec->alloc<char>(num_bytes));
        }
    }
    void copy(int times, spruce::size_type num_bytes, const char* from, char* to)
    {
        for (int i = 0; i < times; ++i) {
            other->copy_from(exec, num_bytes, from, to);
        }
    }
    auto num_lines() const
    {
        const auto text = os.str();
        return std::count(text.begin(), text.end(), '\n');
    }
    bool contains(const std::string& part) const { return os.str().find(part) != std::string::npos; }

    std::ostringstream os;  // declared first: loggers use it until the last object is destroyed
    std::shared_ptr<spruce::Executor> exec = spruce::ReferenceExecutor::create();
    std::shared_ptr<spruce::Executor> other = spruce::ReferenceExecutor::create();
    std::shared_ptr<spruce::log::PerformanceHint> logger = spruce::log::PerformanceHint::create(os);
    char from[64]{};
    char to[64]{};
};

TEST_F(PerformanceHint, IsSilentBelowTenRepetitions)
{
    exec->add_logger(logger);

    this->allocate(9, 100);
    this->allocate(9, 1);
    this->copy(9, 64, from, to);
    this->copy(9, 1, from, to);
    logger->print_status();

    EXPECT_EQ(os.str(), "");
}

TEST_F(PerformanceHint, PointsOutRepeatedAllocationsOfOneSize)
{
    exec->add_logger(logger);

    this->allocate(10, 100);

    EXPECT_TRUE(contains("10 times memory of 100 bytes was allocated and freed again on reference executor"))
        << os.str();
    EXPECT_EQ(this->num_lines(), 1);
}

TEST_F(PerformanceHint, DoesNotMindMemoryThatIsKept)
{
    exec->add_logger(logger);
    std::vector<char*> kept;

    for (int i = 0; i < 20; ++i) {
        kept.push_back(exec->alloc<char>(100));
    }

    EXPECT_EQ(os.str(), "");
    for (const auto memory : kept) {
        exec->free(memory);
    }
}

TEST_F(PerformanceHint, PointsOutTinyAllocations)
{
    exec->add_logger(logger);

    this->allocate(5, 1);
    this->allocate(5, 15);

    EXPECT_TRUE(contains("10 tiny allocations on reference executor")) << os.str();
    EXPECT_EQ(this->num_lines(), 1);
}

TEST_F(PerformanceHint, RepeatsItselfAtEachPowerOfTen)
{
    exec->add_logger(logger);

    this->allocate(1000, 100);

    EXPECT_EQ(this->num_lines(), 3);
    EXPECT_TRUE(contains("] >>> 100 times")) << os.str();
    EXPECT_TRUE(contains("] >>> 1000 times")) << os.str();
}

TEST_F(PerformanceHint, PointsOutRepeatedCopiesFromAPlace)
{
    exec->add_logger(logger);

    for (int i = 0; i < 10; ++i) {
        this->copy(1, 16, from, to + i);
    }

    EXPECT_TRUE(contains("10 copies from ")) << os.str();
    EXPECT_EQ(this->num_lines(), 1);
}

TEST_F(PerformanceHint, PointsOutRepeatedCopiesToAPlace)
{
    exec->add_logger(logger);

    for (int i = 0; i < 10; ++i) {
        this->copy(1, 16, from + i, to);
    }

    EXPECT_TRUE(contains("10 copies to ")) << os.str();
    EXPECT_EQ(this->num_lines(), 1);
}

TEST_F(PerformanceHint, PointsOutTinyCopies)
{
    exec->add_logger(logger);

    for (int i = 0; i < 10; ++i) {
        this->copy(1, 8, from + i, to + i);
    }

    EXPECT_TRUE(contains("10 tiny copies from reference executor")) << os.str();
    EXPECT_EQ(this->num_lines(), 1);
}

TEST_F(PerformanceHint, DoesNotMindCopiesWithinAnExecutor)
{
    exec->add_logger(logger);

    for (int i = 0; i < 10; ++i) {
        exec->copy(64, from, to);
    }

    EXPECT_EQ(os.str(), "");
}

TEST_F(PerformanceHint, CountsCopyOnceWithBothExecutors)
{
    exec->add_logger(logger);
    other->add_logger(logger);

    this->copy(9, 8, from, to);
    EXPECT_EQ(os.str(), "");

    this->copy(1, 8, from, to);
    EXPECT_EQ(this->num_lines(), 1);
}

TEST_F(PerformanceHint, TakesItsLimits)
{
    logger = spruce::log::PerformanceHint::create(os, 200, 65);
    exec->add_logger(logger);

    this->allocate(10, 100);
    this->copy(10, 64, from, to);

    EXPECT_TRUE(contains("10 tiny allocations")) << os.str();
    EXPECT_TRUE(contains("10 tiny copies")) << os.str();
    EXPECT_EQ(this->num_lines(), 2);
}

TEST_F(PerformanceHint, PrintsStatusFromTheMostFrequent)
{
    exec->add_logger(logger);
    this->allocate(12, 100);
    this->allocate(15, 200);
    this->allocate(3, 300);
    os.str("");

    logger->print_status();

    EXPECT_EQ(this->num_lines(), 2);
    EXPECT_LT(os.str().find("15 times memory of 200 bytes"), os.str().find("12 times memory of 100 bytes")) << os.str();
}

TEST_F(PerformanceHint, ForgetsTheRarestBeyondItsStorage)
{
    logger = spruce::log::PerformanceHint::create(os, 16, 16, 8);
    exec->add_logger(logger);

    this->allocate(20, 50);
    for (spruce::size_type size = 100; size < 200; ++size) {
        this->allocate(1, size);
    }
    this->allocate(20, 50);
    os.str("");
    logger->print_status();

    EXPECT_TRUE(contains("40 times memory of 50 bytes")) << os.str();
    EXPECT_EQ(this->num_lines(), 1);
}

}  // namespace
