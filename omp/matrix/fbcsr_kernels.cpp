// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/matrix/fbcsr_kernels.hpp"

#include <type_traits>
#include <vector>

#include "omp/base/register.hpp"
#include "omp/base/run_unified.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/scale.hpp"

namespace spruce::kernels::omp {
namespace fbcsr {

using matrix::Dense;
using matrix::Fbcsr;

/// Calls function(block_size), with small sizes known at compile time.
template <typename Function>
void with_block_size(int block_size, Function function)
{
    switch (block_size) {
    case 1:
        return function(std::integral_constant<size_type, 1>{});
    case 2:
        return function(std::integral_constant<size_type, 2>{});
    case 3:
        return function(std::integral_constant<size_type, 3>{});
    case 4:
        return function(std::integral_constant<size_type, 4>{});
    default:
        return function(static_cast<size_type>(block_size));
    }
}

/// finish(x_ij, sum) for all sums of a b: whole block rows for each thread, dealt out by blocks.
template <typename V, typename I, typename Size, typename Finish>
void multiply_blocks(const Fbcsr<V, I>& a, Size bs, const Dense<V>& b, Dense<V>& x, const Finish& finish)
{
    const auto row_ptrs = a.get_const_row_ptrs();
    const auto col_idxs = a.get_const_col_idxs();
    const auto b_stride = b.get_stride();
    const auto num_brows = static_cast<size_type>(a.get_num_block_rows());
    const auto num_rhs = x.get_size()[1];
    // The memory is had before the threads run, because an exception cannot leave a parallel region; sums of different
    // threads lie on different cache lines.
    const size_type stride = bs + 64 / sizeof(V);
    std::vector<V> all_sums(stride * omp_get_max_threads());
#pragma omp parallel if (a.get_num_stored_elements() * num_rhs >= min_parallel_work)
    {
        const auto sums = all_sums.data() + stride * omp_get_thread_num();
        const auto brows = my_rows_and_entries(row_ptrs, num_brows).rows();
        for (auto brow = brows.begin; brow < brows.end; ++brow) {
            for (size_type rhs = 0; rhs < num_rhs; ++rhs) {
                for (size_type i = 0; i < bs; ++i) {
                    sums[i] = zero<V>();
                }
                for (auto k = row_ptrs[brow]; k < row_ptrs[brow + 1]; ++k) {
                    const auto block = a.get_const_values() + k * bs * bs;
                    const auto b_rows = b.get_const_values() + col_idxs[k] * bs * b_stride + rhs;
                    for (size_type j = 0; j < bs; ++j) {
                        const auto factor = b_rows[j * b_stride];
#pragma omp simd
                        for (size_type i = 0; i < bs; ++i) {
                            sums[i] = multiply_add(block[j * bs + i], factor, sums[i]);
                        }
                    }
                }
                for (size_type i = 0; i < bs; ++i) {
                    finish(x.at(brow * bs + i, rhs), sums[i]);
                }
            }
        }
    }
}

template <typename V, typename I>
void spmv(const OmpExecutor&, const Fbcsr<V, I>& a, const Dense<V>& b, Dense<V>& x)
{
    with_block_size(a.get_block_size(),
                    [&](auto bs) { multiply_blocks(a, bs, b, x, [](V& result, V sum) { result = sum; }); });
}

template <typename V, typename I>
void advanced_spmv(const OmpExecutor&, const Dense<V>& alpha, const Fbcsr<V, I>& a, const Dense<V>& b,
                   const Dense<V>& beta, Dense<V>& x)
{
    const auto alpha_value = alpha.at(0, 0);
    const auto beta_value = beta.at(0, 0);
    if (is_zero(alpha_value)) {
        scale(beta_value, x);
        return;
    }
    const auto overwrite = is_zero(beta_value);
    with_block_size(a.get_block_size(), [&](auto bs) {
        multiply_blocks(a, bs, b, x, [=](V& result, V sum) {
            result = multiply_add(alpha_value, sum, overwrite ? zero<V>() : multiply(beta_value, result));
        });
    });
}

}  // namespace fbcsr

#include "common/unified/matrix/fbcsr_kernels.inc.hpp"

void register_fbcsr_spmv()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        kernels::fbcsr::spmv<V, I>.template set<OmpExecutor>(&fbcsr::spmv<V, I>);
        kernels::fbcsr::advanced_spmv<V, I>.template set<OmpExecutor>(&fbcsr::advanced_spmv<V, I>);
    });
}

}  // namespace spruce::kernels::omp
