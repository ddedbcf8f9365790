// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <spruce/spruce.hpp>

#include "core/base/kernel.hpp"
#include "test/utils/assertions.hpp"
#include "test/utils/executors.hpp"
#include "test/utils/matrices.hpp"

namespace spruce::test {

template <typename ValueType, typename IndexType>
using types = detail::value_and_index_type<ValueType, IndexType>;

/// The lists for TYPED_TEST_SUITE contain the types that the library was built for.
#if SPRUCE_TYPES_MINIMAL
using value_types = ::testing::Types<types<double, int32>>;
using value_and_index_types = ::testing::Types<types<double, int32>>;
using index_types = ::testing::Types<types<double, int32>>;
using one_of_each_type = ::testing::Types<types<double, int32>>;
#else
/// Real and complex values, both precisions and both index types once. For tests that do not depend
/// on the combination.
using one_of_each_type = ::testing::Types<types<double, int32>, types<std::complex<float>, int64>>;
#if SPRUCE_TEST_EVERY_COMBINATION
using value_types = ::testing::Types<types<float, int32>, types<double, int32>, types<std::complex<float>, int32>,
                                     types<std::complex<double>, int32>>;
using value_and_index_types =
    ::testing::Types<types<float, int32>, types<double, int32>, types<std::complex<float>, int32>,
                     types<std::complex<double>, int32>, types<float, int64>, types<double, int64>,
                     types<std::complex<float>, int64>, types<std::complex<double>, int64>>;
#else
/// The types that value_and_index_types does not contain. Builds for minimal types use double.
using value_types = ::testing::Types<types<float, int32>, types<std::complex<double>, int32>>;
using value_and_index_types = one_of_each_type;
#endif
using index_types = ::testing::Types<types<double, int32>, types<double, int64>>;
#endif

/// Names a test case by its types, for example "complex_double_int64".
struct type_names {
    template <typename Types>
    static std::string GetName(int)
    {
        using V = typename Types::value_type;
        const std::string precision = std::is_same_v<remove_complex<V>, float> ? "float" : "double";
        const std::string index = std::is_same_v<typename Types::index_type, int32> ? "int32" : "int64";
        return (is_complex<V>() ? "complex_" : "") + precision + "_" + index;
    }
};

/// Provides matrices and tolerances to tests that compare an executor with the reference, for one
/// value type and one index type. SPRUCE_TEST_EXECUTOR selects the executor and SPRUCE_TEST_SEED
/// the random numbers. Failure messages contain both.
template <typename Types>
class kernel_test : public ::testing::Test {
protected:
    using V = typename Types::value_type;
    using I = typename Types::index_type;
    using real = remove_complex<V>;
    using Dense = matrix::Dense<V>;
    using RealDense = matrix::Dense<real>;
    using Csr = matrix::Csr<V, I>;
    using Coo = matrix::Coo<V, I>;
    using rows_list = std::initializer_list<std::initializer_list<V>>;

    static host_matrix host(rows_list rows)
    {
        host_matrix data{dim<2>{rows.size(), rows.size() == 0 ? 0 : rows.begin()->size()}};
        int64 row = 0;
        for (const auto& values : rows) {
            int64 col = 0;
            for (const auto& value : values) {
                if (value != zero<V>()) {
                    data.nonzeros.emplace_back(row, col, std::complex<double>(value));
                }
                ++col;
            }
            ++row;
        }
        return data;
    }

    // Small matrices on the executor under test.
    std::unique_ptr<Dense> dense(rows_list rows, size_type stride = 0) const
    {
        return make_dense<V>(exec, host(rows), stride);
    }
    std::unique_ptr<RealDense> real_dense(std::initializer_list<std::initializer_list<real>> rows) const
    {
        return initialize<RealDense>(rows, exec);
    }
    std::unique_ptr<Dense> dense_of_nan(size_type rows, size_type cols, size_type stride = 0) const
    {
        return make_dense_of_nan<V>(exec, dim<2>{rows, cols}, stride);
    }
    std::unique_ptr<Csr> csr(rows_list rows) const { return make_csr<V, I>(exec, host(rows)); }
    std::unique_ptr<Coo> coo(rows_list rows) const { return make_coo<V, I>(exec, host(rows)); }

    // Random matrices on the executor under test.
    std::unique_ptr<Csr> random_csr(size_type rows, size_type cols, nnz_per_row lengths)
    {
        return make_csr<V, I>(exec, random_sparse(engine, rows, cols, lengths));
    }
    std::unique_ptr<Dense> random_dense(size_type rows, size_type cols, size_type stride = 0)
    {
        return make_dense<V>(exec, random_full(engine, rows, cols), stride);
    }

    /// Returns a b, written over NaN.
    template <typename Matrix>
    std::unique_ptr<Dense> apply(const Matrix& a, const std::unique_ptr<Dense>& b) const
    {
        auto x = this->dense_of_nan(a->get_size()[0], b->get_size()[1]);
        a->apply(b, x);
        return x;
    }
    template <typename Matrix>
    std::unique_ptr<Dense> apply_on_reference(const Matrix& a, const std::unique_ptr<Dense>& b) const
    {
        auto x = make_dense_of_nan<V>(ref, dim<2>{a->get_size()[0], b->get_size()[1]});
        clone(ref, a)->apply(b, x);
        return x;
    }

    static double epsilon() { return std::numeric_limits<real>::epsilon(); }

    /// Returns a tolerance for sums of n terms of magnitude at most 1, taken in any order. Partial
    /// sums of terms with random signs have a magnitude of about sqrt(n), so n additions have an
    /// error of about n epsilon. Both sides have this error, and a factor of 2 covers complex
    /// products. The error of sums of positive terms is at most n epsilon times the sum.
    static double tolerance_of_sum(size_type num_terms)
    {
        return 4.0 * static_cast<double>(std::max<size_type>(num_terms, 1)) * epsilon();
    }

    static unsigned long long get_seed()
    {
        const auto asked = std::getenv("SPRUCE_TEST_SEED");
        return asked ? std::strtoull(asked, nullptr, 10) : 42;
    }

    std::shared_ptr<ReferenceExecutor> ref{ReferenceExecutor::create()};
    std::shared_ptr<Executor> exec{test_executor()};
    random_engine engine{get_seed()};

private:
    ::testing::ScopedTrace trace_{__FILE__, __LINE__,
                                  "on " + exec->get_description() + ", SPRUCE_TEST_SEED=" + std::to_string(get_seed())};
};

}  // namespace spruce::test
