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

/// A matrix before it has a format, a value type and an executor. Real value types take the real part.
/// Entries are in order of rows; columns within a row in the order in which they are to be stored.
using host_matrix = matrix_data<std::complex<double>, int64>;

using random_engine = std::mt19937_64;

/// How many entries each row gets: any number from min to max.
struct nnz_per_row {
    nnz_per_row(size_type min, size_type max) : min{min}, max{max} {}
    size_type min;
    size_type max;
};

/// Values of magnitude at most 1, so that n terms of a product bound its rounding error (see tolerance_of_sum).
host_matrix random_sparse(random_engine& engine, size_type rows, size_type cols, nnz_per_row lengths);
/// Row i gets lengths[i] entries.
host_matrix random_sparse(random_engine& engine, const std::vector<size_type>& lengths, size_type cols);
host_matrix random_full(random_engine& engine, size_type rows, size_type cols);
/// Shuffles the entries within each row.
host_matrix with_unsorted_columns(random_engine& engine, host_matrix data);
/// Hermitian positive definite by diagonal dominance (symmetric where values are real).
host_matrix random_positive_definite(random_engine& engine, size_type size, size_type max_nnz_per_row);
/// Creates the 5-point Laplacian of a grid with Neumann conditions: rows add up to zero.
host_matrix neumann_problem(size_type width, size_type height = 1);
/// The 5-point Laplacian on a width x width grid.
host_matrix poisson_2d(size_type width);

struct sparse_case {
    std::string name;
    host_matrix data;
    size_type longest_row;
};

/// Matrices on which kernels for sparse matrices go wrong: without rows, columns or entries, one row, one column, empty
/// rows, one full row, row lengths around the widths of warps and blocks and by a power law, as many rows as a slice of Sellp
/// has and one more or less, unsorted columns.
std::vector<sparse_case> sparse_cases(random_engine& engine);
/// For products on GPUs: a row of more entries than a warp of tiles has, and wide gaps of empty rows before, between and after
/// the others. Too large to be made dense.
sparse_case many_tiles_case(random_engine& engine);

/// The path of a matrix of test/matrices or benchmark/matrices: in the sources or, for tests that were copied without them, below
/// the current folder.
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

/// Every entry NaN; what lies between the rows holds a mark that padding_is_intact() looks for.
template <typename ValueType>
std::unique_ptr<matrix::Dense<ValueType>> make_dense_of_nan(std::shared_ptr<const Executor> exec, dim<2> size,
                                                            size_type stride = 0);
/// Whether nothing was written between the rows of a matrix from make_dense_of_nan() or make_dense().
template <typename ValueType>
bool padding_is_intact(const matrix::Dense<ValueType>& x);

}  // namespace spruce::test
