// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/matrix/csr.hpp>

#include "core/base/kernel.hpp"

/// Declares kernels that compute the triangles of SOR and SSOR from the values of a matrix A. Entry
/// nz of a triangle is at the place of entry sources[nz] of A. The diagonal d_i is the last entry
/// of row i of a lower triangle, and the first one of an upper triangle.
namespace spruce::kernels::sor {

using matrix::Csr;

/// Computes lower = D / omega + L.
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* a_values, const I* sources, remove_complex<V> omega, Csr<V, I>& lower)>
    scale_lower{"sor::scale_lower"};

/// Computes upper = omega / (2 - omega) D^-1 (D / omega + U).
template <typename V, typename I>
SPRUCE_EXPORT inline Kernel<void(const V* a_values, const I* sources, remove_complex<V> omega, Csr<V, I>& upper)>
    scale_upper{"sor::scale_upper"};

}  // namespace spruce::kernels::sor
