// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "common/backend.hpp"
#include "common/numeric/dense_entries.hpp"
#include "common/numeric/scalar_steps.hpp"
#include "common/numeric/scale.hpp"
#include "core/solver/gmres_kernels.hpp"

/// Contains the computations of the steps of GMRES, except those of vectors.
namespace spruce::kernels {

/// Maximum number of basis vectors of one pass. Their sums fit into registers, and those of a block
/// into shared memory.
template <typename T>
constexpr int vectors_per_pass = sizeof(T) > 8 ? 8 : 16;

/// Refers to consecutive vectors of a basis; can be captured by value. Vector i is scale(i, col)
/// times the result of (i, row, col).
template <typename T, int size_limit = vectors_per_pass<T>>
struct dense_block {
    static constexpr int max_size = size_limit;
    SPRUCE_HOST_DEVICE_INLINE T operator()(int i, size_type row, size_type col) const
    {
        return vectors[i][row * stride + col];
    }
    SPRUCE_HOST_DEVICE_INLINE remove_complex<T> scale(int, size_type) const { return 1; }

    /// From size on, repeats the first one, so that loads need no test (doc/tuning/solvers.md).
    const T* vectors[max_size];
    size_type stride;
    size_type first;  ///< index of the first one in the basis
    int size;
    bool is_last;
};

/// Returns the vectors of a basis in blocks, each for one pass.
template <typename V, int size_limit = vectors_per_pass<device_type<V>>>
std::vector<dense_block<device_type<V>, size_limit>> blocks_of(const gmres::basis<V>& basis)
{
    using block = dense_block<device_type<V>, size_limit>;
    std::vector<block> blocks;
    for (size_type first = 0; first < basis.size(); first += block::max_size) {
        block vectors{};
        vectors.stride = basis[first]->get_stride();
        vectors.first = first;
        vectors.size = static_cast<int>(std::min<size_type>(block::max_size, basis.size() - first));
        vectors.is_last = first + vectors.size == basis.size();
        for (int i = 0; i < block::max_size; ++i) {
            vectors.vectors[i] = as_device(basis[first + (i < vectors.size ? i : 0)]->get_const_values());
        }
        blocks.push_back(vectors);
    }
    return blocks;
}

/// Returns a row of a block's vectors, without their scales. All loads are issued before the first
/// result is used.
template <typename Block>
SPRUCE_HOST_DEVICE_INLINE auto row_of(const Block& block, size_type row, size_type col)
{
    sums<decltype(block(0, row, col)), Block::max_size> result;
    for (int i = 0; i < Block::max_size; ++i) {
        result[i] = block(i, row, col);
    }
    return result;
}

/// Returns the products of a row of vectors with the entry of w in this row.
template <typename T, int N>
SPRUCE_HOST_DEVICE_INLINE sums<T, N> products(sums<T, N> vectors, const T& entry)
{
    for (int i = 0; i < N; ++i) {
        vectors[i] = conj_of(vectors[i]) * entry;
    }
    return vectors;
}

/// Returns the factors of the vectors of a block in a linear combination with coefficients h.
/// Vectors from number num_vectors of the basis on have the factor zero.
template <typename Block, typename T>
SPRUCE_HOST_DEVICE_INLINE auto factors_of(const Block& block, const dense_entries<const T>& h, size_type num_vectors,
                                          size_type col)
{
    sums<T, Block::max_size> result{};
    for (int i = 0; i < Block::max_size; ++i) {
        if (i < block.size && block.first + i < num_vectors) {
            result[i] = h(block.first + i, col) * T(block.scale(i, col));
        }
    }
    return result;
}

/// Returns entry - sum_i factor_i v_i for one row.
template <typename Block, typename T>
SPRUCE_HOST_DEVICE_INLINE T subtracted(const Block& block, const sums<T, Block::max_size>& factors, size_type row,
                                       size_type col, T entry)
{
    const auto vectors = row_of(block, row, col);
    for (int i = 0; i < Block::max_size; ++i) {
        entry -= factors[i] * vectors[i];
    }
    return entry;
}

/// Returns a function of the row that computes x = x + sum_i y_i v_i for the vectors of a block. It
/// uses those that are among the first num_steps vectors of the basis. An entry that would overflow
/// keeps its value.
template <typename Block, typename T>
SPRUCE_KERNEL_LAMBDA auto add_block_to_column(const Block& block, const dense_entries<const T>& y, size_type num_steps,
                                              const dense_entries<T>& x, size_type col)
{
    // Vectors beyond num_steps are not read: they may hold any value.
    const auto num_remaining = num_steps > block.first ? num_steps - block.first : 0;
    const auto size = num_remaining < static_cast<size_type>(block.size) ? static_cast<int>(num_remaining) : block.size;
    return [block, factors = factors_of(block, y, num_steps, col), size, x, col](size_type row) {
        if (size == 0) {
            return;
        }
        const auto vectors = row_of(block, row, col);
        auto entry = x(row, col);
        for (int i = 0; i < Block::max_size; ++i) {
            entry += i < size ? factors[i] * vectors[i] : T{};
        }
        if (is_finite_value(entry)) {
            x(row, col) = entry;
        }
    };
}

/// Refers to a gmres::projection in kernels.
template <typename T>
struct projection_entries {
    using real = remove_complex<T>;

    dense_entries<T> triangle;
    dense_entries<real> cos;
    dense_entries<T> sin;
    dense_entries<T> rhs;
    dense_entries<real> next_norm;
    dense_entries<real> start_norm;
    dense_entries<real> norm;
    dense_entries<real> history;
    size_type* num_steps;
};
template <typename V>
projection_entries<device_type<V>> entries_of(const gmres::projection<V>& problem)
{
    return {entries_of(problem.triangle), entries_of(problem.cos),       entries_of(problem.sin),
            entries_of(problem.rhs),      entries_of(problem.next_norm), entries_of(problem.start_norm),
            entries_of(problem.norm),     entries_of(problem.history),   problem.num_steps.get_data()};
}

/// Performs gmres::start_cycle for one column.
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void start_cycle(const R& residual_norm, bool is_restart,
                                           const projection_entries<T>& problem, size_type col, stopping_status& status)
{
    problem.num_steps[col] = 0;
    if (!status.has_stopped()) {
        problem.norm(0, col) = residual_norm;
        stop_if_zero_or_nonfinite(residual_norm, status);
        if (is_restart && !(residual_norm < problem.start_norm(0, col))) {
            status.stop(stop_reason::stagnation);
        }
        problem.start_norm(0, col) = residual_norm;
        auto& is_exhausted = problem.history(gmres::exhausted_row, col);
        if (is_exhausted == R{}) {
            problem.history(gmres::size_row, col) = R{};
            problem.history(gmres::first_norm_row, col) = residual_norm;
        }
        is_exhausted = R{};
        problem.rhs(0, col) = T(residual_norm);
    }
    problem.next_norm(0, col) = status.has_stopped() ? R{} : residual_norm;
}

/// Returns true if a vector of this norm consists of rounding errors of the first residual.
/// Relative to vectors of the basis these errors grow as the residual becomes smaller. A vector
/// is not considered a rounding error if its norm exceeds sqrt(epsilon) times size.
/// @param size  the largest norm of a column of H
/// @param reduction  the quotient of the norms of the residual and of the first residual
template <typename R>
SPRUCE_HOST_DEVICE_INLINE bool is_rounding(const R& norm, const R& size, const R& reduction)
{
    constexpr auto epsilon = std::numeric_limits<R>::epsilon();
    return norm * reduction <= 10 * epsilon * size && norm <= sqrt_of(epsilon) * size;
}

/// Holds a column of H after the rotations of the preceding steps.
template <typename T>
struct rotated_column {
    T last;                    ///< the entry above the norm of the next vector
    remove_complex<T> square;  ///< the squared norm of the column
};

/// Applies the rotations of the preceding steps to a column of H, in place except for its last
/// entry.
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE rotated_column<T> apply_rotations(const R& next_norm, size_type step,
                                                            const projection_entries<T>& problem, size_type col)
{
    // Several entries are loaded at a time, since one thread would otherwise wait for each of them.
    constexpr int batch = 8;
    const auto begin = gmres::packed_begin(step);
    auto last = problem.triangle(begin, col);
    auto square = next_norm * next_norm + squared_abs(last);
    for (size_type first = 0; first < step; first += batch) {
        T below[batch] = {};
        T sin[batch] = {};
        R cos[batch] = {};
        const auto size = step - first < batch ? static_cast<int>(step - first) : batch;
        for (int i = 0; i < batch; ++i) {
            if (i < size) {
                below[i] = problem.triangle(begin + first + i + 1, col);
                sin[i] = problem.sin(first + i, col);
                cos[i] = problem.cos(first + i, col);
            }
        }
        for (int i = 0; i < batch; ++i) {
            if (i < size) {
                square += squared_abs(below[i]);
                problem.triangle(begin + first + i, col) = cos[i] * last + sin[i] * below[i];
                last = cos[i] * below[i] - conj_of(sin[i]) * last;
            }
        }
    }
    return {last, square};
}

/// Performs gmres::finish_step for one column.
/// @param next_norm  of the next vector
/// @param epsilon  the precision of the basis
template <typename T, typename R>
SPRUCE_HOST_DEVICE_INLINE void finish_step(const R& next_norm, size_type step, const projection_entries<T>& problem,
                                           size_type col, stopping_status& status,
                                           R epsilon = std::numeric_limits<R>::epsilon())
{
    auto& stored_norm = problem.next_norm(0, col);
    const auto takes_part = !status.has_stopped() && stored_norm != R{};
    stored_norm = R{};
    if (!takes_part) {
        return;
    }
    const auto column = apply_rotations(next_norm, step, problem, col);
    const auto last = column.last;
    const auto column_norm = sqrt_of(column.square);
    const auto last_abs = abs_of(last);
    if (!is_finite_value(column_norm) || !is_finite_value(last_abs)) {
        status.stop(stop_reason::not_finite);
        return;
    }
    const auto rounding = 10 * epsilon;
    const auto is_subspace_exhausted = next_norm <= rounding * column_norm;
    auto& size = problem.history(gmres::size_row, col);
    size = column_norm > size ? column_norm : size;
    const auto reduction = problem.norm(0, col) / problem.history(gmres::first_norm_row, col);
    if ((is_subspace_exhausted && last_abs <= rounding * column_norm) ||
        (is_rounding(next_norm, size, reduction) && is_rounding(last_abs, size, reduction))) {
        problem.history(gmres::exhausted_row, col) = R{1};
        status.stop(stop_reason::breakdown_subspace);
        return;
    }
    const auto scale = last_abs + next_norm;
    const auto length =
        scale * sqrt_of((last_abs / scale) * (last_abs / scale) + (next_norm / scale) * (next_norm / scale));
    const auto cos = last_abs / length;
    const auto phase = last_abs == R{} ? T(R{1}) : last / T(last_abs);
    const auto sin = phase * T(next_norm / length);
    const auto rhs = problem.rhs(step, col);
    const auto next_rhs = -(conj_of(sin) * rhs);
    problem.triangle(gmres::packed_begin(step) + step, col) = phase * T(length);
    problem.cos(step, col) = cos;
    problem.sin(step, col) = sin;
    problem.rhs(step, col) = T(cos) * rhs;
    problem.rhs(step + 1, col) = next_rhs;
    problem.norm(0, col) = abs_of(next_rhs);
    problem.num_steps[col] = step + 1;
    stored_norm = is_subspace_exhausted ? R{} : next_norm;
    stop_if_zero_or_nonfinite(problem.norm(0, col), status);
}

/// Performs gmres::solve_triangle for one column.
/// @return  the weight of the column
template <typename T>
SPRUCE_HOST_DEVICE_INLINE T solve(const projection_entries<T>& problem, size_type col, stopping_status& status)
{
    auto is_finite = true;
    for (auto i = problem.num_steps[col]; i-- > 0;) {
        auto sum = problem.rhs(i, col);
        for (auto j = i + 1; j < problem.num_steps[col]; ++j) {
            sum -= problem.triangle(gmres::packed_begin(j) + i, col) * problem.rhs(j, col);
        }
        const auto solution = sum / problem.triangle(gmres::packed_begin(i) + i, col);
        is_finite = is_finite && is_finite_value(solution);
        problem.rhs(i, col) = solution;
    }
    if (!is_finite) {
        status.stop(stop_reason::not_finite);
        problem.num_steps[col] = 0;
    }
    return problem.num_steps[col] == 0 ? T{} : T(remove_complex<T>{1});
}

}  // namespace spruce::kernels
