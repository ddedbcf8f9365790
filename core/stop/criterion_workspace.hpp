// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <spruce/matrix/dense.hpp>

namespace spruce::detail {

/// A criterion is made anew for each solve. What it needs on the executor comes from here, and what it no longer has the next one
/// takes over, so that a solver's later applies allocate nothing.
class criterion_workspace {
public:
    /// A row of numbers that nobody else has; they are not set.
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
        // What is left of other sizes goes.
        rows_.erase(std::remove_if(rows_.begin(), rows_.end(), is_free), rows_.end());
        auto row = share(matrix::Dense<Real>::create(std::move(exec), dim<2>{1, num_cols}));
        rows_.push_back(row);
        return row;
    }
    /// For the workspace of reductions.
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
