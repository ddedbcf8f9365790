// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <random>
#include <stdexcept>
#include <string>

#include <cub/device/device_radix_sort.cuh>

#include <spruce/base/array.hpp>

#include "benchmark/conversion/vendor_sort.hpp"

namespace spruce::bench {
namespace {

void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string("CUB's radix sort: ") + cudaGetErrorString(status));
    }
}

array<uint64> random_keys(size_type num, int num_bits)
{
    array<uint64> keys{ReferenceExecutor::create(), num};
    std::mt19937_64 engine{3};
    for (size_type i = 0; i < num; ++i) {
        keys.get_data()[i] = engine() >> (64 - num_bits);
    }
    return keys;
}

class cub_sort {
public:
    cub_sort(std::shared_ptr<const CudaExecutor> exec, size_type num, int num_bits)
        : exec_{exec},
          num_bits_{num_bits},
          keys_{exec, random_keys(num, num_bits)},
          sorted_keys_{exec, num},
          values_{exec, num},
          sorted_values_{exec, num},
          workspace_{exec}
    {
        size_t num_bytes{};
        this->call(nullptr, num_bytes);
        workspace_.resize_and_reset(num_bytes);
    }

    void run()
    {
        size_t num_bytes = workspace_.get_size();
        this->call(workspace_.get_data(), num_bytes);
    }

private:
    void call(void* workspace, size_t& num_bytes)
    {
        check(cudaSetDevice(exec_->get_device_id()));  // this program has a CUDA runtime of its own
        check(cub::DeviceRadixSort::SortPairs(workspace, num_bytes, keys_.get_const_data(), sorted_keys_.get_data(),
                                              values_.get_const_data(), sorted_values_.get_data(), keys_.get_size(), 0,
                                              num_bits_, exec_->get_stream()));
    }

    std::shared_ptr<const CudaExecutor> exec_;
    int num_bits_;
    array<uint64> keys_;
    array<uint64> sorted_keys_;
    array<double> values_;
    array<double> sorted_values_;
    array<char> workspace_;
};

}  // namespace

std::function<void()> make_vendor_sort(std::shared_ptr<const Executor> exec, size_type num, int num_bits)
{
    const auto cuda = std::dynamic_pointer_cast<const CudaExecutor>(exec);
    if (!cuda || num == 0 || num_bits < 1 || num_bits > 64) {
        return {};
    }
    const auto sort = std::make_shared<cub_sort>(cuda, num, num_bits);
    return [sort] { sort->run(); };
}

}  // namespace spruce::bench
