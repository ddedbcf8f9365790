// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include <spruce/config.hpp>

/// Marks what the shared library offers; everything else is hidden.
#define SPRUCE_EXPORT __attribute__((visibility("default")))
#define SPRUCE_DEPRECATED(_msg) [[deprecated(_msg)]]
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SPRUCE_ATTRIBUTES __host__ __device__
#else
#define SPRUCE_ATTRIBUTES
#endif
#define SPRUCE_INLINE inline

/// Calls _macro(ValueType) for each value type of the library; other forms likewise.
#define SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_TYPE(_macro) \
    template _macro(float);                                        \
    template _macro(double)
#define SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(_macro) \
    template _macro(float);                            \
    template _macro(double);                           \
    template _macro(std::complex<float>);              \
    template _macro(std::complex<double>)
#define SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(_macro) \
    template _macro(std::int32_t);                     \
    template _macro(std::int64_t)
#define SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(_macro) \
    template _macro(float, std::int32_t);                        \
    template _macro(double, std::int32_t);                       \
    template _macro(std::complex<float>, std::int32_t);          \
    template _macro(std::complex<double>, std::int32_t);         \
    template _macro(float, std::int64_t);                        \
    template _macro(double, std::int64_t);                       \
    template _macro(std::complex<float>, std::int64_t);          \
    template _macro(std::complex<double>, std::int64_t)

/// Sparse linear algebra on CPUs and GPUs.
namespace spruce {

using size_type = std::size_t;
using int8 = std::int8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using uintptr = std::uintptr_t;
using float32 = float;
using float64 = double;
using full_precision = double;
using default_precision = double;

/// The two layouts of a Matrix Market file: every entry column by column, or (row, column, value) triples.
enum class layout_type { array, coordinate };

}  // namespace spruce
