// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// The components of a backend for GPUs; each call fills their slots in the kernel table.

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
void register_csr_sort();
void register_csr_spgeam();
void register_csr_spgemm_count();
void register_csr_spgemm_fill();
void register_dense();
void register_diagonal();
void register_permutation();
void register_index_set();
void register_dense_permute();
void register_fbcsr();
void register_fbcsr_blocks();
void register_sparsity_csr();
void register_sparsity_csr_spmv();
void register_dense_gemm();
void register_dense_product();
void register_dense_symv();
void register_dense_triangle();
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

inline void register_kernels()
{
    register_array();
    register_prefix_sum();
    register_solver();
    register_triangular();
    register_sort();
    register_dense();
    register_diagonal();
    register_permutation();
    register_index_set();
    register_dense_permute();
    register_fbcsr();
    register_fbcsr_blocks();
    register_sparsity_csr();
    register_sparsity_csr_spmv();
    register_dense_gemm();
    register_dense_product();
    register_dense_symv();
    register_dense_triangle();
    register_dense_reduction();
    register_csr();
    register_csr_lookup();
    register_csr_rearrange();
    register_csr_sort();
    register_csr_spgeam();
    register_csr_spgemm_count();
    register_csr_spgemm_fill();
    register_coo();
    register_coo_transpose();
    register_device_matrix_data();
    register_ell();
    register_sellp();
    register_hybrid();
    register_stop();
    register_cb_gmres();
    register_cg();
    register_gcr();
    register_fcg();
    register_pipe_cg();
    register_minres();
    register_bicg();
    register_gmres();
    register_idr();
    register_cgs();
    register_bicgstab();
}
