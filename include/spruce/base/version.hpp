// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>

#include <spruce/base/types.hpp>

namespace spruce {

/// Holds the version of one module. Comparisons use only the numbers. The tag is
/// informative ("develop", "not compiled").
struct version {
    const uint64 major;
    const uint64 minor;
    const uint64 patch;
    const char* const tag;

    friend constexpr bool operator==(const version& a, const version& b)
    {
        return a.major == b.major && a.minor == b.minor && a.patch == b.patch;
    }
    friend constexpr bool operator!=(const version& a, const version& b) { return !(a == b); }
    friend constexpr bool operator<(const version& a, const version& b)
    {
        if (a.major != b.major) {
            return a.major < b.major;
        }
        return a.minor != b.minor ? a.minor < b.minor : a.patch < b.patch;
    }
    friend constexpr bool operator>(const version& a, const version& b) { return b < a; }
    friend constexpr bool operator<=(const version& a, const version& b) { return !(b < a); }
    friend constexpr bool operator>=(const version& a, const version& b) { return !(a < b); }
};

/// Prints "1.2.3 (tag)", or "1.2.3" if the tag is empty.
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& os, const version& v);

/// Holds the versions of the headers in use and of the modules in the library. The tag of a module
/// that is not part of the library is "not compiled".
class version_info {
public:
    static const version_info& get()
    {
        static const version_info info{};
        return info;
    }

    version header_version;
    version core_version;
    version reference_version;
    version omp_version;
    version cuda_version;
    version hip_version;
    version dpcpp_version;  ///< never compiled

private:
    // The constructor is inline, so that header_version is that of the headers that the caller is
    // compiled with.
    version_info()
        : header_version{SPRUCE_VERSION_MAJOR, SPRUCE_VERSION_MINOR, SPRUCE_VERSION_PATCH, SPRUCE_VERSION_TAG},
          core_version{get_core_version()},
          reference_version{get_reference_version()},
          omp_version{get_omp_version()},
          cuda_version{get_cuda_version()},
          hip_version{get_hip_version()},
          dpcpp_version{get_dpcpp_version()}
    {}

    SPRUCE_EXPORT static version get_core_version() noexcept;
    SPRUCE_EXPORT static version get_reference_version() noexcept;
    SPRUCE_EXPORT static version get_omp_version() noexcept;
    SPRUCE_EXPORT static version get_cuda_version() noexcept;
    SPRUCE_EXPORT static version get_hip_version() noexcept;
    SPRUCE_EXPORT static version get_dpcpp_version() noexcept;
};

/// Prints one line for each module.
SPRUCE_EXPORT std::ostream& operator<<(std::ostream& os, const version_info& info);

}  // namespace spruce
