// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/sellp.hpp>

#include "benchmark/benchmark_case.hpp"
#include "benchmark/types.hpp"

/// Contains the operations that the command zoo measures on each matrix.
namespace spruce::bench::zoo {

/// Contains an operation on a matrix that is set up.
struct operation {
    double bytes;                   ///< the fewest that the operation must move
    std::function<void()> run;      ///< is measured
    std::function<void()> prepare;  ///< is called before each run() and not measured; may be empty
};

/// Measures operations.
struct visitor {
    std::function<bool(const std::string& name)> is_requested;  ///< operands of others are not created
    std::function<void(const std::string& name, const std::function<operation()>& create)> measure;

    /// Measures an operation if it is requested.
    /// @param create  sets up the operation; an exception is the reason why it is not measured
    template <typename Create>
    void visit(const std::string& name, Create create) const
    {
        if (is_requested(name)) {
            measure(name, create);
        }
    }
};

/// Counts the fewest bytes that operations on a matrix must move.
template <typename V, typename I>
struct byte_counts {
    explicit byte_counts(const matrix::Csr<V, I>& a)
        : rows{static_cast<double>(a.get_size()[0])},
          cols{static_cast<double>(a.get_size()[1])},
          nnz{static_cast<double>(a.get_num_stored_elements())}
    {}

    double values() const { return nnz * sizeof(V); }
    double indices() const { return nnz * sizeof(I); }
    double row_ptrs() const { return (rows + 1) * sizeof(I); }
    double pattern() const { return indices() + row_ptrs(); }
    double csr() const { return values() + pattern(); }
    /// Counts one vector of each side. Of the input, at most one entry for each nonzero is read.
    double vectors() const { return (std::min(cols, nnz) + rows) * sizeof(V); }

    double rows;
    double cols;
    double nnz;
};

template <typename V>
std::shared_ptr<matrix::Dense<V>> filled(std::shared_ptr<const Executor> exec, size_type rows, size_type cols,
                                         V value = one<V>())
{
    auto result = matrix::Dense<V>::create(std::move(exec), dim<2>{rows, cols});
    result->fill(value);
    return result;
}

/// Checks that padding to Format does not make the matrix more than four times as large.
/// @throws case_skipped  if it does
template <typename Format, typename V, typename I>
void require_little_padding(const matrix::Csr<V, I>& a)
{
    constexpr double max_padding = 4;
    constexpr auto is_sliced = std::is_same_v<Format, matrix::Sellp<V, I>>;
    const byte_counts<V, I> count{a};
    const auto rows = is_sliced ? std::max<double>(count.rows, matrix::default_slice_size) : count.rows;
    if (static_cast<double>(a.compute_max_row_length()) * rows > max_padding * (count.nnz + count.rows)) {
        throw case_skipped("most of the result would be padding");
    }
}

/// Visits the products of all formats with vectors.
template <typename V, typename I>
void visit_products(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit);
/// Visits conversions, transposes, sorting and all that formats offer besides products.
template <typename V, typename I>
void visit_formats(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit);
/// Visits sums and products of sparse matrices, permutations and submatrices.
template <typename V, typename I>
void visit_algebra(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit);
/// Visits operations on dense matrices of several shapes with this number of entries.
template <typename V, typename I>
void visit_dense(std::shared_ptr<const Executor> exec, size_type num_entries, const visitor& visit);

/// Instantiates for the types that the command measures.
#define SPRUCE_INSTANTIATE_FOR_EACH_ZOO_TYPE(macro) \
    template macro(double, int32);                  \
    template macro(double, int64);                  \
    template macro(float, int32);                   \
    template macro(std::complex<double>, int32)

}  // namespace spruce::bench::zoo
