// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Implements permutations by matrices, and reordering with updates of the values.

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/permutation.hpp>
#include <spruce/matrix/scaled_permutation.hpp>

#include "core/base/index_checks.hpp"
#include "core/base/overlap.hpp"
#include "core/matrix/csr_rearrange_kernels.hpp"
#include "core/matrix/permute_mode.hpp"

namespace spruce::matrix {

namespace {

/// Returns a view of the indices of a Permutation or ScaledPermutation, or their inverse, for
/// Csr::rearrange(). The indices were checked when the permutation was created.
template <typename IndexType, typename AnyPermutation>
array<IndexType> index_map(const AnyPermutation& permutation, size_type size, bool invert)
{
    spruce::detail::require_permutation_size("Csr::permute", permutation.get_size()[0], size);
    const auto exec = permutation.get_executor();
    const auto indices = permutation.get_const_permutation();
    if (!invert) {
        return spruce::detail::array_const_cast(make_const_array_view(exec, size, indices));
    }
    array<IndexType> inverse{exec, size};
    kernels::csr::invert_permutation<IndexType>(*exec, indices, size, inverse.get_data());
    return inverse;
}

/// Holds what Csr::rearrange() takes. Rows or columns without a map keep their order.
template <typename IndexType>
struct index_maps {
    array<IndexType> rows;
    array<IndexType> columns;
};

template <typename IndexType, typename AnyPermutation>
index_maps<IndexType> maps_of(const AnyPermutation& permutation, const dim<2>& size, permute_mode mode)
{
    const auto invert = has(mode, permute_mode::inverse);
    index_maps<IndexType> maps;
    if (has(mode, permute_mode::rows)) {
        maps.rows = index_map<IndexType>(permutation, size[0], invert);
    }
    if (has(mode, permute_mode::columns)) {
        maps.columns = index_map<IndexType>(permutation, size[1], !invert);
    }
    return maps;
}
template <typename IndexType, typename AnyPermutation>
index_maps<IndexType> maps_of(const AnyPermutation& rows, const AnyPermutation& columns, const dim<2>& size,
                              bool invert)
{
    return {index_map<IndexType>(rows, size[0], invert), index_map<IndexType>(columns, size[1], !invert)};
}

/// Returns the factors by which permuted rows or columns are multiplied. After the inverse of p,
/// they are divided by the factors.
template <typename ValueType, typename IndexType>
std::unique_ptr<const Diagonal<ValueType>> factors_of(const ScaledPermutation<ValueType, IndexType>& p, bool invert)
{
    const auto exec = p.get_executor();
    const auto size = p.get_size()[0];
    if (invert) {
        return Diagonal<ValueType>::create_const(exec, size,
                                                 make_const_array_view(exec, size, p.get_const_scaling_factors()));
    }
    auto factors = Diagonal<ValueType>::create(exec, size);
    kernels::csr::gather_values<ValueType, IndexType>(*exec, p.get_const_scaling_factors(), p.get_const_permutation(),
                                                      size, factors->get_values());
    return factors;
}

template <typename ValueType, typename IndexType>
void scale_permuted_rows(const ScaledPermutation<ValueType, IndexType>& p, bool invert, Csr<ValueType, IndexType>* m)
{
    const auto factors = factors_of(p, invert);
    if (invert) {
        factors->inverse_apply(m, m);
    } else {
        factors->apply(m, m);
    }
}

template <typename ValueType, typename IndexType>
void scale_permuted_columns(const ScaledPermutation<ValueType, IndexType>& p, bool invert, Csr<ValueType, IndexType>* m)
{
    auto factors = factors_of(p, invert);
    if (invert) {
        const auto exec = p.get_executor();
        const auto size = p.get_size()[0];
        array<ValueType> values{exec, size};
        values.fill(one<ValueType>());
        const auto column = Dense<ValueType>::create(exec, dim<2>{size, 1}, values.as_view(), 1);
        factors->inverse_apply(column, column);
        factors = Diagonal<ValueType>::create(exec, size, std::move(values));
    }
    factors->rapply(m, m);
}

}  // namespace

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::permute(
    ptr_param<const Permutation<IndexType>> permutation, permute_mode mode) const
{
    spruce::detail::require_pointers("Csr::permute", permutation);
    const auto local = make_temporary_clone(this->get_executor(), permutation);
    const auto maps = maps_of<IndexType>(*local, this->get_size(), mode);
    return this->rearrange(maps.rows.get_const_data(), maps.columns.get_const_data());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::permute(
    ptr_param<const Permutation<IndexType>> row_permutation, ptr_param<const Permutation<IndexType>> column_permutation,
    bool invert) const
{
    spruce::detail::require_pointers("Csr::permute", row_permutation, column_permutation);
    const auto exec = this->get_executor();
    const auto local_rows = make_temporary_clone(exec, row_permutation);
    const auto local_columns = make_temporary_clone(exec, column_permutation);
    const auto maps = maps_of<IndexType>(*local_rows, *local_columns, this->get_size(), invert);
    return this->rearrange(maps.rows.get_const_data(), maps.columns.get_const_data());
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::scale_permute(
    ptr_param<const ScaledPermutation<ValueType, IndexType>> permutation, permute_mode mode) const
{
    spruce::detail::require_pointers("Csr::scale_permute", permutation);
    const auto local = make_temporary_clone(this->get_executor(), permutation);
    const auto invert = has(mode, permute_mode::inverse);
    const auto maps = maps_of<IndexType>(*local, this->get_size(), mode);
    auto result = this->rearrange(maps.rows.get_const_data(), maps.columns.get_const_data());
    if (has(mode, permute_mode::rows)) {
        scale_permuted_rows(*local, invert, result.get());
    }
    if (has(mode, permute_mode::columns)) {
        scale_permuted_columns(*local, invert, result.get());
    }
    return result;
}

template <typename ValueType, typename IndexType>
std::unique_ptr<Csr<ValueType, IndexType>> Csr<ValueType, IndexType>::scale_permute(
    ptr_param<const ScaledPermutation<ValueType, IndexType>> row_permutation,
    ptr_param<const ScaledPermutation<ValueType, IndexType>> column_permutation, bool invert) const
{
    spruce::detail::require_pointers("Csr::scale_permute", row_permutation, column_permutation);
    const auto exec = this->get_executor();
    const auto rows = make_temporary_clone(exec, row_permutation);
    const auto columns = make_temporary_clone(exec, column_permutation);
    const auto maps = maps_of<IndexType>(*rows, *columns, this->get_size(), invert);
    auto result = this->rearrange(maps.rows.get_const_data(), maps.columns.get_const_data());
    scale_permuted_rows(*rows, invert, result.get());
    scale_permuted_columns(*columns, invert, result.get());
    return result;
}

template <typename ValueType, typename IndexType>
template <typename Move>
auto Csr<ValueType, IndexType>::rearrange_reuse(Move move) const
    -> std::pair<std::unique_ptr<Csr>, permuting_reuse_info>
{
    // The numbers of the entries are reordered like values. double represents them exactly up to
    // 2^53.
    using numbered_type = Csr<double, IndexType>;
    const auto exec = this->get_executor();
    // The arrays may have more elements than there are entries.
    const auto nnz = static_cast<size_type>(exec->copy_val_to_host(this->get_const_row_ptrs() + this->get_size()[0]));
    array<double> numbers{exec, nnz};
    kernels::csr::number_entries(*exec, numbers.get_data(), nnz);
    const auto numbered =
        numbered_type::create_const(exec, this->get_size(), numbers.as_const_view(),
                                    array<IndexType>::const_view(exec, nnz, this->get_const_col_idxs()),
                                    row_ptrs_.as_const_view(), std::make_shared<typename numbered_type::classical>());
    const auto moved = move(*numbered);
    auto positions = Permutation<IndexType>::create(exec, nnz);
    kernels::csr::convert_to_positions<IndexType>(*exec, moved->get_const_values(), nnz, positions->get_permutation());
    auto result = create(
        exec, moved->get_size(), array<ValueType>{exec, nnz},
        array<IndexType>::const_view(exec, nnz, moved->get_const_col_idxs()).copy_to_array(),
        array<IndexType>::const_view(exec, moved->get_size()[0] + 1, moved->get_const_row_ptrs()).copy_to_array(),
        strategy_);
    permuting_reuse_info info{std::move(positions)};
    info.sizes_ = {this->get_size(), result->get_size()};
    info.update_values(this, result);
    return {std::move(result), std::move(info)};
}

template <typename ValueType, typename IndexType>
void Csr<ValueType, IndexType>::permuting_reuse_info::update_values(ptr_param<const Csr> input,
                                                                    ptr_param<Csr> output) const
{
    const auto nnz = value_permutation ? value_permutation->get_size()[0] : size_type{};
    // The arrays of the matrix may have more elements than it has entries.
    constexpr auto method = "permuting_reuse_info::update_values";
    const auto require_size = [&](const char* name, const Csr& m, const dim<2>& expected) {
        if (m.get_size() != expected) {
            throw DimensionMismatch(__FILE__, __LINE__, method, name, m.get_size()[0], m.get_size()[1],
                                    "that of the first time", expected[0], expected[1], "equal sizes are needed");
        }
    };
    if (sizes_) {
        require_size("input", *input, sizes_->input);
        require_size("output", *output, sizes_->output);
    }
    const auto require = [&](bool fits, const char* name, const Csr& m) {
        if (!fits) {
            throw DimensionMismatch(__FILE__, __LINE__, method, std::string("the values of ") + name,
                                    m.get_num_stored_elements(), 1, "the values of the first time", nnz, 1,
                                    "as many entries are needed");
        }
    };
    require(input->get_num_stored_elements() >= nnz, "input", *input);
    require(output->get_num_stored_elements() == nnz, "output", *output);
    if (nnz == 0) {
        return;
    }
    const auto exec = value_permutation->get_executor();
    const auto local_input =
        spruce::detail::result_memory{method, *output, "output"}.separate(exec, input.get(), "input");
    const auto local_output = make_temporary_clone(exec, output);
    kernels::csr::gather_values<ValueType, IndexType>(*exec, local_input->get_const_values(),
                                                      value_permutation->get_const_permutation(), nnz,
                                                      local_output->get_values());
}

template <typename ValueType, typename IndexType>
auto Csr<ValueType, IndexType>::transpose_reuse() const -> std::pair<std::unique_ptr<Csr>, permuting_reuse_info>
{
    return this->rearrange_reuse(
        [](const Csr<double, IndexType>& m) { return as<Csr<double, IndexType>>(m.transpose()); });
}

template <typename ValueType, typename IndexType>
auto Csr<ValueType, IndexType>::permute_reuse(ptr_param<const Permutation<IndexType>> permutation,
                                              permute_mode mode) const
    -> std::pair<std::unique_ptr<Csr>, permuting_reuse_info>
{
    return this->rearrange_reuse([&](const Csr<double, IndexType>& m) { return m.permute(permutation, mode); });
}

template <typename ValueType, typename IndexType>
auto Csr<ValueType, IndexType>::permute_reuse(ptr_param<const Permutation<IndexType>> row_permutation,
                                              ptr_param<const Permutation<IndexType>> column_permutation,
                                              bool invert) const
    -> std::pair<std::unique_ptr<Csr>, permuting_reuse_info>
{
    return this->rearrange_reuse(
        [&](const Csr<double, IndexType>& m) { return m.permute(row_permutation, column_permutation, invert); });
}

// Other members of the class are instantiated in csr.cpp.
#define SPRUCE_CSR_PERMUTE(_value, _index)                                                                            \
    std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::permute(ptr_param<const Permutation<_index>>,           \
                                                                      permute_mode) const;                            \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::permute(                                       \
        ptr_param<const Permutation<_index>>, ptr_param<const Permutation<_index>>, bool) const;                      \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::scale_permute(                                 \
        ptr_param<const ScaledPermutation<_value, _index>>, permute_mode) const;                                      \
    template std::unique_ptr<Csr<_value, _index>> Csr<_value, _index>::scale_permute(                                 \
        ptr_param<const ScaledPermutation<_value, _index>>, ptr_param<const ScaledPermutation<_value, _index>>, bool) \
        const;                                                                                                        \
    template std::pair<std::unique_ptr<Csr<_value, _index>>, typename Csr<_value, _index>::permuting_reuse_info>      \
    Csr<_value, _index>::transpose_reuse() const;                                                                     \
    template std::pair<std::unique_ptr<Csr<_value, _index>>, typename Csr<_value, _index>::permuting_reuse_info>      \
        Csr<_value, _index>::permute_reuse(ptr_param<const Permutation<_index>>, permute_mode) const;                 \
    template std::pair<std::unique_ptr<Csr<_value, _index>>, typename Csr<_value, _index>::permuting_reuse_info>      \
    Csr<_value, _index>::permute_reuse(ptr_param<const Permutation<_index>>, ptr_param<const Permutation<_index>>,    \
                                       bool) const;                                                                   \
    template class Csr<_value, _index>::permuting_reuse_info
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_CSR_PERMUTE);

}  // namespace spruce::matrix
