// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Implements the selection and reordering of rows and columns.

#include <spruce/base/exception_helpers.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/permutation.hpp>
#include <spruce/matrix/scaled_permutation.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/index_checks.hpp"
#include "core/base/overlap.hpp"
#include "core/matrix/dense_checks.hpp"
#include "core/matrix/dense_permute_kernels.hpp"
#include "core/matrix/permute_mode.hpp"

namespace spruce::matrix {
namespace {

/// Returns the indices in memory that exec can access.
/// @throws NotSupported  if idxs is null
template <typename IndexType>
array<IndexType> on_executor(const std::shared_ptr<const Executor>& exec, const char* function,
                             const array<IndexType>* idxs)
{
    spruce::detail::require_pointers(function, idxs);
    if (exec->memory_accessible(idxs->get_executor())) {
        return array<IndexType>::view(exec, idxs->get_size(), const_cast<IndexType*>(idxs->get_const_data()));
    }
    return array<IndexType>{exec, *idxs};
}

/// Returns the indices of a permutation, or null if there is none.
template <typename Operator>
auto indices_of(const Operator* permutation)
{
    return permutation ? permutation->get_const_permutation() : nullptr;
}
template <typename ValueType, typename IndexType>
const ValueType* factors_of(const ScaledPermutation<ValueType, IndexType>* permutation)
{
    return permutation ? permutation->get_const_scaling_factors() : nullptr;
}

template <typename ValueType, typename IndexType>
void run_reordering(const Dense<ValueType>& x, const Permutation<IndexType>* rows,
                    const Permutation<IndexType>* columns, bool invert, Dense<ValueType>& output)
{
    const auto& run =
        invert ? kernels::dense::inverse_permute<ValueType, IndexType> : kernels::dense::permute<ValueType, IndexType>;
    run(*x.get_executor(), x, indices_of(rows), indices_of(columns), output);
}
template <typename ValueType, typename IndexType>
void run_reordering(const Dense<ValueType>& x, const ScaledPermutation<ValueType, IndexType>* rows,
                    const ScaledPermutation<ValueType, IndexType>* columns, bool invert, Dense<ValueType>& output)
{
    const auto& run = invert ? kernels::dense::inverse_scale_permute<ValueType, IndexType>
                             : kernels::dense::scale_permute<ValueType, IndexType>;
    run(*x.get_executor(), x, factors_of(rows), indices_of(rows), factors_of(columns), indices_of(columns), output);
}

/// Reorders rows and columns.
/// @param rows, columns  permutations on any executor, or null to keep the order
template <typename ValueType, typename Operator>
void reorder_by(const char* function, const Dense<ValueType>& x, const Operator* rows, const Operator* columns,
                bool invert, Dense<ValueType>* output)
{
    const auto require_size = [&](const Operator* permutation, size_type size) {
        if (permutation) {
            spruce::detail::require_permutation_size(function, permutation->get_size()[0], size);
        }
    };
    require_size(rows, x.get_size()[0]);
    require_size(columns, x.get_size()[1]);
    spruce::detail::require_equal_size(function, x.get_size(), output->get_size(), "output");
    const auto exec = x.get_executor();
    const auto local_rows = make_temporary_clone(exec, rows);
    const auto local_columns = make_temporary_clone(exec, rows == columns ? local_rows.get() : columns);
    const spruce::detail::result_memory result{function, *output, "output"};
    const auto local_x = result.separate(exec, &x, "this");
    run_reordering(*local_x, local_rows.get(), local_columns.get(), invert, *make_temporary_clone(exec, output));
}
template <typename ValueType, typename Operator>
void reorder_by(const char* function, const Dense<ValueType>& x, const Operator* permutation, permute_mode mode,
                Dense<ValueType>* output)
{
    spruce::detail::require_pointers(function, permutation, output);
    reorder_by(function, x, has(mode, permute_mode::rows) ? permutation : nullptr,
               has(mode, permute_mode::columns) ? permutation : nullptr, has(mode, permute_mode::inverse), output);
}

}  // namespace

template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::reorder(const char* function, const array<IndexType>* permutation,
                                                     parts which, bool invert, Dense<ValueType>* output) const
{
    spruce::detail::require_pointers(function, permutation, output);
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    const auto size = self.get_size();
    if (which == both && size[0] != size[1]) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "this", size[0], size[1], "this", size[0], size[1],
                                "a square matrix is needed to reorder rows and columns alike");
    }
    const auto exec = self.get_executor();
    const auto local = on_executor(exec, function, permutation);
    spruce::detail::require_permutation(function, local, which == columns ? size[1] : size[0]);
    spruce::detail::require_equal_size(function, size, output->get_size(), "output");
    const spruce::detail::result_memory result{function, *output, "output"};
    const auto local_self = result.separate(exec, &self, "this");
    const auto idxs = local.get_const_data();
    const auto& run =
        invert ? kernels::dense::inverse_permute<ValueType, IndexType> : kernels::dense::permute<ValueType, IndexType>;
    run(*exec, *local_self, which == columns ? nullptr : idxs, which == rows ? nullptr : idxs,
        *make_temporary_clone(exec, output));
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Dense<ValueType>> ReorderableDense<ValueType, IndexType>::reorder(const char* function,
                                                                                  const array<IndexType>* permutation,
                                                                                  parts which, bool invert) const
{
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    auto result = Dense<ValueType>::create(self.get_executor(), self.get_size());
    this->reorder(function, permutation, which, invert, result.get());
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ReorderableDense<ValueType, IndexType>::permute(const array<IndexType>* permutation) const
{
    return this->reorder("Dense::permute", permutation, both, false);
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::permute(const array<IndexType>* permutation,
                                                     ptr_param<Dense<ValueType>> output) const
{
    this->reorder("Dense::permute", permutation, both, false, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ReorderableDense<ValueType, IndexType>::inverse_permute(
    const array<IndexType>* permutation) const
{
    return this->reorder("Dense::inverse_permute", permutation, both, true);
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::inverse_permute(const array<IndexType>* permutation,
                                                             ptr_param<Dense<ValueType>> output) const
{
    this->reorder("Dense::inverse_permute", permutation, both, true, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ReorderableDense<ValueType, IndexType>::row_permute(const array<IndexType>* permutation) const
{
    return this->reorder("Dense::row_permute", permutation, rows, false);
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::row_permute(const array<IndexType>* permutation,
                                                         ptr_param<Dense<ValueType>> output) const
{
    this->reorder("Dense::row_permute", permutation, rows, false, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ReorderableDense<ValueType, IndexType>::column_permute(const array<IndexType>* permutation) const
{
    return this->reorder("Dense::column_permute", permutation, columns, false);
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::column_permute(const array<IndexType>* permutation,
                                                            ptr_param<Dense<ValueType>> output) const
{
    this->reorder("Dense::column_permute", permutation, columns, false, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ReorderableDense<ValueType, IndexType>::inverse_row_permute(
    const array<IndexType>* permutation) const
{
    return this->reorder("Dense::inverse_row_permute", permutation, rows, true);
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::inverse_row_permute(const array<IndexType>* permutation,
                                                                 ptr_param<Dense<ValueType>> output) const
{
    this->reorder("Dense::inverse_row_permute", permutation, rows, true, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<LinOp> ReorderableDense<ValueType, IndexType>::inverse_column_permute(
    const array<IndexType>* permutation) const
{
    return this->reorder("Dense::inverse_column_permute", permutation, columns, true);
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::inverse_column_permute(const array<IndexType>* permutation,
                                                                    ptr_param<Dense<ValueType>> output) const
{
    this->reorder("Dense::inverse_column_permute", permutation, columns, true, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Dense<ValueType>> ReorderableDense<ValueType, IndexType>::permute(
    ptr_param<const Permutation<IndexType>> permutation, permute_mode mode) const
{
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    auto result = Dense<ValueType>::create(self.get_executor(), self.get_size());
    this->permute(permutation, result, mode);
    return result;
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::permute(ptr_param<const Permutation<IndexType>> permutation,
                                                     ptr_param<Dense<ValueType>> output, permute_mode mode) const
{
    reorder_by("Dense::permute", static_cast<const Dense<ValueType>&>(*this), permutation.get(), mode, output.get());
}
template <typename ValueType, typename IndexType>
std::unique_ptr<Dense<ValueType>> ReorderableDense<ValueType, IndexType>::permute(
    ptr_param<const Permutation<IndexType>> row_permutation, ptr_param<const Permutation<IndexType>> column_permutation,
    bool invert) const
{
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    auto result = Dense<ValueType>::create(self.get_executor(), self.get_size());
    this->permute(row_permutation, column_permutation, result, invert);
    return result;
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::permute(ptr_param<const Permutation<IndexType>> row_permutation,
                                                     ptr_param<const Permutation<IndexType>> column_permutation,
                                                     ptr_param<Dense<ValueType>> output, bool invert) const
{
    spruce::detail::require_pointers("Dense::permute", row_permutation, column_permutation, output);
    reorder_by("Dense::permute", static_cast<const Dense<ValueType>&>(*this), row_permutation.get(),
               column_permutation.get(), invert, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Dense<ValueType>> ReorderableDense<ValueType, IndexType>::scale_permute(
    ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation, permute_mode mode) const
{
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    auto result = Dense<ValueType>::create(self.get_executor(), self.get_size());
    this->scale_permute(permutation, result, mode);
    return result;
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::scale_permute(
    ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation, ptr_param<Dense<ValueType>> output,
    permute_mode mode) const
{
    reorder_by("Dense::scale_permute", static_cast<const Dense<ValueType>&>(*this), permutation.get(), mode,
               output.get());
}
template <typename ValueType, typename IndexType>
std::unique_ptr<Dense<ValueType>> ReorderableDense<ValueType, IndexType>::scale_permute(
    ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
    ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation, bool invert) const
{
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    auto result = Dense<ValueType>::create(self.get_executor(), self.get_size());
    this->scale_permute(row_permutation, column_permutation, result, invert);
    return result;
}
template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::scale_permute(
    ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
    ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation, ptr_param<Dense<ValueType>> output,
    bool invert) const
{
    spruce::detail::require_pointers("Dense::scale_permute", row_permutation, column_permutation, output);
    reorder_by("Dense::scale_permute", static_cast<const Dense<ValueType>&>(*this), row_permutation.get(),
               column_permutation.get(), invert, output.get());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Dense<ValueType>> ReorderableDense<ValueType, IndexType>::row_gather(const array<IndexType>* rows) const
{
    spruce::detail::require_pointers("Dense::row_gather", rows);
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    auto result = Dense<ValueType>::create(self.get_executor(), dim<2>{rows->get_size(), self.get_size()[1]});
    this->row_gather(rows, result);
    return result;
}

/// Calls gather(local_self, local_rows, local_output) with an output of this or the next precision.
/// All arguments are on the executor of this matrix.
template <typename ValueType, typename IndexType>
template <typename Gather>
void ReorderableDense<ValueType, IndexType>::gather_into(const array<IndexType>* rows, LinOp* output,
                                                         Gather gather) const
{
    constexpr auto function = "Dense::row_gather";
    spruce::detail::require_pointers(function, rows, output);
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    const auto exec = self.get_executor();
    const auto local_rows = on_executor(exec, function, rows);
    spruce::detail::require_equal_size(function, dim<2>{rows->get_size(), self.get_size()[1]}, output->get_size(),
                                       "output");
    spruce::detail::require_indices_below(function, local_rows, self.get_size()[0]);
    const auto local_self = spruce::detail::result_memory{function, *output, "output"}.separate(exec, &self, "this");
    const auto local_output = make_temporary_clone(exec, output);
    if (const auto same = dynamic_cast<Dense<ValueType>*>(local_output.get())) {
        gather(*local_self, local_rows.get_const_data(), *same);
    } else {
        gather(*local_self, local_rows.get_const_data(), *as<Dense<next_precision<ValueType>>>(local_output.get()));
    }
}

template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::row_gather(const array<IndexType>* rows, ptr_param<LinOp> output) const
{
    this->gather_into(rows, output.get(), [](const auto& self, auto idxs, auto& result) {
        using Result = typename std::decay_t<decltype(result)>::value_type;
        kernels::dense::row_gather<ValueType, Result, IndexType>(*self.get_executor(), self, idxs, result);
    });
}

template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::row_gather(ptr_param<const LinOp> alpha, const array<IndexType>* rows,
                                                        ptr_param<const LinOp> beta, ptr_param<LinOp> output) const
{
    SPRUCE_ASSERT_IS_SCALAR(alpha);
    SPRUCE_ASSERT_IS_SCALAR(beta);
    const auto exec = static_cast<const Dense<ValueType>&>(*this).get_executor();
    const spruce::detail::result_memory written{"Dense::row_gather", *output, "output"};
    const auto local_alpha = written.separate_factor(exec, alpha.get());
    const auto local_beta = written.separate_factor(exec, beta.get());
    this->gather_into(rows, output.get(), [&](const auto& self, auto idxs, auto& result) {
        using Result = typename std::decay_t<decltype(result)>::value_type;
        using Scalar = kernels::dense::higher_precision<ValueType, Result>;
        const spruce::detail::const_converted_dense<Scalar> dense_alpha{local_alpha.get(), "alpha"};
        const spruce::detail::const_converted_dense<Scalar> dense_beta{local_beta.get(), "beta"};
        kernels::dense::advanced_row_gather<ValueType, Result, IndexType>(*exec, *dense_alpha.get(), self, idxs,
                                                                          *dense_beta.get(), result);
    });
}

template <typename ValueType, typename IndexType>
void ReorderableDense<ValueType, IndexType>::row_scatter(const array<IndexType>* rows,
                                                         ptr_param<Dense<ValueType>> output) const
{
    const auto& self = static_cast<const Dense<ValueType>&>(*this);
    constexpr auto function = "Dense::row_scatter";
    const auto exec = self.get_executor();
    const auto local_rows = on_executor(exec, function, rows);
    if (rows->get_size() != self.get_size()[0]) {
        throw DimensionMismatch(__FILE__, __LINE__, function, "rows", rows->get_size(), 1, "this", self.get_size()[0],
                                self.get_size()[1], "an index for each row is needed");
    }
    spruce::detail::require_equal_size(function, dim<2>{output->get_size()[0], self.get_size()[1]}, output->get_size(),
                                       "output");
    spruce::detail::require_distinct_indices(function, local_rows, output->get_size()[0]);
    const auto local_self = spruce::detail::result_memory{function, *output, "output"}.separate(exec, &self, "this");
    kernels::dense::inverse_permute<ValueType, IndexType>(*exec, *local_self, local_rows.get_const_data(), nullptr,
                                                          *make_temporary_clone(exec, output));
}

#define SPRUCE_REORDERABLE_DENSE(_value, _index) class SPRUCE_EXPORT ReorderableDense<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_REORDERABLE_DENSE);

}  // namespace spruce::matrix
