// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/lin_op.hpp>

namespace spruce {

/// Represents operators that were generated from a matrix, and that can take new values of this
/// matrix without a new analysis of its pattern.
class SPRUCE_EXPORT Refreshable {
public:
    virtual ~Refreshable();
    /// Recomputes what the operator holds for a matrix with the pattern of the first one. If the
    /// pattern differs, the operator is unchanged.
    /// @throws UnsupportedMatrixProperty  if the pattern differs; the message names the first row
    ///         that does
    virtual void refresh(std::shared_ptr<const LinOp> matrix) = 0;
    /// Returns false if refresh() would throw NotSupported for each matrix, for instance if the
    /// operator is empty or depends on another one that is not Refreshable.
    virtual bool can_be_refreshed() const { return true; }
};

}  // namespace spruce
