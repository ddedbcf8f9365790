// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Lists the groups of kernels of the backends, one for each kernel file. A group X defines
/// register_X(), which sets its entries of the kernel table. A new group only has to be added here.

// clang-format off

/// Calls _with(X) for each group that all backends have.
#define SPRUCE_KERNEL_GROUPS(_with) \
    _with(aggregation) _with(array) _with(bicg) _with(bicgstab) _with(cb_gmres) _with(cg) _with(cgs) _with(coloring) _with(coo) _with(csr) \
    _with(csr_lookup) _with(csr_rearrange) _with(csr_spgeam) _with(dense) _with(dense_inverse) _with(dense_permute) \
    _with(device_matrix_data) _with(diagonal) _with(ell) _with(factor_pattern) _with(factor_sweep) _with(fbcsr) _with(fcg) _with(gcr) \
    _with(gmres) _with(hybrid) _with(idr) _with(incomplete) _with(index_set) _with(isai) _with(jacobi) _with(minres) _with(multigrid) _with(permutation) \
    _with(pipe_cg) _with(sellp) _with(solver) _with(sor) _with(sparsity_csr) _with(stop) _with(threshold) _with(triangular)

/// Calls _with(X) for each group that the parallel backends (omp, cuda, hip) have.
#define SPRUCE_PARALLEL_KERNEL_GROUPS(_with) \
    SPRUCE_KERNEL_GROUPS(_with) \
    _with(cb_gmres_basis) _with(csr_patterns) _with(dense_product) _with(dense_reduction) _with(dense_triangle)

#define SPRUCE_REFERENCE_KERNEL_GROUPS(_with) \
    SPRUCE_KERNEL_GROUPS(_with) \
    _with(csr_spgemm) _with(dense_blas) _with(sort)

#define SPRUCE_OMP_KERNEL_GROUPS(_with) \
    SPRUCE_PARALLEL_KERNEL_GROUPS(_with) \
    _with(csr_spgemm) _with(dense_blas)

#define SPRUCE_GPU_KERNEL_GROUPS(_with) \
    SPRUCE_PARALLEL_KERNEL_GROUPS(_with) \
    _with(csr_sort) _with(csr_spgemm_count) _with(csr_spgemm_fill) _with(dense_gemm) _with(dense_symv)

// clang-format on

/// Declares and calls the function that registers a group.
#define SPRUCE_DECLARE_KERNEL_GROUP(_group) void register_##_group();
#define SPRUCE_REGISTER_KERNEL_GROUP(_group) register_##_group();
