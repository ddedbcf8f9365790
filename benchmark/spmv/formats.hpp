// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

namespace spruce::bench {

/// Represents a matrix in some format on some executor, which can be multiplied with vectors there.
template <typename ValueType, typename IndexType>
class product {
public:
    virtual ~product() = default;
    /// Computes x = A b.
    virtual void apply(const matrix::Dense<ValueType>& b, matrix::Dense<ValueType>& x) = 0;
    /// Returns the number of bytes of the matrix that each product reads.
    virtual size_type get_storage_bytes() const = 0;
    /// Returns a description of the parameters or algorithm that the format chose, or an empty
    /// text.
    virtual std::string get_detail() const { return {}; }
};

struct format_info {
    std::string name;
    std::vector<backend> executors;  ///< on which the format exists
    bool is_default;                 ///< true if it is measured when no formats are specified
    std::string description;
};

/// Returns all formats, beginning with those of this library.
const std::vector<format_info>& formats();

/// Returns the formats to be measured on an executor. An empty request selects the default ones,
/// and "all" selects all that exist there.
/// @throws usage_error  for an unknown name
std::vector<std::string> choose_formats(const std::vector<std::string>& requested, backend executor);

/// Checks that the format exists on an executor.
/// @throws case_skipped  if it does not
void require_format(const std::string& format, backend executor);

/// Converts a, which is not changed. Its arrays are shared if possible.
/// @throws case_skipped  if the format does not exist on the executor of a, or if the result would
///                       consist mostly of padding
template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_product(
    const std::string& format, std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a);

}  // namespace spruce::bench
