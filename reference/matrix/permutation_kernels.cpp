// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/permutation_kernels.hpp"

#include "reference/base/register.hpp"
#include "reference/matrix/products.hpp"

namespace spruce::kernels::reference {
namespace permutation {

template <typename I>
void invert(const ReferenceExecutor&, const I* p, size_type size, I* inverse)
{
    for (size_type i = 0; i < size; ++i) {
        inverse[p[i]] = static_cast<I>(i);
    }
}

template <typename I>
void compose(const ReferenceExecutor&, const I* first, const I* second, size_type size, I* result)
{
    for (size_type i = 0; i < size; ++i) {
        result[i] = first[second[i]];
    }
}

template <typename V, typename I>
void invert_scaled(const ReferenceExecutor&, const V* scale, const I* p, size_type size, V* inverse_scale, I* inverse)
{
    for (size_type i = 0; i < size; ++i) {
        inverse[p[i]] = static_cast<I>(i);
        inverse_scale[i] = one<V>() / scale[p[i]];
    }
}

template <typename V, typename I>
void compose_scaled(const ReferenceExecutor&, const V* first_scale, const I* first, const V* second_scale,
                    const I* second, size_type size, V* result_scale, I* result)
{
    for (size_type i = 0; i < size; ++i) {
        result[i] = first[second[i]];
        result_scale[result[i]] = second_scale[second[i]] * first_scale[result[i]];
    }
}

template <typename V, typename I>
void advanced_apply_scaled(const ReferenceExecutor&, const matrix::Dense<V>& alpha, const V* scale, const I* p,
                           const matrix::Dense<V>& b, const matrix::Dense<V>& beta, matrix::Dense<V>& x)
{
    multiply_add(
        alpha, [&](auto row, auto col) { return scale[p[row]] * b.at(p[row], col); }, beta, x);
}

}  // namespace permutation

void register_permutation()
{
    for_each_index_type([](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::permutation::invert<I>.template set<ReferenceExecutor>(&permutation::invert<I>);
        kernels::permutation::compose<I>.template set<ReferenceExecutor>(&permutation::compose<I>);
    });
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::permutation::invert_scaled<V, I>.template set<ReferenceExecutor>(&permutation::invert_scaled<V, I>);
        kernels::permutation::compose_scaled<V, I>.template set<ReferenceExecutor>(&permutation::compose_scaled<V, I>);
        kernels::permutation::advanced_apply_scaled<V, I>.template set<ReferenceExecutor>(
            &permutation::advanced_apply_scaled<V, I>);
    });
}

}  // namespace spruce::kernels::reference
