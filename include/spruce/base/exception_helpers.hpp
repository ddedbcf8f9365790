// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <typeinfo>

#include <spruce/base/dim.hpp>
#include <spruce/base/exception.hpp>

/// Checks for classes of one's own. Operands may be anything with get_size(), a pointer to such, or a dim<2>.

namespace spruce::detail {

inline dim<2> size_of(const dim<2>& size) { return size; }
template <typename T>
auto size_of(const T& op) -> decltype(dim<2>(op->get_size()))
{
    return op->get_size();
}
template <typename T>
auto size_of(const T& op) -> decltype(dim<2>(op.get_size()))
{
    return op.get_size();
}

template <typename T>
std::string type_name_of(const T& object)
{
    return typeid(object).name();
}

}  // namespace spruce::detail

#define SPRUCE_NOT_IMPLEMENTED                                        \
    {                                                                 \
        throw ::spruce::NotImplemented(__FILE__, __LINE__, __func__); \
    }                                                                 \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_NOT_COMPILED(_module)                                         \
    {                                                                        \
        throw ::spruce::NotCompiled(__FILE__, __LINE__, __func__, #_module); \
    }                                                                        \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_NOT_SUPPORTED(_obj) \
    throw ::spruce::NotSupported(__FILE__, __LINE__, __func__, ::spruce::detail::type_name_of(_obj))
#define SPRUCE_STREAM_ERROR(_message) throw ::spruce::StreamError(__FILE__, __LINE__, __func__, _message)
#define SPRUCE_INVALID_STATE(_message) throw ::spruce::InvalidStateError(__FILE__, __LINE__, __func__, _message)
#define SPRUCE_THROW_IF_INVALID(_condition, _message) \
    if (!(_condition)) {                              \
        SPRUCE_INVALID_STATE(_message);               \
    }                                                 \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_ASSERT_EQ(_a, _b)                                                                               \
    if ((_a) != (_b)) {                                                                                        \
        throw ::spruce::ValueMismatch(__FILE__, __LINE__, __func__, _a, _b, #_a " and " #_b " have to agree"); \
    }                                                                                                          \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_ENSURE_IN_BOUNDS(_index, _bound)                               \
    if ((_index) >= (_bound)) {                                               \
        throw ::spruce::OutOfBoundsError(__FILE__, __LINE__, _index, _bound); \
    }                                                                         \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_ASSERT_SIZES(_condition, _a, _b, _clarification)                                                        \
    {                                                                                                                  \
        const auto a_size = ::spruce::detail::size_of(_a);                                                             \
        const auto b_size = ::spruce::detail::size_of(_b);                                                             \
        if (!(_condition)) {                                                                                           \
            throw ::spruce::DimensionMismatch(__FILE__, __LINE__, __func__, #_a, a_size[0], a_size[1], #_b, b_size[0], \
                                              b_size[1], _clarification);                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_ASSERT_CONFORMANT(_op, _b) \
    SPRUCE_ASSERT_SIZES(a_size[1] == b_size[0], _op, _b, "columns of the first have to be rows of the second")
#define SPRUCE_ASSERT_EQUAL_ROWS(_a, _b) SPRUCE_ASSERT_SIZES(a_size[0] == b_size[0], _a, _b, "as many rows are needed")
#define SPRUCE_ASSERT_EQUAL_COLS(_a, _b) \
    SPRUCE_ASSERT_SIZES(a_size[1] == b_size[1], _a, _b, "as many columns are needed")
#define SPRUCE_ASSERT_EQUAL_DIMENSIONS(_a, _b) SPRUCE_ASSERT_SIZES(a_size == b_size, _a, _b, "equal sizes are needed")
#define SPRUCE_ASSERT_IS_SQUARE_MATRIX(_a) \
    SPRUCE_ASSERT_SIZES(a_size[0] == b_size[1], _a, _a, "a square matrix is needed")
#define SPRUCE_ASSERT_IS_SCALAR(_a) \
    SPRUCE_ASSERT_SIZES(a_size == b_size, _a, (::spruce::dim<2>{1, 1}), "a scalar is 1 x 1")

/// For calls into the libraries of vendors: evaluates the call once and throws the library's exception, with the error code and
/// the call's text, if it does not return 0, which is success in all of them.
#define SPRUCE_ASSERT_NO_ERRORS_OF(_exception, _call)                                            \
    {                                                                                            \
        const auto spruce_error_code = static_cast<::spruce::int64>(_call);                      \
        if (spruce_error_code != 0) {                                                            \
            throw ::spruce::_exception(__FILE__, __LINE__, __func__, spruce_error_code, #_call); \
        }                                                                                        \
    }                                                                                            \
    static_assert(true, "ends with a semicolon")
#define SPRUCE_ASSERT_NO_CUDA_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(CudaError, _call)
#define SPRUCE_ASSERT_NO_CUBLAS_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(CublasError, _call)
#define SPRUCE_ASSERT_NO_CUSPARSE_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(CusparseError, _call)
#define SPRUCE_ASSERT_NO_CURAND_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(CurandError, _call)
#define SPRUCE_ASSERT_NO_CUFFT_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(CufftError, _call)
#define SPRUCE_ASSERT_NO_HIP_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(HipError, _call)
#define SPRUCE_ASSERT_NO_HIPBLAS_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(HipblasError, _call)
#define SPRUCE_ASSERT_NO_HIPSPARSE_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(HipsparseError, _call)
#define SPRUCE_ASSERT_NO_HIPRAND_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(HiprandError, _call)
#define SPRUCE_ASSERT_NO_HIPFFT_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(HipfftError, _call)
#define SPRUCE_ASSERT_NO_MPI_ERRORS(_call) SPRUCE_ASSERT_NO_ERRORS_OF(MpiError, _call)

/// For what only a defect in the library itself can break; checked in debug builds.
#ifdef NDEBUG
#define SPRUCE_ASSERT(_condition) static_cast<void>(0)
#else
#include <cassert>
#define SPRUCE_ASSERT(_condition) assert(_condition)
#endif
