// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/components/array_kernels.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <spruce/base/exception.hpp>
#include <spruce/base/math.hpp>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace components {

template <typename T>
void fill_array(const ReferenceExecutor&, T* data, size_type size, const T& value)
{
    for (size_type i = 0; i < size; ++i) {
        data[i] = value;
    }
}

template <typename From, typename To>
void convert_array(const ReferenceExecutor&, const From* from, To* to, size_type size)
{
    for (size_type i = 0; i < size; ++i) {
        to[i] = static_cast<To>(from[i]);
    }
}

template <typename From, typename To>
void absolute_array(const ReferenceExecutor&, const From* from, To* to, size_type size)
{
    for (size_type i = 0; i < size; ++i) {
        to[i] = abs(from[i]);
    }
}

template <typename I>
void fill_sequence(const ReferenceExecutor&, I* data, size_type size)
{
    std::iota(data, data + size, I{});
}

template <typename V>
void conjugate_array(const ReferenceExecutor&, const V* from, V* to, size_type size)
{
    std::transform(from, from + size, to, [](const V& value) { return spruce::conj(value); });
}

template <typename V>
void repeat_element(const ReferenceExecutor&, const V* from, V* to, size_type size)
{
    std::fill_n(to, size, *from);
}

template <typename T>
void reduce_add(const ReferenceExecutor&, const T* data, size_type size, T* result, array<char>&)
{
    auto sum = *result;
    for (size_type i = 0; i < size; ++i) {
        sum += data[i];
    }
    *result = sum;
}

template <typename I>
void compute_max(const ReferenceExecutor&, const I* data, size_type size, I& maximum)
{
    maximum = std::accumulate(data, data + size, I{}, [](I x, I y) { return std::max(x, y); });
}

template <typename I>
void prefix_sum(const ReferenceExecutor&, I* counts, size_type size, size_type& total)
{
    I sum{};
    for (size_type i = 0; i < size; ++i) {
        const auto count = i + 1 < size ? counts[i] : I{};
        counts[i] = sum;
        if (count > std::numeric_limits<I>::max() - sum) {
            throw OverflowError(__FILE__, __LINE__, sizeof(I) == sizeof(int32) ? "int32" : "int64");
        }
        sum += count;
    }
    total = static_cast<size_type>(sum);
}

template <typename I>
void convert_idxs_to_ptrs(const ReferenceExecutor&, const I* idxs, size_type size, I* ptrs, size_type num_rows)
{
    size_type nz = 0;
    for (size_type row = 0; row <= num_rows; ++row) {
        while (nz < size && idxs[nz] < static_cast<I>(row)) {
            ++nz;
        }
        ptrs[row] = static_cast<I>(nz);
    }
}

template <typename I>
void convert_ptrs_to_idxs(const ReferenceExecutor&, const I* ptrs, size_type num_rows, I* idxs)
{
    for (size_type row = 0; row < num_rows; ++row) {
        for (auto nz = ptrs[row]; nz < ptrs[row + 1]; ++nz) {
            idxs[nz] = static_cast<I>(row);
        }
    }
}

}  // namespace components

namespace {

template <typename T>
void register_fill()
{
    kernels::components::fill_array<T>.template set<ReferenceExecutor>(&components::fill_array<T>);
}
template <typename From, typename To>
void register_convert()
{
    kernels::components::convert_array<From, To>.template set<ReferenceExecutor>(&components::convert_array<From, To>);
}
template <typename From, typename To>
void register_absolute()
{
    kernels::components::absolute_array<From, To>.template set<ReferenceExecutor>(
        &components::absolute_array<From, To>);
}
template <typename T>
void register_reduce()
{
    kernels::components::reduce_add<T>.template set<ReferenceExecutor>(&components::reduce_add<T>);
}
template <typename V>
void register_value_kernels()
{
    kernels::components::conjugate_array<V>.template set<ReferenceExecutor>(&components::conjugate_array<V>);
    kernels::components::repeat_element<V>.template set<ReferenceExecutor>(&components::repeat_element<V>);
}
template <typename I>
void register_index_kernels()
{
    kernels::components::fill_sequence<I>.template set<ReferenceExecutor>(&components::fill_sequence<I>);
    kernels::components::compute_max<I>.template set<ReferenceExecutor>(&components::compute_max<I>);
    kernels::components::prefix_sum<I>.template set<ReferenceExecutor>(&components::prefix_sum<I>);
    kernels::components::convert_idxs_to_ptrs<I>.template set<ReferenceExecutor>(&components::convert_idxs_to_ptrs<I>);
    kernels::components::convert_ptrs_to_idxs<I>.template set<ReferenceExecutor>(&components::convert_ptrs_to_idxs<I>);
}

}  // namespace

void register_array()
{
    for_each_value_type([](auto type) {
        using V = typename decltype(type)::type;
        register_fill<V>();
        register_value_kernels<V>();
        register_reduce<V>();
        register_convert<V, next_precision<V>>();
        register_convert<next_precision<V>, V>();
        register_absolute<V, V>();
        register_absolute<V, remove_complex<V>>();
    });
    detail::for_each_type(detail::type_list<int32, int64, size_type>{}, [](auto type) {
        using T = typename decltype(type)::type;
        register_fill<T>();
        register_reduce<T>();
    });
    register_fill<unsigned char>();
    register_convert<int32, int64>();
    register_convert<int64, int32>();
    register_index_kernels<int32>();
    register_index_kernels<int64>();
}

}  // namespace spruce::kernels::reference
