// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that device failures raise an exception with the name of the operation and do not affect
// later work.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::int32;
using spruce::size_type;
using Csr = spruce::matrix::Csr<double, int32>;
using Dense = spruce::matrix::Dense<double>;

class DeviceFailures : public ::testing::Test {
protected:
    void SetUp() override
    {
        for (const auto& exec : all_executors()) {
            if (is_device(*exec)) {
                devices.push_back(exec);
            }
        }
    }

    /// Holds a product with so many entries that no kernel can be launched for it. The number of
    /// entries is a multiple of num_rows. The values are never read, and x claims memory after that
    /// of b.
    struct huge_product {
        huge_product(std::shared_ptr<const spruce::Executor> exec, size_type num_entries)
            : one_value{exec, 1},
              one_index{exec, 1},
              row_ptrs{zeros(exec, num_rows + 1)},
              a{Csr::create(exec, dim<2>{num_rows, 1}, array<double>::view(exec, 1, one_value.get_data()),
                            array<int32>::view(exec, 1, one_index.get_data()),
                            array<int32>::view(exec, num_rows + 1, row_ptrs.get_data()),
                            std::make_shared<Csr::classical>())},
              b{Dense::create(exec, dim<2>{1, num_entries / num_rows},
                              array<double>::view(exec, num_entries / num_rows, one_value.get_data()), 0)},
              x{Dense::create(exec, dim<2>{num_rows, num_entries / num_rows},
                              array<double>::view(exec, num_entries, one_value.get_data() + num_entries / num_rows), 0)}
        {}
        static array<int32> zeros(std::shared_ptr<const spruce::Executor> exec, size_type size)
        {
            array<int32> result{std::move(exec), size};
            result.fill(0);
            return result;
        }
        static constexpr auto num_rows = size_type{1} << 20;
        array<double> one_value;
        array<int32> one_index;
        array<int32> row_ptrs;
        std::unique_ptr<Csr> a;
        std::unique_ptr<Dense> b;
        std::unique_ptr<Dense> x;
    };

    static void expect_works(std::shared_ptr<const spruce::Executor> exec)
    {
        const auto a = spruce::initialize<Csr>({{1.0, 2.0}, {3.0, 4.0}}, exec);
        const auto x = Dense::create(exec, dim<2>{2, 1});
        a->apply(spruce::initialize<Dense>({1.0, 1.0}, exec), x);
        EXPECT_NO_THROW(exec->synchronize());
        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({3.0, 7.0}, exec), 0.0);
    }

    std::vector<std::shared_ptr<spruce::Executor>> devices;
};

TEST_F(DeviceFailures, OfALaunchNameTheOperation)
{
    for (const auto& exec : devices) {
        SCOPED_TRACE(exec->get_description());
        if (std::static_pointer_cast<const spruce::detail::GpuExecutor>(exec)->get_gpu_properties().architecture !=
            "host") {
            continue;  // NVIDIA's grids are larger than the library's own limit, which is tested below
        }
        const huge_product product{exec, size_type{1} << 38};  // more threads than a grid can have

        EXPECT_THROW_WITH(product.a->apply(product.b, product.x), spruce::HipError, "launching csr::spmv (built for");
        expect_works(exec);
    }
}

TEST_F(DeviceFailures, OfTooManyBlocksAreSeenBeforeTheLaunch)
{
    for (const auto& exec : devices) {
        SCOPED_TRACE(exec->get_description());
        const huge_product product{exec, size_type{1} << 44};
        const auto before = exec->get_counters();

        EXPECT_THROW_WITH(product.a->apply(product.b, product.x), spruce::OverflowError, "the grid of a kernel");
        EXPECT_EQ((exec->get_counters() - before).launches, 0u);
        expect_works(exec);
    }
}

TEST_F(DeviceFailures, OfMemoryAreSaidByEveryAllocator)
{
    constexpr auto terabyte = size_type{1} << 40;
    const auto ref = spruce::ReferenceExecutor::create();
    for (const auto& exec : devices) {
        SCOPED_TRACE(exec->get_description());
        EXPECT_THROW_WITH(exec->alloc<char>(terabyte), spruce::AllocationError,
                          "could not allocate 1099511627776 bytes");
        EXPECT_THROW(Dense::create(exec, dim<2>{terabyte / 8, 1}), spruce::AllocationError);
        EXPECT_THROW((array<double>{exec, terabyte / 8}), spruce::AllocationError);
        expect_works(exec);
    }
    if (spruce::HipExecutor::get_num_devices() > 0) {
        EXPECT_THROW(spruce::HipAllocator().allocate(terabyte), spruce::AllocationError);
        EXPECT_THROW(spruce::HipAsyncAllocator(nullptr).allocate(terabyte), spruce::AllocationError);
    }
    if (spruce::CudaExecutor::get_num_devices() > 0) {
        EXPECT_THROW(spruce::CudaAllocator().allocate(terabyte), spruce::AllocationError);
        EXPECT_THROW(spruce::CudaAsyncAllocator(nullptr).allocate(terabyte), spruce::AllocationError);
    }
}

TEST_F(DeviceFailures, OfAUsersOperationLeaveTheExecutorUsable)
{
    for (const auto& exec : all_executors()) {
        SCOPED_TRACE(exec->get_description());
        const auto fail = [] { throw std::runtime_error("on purpose"); };

        EXPECT_THROW(exec->run("failing", fail, fail, fail, fail, [] {}), std::runtime_error);

        EXPECT_STREQ(spruce::Executor::get_current_operation_name(), "");
        expect_works(exec);
    }
}

TEST_F(DeviceFailures, OfOneSizeLeaveTheTargetOfACopyUsable)
{
    for (const auto& exec : devices) {
        const huge_product product{exec, size_type{1} << 40};
        const auto x = spruce::initialize<Dense>({1.0, 2.0}, exec);

        EXPECT_THROW(x->copy_from(product.x), spruce::AllocationError);

        x->copy_from(spruce::initialize<Dense>({3.0}, exec));
        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({3.0}, exec), 0.0);
    }
}

}  // namespace
