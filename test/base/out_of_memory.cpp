// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Whichever allocation fails in copying, moving, converting or reading a matrix: it is said by an AllocationError, and the
// target is as it was before (Dense: or empty).

#include <functional>

#include <spruce/spruce.hpp>

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using spruce::int32;
using spruce::size_type;
using data_type = spruce::matrix_data<double, int32>;
using Coo = spruce::matrix::Coo<double, int32>;
using Csr = spruce::matrix::Csr<double, int32>;
using Dense = spruce::matrix::Dense<double>;
using Ell = spruce::matrix::Ell<double, int32>;
using Fbcsr = spruce::matrix::Fbcsr<double, int32>;
using Hybrid = spruce::matrix::Hybrid<double, int32>;
using Sellp = spruce::matrix::Sellp<double, int32>;
using SparsityCsr = spruce::matrix::SparsityCsr<double, int32>;

/// Fails at the allocation after the next num_good ones, and at all that follow, while it is armed.
class failing_allocator : public spruce::CpuAllocator {
public:
    void arm(int num_good) { num_good_ = num_good; }
    void disarm() { num_good_ = -1; }
    void* allocate(size_type num_bytes) override
    {
        if (num_good_ == 0) {
            throw spruce::AllocationError(__FILE__, __LINE__, "test", num_bytes);
        }
        num_good_ -= num_good_ > 0 ? 1 : 0;
        return CpuAllocator::allocate(num_bytes);
    }

private:
    int num_good_{-1};
};

data_type small_data() { return data_type{{{1.0, 0.0}, {0.0, 2.0}}}; }
data_type large_data() { return data_type{{{0.0, 3.0, 0.0, 4.0}, {5.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 6.0, 7.0}}}; }

template <typename Matrix>
data_type data_of(const Matrix& matrix)
{
    data_type data;
    matrix.write(data);
    data.remove_zeros();
    return data;
}

class OutOfMemory : public ::testing::TestWithParam<const char*> {
protected:
    OutOfMemory()
    {
        if (std::string(GetParam()) == "omp") {
            exec = spruce::OmpExecutor::create(allocator);
        } else {
            exec = spruce::ReferenceExecutor::create(allocator);
        }
    }

    template <typename Matrix>
    std::unique_ptr<Matrix> create(const data_type& data, std::shared_ptr<const spruce::Executor> where = nullptr) const
    {
        auto result = Matrix::create(where ? where : exec);
        result->read(data);
        return result;
    }

    /// Lets each of the allocations of change(target) fail in turn, until it succeeds.
    template <typename Target>
    void expect_all_or_nothing(const data_type& before, const data_type& after,
                               const std::function<void(Target*)>& change)
    {
        SCOPED_TRACE(before.size);
        const auto may_be_empty = std::is_same<Target, Dense>::value;
        constexpr int enough = 100;
        int num_failures = 0;
        for (; num_failures < enough; ++num_failures) {
            const auto target = this->template create<Target>(before);
            bool has_failed{};
            allocator->arm(num_failures);
            try {
                change(target.get());
            } catch (const spruce::AllocationError&) {
                has_failed = true;
            }
            allocator->disarm();
            const auto found = data_of(*target);
            if (!has_failed) {
                EXPECT_EQ(found.size, after.size);
                EXPECT_EQ(found.nonzeros, after.nonzeros);
                break;
            }
            SCOPED_TRACE("failure of allocation " + std::to_string(num_failures));
            if (!(may_be_empty && found.size == dim<2>{})) {
                EXPECT_EQ(found.size, before.size);
                EXPECT_EQ(found.nonzeros, before.nonzeros);
            }
            // What is left works.
            change(target.get());
            EXPECT_EQ(data_of(*target).nonzeros, after.nonzeros);
        }
        EXPECT_LT(num_failures, enough);
        total_failures += num_failures;
    }

    template <typename Target, typename Source>
    void expect_copy_is_all_or_nothing()
    {
        for (const auto& where : {exec, elsewhere}) {
            const std::shared_ptr<const Source> source = this->template create<Source>(large_data(), where);
            for (const auto& before : {small_data(), data_type{}}) {
                this->template expect_all_or_nothing<Target>(before, large_data(),
                                                             [&](Target* target) { target->copy_from(source); });
            }
        }
        EXPECT_GT(total_failures, 0);
    }

    std::shared_ptr<failing_allocator> allocator = std::make_shared<failing_allocator>();
    std::shared_ptr<const spruce::Executor> exec;
    std::shared_ptr<const spruce::Executor> elsewhere = spruce::ReferenceExecutor::create();
    int total_failures{};
};
INSTANTIATE_TEST_SUITE_P(OnHosts, OutOfMemory, ::testing::Values("reference", "omp"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(OutOfMemory, InCopyingCsr) { this->expect_copy_is_all_or_nothing<Csr, Csr>(); }
TEST_P(OutOfMemory, InCopyingCoo) { this->expect_copy_is_all_or_nothing<Coo, Coo>(); }
TEST_P(OutOfMemory, InCopyingDense) { this->expect_copy_is_all_or_nothing<Dense, Dense>(); }
TEST_P(OutOfMemory, InConvertingCsrToCoo) { this->expect_copy_is_all_or_nothing<Coo, Csr>(); }
TEST_P(OutOfMemory, InConvertingCsrToDense) { this->expect_copy_is_all_or_nothing<Dense, Csr>(); }
TEST_P(OutOfMemory, InConvertingCooToCsr) { this->expect_copy_is_all_or_nothing<Csr, Coo>(); }
TEST_P(OutOfMemory, InConvertingCooToDense) { this->expect_copy_is_all_or_nothing<Dense, Coo>(); }
TEST_P(OutOfMemory, InConvertingDenseToCsr) { this->expect_copy_is_all_or_nothing<Csr, Dense>(); }
TEST_P(OutOfMemory, InConvertingDenseToCoo) { this->expect_copy_is_all_or_nothing<Coo, Dense>(); }

TEST_P(OutOfMemory, InCopyingEll) { this->expect_copy_is_all_or_nothing<Ell, Ell>(); }
TEST_P(OutOfMemory, InCopyingSellp) { this->expect_copy_is_all_or_nothing<Sellp, Sellp>(); }
TEST_P(OutOfMemory, InCopyingHybrid) { this->expect_copy_is_all_or_nothing<Hybrid, Hybrid>(); }
TEST_P(OutOfMemory, InConvertingCsrToEll) { this->expect_copy_is_all_or_nothing<Ell, Csr>(); }
TEST_P(OutOfMemory, InConvertingCsrToSellp) { this->expect_copy_is_all_or_nothing<Sellp, Csr>(); }
TEST_P(OutOfMemory, InConvertingCsrToHybrid) { this->expect_copy_is_all_or_nothing<Hybrid, Csr>(); }
TEST_P(OutOfMemory, InConvertingEllToCsr) { this->expect_copy_is_all_or_nothing<Csr, Ell>(); }
TEST_P(OutOfMemory, InConvertingSellpToCsr) { this->expect_copy_is_all_or_nothing<Csr, Sellp>(); }
TEST_P(OutOfMemory, InConvertingHybridToCsr) { this->expect_copy_is_all_or_nothing<Csr, Hybrid>(); }
TEST_P(OutOfMemory, InConvertingThroughCsr)
{
    this->expect_copy_is_all_or_nothing<Ell, Coo>();
    this->expect_copy_is_all_or_nothing<Hybrid, Sellp>();
    this->expect_copy_is_all_or_nothing<Coo, Hybrid>();
    this->expect_copy_is_all_or_nothing<Dense, Ell>();
}

TEST_P(OutOfMemory, InCopyingFbcsr) { this->expect_copy_is_all_or_nothing<Fbcsr, Fbcsr>(); }
TEST_P(OutOfMemory, InConvertingCsrToFbcsr) { this->expect_copy_is_all_or_nothing<Fbcsr, Csr>(); }
TEST_P(OutOfMemory, InConvertingFbcsrToCsr) { this->expect_copy_is_all_or_nothing<Csr, Fbcsr>(); }

TEST_P(OutOfMemory, InCopyingAndConvertingSparsityCsr)
{
    const data_type small{{{1.0, 0.0}, {0.0, 1.0}}};
    const data_type large{{{0.0, 1.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0}}};
    for (const auto& where : {exec, elsewhere}) {
        const std::shared_ptr<const SparsityCsr> pattern = this->create<SparsityCsr>(large, where);
        const std::shared_ptr<const Csr> csr = this->create<Csr>(large, where);
        this->expect_all_or_nothing<SparsityCsr>(small, large, [&](auto* target) { target->copy_from(pattern); });
        this->expect_all_or_nothing<SparsityCsr>(small, large, [&](auto* target) { target->copy_from(csr); });
        this->expect_all_or_nothing<Csr>(small, large, [&](auto* target) { target->copy_from(pattern); });
    }
    EXPECT_GT(total_failures, 0);
}

TEST_P(OutOfMemory, InConvertingPrecision)
{
    const auto check = [&](auto other, auto* type) {
        using Target = std::remove_pointer_t<decltype(type)>;
        other->copy_from(this->create<Target>(large_data()));
        this->expect_all_or_nothing<Target>(small_data(), large_data(),
                                            [&](Target* target) { target->copy_from(other.get()); });
    };

    check(spruce::matrix::Csr<float, int32>::create(exec), static_cast<Csr*>(nullptr));
    check(spruce::matrix::Coo<float, int32>::create(exec), static_cast<Coo*>(nullptr));
    check(spruce::matrix::Ell<float, int32>::create(exec), static_cast<Ell*>(nullptr));
    check(spruce::matrix::Sellp<float, int32>::create(exec), static_cast<Sellp*>(nullptr));
    check(spruce::matrix::Hybrid<float, int32>::create(exec), static_cast<Hybrid*>(nullptr));

    EXPECT_GT(total_failures, 0);
}

TEST_P(OutOfMemory, InReading)
{
    const auto on_device = spruce::device_matrix_data<double, int32>::create_from_host(exec, large_data());
    this->expect_all_or_nothing<Csr>(small_data(), large_data(), [&](Csr* target) { target->read(large_data()); });
    this->expect_all_or_nothing<Coo>(small_data(), large_data(), [&](Coo* target) { target->read(large_data()); });
    this->expect_all_or_nothing<Dense>(small_data(), large_data(), [&](Dense* target) { target->read(large_data()); });
    this->expect_all_or_nothing<Csr>(small_data(), large_data(), [&](Csr* target) { target->read(on_device); });
    this->expect_all_or_nothing<Coo>(small_data(), large_data(), [&](Coo* target) { target->read(on_device); });

    EXPECT_GT(total_failures, 0);
}

TEST_P(OutOfMemory, InMovingBetweenExecutorsLeavesTheSource)
{
    const auto check = [&](auto* type) {
        using Matrix = std::remove_pointer_t<decltype(type)>;
        for (int num_good = 0; num_good < 2; ++num_good) {
            const auto source = this->create<Matrix>(large_data(), elsewhere);
            const auto target = this->create<Matrix>(small_data());

            allocator->arm(num_good);
            EXPECT_THROW(target->move_from(source), spruce::AllocationError);
            allocator->disarm();

            EXPECT_EQ(data_of(*source).nonzeros, large_data().nonzeros);
            EXPECT_EQ(data_of(*target).nonzeros, small_data().nonzeros);
        }
    };

    check(static_cast<Csr*>(nullptr));
    check(static_cast<Coo*>(nullptr));
    check(static_cast<Ell*>(nullptr));
    check(static_cast<Sellp*>(nullptr));
    check(static_cast<Hybrid*>(nullptr));
    check(static_cast<Fbcsr*>(nullptr));
}

TEST_P(OutOfMemory, IsNotAskedForWhereSizesAreTheSame)
{
    const auto csr = this->create<Csr>(large_data());
    const auto coo = this->create<Coo>(large_data());
    const auto to_csr = this->create<Csr>(large_data());
    const auto to_coo = this->create<Coo>(large_data());

    allocator->arm(0);

    EXPECT_NO_THROW(to_csr->copy_from(csr));
    EXPECT_NO_THROW(to_coo->copy_from(coo));
}

}  // namespace
