// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <gtest/gtest.h>

#include <spruce/base/lin_op.hpp>

namespace spruce::test {

/// Returns success if |x_ij - expected_ij| <= tolerance max(1, |expected_ij|) everywhere. NaN
/// equals NaN, and an infinity equals itself. The matrices may have any format, type and executor.
/// Positions that a sparse matrix does not store are zero.
::testing::AssertionResult matrices_near(const char* x_text, const char* expected_text, const char* tolerance_text,
                                         ptr_param<const LinOp> x, ptr_param<const LinOp> expected, double tolerance);

/// Returns success if both matrices store exactly the same entries in the same order.
::testing::AssertionResult matrices_stored_alike(const char* x_text, const char* expected_text,
                                                 ptr_param<const LinOp> x, ptr_param<const LinOp> expected);

}  // namespace spruce::test

#define EXPECT_MTX_NEAR(_x, _expected, _tolerance) \
    EXPECT_PRED_FORMAT3(::spruce::test::matrices_near, _x, _expected, _tolerance)
#define ASSERT_MTX_NEAR(_x, _expected, _tolerance) \
    ASSERT_PRED_FORMAT3(::spruce::test::matrices_near, _x, _expected, _tolerance)
#define EXPECT_MTX_STORED_ALIKE(_x, _expected) EXPECT_PRED_FORMAT2(::spruce::test::matrices_stored_alike, _x, _expected)

/// Expects that the statement throws the exception with a message that contains the text.
#define EXPECT_THROW_WITH(_statement, _exception, _text)                                                  \
    try {                                                                                                 \
        _statement;                                                                                       \
        ADD_FAILURE() << #_statement " throws nothing, " #_exception " was expected";                     \
    } catch (const _exception& caught) {                                                                  \
        EXPECT_NE(std::string(caught.what()).find(_text), std::string::npos) << caught.what();            \
    } catch (const std::exception& caught) {                                                              \
        ADD_FAILURE() << #_statement " throws another exception than " #_exception ": " << caught.what(); \
    }                                                                                                     \
    static_assert(true, "ends with a semicolon")
