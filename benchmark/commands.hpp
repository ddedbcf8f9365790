// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace CLI {
class App;
}

/// Contains the subcommands of spruce-bench. Each function adds a subcommand and its options to the
/// program. When the command line is parsed, the selected subcommand runs and sets exit_code.
namespace spruce::bench {

void add_advise(CLI::App& program, int& exit_code);
void add_blas(CLI::App& program, int& exit_code);
void add_compare(CLI::App& program, int& exit_code);
void add_conversion(CLI::App& program, int& exit_code);
void add_copy(CLI::App& program, int& exit_code);
void add_files(CLI::App& program, int& exit_code);
void add_generate(CLI::App& program, int& exit_code);
void add_groups(CLI::App& program, int& exit_code);
void add_preconditioner(CLI::App& program, int& exit_code);
void add_solver(CLI::App& program, int& exit_code);
void add_sparse_blas(CLI::App& program, int& exit_code);
void add_spmv(CLI::App& program, int& exit_code);
void add_statistics(CLI::App& program, int& exit_code);
void add_zoo(CLI::App& program, int& exit_code);

}  // namespace spruce::bench
