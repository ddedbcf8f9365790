// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/array.hpp>
#include <spruce/base/executor.hpp>

namespace spruce {

class LinOp;

/// Connects processes, or executors of one process, that hold the rows of a system in parts.
class SPRUCE_EXPORT Communicator {
public:
    virtual ~Communicator();
    /// Replaces size numbers in the executor's memory by their sums over all parts. All parts call this in the same order with the
    /// same size. Kernels that were launched before on the executor write the numbers, and kernels launched afterwards read them.
    virtual void sum(const std::shared_ptr<const Executor>& exec, float* values, size_type size) const = 0;
    virtual void sum(const std::shared_ptr<const Executor>& exec, double* values, size_type size) const = 0;
    /// Replaces size numbers by their maxima over all parts; otherwise as sum().
    virtual void max(const std::shared_ptr<const Executor>& exec, float* values, size_type size) const = 0;
    virtual void max(const std::shared_ptr<const Executor>& exec, double* values, size_type size) const = 0;
    /// Returns the number of rows in the parts before this one.
    virtual size_type get_first_row() const = 0;
};

/// An operator whose rows, and vectors, are a part of those of a larger system.
class SPRUCE_EXPORT Distributed {
public:
    virtual ~Distributed();
    /// Returns what connects the parts; null if there is one part.
    virtual const Communicator* get_communicator() const = 0;
};

namespace detail {

/// Returns what connects the parts of an operator; null if it is not distributed, or null itself.
SPRUCE_EXPORT const Communicator* get_communicator(const LinOp* op);

}  // namespace detail

/// What operations that add up the rows of vectors need: scratch memory, the other parts of a distributed system, and scales.
class Reduction {
public:
    /// @param workspace  grows as needed
    // NOLINTNEXTLINE(google-explicit-constructor): scratch memory is enough where all rows are here
    Reduction(array<char>& workspace, const Communicator* communicator = nullptr)
        : workspace_{&workspace}, communicator_{communicator}
    {}

    array<char>& get_workspace() const { return *workspace_; }
    /// Returns null if all rows are here.
    const Communicator* get_communicator() const { return communicator_; }

    /// Lets inner products be computed from vectors of which column j is multiplied by scale_j, a power of two, so that they neither
    /// overflow nor lose digits. Inner products of two vectors are then scale_j^2 times those of the vectors.
    /// @param scale  in the executor's memory, one for each column; null: ones
    template <typename Real>
    void set_scale(const Real* scale)
    {
        scale_ = scale;
        scale_size_ = sizeof(Real);
    }
    /// Returns the scales; null if they are ones. Real is the type that set_scale() was called with.
    template <typename Real>
    const Real* get_scale() const
    {
        return scale_size_ == sizeof(Real) ? static_cast<const Real*>(scale_) : nullptr;
    }

private:
    array<char>* workspace_;
    const Communicator* communicator_;
    const void* scale_{};
    size_type scale_size_{};
};

}  // namespace spruce
