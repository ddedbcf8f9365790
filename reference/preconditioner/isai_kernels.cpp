// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/preconditioner/isai_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "reference/base/register.hpp"

namespace spruce::kernels::reference {
namespace isai {

using namespace preconditioner::detail;
using preconditioner::isai_type;

template <typename I>
void classify_rows(const ReferenceExecutor&, const I* row_ptrs, size_type num_rows, bool is_triangular,
                   row_limits limits, I* classes)
{
    for (size_type row = 0; row < num_rows; ++row) {
        const auto length = row_ptrs[row + 1] - row_ptrs[row];
        I row_class = 0;
        for (auto longest = max_row_of_first_class; row_class < num_dense_classes && length > longest; longest *= 2) {
            ++row_class;
        }
        if (is_triangular && length > max_subwarp_row) {
            row_class = length <= limits.substituted ? substituted_class : excess_class;
        } else if (length > limits.dense) {
            row_class = excess_class;
        }
        classes[row] = row_class;
    }
}

/// Returns the position of a column in a sorted row, or that of its end.
template <typename I>
const I* find_column(const I* row_ptrs, const I* cols, size_type row, I col)
{
    const auto end = cols + row_ptrs[row + 1];
    const auto found = std::lower_bound(cols + row_ptrs[row], end, col);
    return found != end && *found == col ? found : end;
}

/// Returns entry nz of T.
template <typename V, typename I>
V entry_of_t(const isai_view<V, I>& m, size_type nz)
{
    const auto value = m.t_values[m.sources ? m.sources[nz] : nz];
    return m.conjugates ? spruce::conj(value) : value;
}

/// Returns entry (row, col) of T, or zero if it is not stored.
template <typename V, typename I>
V value_of_t(const isai_view<V, I>& m, I row, I col)
{
    const auto found = find_column(m.t_row_ptrs, m.t_cols, row, col);
    if (found == m.t_cols + m.t_row_ptrs[row + 1]) {
        return zero<V>();
    }
    return entry_of_t(m, found - m.t_cols);
}

/// Represents a small square matrix.
template <typename V>
struct square_matrix {
    explicit square_matrix(size_type size) : size{size}, values(size * size) {}
    V& operator()(size_type row, size_type col) { return values[row * size + col]; }

    size_type size;
    std::vector<V> values;
};

/// Returns T(S, S) for the columns S of a row of M.
template <typename V, typename I>
square_matrix<V> gather(const isai_view<V, I>& m, I row)
{
    const auto cols = m.cols + m.row_ptrs[row];
    square_matrix<V> result(m.row_ptrs[row + 1] - m.row_ptrs[row]);
    for (size_type i = 0; i < result.size; ++i) {
        for (size_type j = 0; j < result.size; ++j) {
            result(i, j) = value_of_t(m, cols[i], cols[j]);
        }
    }
    return result;
}

/// Solves x L = e_i, where i is the last row of L.
template <typename V>
std::vector<V> solve_lower(square_matrix<V> l)
{
    std::vector<V> x(l.size);
    for (auto col = l.size; col-- > 0;) {
        auto sum = col + 1 == l.size ? one<V>() : zero<V>();
        for (auto row = col + 1; row < l.size; ++row) {
            sum -= x[row] * l(row, col);
        }
        x[col] = sum / l(col, col);
    }
    return x;
}

/// Solves x U = e_i, where i is the first row of U.
template <typename V>
std::vector<V> solve_upper(square_matrix<V> u)
{
    std::vector<V> x(u.size);
    for (size_type col = 0; col < u.size; ++col) {
        auto sum = col == 0 ? one<V>() : zero<V>();
        for (size_type row = 0; row < col; ++row) {
            sum -= x[row] * u(row, col);
        }
        x[col] = sum / u(col, col);
    }
    return x;
}

/// Solves x A = e_i by Gaussian elimination of the columns of A with partial pivoting.
template <typename V>
std::vector<V> solve_general(square_matrix<V> a, size_type i)
{
    std::vector<V> x(a.size);
    x[i] = one<V>();
    for (size_type step = 0; step < a.size; ++step) {
        auto pivot = step;
        for (auto col = step + 1; col < a.size; ++col) {
            pivot = std::abs(a(step, col)) > std::abs(a(step, pivot)) ? col : pivot;
        }
        for (size_type row = 0; row < a.size; ++row) {
            std::swap(a(row, step), a(row, pivot));
        }
        std::swap(x[step], x[pivot]);
        for (auto col = step + 1; col < a.size; ++col) {
            const auto factor = a(step, col) / a(step, step);
            for (auto row = step; row < a.size; ++row) {
                a(row, col) -= factor * a(row, step);
            }
            x[col] -= factor * x[step];
        }
    }
    for (auto step = a.size; step-- > 0;) {
        for (auto row = step + 1; row < a.size; ++row) {
            x[step] -= a(row, step) * x[row];
        }
        x[step] /= a(step, step);
    }
    return x;
}

/// Returns a power of two with which the exponent of the magnitude is halved, or 1 if that is not
/// possible.
template <typename Real>
Real root_scale(Real magnitude)
{
    if (!(magnitude > 0) || !is_finite(magnitude)) {
        return 1;
    }
    int exponent{};
    std::frexp(magnitude, &exponent);
    return std::ldexp(Real{1}, -(exponent / 2));
}

/// Represents a matrix whose rows and columns are scaled.
template <typename V>
struct scaled_matrix {
    square_matrix<V> values;
    std::vector<remove_complex<V>> row_scales;
    std::vector<remove_complex<V>> col_scales;
};

/// Scales rows and columns until the largest absolute value in each is about 1 (Ruiz 2001).
template <typename V>
scaled_matrix<V> equilibrate(const square_matrix<V>& t)
{
    using Real = remove_complex<V>;
    scaled_matrix<V> result{t, std::vector<Real>(t.size, 1), std::vector<Real>(t.size, 1)};
    for (int sweep = 0; sweep < max_scaling_sweeps; ++sweep) {
        std::vector<Real> row_maxima(t.size);
        std::vector<Real> col_maxima(t.size);
        for (size_type i = 0; i < t.size; ++i) {
            for (size_type j = 0; j < t.size; ++j) {
                const auto magnitude = std::abs(result.values(i, j));
                row_maxima[i] = std::max(row_maxima[i], magnitude);
                col_maxima[j] = std::max(col_maxima[j], magnitude);
            }
        }
        for (size_type i = 0; i < t.size; ++i) {
            for (size_type j = 0; j < t.size; ++j) {
                result.values(i, j) *= root_scale(row_maxima[i]) * root_scale(col_maxima[j]);
            }
            result.row_scales[i] *= root_scale(row_maxima[i]);
            result.col_scales[i] *= root_scale(col_maxima[i]);
        }
    }
    return result;
}

/// Solves x A = e_i by elimination in the scaled matrix. If the residual is too large, x contains
/// NaN.
template <typename V>
std::vector<V> solve_scaled(const square_matrix<V>& a, size_type i)
{
    using Real = remove_complex<V>;
    auto scaled = equilibrate(a);
    auto x = solve_general(scaled.values, i);
    Real largest{};
    for (size_type col = 0; col < a.size; ++col) {
        auto residual = col == i ? one<V>() : zero<V>();
        auto sum = std::abs(residual);
        for (size_type row = 0; row < a.size; ++row) {
            const auto product = x[row] * scaled.values(row, col);
            residual -= product;
            sum += std::abs(product);
        }
        const auto error = std::abs(residual) + std::numeric_limits<Real>::epsilon() * sum;
        largest = error <= largest ? largest : error;
    }
    for (size_type row = 0; row < a.size; ++row) {
        x[row] *= scaled.row_scales[row] * scaled.col_scales[i];
    }
    if (!(largest <= static_cast<Real>(max_dense_residual))) {
        std::fill(x.begin(), x.end(), V{std::numeric_limits<Real>::quiet_NaN()});
    }
    return x;
}

/// Computes the Cholesky factor of a Hermitian matrix from its lower triangle. If a pivot is not
/// positive, the factor contains NaN.
template <typename V>
square_matrix<V> factorize(square_matrix<V> a)
{
    for (size_type row = 0; row < a.size; ++row) {
        for (size_type col = 0; col <= row; ++col) {
            for (size_type k = 0; k < col; ++k) {
                a(row, col) -= a(row, k) * spruce::conj(a(col, k));
            }
            a(row, col) = row == col ? V{std::sqrt(spruce::real(a(row, row)))} : a(row, col) / a(col, col);
        }
    }
    return a;
}

template <typename V, typename I>
std::vector<V> solve_row(const isai_view<V, I>& m, I row, const square_matrix<V>& t)
{
    switch (m.type) {
    case isai_type::lower:
        return solve_lower(t);
    case isai_type::upper:
        return solve_upper(t);
    case isai_type::general: {
        const auto unit =
            static_cast<size_type>(find_column(m.row_ptrs, m.cols, row, row) - (m.cols + m.row_ptrs[row]));
        return t.size > max_subwarp_row ? solve_scaled(t, unit) : solve_general(t, unit);
    }
    default:
        return solve_lower(factorize(t));
    }
}

template <typename V>
bool are_finite(const std::vector<V>& values)
{
    return std::all_of(values.begin(), values.end(), [](const V& value) { return is_finite(value); });
}

template <typename V, typename I>
void compute_rows(const ReferenceExecutor&, const isai_view<V, I>& m, array<V>&, V* values, I* bad_row)
{
    for (size_type i = 0; i < m.class_begins[excess_class]; ++i) {
        const auto row = m.order[i];
        const auto t = gather(m, row);
        const auto solution = solve_row(m, row, t);
        std::copy(solution.begin(), solution.end(), values + m.row_ptrs[row]);
        auto wrong_row = are_finite(t.values) && are_finite(solution) ? *bad_row : row;
        for (size_type j = 0; is_triangular(m.type) && j < t.size; ++j) {
            if (is_zero(t.values[j * t.size + j])) {
                wrong_row = m.cols[m.row_ptrs[row] + j];
                break;
            }
        }
        *bad_row = std::min(*bad_row, wrong_row);
    }
}

/// Calls function(block, row of M, unknown, row of T) for each unknown.
template <typename V, typename I, typename Function>
void for_each_unknown(const isai_view<V, I>& m, const excess_view<I>& system, Function function)
{
    for (size_type block = 0; block < system.num_blocks; ++block) {
        const auto row = system.rows[block];
        const auto begin = m.row_ptrs[row];
        for (auto unknown = system.block_ptrs[block]; unknown < system.block_ptrs[block + 1]; ++unknown) {
            function(block, row, unknown, m.cols[begin + unknown - system.block_ptrs[block]]);
        }
    }
}

template <typename V, typename I>
void bound_excess_rows(const ReferenceExecutor&, const isai_view<V, I>& m, const excess_view<I>& system, I* counts)
{
    for_each_unknown(m, system, [&](size_type, I, I unknown, I t_row) {
        counts[unknown] = m.t_row_ptrs[t_row + 1] - m.t_row_ptrs[t_row];
    });
}

/// Calls function(block, row, unknown, candidate, entry of T, other unknown) for each candidate: an
/// entry of T in the row of the unknown. The other unknown is -1 if there is none in its column.
template <typename V, typename I, typename Function>
void for_each_candidate(const isai_view<V, I>& m, const excess_view<I>& system, const I* candidate_ptrs,
                        Function function)
{
    for_each_unknown(m, system, [&](size_type block, I row, I unknown, I t_row) {
        auto candidate = candidate_ptrs[unknown];
        for (auto nz = m.t_row_ptrs[t_row]; nz < m.t_row_ptrs[t_row + 1]; ++nz, ++candidate) {
            const auto found = find_column(m.row_ptrs, m.cols, row, m.t_cols[nz]);
            const auto is_found = found != m.cols + m.row_ptrs[row + 1];
            const auto position = static_cast<I>(found - (m.cols + m.row_ptrs[row]));
            function(block, row, unknown, candidate, nz,
                     is_found ? static_cast<I>(system.block_ptrs[block] + position) : I{-1});
        }
    });
}

template <typename V, typename I>
void find_excess_entries(const ReferenceExecutor&, const isai_view<V, I>& m, const excess_view<I>& system,
                         const I* candidate_ptrs, size_type, I* flags)
{
    for_each_candidate(m, system, candidate_ptrs,
                       [&](size_type, I, I, I candidate, I, I other) { flags[candidate] = other >= 0; });
}

template <typename V, typename I>
void fill_excess_system(const ReferenceExecutor&, const isai_view<V, I>& m, const excess_view<I>& system,
                        const I* candidate_ptrs, size_type, const I* positions, matrix::Csr<V, I>& matrix, V* rhs,
                        V* scales, I* bad_row)
{
    for (size_type unknown = 0; unknown <= system.num_unknowns; ++unknown) {
        matrix.get_row_ptrs()[unknown] = positions[candidate_ptrs[unknown]];
    }
    for_each_candidate(m, system, candidate_ptrs, [&](size_type, I row, I unknown, I candidate, I nz, I other) {
        if (other < 0) {
            return;
        }
        auto value = entry_of_t(m, nz);
        const auto is_diagonal = other == unknown;
        if (!is_finite(value)) {
            *bad_row = std::min(*bad_row, row);
        } else if (is_triangular(m.type) && is_diagonal && is_zero(value)) {
            *bad_row = std::min(*bad_row, m.t_cols[nz]);
        }
        if (is_diagonal && m.type != isai_type::general) {
            scales[unknown] = V{root_scale(std::abs(value))};
        }
        if (m.type == isai_type::spd && is_diagonal) {
            value = V{spruce::real(value) / 2};
        }
        matrix.get_col_idxs()[positions[candidate]] = other;
        matrix.get_values()[positions[candidate]] = value;
    });
    for_each_unknown(m, system,
                     [&](size_type, I row, I unknown, I t_row) { rhs[unknown] = row == t_row ? one<V>() : zero<V>(); });
}

template <typename V, typename I>
void equilibrate_rows(const ReferenceExecutor&, const matrix::Csr<V, I>& matrix, const V* row_scales,
                      const V* col_scales, V* new_row_scales)
{
    for (size_type row = 0; row < matrix.get_size()[0]; ++row) {
        remove_complex<V> largest{};
        for (auto nz = matrix.get_const_row_ptrs()[row]; nz < matrix.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = matrix.get_const_col_idxs()[nz];
            largest = std::max(largest, std::abs(matrix.get_const_values()[nz] * row_scales[row] * col_scales[col]));
        }
        new_row_scales[row] = row_scales[row] * root_scale(largest);
    }
}

template <typename V, typename I>
void check_excess_blocks(const ReferenceExecutor&, const excess_view<I>& system, const V* residuals,
                         const remove_complex<V>* bounds, remove_complex<V> limit, remove_complex<V>* norms, I* bad_row)
{
    using Real = remove_complex<V>;
    for (size_type block = 0; block < system.num_blocks; ++block) {
        Real sum{};
        Real sum_of_bounds{};
        for (auto unknown = system.block_ptrs[block]; unknown < system.block_ptrs[block + 1]; ++unknown) {
            sum += squared_norm(residuals[unknown]);
            sum_of_bounds += bounds[unknown] * bounds[unknown];
        }
        norms[block] = std::sqrt(sum);
        const auto rounding =
            residual_rounding_factor * std::numeric_limits<Real>::epsilon() * std::sqrt(sum_of_bounds);
        const auto is_accurate = rounding <= static_cast<Real>(max_dense_residual);
        if (!(is_accurate && norms[block] <= std::max(limit, rounding))) {
            *bad_row = std::min(*bad_row, system.rows[block]);
        }
    }
}

template <typename V, typename I>
void store_excess_rows(const ReferenceExecutor&, const isai_view<V, I>& m, const excess_view<I>& system,
                       const V* solution, const V* row_scales, const V* col_scales, V* values, I* bad_row)
{
    for_each_unknown(m, system, [&](size_type block, I row, I unknown, I) {
        const auto begin = m.row_ptrs[row];
        auto value = solution[unknown] * row_scales[unknown];
        if (m.type == isai_type::spd) {
            const auto last = system.block_ptrs[block + 1] - 1;
            const auto diagonal = spruce::real(solution[last]);
            value = unknown == last ? V{std::sqrt(diagonal)} * row_scales[last] : value / std::sqrt(diagonal);
        } else {
            const auto unit = find_column(m.row_ptrs, m.cols, row, row) - (m.cols + begin);
            value *= col_scales[system.block_ptrs[block] + unit];
        }
        values[begin + unknown - system.block_ptrs[block]] = value;
        if (!is_finite(value)) {
            *bad_row = std::min(*bad_row, row);
        }
    });
}

}  // namespace isai

void register_isai()
{
    for_each_index_type([](auto type) {
        using I = typename decltype(type)::type;
        kernels::isai::classify_rows<I>.template set<ReferenceExecutor>(&isai::classify_rows<I>);
    });
    for_each_value_and_index_type([](auto type) {
        using V = typename decltype(type)::value_type;
        using I = typename decltype(type)::index_type;
        using E = ReferenceExecutor;
        kernels::isai::compute_rows<V, I>.template set<E>(&isai::compute_rows<V, I>);
        kernels::isai::bound_excess_rows<V, I>.template set<E>(&isai::bound_excess_rows<V, I>);
        kernels::isai::find_excess_entries<V, I>.template set<E>(&isai::find_excess_entries<V, I>);
        kernels::isai::fill_excess_system<V, I>.template set<E>(&isai::fill_excess_system<V, I>);
        kernels::isai::equilibrate_rows<V, I>.template set<E>(&isai::equilibrate_rows<V, I>);
        kernels::isai::check_excess_blocks<V, I>.template set<E>(&isai::check_excess_blocks<V, I>);
        kernels::isai::store_excess_rows<V, I>.template set<E>(&isai::store_excess_rows<V, I>);
    });
}

}  // namespace spruce::kernels::reference
