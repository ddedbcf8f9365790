// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/exception.hpp>

#include <string>

#include <spruce/base/exception_helpers.hpp>

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;

template <typename Exception>
void expect_message(const Exception& error, const std::string& expected)
{
    static_assert(std::is_base_of_v<spruce::Error, Exception> && std::is_base_of_v<std::exception, Exception>);
    EXPECT_EQ(std::string(error.what()), "file.cpp:12: " + expected);
    try {
        throw error;
    } catch (const spruce::Error& caught) {
        EXPECT_EQ(std::string(caught.what()), "file.cpp:12: " + expected);
    }
}

TEST(Exception, SaysWhereAndWhat)
{
    expect_message(spruce::Error("file.cpp", 12, "something"), "something");
    expect_message(spruce::NotImplemented("file.cpp", 12, "f"), "f is not implemented");
    expect_message(spruce::NotCompiled("file.cpp", 12, "f", "cuda"), "f: cuda is not available");
    expect_message(spruce::NotSupported("file.cpp", 12, "f", "Coo"), "f is not supported for Coo");
    expect_message(spruce::DimensionMismatch("file.cpp", 12, "f", "A", 4, 5, "b", 6, 1, "b needs 5 rows"),
                   "f: A is 4 x 5, but b is 6 x 1: b needs 5 rows");
    expect_message(spruce::BadDimension("file.cpp", 12, "f", "A", 4, 5, "it has to be square"),
                   "f: A is 4 x 5: it has to be square");
    expect_message(spruce::ValueMismatch("file.cpp", 12, "f", 3, 4, "lengths agree"),
                   "f: 3 and 4 differ: lengths agree");
    expect_message(spruce::AllocationError("file.cpp", 12, "host", 99), "host: could not allocate 99 bytes");
    expect_message(spruce::OutOfBoundsError("file.cpp", 12, 7, 5), "index 7 is not below the bound 5");
    expect_message(spruce::OverflowError("file.cpp", 12, "int32"), "a size does not fit the index type int32");
    expect_message(spruce::StreamError("file.cpp", 12, "read", "line 3: no number"), "read: line 3: no number");
    expect_message(spruce::KernelNotFound("file.cpp", 12, "f"), "f: no suitable kernel was found");
    expect_message(spruce::UnsupportedMatrixProperty("file.cpp", 12, "zero pivot"), "zero pivot");
    expect_message(spruce::InvalidStateError("file.cpp", 12, "f", "not ready"), "f: not ready");
    expect_message(spruce::BlockSizeError<int>("file.cpp", 12, 3, 10), "block size 3 does not divide the size 10");
    expect_message(spruce::CudaError("file.cpp", 12, "f", 700), "f: CudaError code 700");
    expect_message(spruce::CudaError("file.cpp", 12, "f", 700, "illegal access"),
                   "f: CudaError code 700: illegal access");
    expect_message(spruce::HipError("file.cpp", 12, "f", 1), "f: HipError code 1");
    expect_message(spruce::CublasError("file.cpp", 12, "f", 1), "f: CublasError code 1");
    expect_message(spruce::CusparseError("file.cpp", 12, "f", 1), "f: CusparseError code 1");
    expect_message(spruce::HipblasError("file.cpp", 12, "f", 1), "f: HipblasError code 1");
    expect_message(spruce::HipsparseError("file.cpp", 12, "f", 1), "f: HipsparseError code 1");
    expect_message(spruce::CurandError("file.cpp", 12, "f", 1), "f: CurandError code 1");
    expect_message(spruce::CufftError("file.cpp", 12, "f", 1), "f: CufftError code 1");
    expect_message(spruce::HiprandError("file.cpp", 12, "f", 1), "f: HiprandError code 1");
    expect_message(spruce::HipfftError("file.cpp", 12, "f", 1), "f: HipfftError code 1");
    expect_message(spruce::MpiError("file.cpp", 12, "f", 1), "f: MpiError code 1");
    expect_message(spruce::MetisError("file.cpp", 12, "f", "too few parts"), "f: too few parts");
}

struct sized {
    dim<2> get_size() const { return size; }
    dim<2> size;
};

[[maybe_unused]] void not_implemented() SPRUCE_NOT_IMPLEMENTED;
[[maybe_unused]] void not_compiled() SPRUCE_NOT_COMPILED(cuda);

TEST(ExceptionHelpers, ReplaceFunctionBodies)
{
    EXPECT_THROW_WITH(not_implemented(), spruce::NotImplemented, "not_implemented is not implemented");
    EXPECT_THROW_WITH(not_compiled(), spruce::NotCompiled, "not_compiled: cuda is not available");
}

TEST(ExceptionHelpers, CompareSizesOfObjectsPointersAndDims)
{
    const sized wide{{2, 3}};
    const auto tall = std::make_unique<sized>(sized{{3, 2}});
    const auto check = [&] {
        SPRUCE_ASSERT_CONFORMANT(wide, tall);
        SPRUCE_ASSERT_CONFORMANT((dim<2>{2, 3}), tall);
        SPRUCE_ASSERT_REVERSE_CONFORMANT(wide, (dim<2>{4, 2}));
        SPRUCE_ASSERT_EQUAL_ROWS(wide, (dim<2>{2, 9}));
        SPRUCE_ASSERT_EQUAL_COLS(wide, (dim<2>{9, 3}));
        SPRUCE_ASSERT_EQUAL_DIMENSIONS(wide, (dim<2>{2, 3}));
        SPRUCE_ASSERT_IS_SQUARE_MATRIX((dim<2>{3, 3}));
        SPRUCE_ASSERT_IS_SCALAR((dim<2>{1, 1}));
        SPRUCE_ASSERT_EQ(3, 3);
        SPRUCE_ENSURE_IN_BOUNDS(2, 3);
        SPRUCE_THROW_IF_INVALID(true, "never");
    };
    EXPECT_NO_THROW(check());

    EXPECT_THROW_WITH(SPRUCE_ASSERT_CONFORMANT(wide, wide), spruce::DimensionMismatch,
                      "wide is 2 x 3, but wide is 2 x 3");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_REVERSE_CONFORMANT(wide, wide), spruce::DimensionMismatch,
                      "rows of the first have to be columns of the second");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_EQUAL_ROWS(wide, tall), spruce::DimensionMismatch, "as many rows");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_EQUAL_COLS(wide, tall), spruce::DimensionMismatch, "as many columns");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_EQUAL_DIMENSIONS(wide, tall), spruce::DimensionMismatch, "equal sizes");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_IS_SQUARE_MATRIX(wide), spruce::DimensionMismatch, "square");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_IS_SCALAR(wide), spruce::DimensionMismatch, "1 x 1");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_EQ(3, 4), spruce::ValueMismatch, "3 and 4 differ");
    EXPECT_THROW_WITH(SPRUCE_ENSURE_IN_BOUNDS(3, 3), spruce::OutOfBoundsError, "index 3 is not below the bound 3");
    EXPECT_THROW_WITH(SPRUCE_THROW_IF_INVALID(false, "not now"), spruce::InvalidStateError, "not now");
    EXPECT_THROW_WITH(SPRUCE_STREAM_ERROR("line 3"), spruce::StreamError, "line 3");
    EXPECT_THROW_WITH(SPRUCE_INVALID_STATE("broken"), spruce::InvalidStateError, "broken");
    EXPECT_THROW(SPRUCE_NOT_SUPPORTED(wide), spruce::NotSupported);
}

TEST(ExceptionHelpers, CheckOneSizeOrNumber)
{
    const sized row{{1, 3}};
    const auto check = [&] {
        SPRUCE_ASSERT_IS_VECTOR(row);
        SPRUCE_ASSERT_IS_VECTOR((dim<2>{3, 1}));
        SPRUCE_ASSERT_IS_NON_EMPTY_MATRIX(row);
        SPRUCE_ASSERT_IS_POWER_OF_TWO(1);
        SPRUCE_ASSERT_IS_POWER_OF_TWO(64);
        SPRUCE_ASSERT_BLOCK_SIZE_CONFORMANT(spruce::size_type{6}, 3);
        SPRUCE_ENSURE_ALLOCATED(&row, "host", 8);
    };
    EXPECT_NO_THROW(check());

    EXPECT_THROW_WITH(SPRUCE_ASSERT_IS_VECTOR((dim<2>{2, 3})), spruce::BadDimension, "one row or one column is needed");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_IS_NON_EMPTY_MATRIX((dim<2>{0, 3})), spruce::BadDimension, "0 x 3");
    for (const auto number : {0, 3, 6}) {
        EXPECT_THROW_WITH(SPRUCE_ASSERT_IS_POWER_OF_TWO(number), spruce::BadDimension, "number is ");
    }
    EXPECT_THROW_WITH(SPRUCE_ASSERT_BLOCK_SIZE_CONFORMANT(7, 3), spruce::BlockSizeError<int>,
                      "block size 3 does not divide the size 7");
    EXPECT_THROW_WITH(SPRUCE_ENSURE_ALLOCATED(static_cast<int*>(nullptr), "host", 8), spruce::AllocationError,
                      "host: could not allocate 8 bytes");
    EXPECT_THROW(SPRUCE_KERNEL_NOT_FOUND, spruce::KernelNotFound);
    EXPECT_THROW_WITH(SPRUCE_UNSUPPORTED_MATRIX_PROPERTY("singular"), spruce::UnsupportedMatrixProperty, "singular");
}

TEST(ExceptionHelpers, AreStatements)
{
    // The macro accepts operands of any name, and it may precede else.
    const auto check = [](bool condition, const dim<2>& size, const dim<2>& a_size, int code) {
        if (condition)
            SPRUCE_ASSERT_CONFORMANT(size, a_size);
        else
            SPRUCE_ASSERT_NO_HIP_ERRORS(code);
    };

    EXPECT_NO_THROW(check(true, {2, 3}, {3, 2}, 1));
    EXPECT_NO_THROW(check(false, {2, 3}, {2, 3}, 0));
    EXPECT_THROW(check(true, {2, 3}, {2, 3}, 0), spruce::DimensionMismatch);
    EXPECT_THROW(check(false, {2, 3}, {3, 2}, 1), spruce::HipError);
}

TEST(ExceptionHelpers, ThrowWhatTheLibrariesOfVendorsReturn)
{
    enum class status { success, failure = 7 };
    int num_calls{};
    const auto returns = [&](auto code) {
        ++num_calls;
        return code;
    };
    const auto all_succeed = [&] {
        SPRUCE_ASSERT_NO_CUDA_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_CUBLAS_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_CUSPARSE_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_CURAND_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_CUFFT_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_HIP_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_HIPBLAS_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_HIPSPARSE_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_HIPRAND_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_HIPFFT_ERRORS(returns(status::success));
        SPRUCE_ASSERT_NO_MPI_ERRORS(returns(status::success));
    };

    EXPECT_NO_THROW(all_succeed());
    EXPECT_EQ(num_calls, 11);
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_CUDA_ERRORS(returns(7)), spruce::CudaError, "CudaError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_CUBLAS_ERRORS(returns(7)), spruce::CublasError,
                      "CublasError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_CUSPARSE_ERRORS(returns(7)), spruce::CusparseError,
                      "CusparseError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_CURAND_ERRORS(returns(7)), spruce::CurandError,
                      "CurandError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_CUFFT_ERRORS(returns(7)), spruce::CufftError, "CufftError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_HIP_ERRORS(returns(7)), spruce::HipError, "HipError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_HIPBLAS_ERRORS(returns(7)), spruce::HipblasError,
                      "HipblasError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_HIPSPARSE_ERRORS(returns(7)), spruce::HipsparseError,
                      "HipsparseError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_HIPRAND_ERRORS(returns(7)), spruce::HiprandError,
                      "HiprandError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_HIPFFT_ERRORS(returns(7)), spruce::HipfftError,
                      "HipfftError code 7: returns(7)");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_MPI_ERRORS(returns(7)), spruce::MpiError, "MpiError code 7: returns(7)");
    EXPECT_EQ(num_calls, 22);
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_CUDA_ERRORS(returns(status::failure)), spruce::CudaError, "code 7");
    EXPECT_THROW_WITH(SPRUCE_ASSERT_NO_MPI_ERRORS(returns(-1)), spruce::MpiError, "code -1");
}

}  // namespace
