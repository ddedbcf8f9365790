// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::detail {

/// The NUMA node next to a device on the PCI bus; -1 if the system does not say.
SPRUCE_EXPORT int numa_node_of_pci_device(int domain, int bus, int device);

/// The numbers of the processing units of a NUMA node; none if the system does not say.
SPRUCE_EXPORT std::vector<int> processing_units_of_numa_node(int node);

struct core_counts {
    int num_cores;
    int num_threads_per_core;  ///< of the core that runs most
};

/// What the machine has; one thread on each processing unit if the system does not say.
core_counts count_cores();

/// The same from the numbers of the cores that the processing units belong to.
SPRUCE_EXPORT core_counts count_cores(std::vector<int> core_of_each_unit);

/// "0-2,8" as the system writes it is 0, 1, 2, 8; what cannot be understood ends the list.
SPRUCE_EXPORT std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace spruce::detail
