// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Computes products and sums of sparse matrices row by row (Gustavson 1978), with a hash table for
// each thread. Rows are distributed by the number of their products.

#include <algorithm>
#include <vector>

#include "core/matrix/csr_algebra_kernels.hpp"
#include "omp/base/register.hpp"
#include "omp/components/array_sums.hpp"
#include "omp/components/hash_table.hpp"
#include "omp/components/multiply_add.hpp"
#include "omp/components/partition.hpp"

namespace spruce::kernels::omp {
namespace csr {

using matrix::Csr;
using matrix::Dense;

/// Calls function(row, table) for all rows. Each thread has a range of the rows and a table, which
/// is large enough for table_entries(row).
template <typename Value, typename V, typename I, typename TableEntries, typename Function>
void for_each_product_row(const OmpExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d,
                          TableEntries table_entries, Function function)
{
    const auto num_rows = a.get_size()[0];
    const auto a_row_ptrs = a.get_const_row_ptrs();
    const auto b_row_ptrs = b.get_const_row_ptrs();
    std::vector<int64> work(num_rows + 1);
#pragma omp parallel
    {
        const auto rows = thread_merge_range(a_row_ptrs, num_rows).rows();
        for (auto row = rows.begin; row < rows.end; ++row) {
            int64 sum = d ? d->get_const_row_ptrs()[row + 1] - d->get_const_row_ptrs()[row] : 0;
            for (auto nz = a_row_ptrs[row]; nz < a_row_ptrs[row + 1]; ++nz) {
                const auto col = a.get_const_col_idxs()[nz];
                sum += b_row_ptrs[col + 1] - b_row_ptrs[col];
            }
            work[row] = sum;
        }
    }
    size_type total_work{};
    components::prefix_sum(exec, work.data(), work.size(), total_work);

    // The memory is allocated before the parallel region, because an exception cannot leave it.
    const auto num_parts = omp_get_max_threads();
    const auto rows_of = [&](int part) {
        return range{split_rows_and_entries(work.data(), num_rows, part, num_parts).row,
                     split_rows_and_entries(work.data(), num_rows, part + 1, num_parts).row};
    };
    const auto entries_of = [&](size_type row) {
        return table_entries(row, static_cast<size_type>(work[row + 1] - work[row]));
    };
    std::vector<size_type> max_entries(num_parts);
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < num_parts; ++part) {
        const auto rows = rows_of(part);
        for (auto row = rows.begin; row < rows.end; ++row) {
            max_entries[part] = std::max(max_entries[part], entries_of(row));
        }
    }
    std::vector<hash_table<I, Value>> tables;
    for (const auto num_entries : max_entries) {
        tables.emplace_back(num_entries);
    }
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < num_parts; ++part) {
        const auto rows = rows_of(part);
        for (auto row = rows.begin; row < rows.end; ++row) {
            tables[part].reset(entries_of(row));
            function(row, tables[part]);
        }
    }
}

/// Calls function(column, term) for the terms of a row of alpha a b + beta d.
template <typename V, typename I>
struct terms {
    terms(const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b, const Dense<V>* beta, const Csr<V, I>* d)
        : a{a}, b{b}, d{d}, alpha{alpha ? alpha->at(0, 0) : one<V>()}, beta{beta ? beta->at(0, 0) : one<V>()}
    {}

    template <typename Function>
    static void for_each_of(V factor, V coefficient, const Csr<V, I>& from, size_type row, Function function)
    {
        const auto col_idxs = from.get_const_col_idxs();
        const auto values = from.get_const_values();
        const auto end = from.get_const_row_ptrs()[row + 1];
        for (auto nz = from.get_const_row_ptrs()[row]; nz < end; ++nz) {
            function(col_idxs[nz], is_zero(factor) ? zero<V>() : multiply(coefficient, values[nz]));
        }
    }

    template <typename Function>
    void for_each(size_type row, Function function) const
    {
        if (d) {
            for_each_of(beta, beta, *d, row, function);
        }
        const auto end = a.get_const_row_ptrs()[row + 1];
        for (auto nz = a.get_const_row_ptrs()[row]; nz < end; ++nz) {
            for_each_of(alpha, multiply(alpha, a.get_const_values()[nz]), b, a.get_const_col_idxs()[nz], function);
        }
    }

    const Csr<V, I>& a;
    const Csr<V, I>& b;
    const Csr<V, I>* d;
    V alpha;
    V beta;
};

template <typename V, typename I>
void spgemm_count(const OmpExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d, I* counts)
{
    const auto a_row_ptrs = a.get_const_row_ptrs();
    const auto num_cols = b.get_size()[1];
    for_each_product_row<char>(
        exec, a, b, d, [&](size_type, size_type num_products) { return std::min(num_products, num_cols); },
        [&](size_type row, auto& table) {
            I count{};
            const auto insert_row = [&](const Csr<V, I>& from, size_type from_row) {
                const auto end = from.get_const_row_ptrs()[from_row + 1];
                for (auto nz = from.get_const_row_ptrs()[from_row]; nz < end; ++nz) {
                    bool is_new{};
                    table.insert(from.get_const_col_idxs()[nz], is_new);
                    count += is_new ? 1 : 0;
                }
            };
            if (d) {
                insert_row(*d, row);
            }
            for (auto nz = a_row_ptrs[row]; nz < a_row_ptrs[row + 1]; ++nz) {
                insert_row(b, a.get_const_col_idxs()[nz]);
            }
            counts[row] = count;
        });
}

/// Calls function(row, table, begin, end) for all rows of c, where begin and end delimit the row's
/// column indices. Afterwards it stores the values of these columns, which it takes from the table.
/// The table has room for as many columns as the row of c has.
template <typename V, typename I, typename Function>
void for_each_row_of_result(const OmpExecutor& exec, const Csr<V, I>& a, const Csr<V, I>& b, const Csr<V, I>* d,
                            Csr<V, I>& c, Function function)
{
    const auto row_ptrs = c.get_const_row_ptrs();
    for_each_product_row<V>(
        exec, a, b, d,
        [&](size_type row, size_type) { return static_cast<size_type>(row_ptrs[row + 1] - row_ptrs[row]); },
        [&](size_type row, auto& table) {
            const auto begin = c.get_col_idxs() + row_ptrs[row];
            const auto end = c.get_col_idxs() + row_ptrs[row + 1];
            function(row, table, begin, end);
            auto value = c.get_values() + row_ptrs[row];
            std::for_each(begin, end, [&](I col) { *value++ = *table.find(col); });
        });
}

template <typename V, typename I>
void spgemm_fill(const OmpExecutor& exec, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                 const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    const terms<V, I> all{alpha, a, b, beta, d};
    for_each_row_of_result(exec, a, b, d, c, [&](size_type row, auto& table, I* begin, I* end) {
        auto next = begin;
        all.for_each(row, [&](I col, V term) {
            bool is_new{};
            table.insert(col, is_new) += term;
            if (is_new) {
                *next++ = col;
            }
        });
        std::sort(begin, end);
    });
}

template <typename V, typename I>
void spgemm_values(const OmpExecutor& exec, const Dense<V>* alpha, const Csr<V, I>& a, const Csr<V, I>& b,
                   const Dense<V>* beta, const Csr<V, I>* d, Csr<V, I>& c)
{
    const terms<V, I> all{alpha, a, b, beta, d};
    for_each_row_of_result(exec, a, b, d, c, [&](size_type row, auto& table, I* begin, I* end) {
        bool is_new{};
        std::for_each(begin, end, [&](I col) { table.insert(col, is_new); });
        all.for_each(row, [&](I col, V term) {
            if (const auto sum = table.find(col)) {
                *sum += term;
            }
        });
    });
}

}  // namespace csr

void register_csr_spgemm()
{
    for_each_value_and_index_type([](auto types) {
        using V = typename decltype(types)::value_type;
        using I = typename decltype(types)::index_type;
        using E = OmpExecutor;
        kernels::csr::spgemm_count<V, I>.template set<E>(&csr::spgemm_count<V, I>);
        kernels::csr::spgemm_fill<V, I>.template set<E>(&csr::spgemm_fill<V, I>);
        kernels::csr::spgemm_values<V, I>.template set<E>(&csr::spgemm_values<V, I>);
    });
}

}  // namespace spruce::kernels::omp
