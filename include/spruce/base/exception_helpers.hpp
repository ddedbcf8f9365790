// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <type_traits>
#include <typeinfo>

#include <spruce/base/dim.hpp>
#include <spruce/base/exception.hpp>

/// Contains checks that classes of an application can use, too. An operand is an object with
/// get_size(), a pointer to one, or a dim<2>.

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

constexpr bool is_power_of_two(size_type number) { return number > 0 && (number & (number - 1)) == 0; }

template <typename T>
std::string type_name_of(const T& object)
{
    return typeid(object).name();
}

}  // namespace spruce::detail

// These two macros can be the body of a function or a statement.
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
#define SPRUCE_KERNEL_NOT_FOUND throw ::spruce::KernelNotFound(__FILE__, __LINE__, __func__)
#define SPRUCE_UNSUPPORTED_MATRIX_PROPERTY(_message) \
    throw ::spruce::UnsupportedMatrixProperty(__FILE__, __LINE__, _message)

/// Evaluates the expression _throw unless the condition holds. It is one statement, so it can stand
/// between if and else.
#define SPRUCE_THROW_UNLESS(_condition, _throw) \
    do {                                        \
        if (!(_condition)) {                    \
            _throw;                             \
        }                                       \
    } while (false)
#define SPRUCE_THROW_IF_INVALID(_condition, _message) SPRUCE_THROW_UNLESS(_condition, SPRUCE_INVALID_STATE(_message))
#define SPRUCE_ASSERT_EQ(_a, _b)                                                                          \
    SPRUCE_THROW_UNLESS((_a) == (_b), throw ::spruce::ValueMismatch(__FILE__, __LINE__, __func__, _a, _b, \
                                                                    #_a " and " #_b " have to agree"))
#define SPRUCE_ENSURE_IN_BOUNDS(_index, _bound) \
    SPRUCE_THROW_UNLESS((_index) < (_bound), throw ::spruce::OutOfBoundsError(__FILE__, __LINE__, _index, _bound))
/// Throws AllocationError if _ptr is null, for memory that is not allocated through an executor.
#define SPRUCE_ENSURE_ALLOCATED(_ptr, _device, _size) \
    SPRUCE_THROW_UNLESS((_ptr) != nullptr, throw ::spruce::AllocationError(__FILE__, __LINE__, _device, _size))
#define SPRUCE_ASSERT_BLOCK_SIZE_CONFORMANT(_size, _block_size)                                                      \
    SPRUCE_THROW_UNLESS((_size) % (_block_size) == 0, throw ::spruce::BlockSizeError<std::decay_t<decltype(_size)>>( \
                                                          __FILE__, __LINE__, _block_size, _size))

/// Throws BadDimension unless the condition holds for spruce_a, the size of the operand.
#define SPRUCE_ASSERT_SIZE(_condition, _a, _clarification)                                                           \
    do {                                                                                                             \
        const auto spruce_a = ::spruce::detail::size_of(_a);                                                         \
        SPRUCE_THROW_UNLESS(_condition, throw ::spruce::BadDimension(__FILE__, __LINE__, __func__, #_a, spruce_a[0], \
                                                                     spruce_a[1], _clarification));                  \
    } while (false)
#define SPRUCE_ASSERT_IS_NON_EMPTY_MATRIX(_a) SPRUCE_ASSERT_SIZE(spruce_a, _a, "rows and columns are needed")
#define SPRUCE_ASSERT_IS_VECTOR(_a) \
    SPRUCE_ASSERT_SIZE(spruce_a[0] == 1 || spruce_a[1] == 1, _a, "one row or one column is needed")
#define SPRUCE_ASSERT_IS_POWER_OF_TWO(_number)                                                                 \
    SPRUCE_THROW_UNLESS(::spruce::detail::is_power_of_two(_number),                                            \
                        throw ::spruce::BadDimension(__FILE__, __LINE__, __func__, #_number, _number, _number, \
                                                     "a power of two is needed"))

/// Throws DimensionMismatch unless the condition holds for spruce_a and spruce_b, the sizes of the
/// operands.
#define SPRUCE_ASSERT_SIZES(_condition, _a, _b, _clarification)                                                        \
    do {                                                                                                               \
        const auto spruce_a = ::spruce::detail::size_of(_a);                                                           \
        const auto spruce_b = ::spruce::detail::size_of(_b);                                                           \
        SPRUCE_THROW_UNLESS(                                                                                           \
            _condition, throw ::spruce::DimensionMismatch(__FILE__, __LINE__, __func__, #_a, spruce_a[0], spruce_a[1], \
                                                          #_b, spruce_b[0], spruce_b[1], _clarification));             \
    } while (false)
#define SPRUCE_ASSERT_CONFORMANT(_op, _b) \
    SPRUCE_ASSERT_SIZES(spruce_a[1] == spruce_b[0], _op, _b, "columns of the first have to be rows of the second")
/// Throws DimensionMismatch unless the product b op, with the operator on the right, is defined.
#define SPRUCE_ASSERT_REVERSE_CONFORMANT(_op, _b) \
    SPRUCE_ASSERT_SIZES(spruce_a[0] == spruce_b[1], _op, _b, "rows of the first have to be columns of the second")
#define SPRUCE_ASSERT_EQUAL_ROWS(_a, _b) \
    SPRUCE_ASSERT_SIZES(spruce_a[0] == spruce_b[0], _a, _b, "as many rows are needed")
#define SPRUCE_ASSERT_EQUAL_COLS(_a, _b) \
    SPRUCE_ASSERT_SIZES(spruce_a[1] == spruce_b[1], _a, _b, "as many columns are needed")
#define SPRUCE_ASSERT_EQUAL_DIMENSIONS(_a, _b) \
    SPRUCE_ASSERT_SIZES(spruce_a == spruce_b, _a, _b, "equal sizes are needed")
#define SPRUCE_ASSERT_IS_SQUARE_MATRIX(_a) \
    SPRUCE_ASSERT_SIZES(spruce_a[0] == spruce_b[1], _a, _a, "a square matrix is needed")
#define SPRUCE_ASSERT_IS_SCALAR(_a) \
    SPRUCE_ASSERT_SIZES(spruce_a == spruce_b, _a, (::spruce::dim<2>{1, 1}), "a scalar is 1 x 1")

/// Evaluates a call into a library of a vendor once. If the call does not return 0, which means
/// success in all these libraries, it throws the exception of the library with the error code and
/// the text of the call.
#define SPRUCE_ASSERT_NO_ERRORS_OF(_exception, _call)                                                             \
    do {                                                                                                          \
        const auto spruce_error_code = static_cast<::spruce::int64>(_call);                                       \
        SPRUCE_THROW_UNLESS(spruce_error_code == 0,                                                               \
                            throw ::spruce::_exception(__FILE__, __LINE__, __func__, spruce_error_code, #_call)); \
    } while (false)
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

/// Checks conditions that only a defect of the library itself can break. It is active in debug
/// builds.
#ifdef NDEBUG
#define SPRUCE_ASSERT(_condition) static_cast<void>(0)
#else
#include <cassert>
#define SPRUCE_ASSERT(_condition) assert(_condition)
#endif
