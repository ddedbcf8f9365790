// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Provides Spruce under the names of Ginkgo 1.11, so that applications written for that interface
/// build unchanged. It omits what Spruce does not implement yet; doc/compatibility.md lists what it
/// contains.

// Standard headers that applications expect this header to include.
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <ios>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <ginkgo/config.hpp>
#include <spruce/spruce.hpp>

/// Provides the names of Spruce. It is a namespace instead of an alias, because applications add
/// names to it. The inner namespace kernels is separate as well, because applications define their
/// kernels there. No other inner namespace is, so that "using namespace gko" does not make names
/// like matrix ambiguous.
namespace gko {
using namespace spruce;
namespace kernels {
namespace reference {}
namespace omp {}
namespace cuda {}
namespace hip {}
namespace dpcpp {}
}  // namespace kernels

// C++17 has these templates in its standard library.
namespace xstd {
using std::conjunction;
using std::disjunction;
using std::negation;
using std::void_t;
}  // namespace xstd

template <typename T>
using to_real = remove_complex<T>;

// The following functions call function with converted operands. Ginkgo has an option,
// GINKGO_MIXED_PRECISION, to compute with operands of different precisions without conversion. It
// is 0 here.
template <typename ValueType, typename Function, typename... Operands>
void mixed_precision_dispatch(Function function, Operands*... operands)
{
    spruce::precision_dispatch<ValueType>(std::move(function), operands...);
}
template <typename ValueType, typename Function, typename... Operands>
void mixed_precision_dispatch_real_complex(Function function, Operands*... operands)
{
    spruce::precision_dispatch_real_complex<ValueType>(std::move(function), operands...);
}
}  // namespace gko

#define GKO_HIP_STREAM_STRUCT SPRUCE_HIP_STREAM_STRUCT

#define GKO_ATTRIBUTES SPRUCE_HOST_DEVICE
#define GKO_INLINE SPRUCE_INLINE
#define GKO_DEPRECATED(...) SPRUCE_DEPRECATED(__VA_ARGS__)
#define GKO_BEGIN_DISABLE_DEPRECATION_WARNINGS SPRUCE_BEGIN_DISABLE_DEPRECATION_WARNINGS
#define GKO_END_DISABLE_DEPRECATION_WARNINGS SPRUCE_END_DISABLE_DEPRECATION_WARNINGS

// Operations with kernels of an application.
#define GKO_REGISTER_OPERATION(...) SPRUCE_REGISTER_OPERATION_IN(::gko::kernels, __VA_ARGS__)
#define GKO_REGISTER_HOST_OPERATION(...) SPRUCE_REGISTER_HOST_OPERATION(__VA_ARGS__)

// Factories and their parameters.
#define GKO_CREATE_FACTORY_PARAMETERS(...) SPRUCE_CREATE_FACTORY_PARAMETERS(__VA_ARGS__)
#define GKO_FACTORY_PARAMETER(...) SPRUCE_FACTORY_PARAMETER(__VA_ARGS__)
#define GKO_FACTORY_PARAMETER_SCALAR(...) SPRUCE_FACTORY_PARAMETER_SCALAR(__VA_ARGS__)
#define GKO_FACTORY_PARAMETER_VECTOR(...) SPRUCE_FACTORY_PARAMETER_VECTOR(__VA_ARGS__)
#define GKO_DEFERRED_FACTORY_PARAMETER(...) SPRUCE_DEFERRED_FACTORY_PARAMETER(__VA_ARGS__)
#define GKO_DEFERRED_FACTORY_VECTOR_PARAMETER(...) SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(__VA_ARGS__)
#define GKO_ENABLE_LIN_OP_FACTORY(...) SPRUCE_ENABLE_LIN_OP_FACTORY(__VA_ARGS__)
#define GKO_ENABLE_CRITERION_FACTORY(...) SPRUCE_ENABLE_CRITERION_FACTORY(__VA_ARGS__)
#define GKO_ENABLE_BUILD_METHOD(...) SPRUCE_ENABLE_BUILD_METHOD(__VA_ARGS__)

// Exceptions and checks.
#define GKO_ASSERT(...) SPRUCE_ASSERT(__VA_ARGS__)
#define GKO_NOT_IMPLEMENTED SPRUCE_NOT_IMPLEMENTED
#define GKO_NOT_COMPILED(...) SPRUCE_NOT_COMPILED(__VA_ARGS__)
#define GKO_NOT_SUPPORTED(...) SPRUCE_NOT_SUPPORTED(__VA_ARGS__)
#define GKO_STREAM_ERROR(...) SPRUCE_STREAM_ERROR(__VA_ARGS__)
#define GKO_INVALID_STATE(...) SPRUCE_INVALID_STATE(__VA_ARGS__)
#define GKO_THROW_IF_INVALID(...) SPRUCE_THROW_IF_INVALID(__VA_ARGS__)
#define GKO_ASSERT_EQ(...) SPRUCE_ASSERT_EQ(__VA_ARGS__)
#define GKO_KERNEL_NOT_FOUND SPRUCE_KERNEL_NOT_FOUND
#define GKO_UNSUPPORTED_MATRIX_PROPERTY(...) SPRUCE_UNSUPPORTED_MATRIX_PROPERTY(__VA_ARGS__)
#define GKO_ENSURE_IN_BOUNDS(...) SPRUCE_ENSURE_IN_BOUNDS(__VA_ARGS__)
#define GKO_ENSURE_ALLOCATED(...) SPRUCE_ENSURE_ALLOCATED(__VA_ARGS__)
#define GKO_ASSERT_BLOCK_SIZE_CONFORMANT(...) SPRUCE_ASSERT_BLOCK_SIZE_CONFORMANT(__VA_ARGS__)
#define GKO_ASSERT_IS_NON_EMPTY_MATRIX(...) SPRUCE_ASSERT_IS_NON_EMPTY_MATRIX(__VA_ARGS__)
#define GKO_ASSERT_IS_VECTOR(...) SPRUCE_ASSERT_IS_VECTOR(__VA_ARGS__)
#define GKO_ASSERT_IS_POWER_OF_TWO(...) SPRUCE_ASSERT_IS_POWER_OF_TWO(__VA_ARGS__)
#define GKO_ASSERT_CONFORMANT(...) SPRUCE_ASSERT_CONFORMANT(__VA_ARGS__)
#define GKO_ASSERT_REVERSE_CONFORMANT(...) SPRUCE_ASSERT_REVERSE_CONFORMANT(__VA_ARGS__)
#define GKO_ASSERT_EQUAL_ROWS(...) SPRUCE_ASSERT_EQUAL_ROWS(__VA_ARGS__)
#define GKO_ASSERT_EQUAL_COLS(...) SPRUCE_ASSERT_EQUAL_COLS(__VA_ARGS__)
#define GKO_ASSERT_EQUAL_DIMENSIONS(...) SPRUCE_ASSERT_EQUAL_DIMENSIONS(__VA_ARGS__)
#define GKO_ASSERT_IS_SQUARE_MATRIX(...) SPRUCE_ASSERT_IS_SQUARE_MATRIX(__VA_ARGS__)
#define GKO_ASSERT_IS_SCALAR(...) SPRUCE_ASSERT_IS_SCALAR(__VA_ARGS__)
#define GKO_ASSERT_NO_CUDA_ERRORS(...) SPRUCE_ASSERT_NO_CUDA_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_CUBLAS_ERRORS(...) SPRUCE_ASSERT_NO_CUBLAS_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_CUSPARSE_ERRORS(...) SPRUCE_ASSERT_NO_CUSPARSE_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_CURAND_ERRORS(...) SPRUCE_ASSERT_NO_CURAND_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_CUFFT_ERRORS(...) SPRUCE_ASSERT_NO_CUFFT_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_HIP_ERRORS(...) SPRUCE_ASSERT_NO_HIP_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_HIPBLAS_ERRORS(...) SPRUCE_ASSERT_NO_HIPBLAS_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_HIPSPARSE_ERRORS(...) SPRUCE_ASSERT_NO_HIPSPARSE_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_HIPRAND_ERRORS(...) SPRUCE_ASSERT_NO_HIPRAND_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_HIPFFT_ERRORS(...) SPRUCE_ASSERT_NO_HIPFFT_ERRORS(__VA_ARGS__)
#define GKO_ASSERT_NO_MPI_ERRORS(...) SPRUCE_ASSERT_NO_MPI_ERRORS(__VA_ARGS__)

// Instantiations of templates of an application for the types of the library.
#define GKO_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_TYPE(...) \
    SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_TYPE(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_VALUE_TYPE(...) SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_INDEX_TYPE(...) SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_AND_INDEX_TYPE(...) \
    SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_AND_INDEX_TYPE(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(...) SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_POD_TYPE(...) SPRUCE_INSTANTIATE_FOR_EACH_POD_TYPE(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_VALUE_AND_SCALAR_TYPE(...) \
    SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_SCALAR_TYPE(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_CONVERSION(...) \
    SPRUCE_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_CONVERSION(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_VALUE_CONVERSION(...) SPRUCE_INSTANTIATE_FOR_EACH_VALUE_CONVERSION(__VA_ARGS__)
#define GKO_INSTANTIATE_FOR_EACH_LOCAL_GLOBAL_INDEX_TYPE(...) \
    SPRUCE_INSTANTIATE_FOR_EACH_LOCAL_GLOBAL_INDEX_TYPE(__VA_ARGS__)
