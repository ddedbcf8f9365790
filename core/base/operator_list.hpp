// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <spruce/base/lin_op.hpp>

namespace spruce::detail {

/// Returns the executor of the first operator.
/// @throws NotSupported  if the list is empty or contains a null pointer
inline std::shared_ptr<const Executor> executor_of_first(const std::vector<std::shared_ptr<const LinOp>>& operators)
{
    if (operators.empty()) {
        throw NotSupported(__FILE__, __LINE__, "a composite operator", "an empty list of operators");
    }
    for (const auto& op : operators) {
        if (!op) {
            throw_null_pointer("a composite operator");
        }
    }
    return operators.front()->get_executor();
}

/// Returns the operators. Those on another executor are copied to exec.
inline std::vector<std::shared_ptr<const LinOp>> on_executor(std::shared_ptr<const Executor> exec,
                                                             const std::vector<std::shared_ptr<const LinOp>>& operators)
{
    std::vector<std::shared_ptr<const LinOp>> result;
    result.reserve(operators.size());
    for (const auto& op : operators) {
        if (exec->is_equivalent_to(op->get_executor().get())) {
            result.push_back(op);
        } else {
            result.push_back(op->clone(exec));
        }
    }
    return result;
}

/// Returns true if values of one of the operators are in this memory. Null pointers count as
/// operators without values.
inline bool any_shares_memory(const std::vector<std::shared_ptr<const LinOp>>& operators,
                              const memory_extent& memory) noexcept
{
    return std::any_of(operators.begin(), operators.end(),
                       [&](const auto& op) { return op && op->shares_memory_with(memory); });
}

}  // namespace spruce::detail
