// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/csr.hpp>

#include "benchmark/matrix_source.hpp"
#include "benchmark/types.hpp"

namespace spruce::bench {

/// Returns the value type in which a matrix is read: the given type, or the complex type of its
/// precision for complex matrices.
/// @param source  after open()
inline std::string value_type_of(const matrix_source& source, const std::string& value_type)
{
    return source.is_complex() ? complex_type_name(value_type) : value_type;
}

/// Reads an open matrix in the given types, drops the generated one, and returns use(matrix), where
/// the matrix is a Csr on the reference executor.
/// @throws usage_error    for unknown names of types
/// @throws StreamError    if the file is malformed
/// @throws OverflowError  if the matrix does not fit the index type
template <typename Use>
auto use_matrix(matrix_source& source, const std::string& value_type, const std::string& index_type, Use use)
{
    return with_types(value_type, index_type, [&](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        const std::shared_ptr<const matrix::Csr<V, I>> matrix = source.read<V, I>(ReferenceExecutor::create());
        source.close();
        return use(*matrix);
    });
}

}  // namespace spruce::bench
