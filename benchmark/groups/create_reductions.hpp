// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Creates the reductions of a backend. This file is included after its configuration.

#include <algorithm>
#include <complex>
#include <stdexcept>
#include <string>

#include <spruce/base/array.hpp>

#include "benchmark/groups/reduction_kernels.hpp"
#include "benchmark/groups/reductions.hpp"

namespace spruce::bench {
namespace {

using namespace kernels::SPRUCE_DEVICE_NAMESPACE;

constexpr int block_size = 256;

/// Returns integers whose sums are exact in each type. The parts of complex numbers differ.
template <typename T>
T number(size_type i)
{
    const auto part = [](size_type j) { return static_cast<remove_complex<T>>(j % 7) - 3; };
    if constexpr (is_complex<T>()) {
        return {part(i), part(i / 7 + 3 * i)};
    } else {
        return part(i);
    }
}

template <typename T>
class reduction {
public:
    using kernel_type = void (*)(kernels::device_type<T>*, int);

    reduction(const std::shared_ptr<const DeviceExecutor>& exec, kernel_type kernel, int size)
        : exec_{exec},
          kernel_{kernel},
          size_{static_cast<size_type>(size)},
          num_blocks_{static_cast<unsigned>(8 * std::max(exec->get_num_multiprocessor(), 1))},
          values_{exec, zeros()}
    {}

    /// Launches the kernel. This program has a runtime of its own, so the device has to be set.
    void launch(int num_sums)
    {
        throw_on_error(SPRUCE_GPU(SetDevice)(exec_->get_device_id()), "setting the device");
        launch_blocks<block_size>(*exec_, kernel_, num_blocks_, kernels::as_device(values_.get_data()), num_sums);
    }

    double error()
    {
        constexpr int num_sums = 2;
        const auto num = values_.get_size();
        array<T> numbers{exec_->get_master(), num};
        for (size_type i = 0; i < num; ++i) {
            numbers.get_data()[i] = number<T>(i);
        }
        values_ = numbers;
        this->launch(num_sums);
        const array<T> found{exec_->get_master(), values_};
        values_ = this->zeros();
        double error{};
        for (size_type i = 0; i < num; ++i) {
            T sum{};
            for (size_type rank = 0; rank < size_; ++rank) {
                sum += numbers.get_const_data()[i - i % size_ + rank];
            }
            // The second sum has equal terms.
            const auto expected = sum * static_cast<remove_complex<T>>(size_);
            error = std::max(error, static_cast<double>(std::abs(found.get_const_data()[i] - expected)));
        }
        return error;
    }

private:
    /// Returns the values of measurements, which remain finite however often they are summed.
    array<T> zeros() const
    {
        array<T> result{exec_->get_master(), size_type{num_blocks_} * block_size};
        std::fill_n(result.get_data(), result.get_size(), T{});
        return result;
    }

    std::shared_ptr<const DeviceExecutor> exec_;
    kernel_type kernel_;
    size_type size_;
    unsigned num_blocks_;
    array<T> values_;
};

template <int size, typename T>
void add_reductions(const std::shared_ptr<const DeviceExecutor>& exec, const std::string& value_type,
                    std::vector<tile_reduction>& result)
{
    using device_value = kernels::device_type<T>;
    const auto add = [&](const char* shuffles, void (*kernel)(device_value*, int)) {
        const auto one = std::make_shared<reduction<T>>(exec, kernel, size);
        result.push_back({value_type, size, shuffles, [one](int num_sums) { one->launch(num_sums); },
                          [one] { return one->error(); }});
    };
    add("groups", sum_by_groups<size, device_value>);
    add("vendor", sum_by_vendor_shuffles<size, device_value>);
    if constexpr (size < warp_size) {
        add_reductions<2 * size, T>(exec, value_type, result);
    }
}

std::vector<tile_reduction> create_reductions(const std::shared_ptr<const DeviceExecutor>& exec)
{
    if (exec->get_warp_size() != warp_size) {
        throw std::runtime_error("the kernels of this program are for warps of " + std::to_string(warp_size) +
                                 " threads, found a device with " + std::to_string(exec->get_warp_size()));
    }
    std::vector<tile_reduction> result;
    add_reductions<2, int32>(exec, "int32", result);
    add_reductions<2, float>(exec, "float", result);
    add_reductions<2, double>(exec, "double", result);
    add_reductions<2, std::complex<float>>(exec, "cfloat", result);
    add_reductions<2, std::complex<double>>(exec, "cdouble", result);
    return result;
}

}  // namespace
}  // namespace spruce::bench
