// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <spruce/matrix/dense.hpp>

namespace spruce::detail {

/// Holds memory for the stopping criterion of a solve. Each solve creates a new criterion, which
/// reuses the memory of earlier ones. Later applies of a solver therefore allocate nothing.
class criterion_workspace {
public:
    /// Returns an uninitialized row of numbers that is not in use elsewhere.
    template <typename Real>
    std::shared_ptr<matrix::Dense<Real>> take_row(std::shared_ptr<const Executor> exec, size_type num_cols)
    {
        const auto is_free = [](const auto& row) { return row.use_count() == 1; };
        for (const auto& row : rows_) {
            if (is_free(row) && row->get_executor() == exec && row->get_size()[1] == num_cols) {
                if (auto fitting = std::dynamic_pointer_cast<matrix::Dense<Real>>(row)) {
                    return fitting;
                }
            }
        }
        // Free rows of other sizes are released.
        rows_.erase(std::remove_if(rows_.begin(), rows_.end(), is_free), rows_.end());
        auto row = share(matrix::Dense<Real>::create(std::move(exec), dim<2>{1, num_cols}));
        rows_.push_back(row);
        return row;
    }
    /// Returns the workspace of reductions.
    array<char>& buffer(std::shared_ptr<const Executor> exec)
    {
        buffer_.set_executor(std::move(exec));
        return buffer_;
    }

private:
    std::vector<std::shared_ptr<LinOp>> rows_;
    array<char> buffer_;
};

}  // namespace spruce::detail
