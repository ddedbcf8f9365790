// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include <spruce/matrix/dense.hpp>

#include "core/base/kernel.hpp"

/// Contains the common parts of tests of reference kernels. Results are compared exactly with
/// numbers computed by hand, so inputs are small integers.
namespace spruce::test {

template <typename... Lists>
struct joined;
template <typename... T>
struct joined<::testing::Types<T...>> {
    using type = ::testing::Types<T...>;
};
template <typename... T, typename... U, typename... Rest>
struct joined<::testing::Types<T...>, ::testing::Types<U...>, Rest...> {
    using type = typename joined<::testing::Types<T..., U...>, Rest...>::type;
};

template <typename V, typename... I>
::testing::Types<std::pair<V, I>...> pairs_of(detail::type_list<I...>);
template <typename... V>
auto all_pairs_of(detail::type_list<V...>) -> typename joined<decltype(pairs_of<V>(detail::index_types{}))...>::type;
template <typename... T>
::testing::Types<T...> types_of(detail::type_list<T...>);

/// The types that the library is built for. Pairs of value type and index type are std::pair.
using value_types = decltype(types_of(detail::value_types{}));
using index_types = decltype(types_of(detail::index_types{}));
using value_and_index_types = decltype(all_pairs_of(detail::value_types{}));

/// Returns real + imag i, or real if V is a real type.
template <typename V>
V number(double real, double imag)
{
    if constexpr (is_complex<V>()) {
        return V(real, imag);
    } else {
        return static_cast<V>(real + 0 * imag);
    }
}

template <typename V>
using rows = std::initializer_list<std::initializer_list<V>>;

template <typename V>
class ReferenceTest : public ::testing::Test {
protected:
    using Dense = matrix::Dense<V>;

    /// Creates a matrix whose stride exceeds its width by one.
    std::unique_ptr<Dense> dense(rows<V> entries) const
    {
        const auto width = entries.size() == 0 ? size_type{} : entries.begin()->size();
        return initialize<Dense>(width + 1, entries, exec);
    }

    std::unique_ptr<Dense> dense_of_nan(size_type num_rows, size_type num_cols) const
    {
        auto result = Dense::create(exec, dim<2>{num_rows, num_cols}, num_cols + 1);
        for (size_type i = 0; i < result->get_num_stored_elements(); ++i) {
            result->get_values()[i] = nan<V>();
        }
        return result;
    }

    template <typename T>
    static void expect_equal(const matrix::Dense<T>& actual, rows<T> expected)
    {
        ASSERT_EQ(actual.get_size()[0], expected.size());
        size_type row = 0;
        for (const auto& entries : expected) {
            ASSERT_EQ(actual.get_size()[1], entries.size());
            size_type col = 0;
            for (const auto& entry : entries) {
                EXPECT_EQ(actual.at(row, col), entry) << "entry (" << row << ", " << col << ")";
                ++col;
            }
            ++row;
        }
    }

    std::shared_ptr<ReferenceExecutor> exec{ReferenceExecutor::create()};
};

}  // namespace spruce::test
