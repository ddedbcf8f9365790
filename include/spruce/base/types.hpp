// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include <spruce/config.hpp>

/// Marks what the shared library exports. Other symbols are hidden.
#define SPRUCE_EXPORT __attribute__((visibility("default")))
#define SPRUCE_DEPRECATED(_msg) [[deprecated(_msg)]]
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SPRUCE_HOST_DEVICE __host__ __device__
#else
#define SPRUCE_HOST_DEVICE
#endif
#define SPRUCE_INLINE inline

/// Encloses code that uses deprecated names on purpose. The compiler does not warn about them
/// there.
#define SPRUCE_BEGIN_DISABLE_DEPRECATION_WARNINGS \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define SPRUCE_END_DISABLE_DEPRECATION_WARNINGS _Pragma("GCC diagnostic pop")

/// Instantiates the template in a declaration. The declaration may begin with the keyword template
/// or omit it.
#define SPRUCE_INSTANTIATE(...) SPRUCE_INSTANTIATE_EXPANDED(__VA_ARGS__)
#define SPRUCE_INSTANTIATE_EXPANDED(...) \
    SPRUCE_INSTANTIATE_KEYWORD_UNLESS(SPRUCE_INSTANTIATE_BEGINS_WITH_##__VA_ARGS__, ~) __VA_ARGS__
// The first argument of the macros below is GIVEN if the declaration begins with template.
// Otherwise it is a name that is not a macro.
#define SPRUCE_INSTANTIATE_BEGINS_WITH_template GIVEN,
#define SPRUCE_INSTANTIATE_KEYWORD_UNLESS(...) SPRUCE_INSTANTIATE_KEYWORD_UNLESS_FIRST(__VA_ARGS__)
#define SPRUCE_INSTANTIATE_KEYWORD_UNLESS_FIRST(_first, ...) \
    SPRUCE_INSTANTIATE_SECOND(SPRUCE_INSTANTIATE_IF_##_first, template, ~)
#define SPRUCE_INSTANTIATE_IF_GIVEN ~,
#define SPRUCE_INSTANTIATE_SECOND(...) SPRUCE_INSTANTIATE_SECOND_OF(__VA_ARGS__)
#define SPRUCE_INSTANTIATE_SECOND_OF(_first, _second, ...) _second

// SPRUCE_INSTANTIATE_FOR_EACH_... instantiates what _macro(types...) declares, for instance for
// each value type of the library or for each pair of value type and index type.
#define SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_TYPE(_macro) \
    SPRUCE_INSTANTIATE(_macro(float));                             \
    SPRUCE_INSTANTIATE(_macro(double))
#define SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(_macro) \
    SPRUCE_INSTANTIATE(_macro(float));                 \
    SPRUCE_INSTANTIATE(_macro(double));                \
    SPRUCE_INSTANTIATE(_macro(std::complex<float>));   \
    SPRUCE_INSTANTIATE(_macro(std::complex<double>))
#define SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(_macro) \
    SPRUCE_INSTANTIATE(_macro(std::int32_t));          \
    SPRUCE_INSTANTIATE(_macro(std::int64_t))
#define SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_AND_INDEX_TYPE(_macro) \
    SPRUCE_INSTANTIATE(_macro(float, std::int32_t));                         \
    SPRUCE_INSTANTIATE(_macro(double, std::int32_t));                        \
    SPRUCE_INSTANTIATE(_macro(float, std::int64_t));                         \
    SPRUCE_INSTANTIATE(_macro(double, std::int64_t))
#define SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(_macro)    \
    SPRUCE_INSTANTIATE(_macro(float, std::int32_t));                \
    SPRUCE_INSTANTIATE(_macro(double, std::int32_t));               \
    SPRUCE_INSTANTIATE(_macro(std::complex<float>, std::int32_t));  \
    SPRUCE_INSTANTIATE(_macro(std::complex<double>, std::int32_t)); \
    SPRUCE_INSTANTIATE(_macro(float, std::int64_t));                \
    SPRUCE_INSTANTIATE(_macro(double, std::int64_t));               \
    SPRUCE_INSTANTIATE(_macro(std::complex<float>, std::int64_t));  \
    SPRUCE_INSTANTIATE(_macro(std::complex<double>, std::int64_t))
#define SPRUCE_INSTANTIATE_FOR_EACH_POD_TYPE(_macro) \
    SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(_macro);  \
    SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(_macro)
// Pairs each value type with itself and, if it is complex, with its real type.
#define SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_SCALAR_TYPE(_macro)           \
    SPRUCE_INSTANTIATE(_macro(float, float));                               \
    SPRUCE_INSTANTIATE(_macro(double, double));                             \
    SPRUCE_INSTANTIATE(_macro(std::complex<float>, std::complex<float>));   \
    SPRUCE_INSTANTIATE(_macro(std::complex<double>, std::complex<double>)); \
    SPRUCE_INSTANTIATE(_macro(std::complex<float>, float));                 \
    SPRUCE_INSTANTIATE(_macro(std::complex<double>, double))
// Pairs each value type with the value type of the other precision. Both are real or both are
// complex.
#define SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_CONVERSION(_macro) \
    SPRUCE_INSTANTIATE(_macro(float, double));                           \
    SPRUCE_INSTANTIATE(_macro(double, float))
#define SPRUCE_INSTANTIATE_FOR_EACH_VALUE_CONVERSION(_macro)               \
    SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_CONVERSION(_macro);      \
    SPRUCE_INSTANTIATE(_macro(std::complex<float>, std::complex<double>)); \
    SPRUCE_INSTANTIATE(_macro(std::complex<double>, std::complex<float>))
// Pairs index types of a part of a matrix (local) with those of the whole matrix (global).
#define SPRUCE_INSTANTIATE_FOR_EACH_LOCAL_GLOBAL_INDEX_TYPE(_macro) \
    SPRUCE_INSTANTIATE(_macro(std::int32_t, std::int32_t));         \
    SPRUCE_INSTANTIATE(_macro(std::int32_t, std::int64_t));         \
    SPRUCE_INSTANTIATE(_macro(std::int64_t, std::int64_t))

/// Provides sparse linear algebra on CPUs and GPUs.
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

/// Returns the index that marks padding: -1, or the largest number if the type is unsigned.
template <typename IndexType>
constexpr IndexType invalid_index()
{
    return static_cast<IndexType>(-1);
}

/// Lists the two layouts of a Matrix Market file: all entries column by column, or (row, column,
/// value) triples.
enum class layout_type { array, coordinate };

}  // namespace spruce
