// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::detail {

/// Returns the NUMA node that is closest to a device on the PCI bus, or -1 if it is unknown.
SPRUCE_EXPORT int numa_node_of_pci_device(int domain, int bus, int device);

/// Returns the numbers of the processing units of a NUMA node. The result is empty if they are
/// unknown.
SPRUCE_EXPORT std::vector<int> processing_units_of_numa_node(int node);

struct core_counts {
    int num_cores;
    int num_threads_per_core;  ///< of the core with the most threads
};

/// Returns the numbers of cores and threads of the machine. If they are unknown, each processing
/// unit counts as a core with one thread.
core_counts count_cores();

/// Returns the numbers of cores and threads, given the core of each processing unit.
SPRUCE_EXPORT core_counts count_cores(std::vector<int> core_of_each_unit);

/// Parses lists as the system writes them: "0-2,8" is 0, 1, 2, 8. Parsing stops at the first
/// invalid text.
SPRUCE_EXPORT std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace spruce::detail
