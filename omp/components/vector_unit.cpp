// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "omp/components/vector_unit.hpp"

#include <fstream>
#include <string>

namespace spruce::kernels::omp {
namespace {

vector_unit find_vector_unit()
{
#ifdef SPRUCE_HAS_VECTOR_UNITS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        const auto has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                __builtin_cpu_supports("avx512vl");
        return has_avx512 ? vector_unit::avx512 : vector_unit::avx2;
    }
#endif
    return vector_unit::baseline;
}

bool find_fast_gathers()
{
#ifdef SPRUCE_HAS_VECTOR_UNITS
    if (machine_vector_unit() == vector_unit::avx512 && __builtin_cpu_is("intel")) {
        std::ifstream file{"/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"};
        std::string line;
        return std::getline(file, line) && line == "Not affected";
    }
#endif
    return false;
}

}  // namespace

vector_unit machine_vector_unit()
{
    static const auto unit = find_vector_unit();
    return unit;
}

bool has_fast_gathers()
{
    static const auto result = find_fast_gathers();
    return result;
}

}  // namespace spruce::kernels::omp
