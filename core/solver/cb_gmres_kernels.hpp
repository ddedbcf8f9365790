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

/// Refers to basis vectors, each with n x k numbers of the storage type in rows without padding.
/// Complex numbers are stored as pairs.
template <typename V>
struct basis {
    storage_precision precision;
    std::vector<void*> vectors;
    Dense<remove_complex<V>>& scales;  ///< row i for vector i, if the storage type has scales
};

/// Returns the number of bytes of a stored number.
template <typename V>
size_type bytes_of(storage_precision precision)
{
    const auto reduction = precision == storage_precision::keep || precision == storage_precision::integer       ? 1
                           : precision == storage_precision::reduce1 || precision == storage_precision::ireduce1 ? 2
                                                                                                                 : 4;
    const auto real_size = sizeof(remove_complex<V>) / reduction;
    return (real_size < 2 ? 2 : real_size) * (is_complex<V>() ? 2 : 1);
}

/// Describes the remainder of a vector after orthogonalization, 1 x k.
template <typename V>
struct remainder {
    Dense<remove_complex<V>>& norm;
    Dense<remove_complex<V>>& largest;          ///< largest absolute value of real and imaginary parts
    Dense<remove_complex<V>>& reorthogonalize;  ///< not zero if the orthogonalization has to be repeated
};

/// Computes the largest absolute value of the real and imaginary parts of the entries in each
/// column.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& v, Dense<remove_complex<V>>& largest, const Reduction& reduction)>
    find_largest{"cb_gmres::find_largest"};

/// Stores v / norm as vector number index, and 0 where the norm is zero. v becomes the vector as
/// stored, with rounding errors.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<remove_complex<V>>& norm, const Dense<remove_complex<V>>& largest,
                                 size_type index, const basis<V>& basis, Dense<V>& v)>
    compress{"cb_gmres::compress"};

/// Computes h_i = (v_i, w) in row i of h and in the last column of the triangle. If is_second,
/// computes h only in columns in which the orthogonalization has to be repeated, adds it to the
/// triangle there, and sets h to zero elsewhere.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& w, bool is_second, const remainder<V>& rest,
                                 Dense<V>& h, Dense<V>& triangle, const Reduction& reduction)>
    multi_dot{"cb_gmres::multi_dot"};

/// Computes w = w - sum_i h_i v_i and its remainder. The orthogonalization has to be repeated if
/// the norm becomes less than 1 / sqrt(2) of its previous value.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& h, Dense<V>& w, const remainder<V>& rest,
                                 const Reduction& reduction)>
    subtract{"cb_gmres::subtract"};

/// Computes w = w - sum_i h_i v_i where the orthogonalization has to be repeated, and completes the
/// step like gmres::finish_step, with the rounding error of the storage type for epsilon. Columns
/// whose cycle is over stop as if they had converged: the true residual then decides.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& h, Dense<V>& w, const remainder<V>& rest,
                                 const projection<V>& problem, array<stopping_status>& status,
                                 const Reduction& reduction)>
    finish_step{"cb_gmres::finish_step"};

/// Computes x = x + sum_i y_i v_i for i < num_steps_j in column j. Entries that would overflow do
/// not change.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const basis<V>& basis, const Dense<V>& y, const array<size_type>& num_steps,
                                 Dense<V>& x)>
    add_combination{"cb_gmres::add_combination"};

/// Sets norm = residual_norm in all columns. Columns that have converged run again unless their
/// norm is zero or not finite.
template <typename V>
SPRUCE_EXPORT inline Kernel<void(const Dense<V>& residual_norm, Dense<V>& norm, array<stopping_status>& status)>
    resume_unconfirmed{"cb_gmres::resume_unconfirmed"};

}  // namespace spruce::kernels::cb_gmres
