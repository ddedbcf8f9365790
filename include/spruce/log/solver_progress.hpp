// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <spruce/log/logger.hpp>

namespace spruce {
namespace log {

/// Writes what a solver reports at each iteration: its scalars to a stream, one line per iteration,
/// or its vectors to files. It helps to find out why a solve does not converge. It is slow, because
/// each iteration copies the written data to the host.
/// The scalars are those of the event iteration_complete: residual_norm and
/// implicit_sq_residual_norm, if the solver provides them. With several right-hand sides there is a
/// column for each, named residual_norm(0), residual_norm(1), ... Complex numbers are written like
/// 1.5-2i. A header with the names precedes iteration 0. It is repeated before a line whose columns
/// or solver differ from those of the line before. Operands that are not Dense are omitted. Only
/// one thread at a time may use a logger.
class SPRUCE_EXPORT SolverProgress : public Logger {
public:
    /// Writes columns that are aligned to the right and separated by spaces.
    /// @param output  has to outlive the logger
    /// @param precision  significant digits
    /// @param column_width  least number of characters of a column; a longer name makes its column
    ///     wider
    static std::shared_ptr<SolverProgress> create_scalar_table_writer(std::ostream& output, int precision = 6,
                                                                      int column_width = 12);

    /// Writes values with a separator between them.
    /// @param output  has to outlive the logger
    static std::shared_ptr<SolverProgress> create_scalar_csv_writer(std::ostream& output, int precision = 6,
                                                                    char separator = ',');

    /// Writes files named by prefix, iteration and vector, such as solver_0_solution.mtx. They have
    /// the array layout of the Matrix Market format or, if binary is true, the ending .bin and the
    /// format of write_binary_raw(). The vectors are solution, residual, residual_norm,
    /// implicit_sq_residual_norm and, at iteration 0, right_hand_side. Files of an earlier solve
    /// are overwritten. If a file cannot be written, the logger throws StreamError.
    static std::shared_ptr<SolverProgress> create_vector_storage(std::string output_file_prefix = "solver_",
                                                                 bool binary = false);

protected:
    SolverProgress() : Logger{iteration_complete_mask} {}
};

}  // namespace log
}  // namespace spruce
