// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/matrix/dense_gemm.hpp"
#include "core/matrix/dense_blas_kernels.hpp"
#include "core/matrix/dense_kernels.hpp"

#include SPRUCE_BACKEND_FILE(base, blas_binding)

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

// Selects the implementation of a product: Spruce's for vectors and small matrices, the vendor's
// for large ones.
namespace dense {

using blas::implementation;

/// Number of multiplications from which the vendor's product is used. For smaller products the call
/// of the library, which waits for alpha, costs more than it saves (doc/tuning/constants.md).
constexpr double min_work_for_vendor = 512.0 * 512.0 * 512.0;

template <typename V>
bool prefers_vendor(size_type depth, const Dense<V>& c)
{
    const auto work =
        static_cast<double>(c.get_size()[0]) * static_cast<double>(c.get_size()[1]) * static_cast<double>(depth);
    return vendor_blas::is_present && work >= min_work_for_vendor;
}

/// Returns true if the vendor's library is faster for a product with few columns: from five columns
/// on (complex float: three, complex double: two), for float only if a has few columns. For small
/// matrices its call costs more than it saves (doc/tuning/dense.md).
template <typename V>
bool prefers_vendor_for_few(const Dense<V>& a, const Dense<V>& c)
{
    constexpr auto is_complex_double = is_complex<V>() && sizeof(V) == 16;
    constexpr size_type max_own_cols = is_complex_double ? 1 : is_complex<V>() ? 2 : 4;
    constexpr double min_entries = is_complex_double ? 1e6 : 2e6;
    const auto num_entries = static_cast<double>(a.get_size()[0]) * static_cast<double>(a.get_size()[1]);
    constexpr size_type wide = 128;
    const auto is_wide = a.get_size()[1] >= wide;
    return vendor_blas::is_present && c.get_size()[1] > max_own_cols && num_entries >= min_entries &&
           !(std::is_same<V, float>::value && is_wide);
}

template <typename V>
std::unique_ptr<const Dense<V>> part_of(const Dense<V>& x, bool are_rows, const span& which)
{
    const auto size = x.get_size();
    return are_rows ? x.create_submatrix(which, span{0, size[1]}) : x.create_submatrix(span{0, size[0]}, which);
}

/// Computes a triangle of c = alpha op_a(a) op_b(b) + beta c by products of the vendor,
/// recursively. The entries away from the diagonal are in rectangles. The squares on the diagonal
/// are computed completely in a copy of c.
template <typename V>
void run_triangle_of_vendor(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, transposition op_a,
                            const Dense<V>& b, transposition op_b, const V* beta, Dense<V>& c, output_triangle part)
{
    constexpr size_type square_size = 512;
    const auto n = c.get_size()[0];
    if (n <= square_size) {
        const auto square = Dense<V>::create(exec.shared_from_this(), c.get_size());
        kernels::dense::copy<V, V>(exec, c, *square);
        vendor_blas::gemm(exec, op_a, op_b, alpha, a, b, beta, *square);
        run_for_each_entry(exec, n, n,
                           [is_lower = part == output_triangle::lower, from = entries_of(std::as_const(*square)),
                            to = entries_of(c)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                               if (is_lower ? col <= row : row <= col) {
                                   to(row, col) = from(row, col);
                               }
                           });
        return;
    }
    const auto half = (n / 2 + square_size - 1) / square_size * square_size;
    const span parts[]{{0, half}, {half, n}};
    const auto rows_of_a = [&](const span& rows) { return part_of(a, op_a == transposition::none, rows); };
    const auto cols_of_b = [&](const span& cols) { return part_of(b, op_b != transposition::none, cols); };
    const auto& rows = parts[part == output_triangle::lower ? 1 : 0];
    const auto& cols = parts[part == output_triangle::lower ? 0 : 1];
    vendor_blas::gemm(exec, op_a, op_b, alpha, *rows_of_a(rows), *cols_of_b(cols), beta,
                      *c.create_submatrix(rows, cols));
    for (const auto& block : parts) {
        run_triangle_of_vendor(exec, alpha, *rows_of_a(block), op_a, *cols_of_b(block), op_b, beta,
                               *c.create_submatrix(block, block), part);
    }
}

/// Tries the vendor's product. If alpha is given, the host waits for it: the product must not read
/// the operands if alpha is zero, but the vendor's product would.
/// @return false, with nothing done, if the sizes are too large or alpha is zero
template <typename V>
bool try_vendor(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
                transposition op_b, const V* beta, Dense<V>& c, output_triangle part)
{
    if (!vendor_blas::can_multiply(a, b, c) || (alpha && is_zero(exec.copy_val_to_host(alpha)))) {
        return false;
    }
    if (part == output_triangle::all) {
        vendor_blas::gemm(exec, op_a, op_b, alpha, a, b, beta, c);
    } else {
        run_triangle_of_vendor(exec, alpha, a, op_a, b, op_b, beta, c, part);
    }
    return true;
}

/// Tries the vendor's product for few columns. If alpha is given, the product of a and b is scaled
/// afterwards, so that the host does not have to wait for alpha. If alpha is zero, a and b are
/// read, but do not influence the result. Either both alpha and beta are null, or none is.
/// @return false, with nothing done, if the sizes are too large, or a has so few columns that
///         scaling would take as long as the product
template <typename V>
bool try_vendor_for_few(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
                        Dense<V>& c)
{
    constexpr auto as_is = transposition::none;
    constexpr size_type min_a_cols = 128;  // from which scaling takes far less time than the product
    if (!alpha) {
        return try_vendor<V>(exec, nullptr, a, as_is, b, as_is, nullptr, c, output_triangle::all);
    }
    if (a.get_size()[1] < min_a_cols || !vendor_blas::can_multiply(a, b, c)) {
        return false;
    }
    const auto size = c.get_size();
    const auto scratch = exec.acquire_scratch(size[0] * size[1] * sizeof(V));
    const auto shared_exec = exec.shared_from_this();
    const auto product = Dense<V>::create(
        shared_exec, size, array<V>::view(shared_exec, size[0] * size[1], scratch.template as<V>()), size[1]);
    vendor_blas::gemm<V>(exec, as_is, as_is, nullptr, a, b, nullptr, *product);
    run_for_each_entry(exec, size[0], size[1],
                       [alpha = as_device(alpha), beta = as_device(beta), from = entries_of(std::as_const(*product)),
                        to = entries_of(c)] SPRUCE_KERNEL_LAMBDA(size_type row, size_type col) {
                           gemm_kernel::store_result(alpha, from(row, col), beta, to(row, col));
                       });
    return true;
}

template <typename V>
void run_multiply(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, const Dense<V>& b, const V* beta,
                  Dense<V>& c)
{
    if (c.get_size()[1] <= max_vectors) {
        if (!prefers_vendor_for_few(a, c) || !try_vendor_for_few(exec, alpha, a, b, beta, c)) {
            run_gemv(exec, alpha, a, b, beta, c);
        }
    } else if (!prefers_vendor(a.get_size()[1], c) || !try_vendor(exec, alpha, a, transposition::none, b,
                                                                  transposition::none, beta, c, output_triangle::all)) {
        run_gemm<false, false>(exec, alpha, a, false, b, false, beta, c, output_triangle::all);
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
void run_without_vendor(const DeviceExecutor& exec, const V* alpha, const Dense<V>& a, transposition op_a,
                        const Dense<V>& b, transposition op_b, const V* beta, Dense<V>& c, output_triangle part)
{
    if (op_a != transposition::none && op_b != transposition::none) {
        // This case is rare, and transposing is little work compared to the product.
        const auto op_b_of_b = Dense<V>::create(exec.shared_from_this(), spruce::transpose(b.get_size()));
        if (op_b == transposition::conj_transpose) {
            kernels::dense::conj_transpose<V>(exec, b, *op_b_of_b);
        } else {
            kernels::dense::transpose<V>(exec, b, *op_b_of_b);
        }
        run_transposed_gemm<V>(exec, alpha, a, op_a, *op_b_of_b, transposition::none, beta, c, part);
    } else if (op_a != transposition::none || op_b != transposition::none) {
        run_transposed_gemm<V>(exec, alpha, a, op_a, b, op_b, beta, c, part);
    } else if (part == output_triangle::all && c.get_size()[1] <= max_vectors) {
        run_gemv(exec, alpha, a, b, beta, c);
    } else {
        run_gemm<false, false>(exec, alpha, a, false, b, false, beta, c, part);
    }
}

template <typename V>
void gemm(const DeviceExecutor& exec, const Dense<V>& alpha, const Dense<V>& a, transposition op_a, const Dense<V>& b,
          transposition op_b, const Dense<V>& beta, Dense<V>& c, output_triangle part, implementation which)
{
    if (which == implementation::vendor && !vendor_blas::is_present) {
        throw NotSupported(__FILE__, __LINE__, "the vendor's product of dense matrices", "this platform of HIP");
    }
    const auto factor = alpha.get_const_values();
    const auto old_factor = beta.get_const_values();
    const auto depth = a.get_size()[op_a == transposition::none ? 1 : 0];
    const auto prefers_vendor_library =
        which == implementation::vendor || (which == implementation::automatic && prefers_vendor(depth, c));
    if (!prefers_vendor_library || !try_vendor(exec, factor, a, op_a, b, op_b, old_factor, c, part)) {
        run_without_vendor(exec, factor, a, op_a, b, op_b, old_factor, c, part);
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

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
