// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// Everything that Spruce offers.

#include <spruce/config.hpp>

#include <spruce/base/abstract_factory.hpp>
#include <spruce/base/array.hpp>
#include <spruce/base/combination.hpp>
#include <spruce/base/composition.hpp>
#include <spruce/base/device_matrix_data.hpp>
#include <spruce/base/dim.hpp>
#include <spruce/base/exception.hpp>
#include <spruce/base/exception_helpers.hpp>
#include <spruce/base/executor.hpp>
#include <spruce/base/index_set.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/base/math.hpp>
#include <spruce/base/matrix_assembly_data.hpp>
#include <spruce/base/matrix_data.hpp>
#include <spruce/base/memory.hpp>
#include <spruce/base/mtx_io.hpp>
#include <spruce/base/name_demangling.hpp>
#include <spruce/base/perturbation.hpp>
#include <spruce/base/pointers.hpp>
#include <spruce/base/polymorphic_object.hpp>
#include <spruce/base/precision_dispatch.hpp>
#include <spruce/base/precision_reduction.hpp>
#include <spruce/base/reduction.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/base/refreshable_product.hpp>
#include <spruce/base/register_operation.hpp>
#include <spruce/base/stream.hpp>
#include <spruce/base/temporary_clone.hpp>
#include <spruce/base/timer.hpp>
#include <spruce/base/types.hpp>
#include <spruce/base/validate.hpp>
#include <spruce/base/version.hpp>
#include <spruce/base/workspace.hpp>

#include <spruce/factorization/factorization.hpp>
#include <spruce/factorization/ic.hpp>
#include <spruce/factorization/ilu.hpp>
#include <spruce/factorization/par_ic.hpp>
#include <spruce/factorization/par_ict.hpp>
#include <spruce/factorization/par_ilu.hpp>
#include <spruce/factorization/par_ilut.hpp>

#include <spruce/log/convergence.hpp>
#include <spruce/log/logger.hpp>
#include <spruce/log/performance_hint.hpp>
#include <spruce/log/profiler_hook.hpp>
#include <spruce/log/record.hpp>
#include <spruce/log/solver_progress.hpp>
#include <spruce/log/stream.hpp>

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/dense_blas.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/format_advice.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/identity.hpp>
#include <spruce/matrix/permutation.hpp>
#include <spruce/matrix/row_gatherer.hpp>
#include <spruce/matrix/scaled_permutation.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>
#include <spruce/matrix/via_csr.hpp>

#include <spruce/multigrid/fixed_coarsening.hpp>
#include <spruce/multigrid/multigrid_level.hpp>
#include <spruce/multigrid/pgm.hpp>
#include <spruce/multigrid/sa.hpp>

#include <spruce/preconditioner/factor_solvers.hpp>
#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/preconditioner/ic.hpp>
#include <spruce/preconditioner/ilu.hpp>
#include <spruce/preconditioner/isai.hpp>
#include <spruce/preconditioner/jacobi.hpp>
#include <spruce/preconditioner/sor.hpp>

#include <spruce/solver/bicg.hpp>
#include <spruce/solver/bicgstab.hpp>
#include <spruce/solver/cb_gmres.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/solver/cgs.hpp>
#include <spruce/solver/chebyshev.hpp>
#include <spruce/solver/enable_solver.hpp>
#include <spruce/solver/fcg.hpp>
#include <spruce/solver/gcr.hpp>
#include <spruce/solver/gmres.hpp>
#include <spruce/solver/idr.hpp>
#include <spruce/solver/initial_guess.hpp>
#include <spruce/solver/ir.hpp>
#include <spruce/solver/minres.hpp>
#include <spruce/solver/multigrid.hpp>
#include <spruce/solver/pipe_cg.hpp>
#include <spruce/solver/solver_base.hpp>
#include <spruce/solver/triangular.hpp>

#include <spruce/stop/combined.hpp>
#include <spruce/stop/criterion.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>
#include <spruce/stop/residual_norm_reduction.hpp>
#include <spruce/stop/stopping_status.hpp>
#include <spruce/stop/time.hpp>
