// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <complex>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <spruce/base/matrix_data.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::test {

/// A matrix before it has a format, a value type and an executor. Real value types take the real
/// part. Entries are ordered by rows, and within a row by the order in which they are to be stored.
using host_matrix = matrix_data<std::complex<double>, int64>;

using random_engine = std::mt19937_64;

/// Limits the number of entries of each row: any number from min to max.
struct nnz_per_row {
    nnz_per_row(size_type min, size_type max) : min{min}, max{max} {}
    size_type min;
    size_type max;
};

/// Creates a random matrix with values of magnitude at most 1. The rounding error of a product with
/// n terms then depends on n alone, see tolerance_of_sum.
host_matrix random_sparse(random_engine& engine, size_type rows, size_type cols, nnz_per_row lengths);
/// Creates a random matrix whose row i has lengths[i] entries.
host_matrix random_sparse(random_engine& engine, const std::vector<size_type>& lengths, size_type cols);
/// Creates a symmetric, diagonally dominant matrix with two levels of chains, in which each row
/// depends on the one before. Each row of a chain of the second level depends on one of the first.
/// @param num_chains  of a level
/// @param length      the number of rows of a chain
host_matrix chains_of_rows(size_type num_chains, size_type length);
host_matrix random_full(random_engine& engine, size_type rows, size_type cols);
/// Permutes the entries within each row at random.
host_matrix with_unsorted_columns(random_engine& engine, host_matrix data);
/// Creates a Hermitian (for real values symmetric) diagonally dominant positive definite matrix.
host_matrix random_positive_definite(random_engine& engine, size_type size, size_type max_nnz_per_row);
/// Creates the 5-point Laplacian of a grid with Neumann conditions: rows add up to zero.
host_matrix neumann_problem(size_type width, size_type height = 1);
/// Creates the 5-point Laplacian of a width x width grid.
host_matrix poisson_2d(size_type width);

struct sparse_case {
    std::string name;
    host_matrix data;
    size_type longest_row;
};

/// Creates matrices that are difficult for sparse kernels:
/// - matrices without rows, columns or entries, with one row, and with one column;
/// - empty rows, one full row, and unsorted columns;
/// - row lengths near the widths of warps and blocks, and row lengths by a power law;
/// - as many rows as a slice of Sellp has, and one more or less.
std::vector<sparse_case> sparse_cases(random_engine& engine);
/// Creates a matrix for products on GPUs. One row has more entries than a warp of tiles has. Wide
/// gaps of empty rows lie before, between and after the others. It is too large for a dense copy.
sparse_case many_tiles_case(random_engine& engine);

/// Returns the path of a matrix of test/matrices or benchmark/matrices. The path lies in the
/// sources or, if the tests were copied without them, below the current directory.
std::string matrix_file(const std::string& name);

template <typename ValueType>
std::unique_ptr<matrix::Dense<ValueType>> make_dense(std::shared_ptr<const Executor> exec, const host_matrix& data,
                                                     size_type stride = 0);
template <typename ValueType, typename IndexType>
std::unique_ptr<matrix::Csr<ValueType, IndexType>> make_csr(
    std::shared_ptr<const Executor> exec, const host_matrix& data,
    std::shared_ptr<typename matrix::Csr<ValueType, IndexType>::strategy_type> strategy = nullptr);
template <typename ValueType, typename IndexType>
std::unique_ptr<matrix::Coo<ValueType, IndexType>> make_coo(std::shared_ptr<const Executor> exec,
                                                            const host_matrix& data);

/// Creates a matrix of NaN. The padding between the rows contains a pattern that
/// padding_is_intact() expects.
template <typename ValueType>
std::unique_ptr<matrix::Dense<ValueType>> make_dense_of_nan(std::shared_ptr<const Executor> exec, dim<2> size,
                                                            size_type stride = 0);
/// Returns true if nothing was written between the rows of a matrix from make_dense_of_nan() or
/// make_dense().
template <typename ValueType>
bool padding_is_intact(const matrix::Dense<ValueType>& x);

}  // namespace spruce::test
