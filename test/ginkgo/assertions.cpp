// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Checks arguments by the macros that applications use in their own functions.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

void not_there() GKO_NOT_IMPLEMENTED;
void without_module() GKO_NOT_COMPILED(module);

// Each macro is one statement.
static void between_if_and_else(bool condition, int a, int b)
{
    if (condition)
        GKO_ASSERT_EQ(a, b);
    else
        GKO_ENSURE_IN_BOUNDS(a, b);
}

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto tall = gko::matrix::Dense<double>::create(exec, gko::dim<2>(3, 2));
    const auto wide = gko::matrix::Dense<double>::create(exec, gko::dim<2>(2, 3));
    // Variables with these names must not affect the macros.
    const auto size = gko::dim<2>(1, 2);
    const auto a_size = gko::dim<2>(2, 2);

    GKO_ASSERT_CONFORMANT(tall, wide);
    GKO_ASSERT_CONFORMANT(size, a_size);
    GKO_ASSERT_CONFORMANT(tall.get(), *wide);
    GKO_ASSERT_EQUAL_ROWS(tall, gko::dim<2>(3, 7));
    GKO_ASSERT_EQUAL_COLS(tall, gko::dim<2>(7, 2));
    GKO_ASSERT_EQUAL_DIMENSIONS(tall, gko::dim<2>(3, 2));
    GKO_ASSERT_IS_SQUARE_MATRIX(a_size);
    GKO_ASSERT_IS_SCALAR(gko::dim<2>(1, 1));
    GKO_ASSERT_IS_VECTOR(size);
    GKO_ASSERT_IS_NON_EMPTY_MATRIX(size);
    GKO_ASSERT_BLOCK_SIZE_CONFORMANT(6, 3);
    GKO_ASSERT_EQ(1, 1);
    GKO_ENSURE_IN_BOUNDS(1, 2);
    GKO_ENSURE_ALLOCATED(exec.get(), "host", 8);
    GKO_THROW_IF_INVALID(true, "never");
    GKO_ASSERT_NO_CUDA_ERRORS(0);
    between_if_and_else(true, 1, 1);
    between_if_and_else(false, 1, 2);

    check_throws<gko::DimensionMismatch>([&] { GKO_ASSERT_CONFORMANT(tall, tall); }, "3 x 2 times 3 x 2");
    // The second operand is the first factor of the product.
    print("GKO_ASSERT_REVERSE_CONFORMANT, 2 x 2 times 1 x 2 throws",
          thrown_by([] { GKO_ASSERT_REVERSE_CONFORMANT(gko::dim<2>(1, 2), gko::dim<2>(2, 2)); }));
    print("GKO_ASSERT_REVERSE_CONFORMANT, 1 x 2 times 2 x 2 throws",
          thrown_by([] { GKO_ASSERT_REVERSE_CONFORMANT(gko::dim<2>(2, 2), gko::dim<2>(1, 2)); }));
    print("GKO_ASSERT_IS_POWER_OF_TWO, 4 throws", thrown_by([] { GKO_ASSERT_IS_POWER_OF_TWO(4); }));
    print("GKO_ASSERT_IS_POWER_OF_TWO, 6 throws", thrown_by([] { GKO_ASSERT_IS_POWER_OF_TWO(6); }));
    check_throws<gko::DimensionMismatch>([&] { GKO_ASSERT_EQUAL_ROWS(tall, wide); }, "3 and 2 rows");
    check_throws<gko::DimensionMismatch>([&] { GKO_ASSERT_EQUAL_COLS(tall, wide); }, "2 and 3 columns");
    check_throws<gko::DimensionMismatch>([&] { GKO_ASSERT_EQUAL_DIMENSIONS(tall, wide); }, "3 x 2 and 2 x 3");
    check_throws<gko::DimensionMismatch>([&] { GKO_ASSERT_IS_SQUARE_MATRIX(tall); }, "3 x 2 is not square");
    check_throws<gko::DimensionMismatch>([&] { GKO_ASSERT_IS_SCALAR(tall); }, "3 x 2 is no scalar");
    check_throws<gko::BadDimension>([&] { GKO_ASSERT_IS_VECTOR(tall); }, "3 x 2 is no vector");
    check_throws<gko::BadDimension>([] { GKO_ASSERT_IS_NON_EMPTY_MATRIX(gko::dim<2>(3, 0)); }, "3 x 0 is empty");
    check_throws<gko::BadDimension>([] { GKO_ASSERT_IS_POWER_OF_TWO(0); }, "0 is no power of two");
    check_throws<gko::BlockSizeError<int>>([] { GKO_ASSERT_BLOCK_SIZE_CONFORMANT(7, 3); }, "3 does not divide 7");
    check_throws<gko::ValueMismatch>([] { between_if_and_else(true, 1, 2); }, "1 and 2 differ");
    check_throws<gko::OutOfBoundsError>([] { between_if_and_else(false, 2, 2); }, "2 is not below 2");
    check_throws<gko::AllocationError>([] { GKO_ENSURE_ALLOCATED(static_cast<void*>(nullptr), "host", 8); },
                                       "a null pointer is no memory");
    check_throws<gko::InvalidStateError>([] { GKO_THROW_IF_INVALID(1 > 2, "1 is less than 2"); }, "an invalid state");
    check_throws<gko::KernelNotFound>([] { GKO_KERNEL_NOT_FOUND; }, "no kernel");
    check_throws<gko::UnsupportedMatrixProperty>([] { GKO_UNSUPPORTED_MATRIX_PROPERTY("singular"); }, "a property");
    check_throws<gko::NotSupported>([&] { GKO_NOT_SUPPORTED(tall); }, "a type that is not supported");
    check_throws<gko::StreamError>([] { GKO_STREAM_ERROR("text"); }, "a stream's error");
    check_throws<gko::InvalidStateError>([] { GKO_INVALID_STATE("text"); }, "a state's error");
    check_throws<gko::NotImplemented>(not_there, "a function without a body");
    check_throws<gko::NotCompiled>(without_module, "a function of a module that is not built");
    check_throws<gko::CusparseError>([] { GKO_ASSERT_NO_CUSPARSE_ERRORS(3); }, "the error of a vendor's library");
    return exit_status();
}
