// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/row_gatherer.hpp>

#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/dense.hpp>

#include "core/base/array_assignment.hpp"
#include "core/base/index_checks.hpp"
#include "core/matrix/gather_rows.hpp"

namespace spruce::matrix {

template <typename IndexType>
RowGatherer<IndexType>::RowGatherer(std::shared_ptr<const Executor> exec, const dim<2>& size)
    : EnableLinOp<RowGatherer>(exec, size), row_idxs_{exec, size[0]}
{}

template <typename IndexType>
RowGatherer<IndexType>::RowGatherer(std::shared_ptr<const Executor> exec, const dim<2>& size,
                                    array<index_type> row_idxs)
    : EnableLinOp<RowGatherer>(exec, size), row_idxs_{exec, std::move(row_idxs)}
{
    if (row_idxs_.get_size() != size[0]) {
        throw DimensionMismatch(__FILE__, __LINE__, "RowGatherer::create", "row_idxs", row_idxs_.get_size(), 1,
                                "the matrix", size[0], size[1], "an index is needed for each row of the result");
    }
    spruce::detail::require_indices_below("RowGatherer::create", row_idxs_, size[1]);
}

template <typename IndexType>
std::unique_ptr<RowGatherer<IndexType>> RowGatherer<IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                       const dim<2>& size)
{
    return std::unique_ptr<RowGatherer>(new RowGatherer(std::move(exec), size));
}

template <typename IndexType>
std::unique_ptr<RowGatherer<IndexType>> RowGatherer<IndexType>::create(std::shared_ptr<const Executor> exec,
                                                                       const dim<2>& size, array<index_type> row_idxs)
{
    return std::unique_ptr<RowGatherer>(new RowGatherer(std::move(exec), size, std::move(row_idxs)));
}

template <typename IndexType>
std::unique_ptr<const RowGatherer<IndexType>> RowGatherer<IndexType>::create_const(
    std::shared_ptr<const Executor> exec, const dim<2>& size, spruce::detail::const_array_view<IndexType>&& row_idxs)
{
    return create(std::move(exec), size, spruce::detail::array_const_cast(std::move(row_idxs)));
}

template <typename IndexType>
RowGatherer<IndexType>::RowGatherer(const RowGatherer& other) : RowGatherer(other.get_executor())
{
    *this = other;
}

template <typename IndexType>
RowGatherer<IndexType>::RowGatherer(RowGatherer&& other) : RowGatherer(other.get_executor())
{
    *this = std::move(other);
}

template <typename IndexType>
RowGatherer<IndexType>& RowGatherer<IndexType>::operator=(const RowGatherer& other)
{
    if (this != &other) {
        spruce::detail::array_assignment row_idxs{row_idxs_, other.row_idxs_};
        row_idxs.commit();
        EnableLinOp<RowGatherer>::operator=(other);
    }
    return *this;
}

template <typename IndexType>
RowGatherer<IndexType>& RowGatherer<IndexType>::operator=(RowGatherer&& other)
{
    row_idxs_ = std::move(other.row_idxs_);
    EnableLinOp<RowGatherer>::operator=(std::move(other));
    return *this;
}

template <typename IndexType>
RowGatherer<IndexType>::~RowGatherer() = default;

template <typename IndexType>
void RowGatherer<IndexType>::apply_impl(const LinOp* b, LinOp* x) const
{
    spruce::detail::gather_rows(*this->get_executor(), this->get_const_row_idxs(), b, x);
}

template <typename IndexType>
void RowGatherer<IndexType>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    spruce::detail::gather_rows(*this->get_executor(), alpha, this->get_const_row_idxs(), b, beta, x);
}

#define SPRUCE_ROW_GATHERER(_index) class SPRUCE_EXPORT RowGatherer<_index>
SPRUCE_INSTANTIATE_FOR_EACH_INDEX_TYPE(SPRUCE_ROW_GATHERER);

}  // namespace spruce::matrix
