// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/matrix/csr.hpp>

namespace spruce::detail {

/// Creates a temporary Csr. Its strategy needs no setup for products.
template <typename ValueType, typename IndexType>
std::unique_ptr<matrix::Csr<ValueType, IndexType>> create_intermediate_csr(std::shared_ptr<const Executor> exec)
{
    using csr = matrix::Csr<ValueType, IndexType>;
    return csr::create(std::move(exec), std::make_shared<typename csr::classical>());
}

/// Returns the source converted to Csr, on its executor.
template <typename ValueType, typename IndexType>
std::unique_ptr<matrix::Csr<ValueType, IndexType>> convert_to_csr(const PolymorphicObject& source)
{
    auto result = create_intermediate_csr<ValueType, IndexType>(source.get_executor());
    result->copy_from(&source);
    return result;
}

}  // namespace spruce::detail
