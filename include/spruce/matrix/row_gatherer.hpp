// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/base/lin_op.hpp>
#include <spruce/matrix/formats.hpp>

namespace spruce {
namespace matrix {

/// Gathers rows of a Dense: the m x n matrix with ones at (i, r_i), so row i of the product with b
/// is row r_i of b.
///
/// Rows may be gathered several times or not at all. Indices are checked once, when create() takes
/// them, which synchronizes the host with the device. Indices that are written later, through
/// get_row_idxs() or into a viewed array, are not checked. Bitwise repeatable.
template <typename IndexType = int32>
class SPRUCE_EXPORT RowGatherer : public EnableLinOp<RowGatherer<IndexType>> {
    friend class EnablePolymorphicObject<RowGatherer, LinOp>;

public:
    using index_type = IndexType;

    /// Creates a gatherer with size[0] uninitialized indices.
    static std::unique_ptr<RowGatherer> create(std::shared_ptr<const Executor> exec, const dim<2>& size = {});
    /// Creates a gatherer that takes the indices, or views them if the array is a view.
    /// @throws DimensionMismatch  if the number of indices is not size[0]
    /// @throws OutOfBoundsError  if an index is negative or not below size[1]
    static std::unique_ptr<RowGatherer> create(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                               array<index_type> row_idxs);
    static std::unique_ptr<const RowGatherer> create_const(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                                           detail::const_array_view<IndexType>&& row_idxs);

    RowGatherer(const RowGatherer& other);
    RowGatherer(RowGatherer&& other);
    RowGatherer& operator=(const RowGatherer& other);
    RowGatherer& operator=(RowGatherer&& other);
    ~RowGatherer() override;

    index_type* get_row_idxs() noexcept { return row_idxs_.get_data(); }
    const index_type* get_const_row_idxs() const noexcept { return row_idxs_.get_const_data(); }

protected:
    explicit RowGatherer(std::shared_ptr<const Executor> exec, const dim<2>& size = {});
    RowGatherer(std::shared_ptr<const Executor> exec, const dim<2>& size, array<index_type> row_idxs);

    /// Computes x = this b. b and x are Dense of any value type; x may have the other precision.
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    array<index_type> row_idxs_;
};

}  // namespace matrix
}  // namespace spruce
