// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/base/topology.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace spruce::detail {

// Linux tells these in files; https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-bus-pci and
// https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-devices-node

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
    std::ifstream file("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist");
    std::string text;
    std::getline(file, text);
    return parse_cpu_list(text);
}

std::vector<int> parse_cpu_list(const std::string& text)
{
    constexpr int most = 1 << 20;  // what is not a list of processing units shall not fill the memory
    std::vector<int> result;
    std::istringstream stream(text);
    int first{};
    while (stream >> first && first >= 0 && first < most) {
        auto last = first;
        if (stream.peek() == '-') {
            stream.get();
            if (!(stream >> last) || last >= most) {
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
