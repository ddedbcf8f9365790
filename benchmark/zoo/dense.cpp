// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>

#include <spruce/matrix/diagonal.hpp>
#include <spruce/matrix/permutation.hpp>

#include "benchmark/zoo/operations.hpp"

namespace spruce::bench::zoo {

template <typename V, typename I>
void visit_dense(std::shared_ptr<const Executor> exec, size_type num_entries, const visitor& visit)
{
    using dense = matrix::Dense<V>;
    for (const size_type num_cols : {size_type{1}, size_type{3}, size_type{32}, num_entries}) {
        const auto num_rows = std::max<size_type>(num_entries / num_cols, 1);
        const auto shape = num_cols == num_entries ? std::string{"1 row"} : std::to_string(num_cols) + " columns";
        const auto bytes = static_cast<double>(num_rows * num_cols * sizeof(V));
        const auto x = [&] { return filled<V>(exec, num_rows, num_cols); };
        const auto named = [&](const char* name) { return std::string{"dense "} + name + ", " + shape; };
        const auto add = [&](const char* name, double factor, auto create) {
            visit.visit(named(name), [&] { return operation{factor * bytes, create(), {}}; });
        };
        const auto row_of_sums = [&] { return share(dense::create(exec, dim<2>{1, num_cols})); };
        add("dot", 2, [&] { return [x = x(), y = x(), result = row_of_sums()] { x->compute_dot(y, result); }; });
        add("norm2", 1, [&] {
            const auto norms = share(matrix::Dense<remove_complex<V>>::create(exec, dim<2>{1, num_cols}));
            return [x = x(), norms] { x->compute_norm2(norms); };
        });
        add("mean", 1, [&] { return [x = x(), result = row_of_sums()] { x->compute_mean(result); }; });
        add("scale", 2, [&] { return [x = x(), alpha = filled<V>(exec, 1, 1)] { x->scale(alpha); }; });
        add("scale by columns", 2,
            [&] { return [x = x(), alpha = filled<V>(exec, 1, num_cols)] { x->scale(alpha); }; });
        add("add_scaled", 3,
            [&] { return [x = x(), y = x(), alpha = filled<V>(exec, 1, 1)] { x->add_scaled(alpha, y); }; });
        add("fill", 1, [&] { return [x = x()] { x->fill(one<V>()); }; });
        add("copy", 2, [&] { return [x = x(), y = x()] { x->copy_from(y); }; });
        add("transpose", 2, [&] {
            const auto result = share(dense::create(exec, dim<2>{num_cols, num_rows}));
            return [x = x(), result] { x->transpose(result); };
        });
        add("compute_absolute", 2, [&] { return [x = x()] { x->compute_absolute_inplace(); }; });
        add("row_gather", 2, [&] {
            array<I> rows{exec->get_master(), num_rows};
            for (size_type i = 0; i < num_rows; ++i) {
                rows.get_data()[i] = static_cast<I>(num_rows - 1 - i);
            }
            const auto order = std::make_shared<array<I>>(exec, rows);
            return [x = x(), y = x(), order] { x->row_gather(order.get(), y); };
        });
        add("diagonal apply", 2, [&] {
            const auto diagonal = share(matrix::Diagonal<V>::create(exec, num_rows));
            exec->copy(num_rows, filled<V>(exec, num_rows, 1)->get_const_values(), diagonal->get_values());
            return [x = x(), y = x(), diagonal] { diagonal->apply(x, y); };
        });
    }
    // Products with few columns: of a large matrix, and of a tall one.
    const auto side = std::max<size_type>(static_cast<size_type>(std::sqrt(static_cast<double>(num_entries))), 1);
    const std::pair<size_type, size_type> shapes[]{
        {side, side}, {std::max<size_type>(num_entries / 32, 1), 32}, {32, std::max<size_type>(num_entries / 32, 1)}};
    for (const auto& shape : shapes) {
        const auto m = shape.first;
        const auto n = shape.second;
        const auto name = shape.first == shape.second ? "square" : m > n ? "tall" : "wide";
        for (const size_type k : {1, 2, 3, 4, 8, 16, 32}) {
            visit.visit(std::string{"dense "} + name + " apply, " + std::to_string(k), [&] {
                const auto left = filled<V>(exec, m, n);
                const auto right = filled<V>(exec, n, k);
                const auto result = filled<V>(exec, m, k);
                const auto bytes = static_cast<double>((m * n + n * k + m * k) * sizeof(V));
                return operation{bytes, [=] { left->apply(right, result); }, {}};
            });
        }
    }
}

#define SPRUCE_INSTANTIATE_VISIT_DENSE(V, I) \
    void visit_dense<V, I>(std::shared_ptr<const Executor> exec, size_type num_entries, const visitor& visit)
SPRUCE_INSTANTIATE_FOR_EACH_ZOO_TYPE(SPRUCE_INSTANTIATE_VISIT_DENSE);

}  // namespace spruce::bench::zoo
