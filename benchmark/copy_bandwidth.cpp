// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/copy_bandwidth.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

#include "core/base/build_config.hpp"
#if SPRUCE_WITH_OMP
#include <omp.h>
#endif

#include <spruce/matrix/dense.hpp>

#include "benchmark/interrupt.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

constexpr size_type mebibyte = size_type{1} << 20;

/// Returns the total size of all last-level caches in bytes, or 0 if the system does not report it.
/// (sysconf counts caches of processors that a virtual machine does not have.)
size_type last_level_cache_bytes()
{
    std::map<std::string, size_type> caches;  // key: the processors that share the cache
    for (int cpu = 0;; ++cpu) {
        const auto folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index3/";
        std::string sharing_cpus;
        size_type kibibytes{};  // the file contains text such as "32768K"
        if (!(std::ifstream(folder + "shared_cpu_list") >> sharing_cpus) ||
            !(std::ifstream(folder + "size") >> kibibytes)) {
            break;
        }
        caches[sharing_cpus] = 1024 * kibibytes;
    }
    size_type total = 0;
    for (const auto& cache : caches) {
        total += cache.second;
    }
    return total;
}

size_type free_host_memory()
{
    return static_cast<size_type>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<size_type>(sysconf(_SC_PAGESIZE));
}

size_type choose_array_bytes(const Executor& exec)
{
    if (const auto gpu = dynamic_cast<const detail::GpuExecutor*>(&exec)) {
        // This exceeds the caches of current devices (up to 256 MiB) by far, unless the device is
        // small or simulated.
        return std::min(1024 * mebibyte, gpu->get_gpu_properties().total_memory / 16);
    }
    return std::min(std::max(256 * mebibyte, 4 * last_level_cache_bytes()), free_host_memory() / 4);
}

#if SPRUCE_WITH_OMP
/// Copies the array by memcpy, with a share for each thread.
void copy_on_all_threads(const double* from, double* to, size_type size)
{
#pragma omp parallel
    {
        const auto thread = static_cast<size_type>(omp_get_thread_num());
        const auto num_threads = static_cast<size_type>(omp_get_num_threads());
        const auto begin = size * thread / num_threads;
        const auto end = size * (thread + 1) / num_threads;
        std::memcpy(to + begin, from + begin, (end - begin) * sizeof(double));
    }
}
#endif

/// Returns the median of at most 20 measurements in seconds, after one that is ignored. The result
/// is zero if there are none.
double measure_median(stopwatch& watch, int repetitions, const std::function<void()>& function)
{
    watch.measure(1, function);
    std::vector<double> seconds;
    for (int repetition = 0; repetition < std::min(repetitions, 20) && !was_interrupted(); ++repetition) {
        seconds.push_back(watch.measure(1, function));
    }
    return seconds.empty() ? 0.0 : median(seconds);
}

}  // namespace

std::unique_ptr<matrix::Dense<double>> create_large_vector(std::shared_ptr<const Executor> exec)
{
    const auto size = std::max<size_type>(choose_array_bytes(*exec) / sizeof(double), 1);
    auto result = matrix::Dense<double>::create(exec, dim<2>{size, 1});
    result->fill(1.0);
    return result;
}

std::vector<copy_method> copy_methods(const matrix::Dense<double>& from, matrix::Dense<double>& to)
{
    const auto exec = from.get_executor();
    const auto size = from.get_size()[0];
    std::vector<copy_method> methods{
        {"Executor::copy", [&from, &to, exec, size] { exec->copy(size, from.get_const_values(), to.get_values()); }},
        {"Dense::copy_from", [&from, &to] { to.copy_from(&from); }}};
#if SPRUCE_WITH_OMP
    if (exec->get_backend() == backend::omp) {
        methods.push_back({"memcpy on all threads", [&from, &to, size] {
                               copy_on_all_threads(from.get_const_values(), to.get_values(), size);
                           }});
    }
#endif
    return methods;
}

copy_bandwidth measure_copy(std::shared_ptr<const Executor> exec, int repetitions)
{
    const auto from = create_large_vector(exec);
    const auto to = create_large_vector(exec);
    copy_bandwidth best;
    best.array_bytes = from->get_size()[0] * sizeof(double);
    stopwatch watch{exec};
    for (const auto& method : copy_methods(*from, *to)) {
        const auto seconds = measure_median(watch, repetitions, method.copy);
        if (seconds == 0) {
            break;
        }
        const auto bytes_per_second = 2.0 * static_cast<double>(best.array_bytes) / seconds;
        if (bytes_per_second > best.bytes_per_second) {
            best.bytes_per_second = bytes_per_second;
            best.method = method.name;
        }
    }
    return best;
}

}  // namespace spruce::bench
