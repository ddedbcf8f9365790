// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/array.hpp>
#include <spruce/base/executor.hpp>

namespace spruce {

class LinOp;

/// Exchanges numbers between the processes, or between the executors of one process, each of which
/// holds a part of the rows of a system.
class SPRUCE_EXPORT Communicator {
public:
    virtual ~Communicator();
    /// Replaces size numbers in the executor's memory by their sums over all parts. All parts have
    /// to call sum() and max() in the same order with the same size. The operation is ordered with
    /// kernels on the executor: it uses the results of kernels launched before, and kernels
    /// launched afterwards read its results.
    virtual void sum(const std::shared_ptr<const Executor>& exec, float* values, size_type size) const = 0;
    virtual void sum(const std::shared_ptr<const Executor>& exec, double* values, size_type size) const = 0;
    /// Replaces size numbers in the executor's memory by their maxima over all parts, in the order
    /// of kernels on the executor.
    virtual void max(const std::shared_ptr<const Executor>& exec, float* values, size_type size) const = 0;
    virtual void max(const std::shared_ptr<const Executor>& exec, double* values, size_type size) const = 0;
    /// Returns the number of rows in the parts before this one.
    virtual size_type get_first_row() const = 0;
};

/// Describes operators that hold a part of the rows of a larger system. Their vectors hold the same
/// rows.
class SPRUCE_EXPORT Distributed {
public:
    virtual ~Distributed();
    /// Returns the communicator of the parts; null if there is one part.
    virtual const Communicator* get_communicator() const = 0;
};

namespace detail {

/// Returns the communicator of an operator; null if the operator is null or not Distributed.
SPRUCE_EXPORT const Communicator* get_communicator(const LinOp* op);

}  // namespace detail

/// Holds what kernels need to sum over the rows of vectors, as norms and inner products do: scratch
/// memory, the communicator of a distributed system, and scale factors.
class Reduction {
public:
    /// @param workspace  scratch memory of the executor; grows as needed
    /// @param communicator  null if the system is not distributed
    // NOLINTNEXTLINE(google-explicit-constructor): scratch memory suffices without a communicator
    Reduction(array<char>& workspace, const Communicator* communicator = nullptr)
        : workspace_{&workspace}, communicator_{communicator}
    {}

    array<char>& get_workspace() const { return *workspace_; }
    /// Returns null if the system is not distributed.
    const Communicator* get_communicator() const { return communicator_; }

    /// Sets factors by which kernels multiply the entries of vectors in inner products, so that
    /// these neither overflow nor lose digits. scale_j, a power of two, is for column j. The
    /// computed inner product of two columns is scale_j^2 times that of the columns.
    /// @param scale  1 x k in the executor's memory, where it has to stay; null: ones
    template <typename Real>
    void set_scale(const Real* scale)
    {
        scale_ = scale;
        scale_size_ = sizeof(Real);
    }
    /// Returns the factors; null if they are ones. Real is the type that set_scale() was called
    /// with.
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
