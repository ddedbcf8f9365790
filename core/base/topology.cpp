// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/topology.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

namespace spruce::detail {

// Linux provides this information in files, see
// https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-bus-pci and
// https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-devices-node, .../stable/sysfs-devices-system-cpu

namespace {

std::vector<int> read_cpu_list(const std::string& path)
{
    std::ifstream file(path);
    std::string text;
    std::getline(file, text);
    return parse_cpu_list(text);
}

}  // namespace

int numa_node_of_pci_device(int domain, int bus, int device)
{
    char path[80];
    std::snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.0/numa_node", static_cast<unsigned>(domain),
                  static_cast<unsigned>(bus), static_cast<unsigned>(device));
    std::ifstream file(path);
    int node{};
    return file >> node && node >= 0 ? node : -1;
}

std::vector<int> processing_units_of_numa_node(int node)
{
    return read_cpu_list("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist");
}

core_counts count_cores()
{
    std::vector<int> cores;
    for (const auto unit : read_cpu_list("/sys/devices/system/cpu/online")) {
        const auto siblings =
            read_cpu_list("/sys/devices/system/cpu/cpu" + std::to_string(unit) + "/topology/thread_siblings_list");
        cores.push_back(siblings.empty() ? unit : siblings.front());
    }
    return cores.empty() ? core_counts{static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)), 1}
                         : count_cores(std::move(cores));
}

core_counts count_cores(std::vector<int> core_of_each_unit)
{
    core_counts result{};
    std::sort(core_of_each_unit.begin(), core_of_each_unit.end());
    const auto end = core_of_each_unit.end();
    for (auto begin = core_of_each_unit.begin(); begin != end; ++result.num_cores) {
        const auto next = std::upper_bound(begin, end, *begin);
        result.num_threads_per_core = std::max(result.num_threads_per_core, static_cast<int>(next - begin));
        begin = next;
    }
    return result;
}

std::vector<int> parse_cpu_list(const std::string& text)
{
    // The bound limits the memory for text that is not a list of processing units.
    constexpr int max_units = 1 << 20;
    std::vector<int> result;
    std::istringstream stream(text);
    int first{};
    while (stream >> first && first >= 0 && first < max_units) {
        auto last = first;
        if (stream.peek() == '-') {
            stream.get();
            if (!(stream >> last) || last >= max_units) {
                break;
            }
        }
        for (auto unit = first; unit <= last; ++unit) {
            result.push_back(unit);
        }
        if (stream.get() != ',') {
            break;
        }
    }
    return result;
}

}  // namespace spruce::detail
