// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>

#include "core/factorization/factor_pattern_kernels.hpp"
#include "core/preconditioner/isai_kernels.hpp"

namespace spruce::preconditioner::detail {

/// Contains the options of Isai.
template <typename ValueType>
struct isai_options {
    isai_type type;
    bool skip_sorting;
    int sparsity_power;
    size_type excess_limit;
    std::shared_ptr<const LinOpFactory> excess_solver_factory;
    remove_complex<ValueType> excess_solver_reduction;
    row_limits limits{};
};

/// Computes a sparse approximate inverse of a matrix and of further matrices with its pattern. It
/// is exported for tests.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT SparseInverse {
public:
    using Csr = matrix::Csr<ValueType, IndexType>;
    using Dense = matrix::Dense<ValueType>;
    using Diagonal = matrix::Diagonal<ValueType>;

    /// Computes the inverse of a square matrix.
    SparseInverse(const Csr& a, isai_options<ValueType> options);

    /// Computes the inverse of another matrix in place. It allocates nothing without excess rows.
    /// After an exception, the values are those of the last matrix.
    void refresh(const Csr& a);

    /// Creates an object whose get_transpose() returns M^T or M^H, and whose refresh() takes the
    /// transposed matrix T^T or T^H. The pattern of this matrix is that of T^T with sorted rows.
    /// @param other  is not a transpose itself, and not of type spd
    SparseInverse(const SparseInverse& other, bool conjugate);

    /// Returns true if refresh() takes transposed matrices.
    bool is_transpose() const { return transposed_pattern_ != nullptr; }

    /// Returns M, or G for type spd.
    std::shared_ptr<const Csr> get_inverse() const { return inverse_; }
    /// Returns G^H for type spd, M^T or M^H if is_transpose(), and otherwise null.
    std::shared_ptr<const Csr> get_transpose() const { return transpose_; }

private:
    /// Describes an excess system: a range of the rows of the excess class.
    struct excess_range {
        size_type begin;
        size_type end;
        array<IndexType> block_ptrs;
    };

    factorization::detail::matrix_part part_of_a() const;
    /// Finds the patterns of T and of M, and the entries of A that T consists of.
    void analyze_pattern(const Csr& a);
    /// Divides the rows into classes, and those of the excess class into systems.
    void classify_rows();
    /// Divides the rows of the excess class, which begin at this position of the order, into
    /// excess systems.
    void divide_excess_rows(size_type begin);
    isai_view<ValueType, IndexType> view(const Csr& a) const;
    void compute(const Csr& a);
    /// Updates the transpose of the inverse, or creates it.
    void transpose_inverse();
    void solve_excess_system(const isai_view<ValueType, IndexType>& m, const excess_range& range);
    /// Scales the transpose of the matrix of an excess system, for type general so that the largest
    /// absolute values of rows and columns are about 1. The scales of rows are those of unknowns.
    std::unique_ptr<Csr> transpose_and_scale(const Csr& matrix, Diagonal& row_scales, Diagonal& col_scales) const;
    std::unique_ptr<LinOp> generate_excess_solver(std::shared_ptr<const Csr> matrix, size_type num_blocks) const;
    /// Checks the residual of each block of an excess system.
    /// @throws InvalidStateError  with the row of M, if one has not been reduced enough
    void check_residuals(const excess_view<IndexType>& system, const Csr& matrix, const Dense& rhs,
                         const Dense& solution) const;
    /// Calls a kernel with the memory where it writes a row that cannot be solved.
    /// @throws InvalidStateError  with this row
    template <typename Kernel>
    void require_solved(Kernel kernel) const;

    isai_options<ValueType> options_;
    std::shared_ptr<const Csr> t_;  ///< has the pattern of T; it is inverse_ if M has this pattern
    /// Contains the entry of A, or of the transposed matrix, for each entry of T; empty if it is
    /// the same one.
    array<IndexType> sources_;
    array<IndexType> order_;
    size_type class_begins_[num_row_classes + 1]{};
    std::vector<excess_range> excess_ranges_;
    std::shared_ptr<Csr> inverse_;
    array<ValueType> new_values_;  ///< values of the inverse until all rows are solved
    array<ValueType> workspace_;   ///< of compute_rows()
    std::shared_ptr<Csr> transpose_;
    typename Csr::permuting_reuse_info transposition_;
    std::shared_ptr<const Csr> transposed_pattern_;  ///< of T^T if is_transpose(), otherwise null
    bool conjugates_;                                ///< takes T^H and returns M^H, or returns G^H
    mutable array<IndexType> found_row_;
};

}  // namespace spruce::preconditioner::detail
