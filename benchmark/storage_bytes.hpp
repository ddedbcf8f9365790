// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/base/math.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

/// Computes the number of bytes in the arrays of matrices.
namespace spruce::bench {

template <typename V, typename I>
size_type bytes_of(const matrix::Csr<V, I>& a)
{
    return a.get_num_stored_elements() * (sizeof(V) + sizeof(I)) + (a.get_size()[0] + 1) * sizeof(I);
}
template <typename V, typename I>
size_type bytes_of(const matrix::Coo<V, I>& a)
{
    return a.get_num_stored_elements() * (sizeof(V) + 2 * sizeof(I));
}
template <typename V, typename I>
size_type bytes_of(const matrix::Ell<V, I>& a)
{
    return a.get_num_stored_elements() * (sizeof(V) + sizeof(I));
}
template <typename V, typename I>
size_type bytes_of(const matrix::Sellp<V, I>& a)
{
    const auto num_slices = ceildiv(a.get_size()[0], a.get_slice_size());
    return a.get_num_stored_elements() * (sizeof(V) + sizeof(I)) + (num_slices + 1) * sizeof(size_type);
}
template <typename V, typename I>
size_type bytes_of(const matrix::Hybrid<V, I>& a)
{
    return bytes_of(*a.get_ell()) + bytes_of(*a.get_coo());
}
template <typename V, typename I>
size_type bytes_of(const matrix::Fbcsr<V, I>& a)
{
    return a.get_num_stored_elements() * sizeof(V) + a.get_num_stored_blocks() * sizeof(I) +
           (static_cast<size_type>(a.get_num_block_rows()) + 1) * sizeof(I);
}
template <typename V, typename I>
size_type bytes_of(const matrix::SparsityCsr<V, I>& a)
{
    return (a.get_num_nonzeros() + a.get_size()[0] + 1) * sizeof(I);
}
template <typename V>
size_type bytes_of(const matrix::Dense<V>& a)
{
    return a.get_size()[0] * a.get_size()[1] * sizeof(V);
}
template <typename V, typename I>
size_type bytes_of(const device_matrix_data<V, I>& a)
{
    return a.get_num_stored_elements() * (sizeof(V) + 2 * sizeof(I));
}

}  // namespace spruce::bench
