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

/// A matrix in some format on some executor, ready to be multiplied with vectors there.
template <typename ValueType, typename IndexType>
class product {
public:
    virtual ~product() = default;
    /// x = A b
    virtual void apply(const matrix::Dense<ValueType>& b, matrix::Dense<ValueType>& x) = 0;
    /// Bytes of the matrix that each product reads.
    virtual size_type get_storage_bytes() const = 0;
    /// What the format chose for this matrix, if it has a choice.
    virtual std::string get_detail() const { return {}; }
};

struct format_info {
    std::string name;
    std::vector<backend> executors;  ///< that it exists on
    bool is_default;                 ///< measured where no formats are asked for
    std::string description;
};

/// All formats, those of this library first.
const std::vector<format_info>& formats();

/// Those measured on an executor: for an empty request the default ones, for "all" all that exist there.
/// @throws usage_error  for an unknown name
std::vector<std::string> choose_formats(const std::vector<std::string>& requested, backend executor);

/// Converts a, which stays unchanged and is shared where it can be.
/// @throws std::exception  with the reason why the format cannot serve this matrix on the executor of a
template <typename ValueType, typename IndexType>
std::unique_ptr<product<ValueType, IndexType>> create_product(
    const std::string& format, std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a);

/// Bytes that the arrays of a CSR matrix take.
template <typename ValueType, typename IndexType>
size_type csr_bytes(const matrix::Csr<ValueType, IndexType>& a)
{
    return a.get_num_stored_elements() * (sizeof(ValueType) + sizeof(IndexType)) +
           (a.get_size()[0] + 1) * sizeof(IndexType);
}

}  // namespace spruce::bench
