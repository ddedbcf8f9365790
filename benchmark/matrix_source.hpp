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

namespace spruce::bench {

/// A matrix to come: from a file or from a generator.
class matrix_source {
public:
    static matrix_source file(std::string path) { return {std::move(path), false}; }
    /// @throws usage_error  if there is no such family
    static matrix_source family(std::string spec);

    /// What the user wrote: the path, or FAMILY:PARAMETERS.
    const std::string& get_text() const { return text_; }
    /// What tables show: the file's name without folders and endings, or FAMILY:PARAMETERS.
    std::string get_name() const;

    /// Generates the matrix or looks at the head of the file. @throws Error
    void open();
    /// Drops the generated matrix.
    void close() { generated_.reset(); }
    /// Whether a real type cannot hold the values; after open().
    bool is_complex() const { return is_complex_; }

    /// The matrix on a host executor; after open().
    /// @throws StreamError  for a malformed file; OverflowError if it does not fit the index type
    template <typename ValueType, typename IndexType>
    std::unique_ptr<matrix::Csr<ValueType, IndexType>> read(std::shared_ptr<const Executor> host);
    /// Returns what validate() finds in the file that was read, as a line for the user; empty if all is well.
    const std::string& get_faults() const { return faults_; }

private:
    matrix_source(std::string text, bool is_family) : text_{std::move(text)}, is_family_{is_family} {}

    std::string text_;
    bool is_family_;
    bool is_complex_{};
    std::string faults_;
    std::optional<generated_matrix> generated_;
};

/// The matrices that a command line asks for.
/// @param command  the subcommand of spruce-bench
/// @throws usage_error  if there are none
std::vector<matrix_source> collect_sources(const std::vector<std::string>& families,
                                           const std::vector<std::string>& files, const std::string& command);

/// The names of all families.
std::vector<std::string> family_names();

}  // namespace spruce::bench
