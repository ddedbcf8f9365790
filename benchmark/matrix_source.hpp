// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/csr.hpp>

#include "benchmark/generators/generators.hpp"
#include "benchmark/run_options.hpp"

namespace spruce::bench {

/// Represents a matrix that is read from a file or generated later.
class matrix_source {
public:
    static matrix_source file(const std::string& path);
    /// Returns the source of a matrix that the file of --suite names by a path, FAMILY:PARAMETERS
    /// or GROUP/NAME. The matrix may be missing, which open() reports.
    /// @param folder  where matrices that are named by GROUP/NAME are
    static matrix_source in_suite(const std::string& entry, const std::string& folder);
    /// Returns the source of a generated matrix.
    /// @throws usage_error  if there is no such family
    static matrix_source family(std::string spec);

    /// Returns the text of the command line: the path, or FAMILY:PARAMETERS.
    const std::string& get_text() const { return text_; }
    /// Returns the name for tables: the file name without folders and endings, GROUP/NAME, or
    /// FAMILY:PARAMETERS.
    const std::string& get_name() const { return name_; }
    /// Names the matrix by its path.
    void use_path_as_name() { name_ = text_; }

    /// Generates the matrix or reads the head of the file.
    /// @throws std::exception  if the matrix cannot be generated, or was not found
    void open();
    /// Drops the generated matrix.
    void close() { generated_.reset(); }
    /// Returns true if the values need a complex type; to be called after open().
    bool is_complex() const { return is_complex_; }

    /// Returns the matrix on a host executor; to be called after open().
    /// @throws StreamError    if the file is malformed
    /// @throws OverflowError  if the matrix does not fit the index type
    template <typename ValueType, typename IndexType>
    std::unique_ptr<matrix::Csr<ValueType, IndexType>> read(std::shared_ptr<const Executor> host);
    /// Returns the faults that validate() finds in the file that was read, as one line of text. The
    /// text is empty if there are none.
    const std::string& get_faults() const { return faults_; }

private:
    matrix_source(std::string text, std::string name, bool is_family)
        : text_{std::move(text)}, name_{std::move(name)}, is_family_{is_family}
    {}

    std::string text_;
    std::string name_;
    std::string missing_;  ///< reason why open() fails; empty otherwise
    bool is_family_;
    bool is_complex_{};
    std::string faults_;
    std::optional<generated_matrix> generated_;
};

/// Returns the matrices that are requested on a command line. Those with equal names are named by
/// their paths.
/// @param command  the subcommand of spruce-bench
/// @throws usage_error  if there are none, or if the file of --suite cannot be read
std::vector<matrix_source> collect_sources(const matrix_run_options& options, const std::string& command);

/// Returns the names of all families.
std::vector<std::string> family_names();

}  // namespace spruce::bench
