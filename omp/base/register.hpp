// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// The components of the omp backend; each call fills their slots in the kernel table.
namespace spruce::kernels::omp {
void register_array();
void register_cb_gmres();
void register_cg();
void register_fcg();
void register_pipe_cg();
void register_minres();
void register_bicg();
void register_cgs();
void register_bicgstab();
void register_coo();
void register_coo_transpose();
void register_csr();
void register_csr_lookup();
void register_csr_rearrange();
void register_csr_spgeam();
void register_csr_spgemm();
void register_dense();
void register_dense_blas();
void register_dense_triangle();
void register_diagonal();
void register_permutation();
void register_index_set();
void register_dense_permute();
void register_fbcsr();
void register_fbcsr_blocks();
void register_sparsity_csr();
void register_sparsity_csr_spmv();
void register_dense_product();
void register_device_matrix_data();
void register_dense_reduction();
void register_ell();
void register_gcr();
void register_gmres();
void register_idr();
void register_hybrid();
void register_prefix_sum();
void register_sellp();
void register_solver();
void register_triangular();
void register_sort();
void register_stop();
}  // namespace spruce::kernels::omp
