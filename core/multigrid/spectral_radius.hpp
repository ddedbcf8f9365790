// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

#include "core/base/workspace.hpp"

namespace spruce::multigrid::detail {

/// Describes the eigenvalues of D^-1 A, where D is the diagonal of A.
struct spectrum {
    /// For Hermitian A, 1.05 times a Lanczos value, which estimates the largest eigenvalue;
    /// otherwise the largest row sum of |D^-1 A|, an upper bound of the absolute values.
    double radius;
    bool is_hermitian;  ///< as far as the projected matrix shows
};

/// Returns the largest eigenvalue of the real symmetric tridiagonal matrix with this diagonal and
/// these entries beside it, by bisection. Rows from the first number that is not finite on are
/// ignored.
/// Source: Givens 1954, Numerical Computation of the Characteristic Values of a Real Symmetric
/// Matrix; Golub and Van Loan, Matrix Computations, section 8.4.
SPRUCE_EXPORT double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& off_diagonal);

/// Estimates the spectral radius of D^-1 A by ten steps of the Lanczos method for the similar
/// matrix D^-1/2 A D^-1/2, and multiplies it by 1.05, since Lanczos values are smaller than the
/// largest eigenvalue. If the projected matrix is not Hermitian, returns the largest row sum of
/// |D^-1 A|. That is judged by its first entries beside the diagonal and by the imaginary parts of
/// its diagonal, to the square root of the machine precision. It copies to the host three times, or
/// four times if A is not Hermitian.
/// Source: Lanczos 1950; Golub and Van Loan, Matrix Computations, section 10.1.
/// @param scale  1 / sqrt(|a_ii|) for each row
template <typename V, typename I>
spectrum estimate_spectrum(const matrix::Csr<V, I>& a, const array<remove_complex<V>>& scale,
                           spruce::detail::Workspace& workspace);

}  // namespace spruce::multigrid::detail
