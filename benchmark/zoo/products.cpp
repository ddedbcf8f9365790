// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "benchmark/zoo/operations.hpp"

namespace spruce::bench::zoo {
namespace {

constexpr size_type numbers_of_columns[]{1, 2, 3, 4, 8, 16, 64};
constexpr double max_vector_bytes = 4e9;

/// Visits x = a b for several numbers of columns, and x = alpha a b + beta x for one column.
/// `bytes` counts the matrix.
template <typename V, typename I>
void visit_applies(const std::string& name, double bytes, const byte_counts<V, I>& count,
                   const std::function<std::shared_ptr<LinOp>()>& create, const visitor& visit)
{
    std::shared_ptr<LinOp> a;
    const auto matrix = [&] {
        if (!a) {
            a = create();
        }
        return a;
    };
    for (const auto num_cols : numbers_of_columns) {
        const auto num = static_cast<double>(num_cols);
        visit.visit(name + " apply, " + std::to_string(num_cols), [&] {
            if ((count.rows + count.cols) * num * sizeof(V) > max_vector_bytes) {
                throw case_skipped("the vectors are too large");
            }
            const auto op = matrix();
            const auto b = filled<V>(op->get_executor(), op->get_size()[1], num_cols);
            const auto x = filled<V>(op->get_executor(), op->get_size()[0], num_cols);
            return operation{bytes + num * count.vectors(), [=] { op->apply(b, x); }, {}};
        });
    }
    visit.visit(name + " advanced apply, 1", [&] {
        const auto op = matrix();
        const auto exec = op->get_executor();
        const auto b = filled<V>(exec, op->get_size()[1], 1);
        const auto x = filled<V>(exec, op->get_size()[0], 1);
        const auto alpha = filled<V>(exec, 1, 1);
        const auto beta = filled<V>(exec, 1, 1, V(0.5));
        return operation{bytes + count.vectors() + count.rows * sizeof(V), [=] { op->apply(alpha, b, beta, x); }, {}};
    });
}

/// Returns a function that converts the matrix to a format. It fails if padding would make the
/// result more than four times as large as the matrix.
template <typename Format, typename V, typename I>
std::function<std::shared_ptr<LinOp>()> converted(std::shared_ptr<const matrix::Csr<V, I>> a, bool is_padded,
                                                  std::shared_ptr<Format> result)
{
    return [=]() -> std::shared_ptr<LinOp> {
        if (is_padded) {
            require_little_padding<Format>(*a);
        }
        a->convert_to(result);
        return result;
    };
}

}  // namespace

template <typename V, typename I>
void visit_products(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit)
{
    using csr = matrix::Csr<V, I>;
    const auto exec = a->get_executor();
    const byte_counts<V, I> count{*a};
    const std::pair<const char*, std::shared_ptr<typename csr::strategy_type>> strategies[]{
        {"csr automatical", csr::create(exec)->get_strategy()},
        {"csr classical", std::make_shared<typename csr::classical>()},
        {"csr load_balance", std::make_shared<typename csr::load_balance>(1024)},
        {"csr merge_path", std::make_shared<typename csr::merge_path>()},
        {"csr sparselib", std::make_shared<typename csr::sparselib>()}};
    for (const auto& [name, strategy] : strategies) {
        visit_applies<V, I>(
            name, count.csr(), count,
            [&, strategy = strategy] {
                auto result = share(clone(a));
                result->set_strategy(strategy);
                return std::shared_ptr<LinOp>{result};
            },
            visit);
    }
    visit_applies<V, I>("coo", count.values() + 2 * count.indices(), count,
                        converted(a, false, share(matrix::Coo<V, I>::create(exec))), visit);
    visit_applies<V, I>("sparsity_csr", count.pattern(), count,
                        converted(a, false, share(matrix::SparsityCsr<V, I>::create(exec))), visit);
    visit_applies<V, I>("hybrid", count.csr(), count, converted(a, false, share(matrix::Hybrid<V, I>::create(exec))),
                        visit);
    visit_applies<V, I>("ell", count.values() + count.indices(), count,
                        converted(a, true, share(matrix::Ell<V, I>::create(exec))), visit);
    visit_applies<V, I>("sellp", count.values() + count.indices(), count,
                        converted(a, true, share(matrix::Sellp<V, I>::create(exec))), visit);
    visit_applies<V, I>("fbcsr", count.csr(), count, converted(a, false, share(matrix::Fbcsr<V, I>::create(exec, 1))),
                        visit);
}

#define SPRUCE_INSTANTIATE_VISIT_PRODUCTS(V, I) \
    void visit_products(std::shared_ptr<const matrix::Csr<V, I>> a, const visitor& visit)
SPRUCE_INSTANTIATE_FOR_EACH_ZOO_TYPE(SPRUCE_INSTANTIATE_VISIT_PRODUCTS);

}  // namespace spruce::bench::zoo
