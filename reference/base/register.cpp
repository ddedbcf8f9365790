// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "reference/base/register.hpp"

#include "core/base/backends.hpp"

namespace spruce::kernels::reference {

void register_kernels()
{
    register_array();
    register_solver();
    register_triangular();
    register_sort();
    register_dense();
    register_dense_blas();
    register_diagonal();
    register_permutation();
    register_index_set();
    register_dense_permute();
    register_fbcsr();
    register_sparsity_csr();
    register_csr();
    register_csr_lookup();
    register_csr_rearrange();
    register_csr_spgeam();
    register_csr_spgemm();
    register_coo();
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

}  // namespace spruce::kernels::reference
