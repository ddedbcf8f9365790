// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "common/matrix/dense_gemm.inc.hpp"

// Which product is taken: Spruce's for vectors and small matrices, the vendor's where it is worth its call.
namespace dense {

using blas::implementation;

/// Products of matrices with at least so many multiplications go to the vendor.
constexpr double min_work_for_vendor = 512.0 * 512.0 * 512.0;
/// The same where alpha is given: the host waits to see whether it is zero, since the vendor reads the operands then, too.
constexpr double min_work_for_vendor_with_alpha = 2048.0 * 2048.0 * 2048.0;

template <typename V>
bool prefers_vendor(const V* alpha, size_type depth, const Dense<V>& c)
{
    const auto work =
        static_cast<double>(c.get_size()[0]) * static_cast<double>(c.get_size()[1]) * static_cast<double>(depth);
    return vendor_blas::is_present && work >= (alpha ? min_work_for_vendor_with_alpha : min_work_for_vendor);
}

template <typename V>
bool try_vendor(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
                transposition op_b, const V* beta, Dense<V>& c)
{
    if (!vendor_blas::can_multiply(a, b, c) || (alpha && is_zero(exec.copy_val_to_host(alpha)))) {
        return false;
    }
    vendor_blas::gemm(exec, op_a, op_b, alpha, a, b, beta, c);
    return true;
}

template <typename V>
void run_multiply(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
                  Dense<V>& c)
{
    if (c.get_size()[1] <= max_vectors) {
        run_gemv(exec, alpha, a, b, beta, c);
    } else if (!prefers_vendor(alpha, a.get_size()[1], c) ||
               !try_vendor(exec, alpha, a, transposition::none, b, transposition::none, beta, c)) {
        run_gemm<false, false>(exec, alpha, a, false, b, false, beta, c, written_part::all);
    }
}

template <typename V>
void simple_apply(const DeviceExecutor& exec, const Dense<V>& a, const Dense<V>& b, Dense<V>& c)
{
    run_multiply<V>(exec, nullptr, a, b, nullptr, c);
}

template <typename V>
void apply(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& a, const Dense<V>& b,
           const Dense<V>& beta, Dense<V>& c)
{
    run_multiply(exec, alpha.get_const_values(), a, b, beta.get_const_values(), c);
}

template <typename V>
void run_own(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
             transposition op_b, const V* beta, Dense<V>& c, written_part part)
{
    if (op_a != transposition::none && op_b != transposition::none) {
        // Rare, and transposing is little work beside the product.
        const auto op_b_of_b = Dense<V>::create(exec.shared_from_this(), spruce::transpose(b.get_size()));
        if (op_b == transposition::conj_transpose) {
            kernels::dense::conj_transpose<V>(exec, b, *op_b_of_b);
        } else {
            kernels::dense::transpose<V>(exec, b, *op_b_of_b);
        }
        run_transposed_gemm<V>(exec, alpha, a, op_a, *op_b_of_b, transposition::none, beta, c, part);
    } else if (op_a != transposition::none || op_b != transposition::none) {
        run_transposed_gemm<V>(exec, alpha, a, op_a, b, op_b, beta, c, part);
    } else if (part == written_part::all && c.get_size()[1] <= max_vectors) {
        run_gemv(exec, alpha, a, b, beta, c);
    } else {
        run_gemm<false, false>(exec, alpha, a, false, b, false, beta, c, part);
    }
}

template <typename V>
void gemm(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
          transposition op_b, const Dense<V>& beta, Dense<V>& c, written_part part, implementation which)
{
    if (which == implementation::vendor && !vendor_blas::is_present) {
        throw NotSupported(__FILE__, __LINE__, "the vendor's product of dense matrices", "this platform of HIP");
    }
    const auto factor = alpha.get_const_values();
    const auto old_factor = beta.get_const_values();
    const auto depth = a.get_size()[op_a == transposition::none ? 1 : 0];
    const auto is_vendors =
        which == implementation::vendor ||
        (which == implementation::automatic && part == written_part::all && prefers_vendor(factor, depth, c));
    if (!is_vendors || !try_vendor(exec, factor, a, op_a, b, op_b, old_factor, c)) {
        run_own(exec, factor, a, op_a, b, op_b, old_factor, c, part);
    }
}

}  // namespace dense

void register_dense_gemm()
{
    for_each_value_type([](auto tag) {
        using V = typename decltype(tag)::type;
        kernels::dense::simple_apply<V>.template set<DeviceExecutor>(&dense::simple_apply<V>);
        kernels::dense::apply<V>.template set<DeviceExecutor>(&dense::apply<V>);
        kernels::dense::gemm<V>.template set<DeviceExecutor>(&dense::gemm<V>);
    });
}
