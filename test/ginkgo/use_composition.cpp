// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Contains an operator of an application that can also be written as a product of operators.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

struct Product : gko::UseComposition<double> {
    Product() = default;
    Product(std::shared_ptr<const gko::LinOp> left, std::shared_ptr<const gko::LinOp> right)
        : gko::UseComposition<double>(left, right)
    {}
};

int main()
{
    using Dense = gko::matrix::Dense<double>;
    const auto exec = gko::ReferenceExecutor::create();
    const std::shared_ptr<gko::LinOp> left = gko::initialize<Dense>({{1.0, 2.0}}, exec);
    const std::shared_ptr<gko::LinOp> right = gko::initialize<Dense>({3.0, 4.0}, exec);
    const Product product{left, right};
    const auto x = gko::initialize<Dense>({0.0}, exec);

    product.get_composition()->apply(gko::initialize<Dense>({1.0}, exec), x);

    check(x->at(0, 0) == 11.0, "the product");
    check(product.get_operator_at(0) == left && product.get_operator_at(1) == right, "its operators");
    check(Product{}.get_composition() == nullptr && Product{}.get_operator_at(0) == nullptr, "none");
    return exit_status();
}
