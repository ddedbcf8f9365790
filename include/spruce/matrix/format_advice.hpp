// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include <spruce/base/executor.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {

/// Names the formats that advise_format() recommends.
enum class storage_format { csr, coo, ell, sellp };

/// Returns the name of the format in lower case.
SPRUCE_EXPORT std::string to_string(storage_format format);

/// Holds the format in which the product of a matrix with a vector is expected to be fastest.
struct format_advice {
    storage_format format;
    std::string reason;  ///< the rule that chose it, and the numbers on which it is based
};

/// Chooses a storage format by the lengths of the rows and what the executor does best. For GPUs it
/// copies the row pointers to the host. doc/formats.md describes the rules and how close they come
/// to the fastest format.
/// @param exec  where the products are to run; the matrix may be elsewhere
/// @throws NotSupported  if exec is null
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT format_advice advise_format(const matrix::Csr<ValueType, IndexType>& matrix,
                                          std::shared_ptr<const Executor> exec);

/// Chooses a storage format for a backend that need not be on this machine, for devices with warps
/// of 32 threads (cuda) or 64 threads (hip).
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT format_advice advise_format(const matrix::Csr<ValueType, IndexType>& matrix, backend target);

/// Creates a copy of the matrix in another format on an executor. Slices of Sellp have as many rows
/// as a warp of a device has threads.
/// @throws NotSupported  if exec is null
/// @throws AllocationError  if the padding of Ell or Sellp does not fit into memory
template <typename ValueType, typename IndexType>
SPRUCE_EXPORT std::unique_ptr<LinOp> copy_in_format(const matrix::Csr<ValueType, IndexType>& matrix,
                                                    storage_format format, std::shared_ptr<const Executor> exec);

}  // namespace spruce
