// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/solver/cb_gmres.hpp>

#include "core/solver/gmres_kernels.hpp"

/// Declares the steps of GMRES with a compressed basis for k right-hand sides: vectors n x k,
/// scalars 1 x k.
namespace spruce::kernels::cb_gmres {

using gmres::projection;
using matrix::Dense;
using spruce::solver::cb_gmres::storage_precision;

/// Refers to basis vectors: each has n x k numbers of the storage type in rows without padding.
/// Complex numbers are pairs.
template <typename V>
struct basis {
    storage_precision precision;
    std::vector<void*> vectors;
    Dense<remove_complex<V>>& scales;  ///< row i is for vector i, where the storage type has scales
};

/// Returns how many bytes a number takes.
template <typename V>
size_type bytes_of(storage_precision precision)
{
    const auto reduction = precision == storage_precision::keep || precision == storage_precision::integer       ? 1
                           : precision == storage_precision::reduce1 || precision == storage_precision::ireduce1 ? 2
                                                                                                                 : 4;
    const auto real_size = sizeof(remove_complex<V>) / reduction;
    return (real_size < 2 ? 2 : real_size) * (is_complex<V>() ? 2 : 1);
}

/// Tells what the orthogonalization of a vector leaves.
template <typename V>
struct remainder {
    Dense<remove_complex<V>>& norm;
    Dense<remove_complex<V>>& largest;  ///< of the real or imaginary parts
    Dense<remove_complex<V>>& again;    ///< not zero where it has to be repeated
};

/// Computes the largest absolute value of the real or imaginary part of a column's entries.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& v, Dense<remove_complex<V>>& largest, const Reduction& reduction)>
    find_largest{"cb_gmres::find_largest"};

/// Stores v / norm as vector number index, and 0 where the norm is zero. v becomes the rounded
/// vector.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, const Dense<remove_complex<V>>& largest,
                                 size_type index, const basis<V>& basis, Dense<V>& v)>
    compress{"cb_gmres::compress"};

/// Computes h_i = (v_i, w) in row i of h and in the last column of the triangle. The second time
/// (is_second) only where it has to be repeated: h is added to the triangle there, and zero
/// elsewhere.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& w, bool is_second, const remainder<V>& left,
                                 Dense<V>& h, Dense<V>& triangle, const Reduction& reduction)>
    multi_dot{"cb_gmres::multi_dot"};

/// Computes w = w - sum_i h_i v_i, and what that leaves. The subtraction has to be repeated where
/// the vector has less than 1 / sqrt(2) of its length.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& h, Dense<V>& w, const remainder<V>& left,
                                 const Reduction& reduction)>
    subtract{"cb_gmres::subtract"};

/// Computes w = w - sum_i h_i v_i where that has to be repeated, and completes the step as
/// gmres::finish_step does. What counts as a rounding error is that of the storage. Columns whose
/// cycle is over stop as if they had converged.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& h, Dense<V>& w, const remainder<V>& left,
                                 const projection<V>& problem, array<stopping_status>& status,
                                 const Reduction& reduction)>
    finish_step{"cb_gmres::finish_step"};

/// Computes x = x + sum_i y_i v_i over the steps that count for each column. Entries that would
/// overflow keep their values.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& y, const array<size_type>& num_steps,
                                 Dense<V>& x)>
    add_combination{"cb_gmres::add_combination"};

/// Computes norm = residual_norm, and resumes columns that have converged unless their norm is
/// zero.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& residual_norm, Dense<V>& norm, array<stopping_status>& status)>
    resume_unconfirmed{"cb_gmres::resume_unconfirmed"};

}  // namespace spruce::kernels::cb_gmres
