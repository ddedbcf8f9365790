// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/version.hpp>

#include <ostream>

#include "core/base/device_runtime.hpp"

namespace spruce {
namespace {

constexpr version library_version{SPRUCE_VERSION_MAJOR, SPRUCE_VERSION_MINOR, SPRUCE_VERSION_PATCH, SPRUCE_VERSION_TAG};
// Applications compare this tag to determine which backends are available.
constexpr version missing_version{SPRUCE_VERSION_MAJOR, SPRUCE_VERSION_MINOR, SPRUCE_VERSION_PATCH, "not compiled"};

version version_of(backend which) noexcept { return detail::is_compiled(which) ? library_version : missing_version; }

}  // namespace

version version_info::get_core_version() noexcept { return library_version; }
version version_info::get_reference_version() noexcept { return version_of(backend::reference); }
version version_info::get_omp_version() noexcept { return version_of(backend::omp); }
version version_info::get_cuda_version() noexcept { return version_of(backend::cuda); }
version version_info::get_hip_version() noexcept { return version_of(backend::hip); }
version version_info::get_dpcpp_version() noexcept { return missing_version; }

std::ostream& operator<<(std::ostream& os, const version& v)
{
    os << v.major << '.' << v.minor << '.' << v.patch;
    if (v.tag && *v.tag) {
        os << " (" << v.tag << ')';
    }
    return os;
}

std::ostream& operator<<(std::ostream& os, const version_info& info)
{
    return os << "This is Spruce " << info.header_version << '\n'
              << "    running with core module " << info.core_version << '\n'
              << "    the reference module is  " << info.reference_version << '\n'
              << "    the omp module is        " << info.omp_version << '\n'
              << "    the cuda module is       " << info.cuda_version << '\n'
              << "    the hip module is        " << info.hip_version << '\n'
              << "    the dpcpp module is      " << info.dpcpp_version << '\n';
}

}  // namespace spruce
