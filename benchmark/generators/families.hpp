// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "benchmark/generators/generators.hpp"
#include "benchmark/generators/parameters.hpp"

/// Contains one function for each family; generators.cpp describes the families. Each function
/// reads its parameters and calls their check() before it allocates memory.
namespace spruce::bench::family {

// grid.cpp
generated_matrix poisson2d_5pt(parameters& params);
generated_matrix poisson2d_9pt(parameters& params);
generated_matrix poisson3d_7pt(parameters& params);
generated_matrix poisson3d_27pt(parameters& params);
generated_matrix saddle_point(parameters& params);
generated_matrix skew(parameters& params);
generated_matrix hermitian(parameters& params);
generated_matrix helmholtz(parameters& params);

// graph.cpp
generated_matrix rmat(parameters& params);
generated_matrix circuit(parameters& params);

// extreme.cpp
generated_matrix one_dense_row(parameters& params);
generated_matrix one_dense_column(parameters& params);
generated_matrix arrow(parameters& params);
generated_matrix bimodal(parameters& params);
generated_matrix nearly_dense(parameters& params);
generated_matrix wide(parameters& params);
generated_matrix empty_rows(parameters& params);
generated_matrix empty_row_runs(parameters& params);
generated_matrix empty(parameters& params);
generated_matrix full_row(parameters& params);
generated_matrix full_column(parameters& params);
generated_matrix one_entry(parameters& params);

// banded.cpp
generated_matrix band(parameters& params);
generated_matrix random_band(parameters& params);
generated_matrix tridiagonal(parameters& params);
generated_matrix block_tridiagonal(parameters& params);
generated_matrix block_diagonal(parameters& params);

// mesh.cpp
generated_matrix fem_block(parameters& params);
generated_matrix fem_delaunay(parameters& params);
generated_matrix mesh2d(parameters& params);
generated_matrix mesh3d(parameters& params);
generated_matrix road(parameters& params);

}  // namespace spruce::bench::family
