// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "test/solver/scaled_steps.hpp"

namespace spruce::test {

/// Synchronizes two threads, each with its part of the rows, and combines their numbers.
class meeting_point {
public:
    /// Calls combine(), which may change the data of both threads, when both threads have arrived.
    /// Returns afterwards.
    template <typename Combine>
    void meet(void* own, Combine combine)
    {
        std::unique_lock<std::mutex> lock{mutex_};
        if (!waiting_) {
            waiting_ = own;
            const auto round = round_;
            changed_.wait(lock, [&] { return round_ != round; });
        } else {
            combine(std::exchange(waiting_, nullptr), own);
            ++round_;
            changed_.notify_one();
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    void* waiting_{};
    size_type round_{};
};

class part_communicator : public Communicator {
public:
    part_communicator(meeting_point& point, size_type first_row) : point_{point}, first_row_{first_row} {}

    void sum(const std::shared_ptr<const Executor>& exec, float* values, size_type size) const override
    {
        this->combine(exec, values, size, [](auto a, auto b) { return a + b; });
    }
    void sum(const std::shared_ptr<const Executor>& exec, double* values, size_type size) const override
    {
        this->combine(exec, values, size, [](auto a, auto b) { return a + b; });
    }
    void max(const std::shared_ptr<const Executor>& exec, float* values, size_type size) const override
    {
        this->combine(exec, values, size, [](auto a, auto b) { return a < b ? b : a; });
    }
    void max(const std::shared_ptr<const Executor>& exec, double* values, size_type size) const override
    {
        this->combine(exec, values, size, [](auto a, auto b) { return a < b ? b : a; });
    }
    size_type get_first_row() const override { return first_row_; }

private:
    template <typename T, typename Combine>
    void combine(const std::shared_ptr<const Executor>& exec, T* values, size_type size, Combine combine) const
    {
        exec->synchronize();
        std::vector<T> own(size);
        exec->get_master()->copy_from(exec.get(), size, values, own.data());
        point_.meet(&own, [&](void* first, void* second) {
            auto& a = *static_cast<std::vector<T>*>(first);
            auto& b = *static_cast<std::vector<T>*>(second);
            for (size_type i = 0; i < size; ++i) {
                a[i] = b[i] = combine(a[i], b[i]);
            }
        });
        exec->copy_from(exec->get_master().get(), size, own.data(), values);
    }

    meeting_point& point_;
    size_type first_row_;
};

/// Compares steps of two parts of a system with steps of the whole system.
template <typename Types>
class two_parts_test : public scaled_step_test<Types> {
protected:
    using typename step_test<Types>::V;
    using typename step_test<Types>::Dense;
    using typename step_test<Types>::RealDense;
    using typename step_test<Types>::operands;

    /// Holds the rows first to first + num of operands.
    class part {
        operands whole_;
        part_communicator communicator_;
        span rows_;
        std::vector<std::pair<size_type, std::unique_ptr<Dense>>> vectors_;

    public:
        part(std::shared_ptr<const Executor> exec, dim<2> whole_size, random_engine engine, span rows,
             meeting_point& point)
            : whole_{exec, whole_size, 0, engine},
              communicator_{point, rows.begin},
              rows_{rows},
              exec{exec},
              size{rows.end - rows.begin, whole_size[1]},
              status{whole_.status},
              reduction{whole_.tmp, &communicator_}
        {}

        Dense& vectors()
        {
            auto all = clone(whole_.vectors().create_submatrix(rows_, span{0, size[1]}));
            auto& result = *all;
            vectors_.emplace_back(whole_.all().size() - 1, std::move(all));
            return result;
        }
        Dense& scalars() { return whole_.scalars(); }
        RealDense& real_scalars() { return whole_.real_scalars(); }
        Dense& rows(size_type num) { return whole_.rows(num); }
        RealDense& real_rows(size_type num) { return whole_.real_rows(num); }

        /// Compares with the operands of the whole system.
        void expect(const operands& expected, double tolerance)
        {
            ASSERT_EQ(whole_.all().size(), expected.all().size());
            size_type num_vectors = 0;
            for (size_type i = 0; i < expected.all().size(); ++i) {
                if (num_vectors < vectors_.size() && vectors_[num_vectors].first == i) {
                    const auto whole = std::dynamic_pointer_cast<Dense>(expected.all()[i]);
                    EXPECT_MTX_NEAR(vectors_[num_vectors].second,
                                    clone(whole->create_submatrix(rows_, span{0, size[1]})), tolerance)
                        << "operand " << i;
                    ++num_vectors;
                } else {
                    EXPECT_MTX_NEAR(whole_.all()[i], expected.all()[i], tolerance) << "operand " << i;
                }
            }
            EXPECT_EQ(status.copy_to_host(), expected.status.copy_to_host());
        }

        std::shared_ptr<const Executor> exec;
        dim<2> size;
        array<stopping_status>& status;
        Reduction reduction;
    };

    /// Creates a separate executor for a thread; null for devices.
    std::shared_ptr<const Executor> new_executor() const
    {
        if (std::dynamic_pointer_cast<const ReferenceExecutor>(this->exec)) {
            return ReferenceExecutor::create();
        }
        return std::dynamic_pointer_cast<const OmpExecutor>(this->exec) ? OmpExecutor::create() : nullptr;
    }

    /// Expects that run(operands, reduction, first_row) gives equal results on two parts of the
    /// rows and on all of them.
    template <typename Run>
    void expect_parts_like_whole(Run run)
    {
        const dim<2> size{67, 4};
        const auto cut = size_type{41};
        if (!this->new_executor()) {
            GTEST_SKIP() << "one thread at a time";
        }
        operands expected{this->exec, size, 0, this->engine};
        run(expected, Reduction{expected.tmp}, size_type{0});

        meeting_point point;
        part first{this->new_executor(), size, this->engine, span{0, cut}, point};
        part second{this->new_executor(), size, this->engine, span{cut, size[0]}, point};
        std::thread other{[&] { run(second, second.reduction, cut); }};
        run(first, first.reduction, size_type{0});
        other.join();

        first.expect(expected, this->tolerance_of_sum(size[0]));
        second.expect(expected, this->tolerance_of_sum(size[0]));
    }
};

}  // namespace spruce::test
