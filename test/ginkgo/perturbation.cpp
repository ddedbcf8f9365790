// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Applies the identity plus a scaled product of two operators.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

int main()
{
    using Dense = gko::matrix::Dense<double>;
    const auto exec = gko::ReferenceExecutor::create();
    const std::shared_ptr<gko::LinOp> scalar = gko::initialize<Dense>({2.0}, exec);
    const std::shared_ptr<gko::LinOp> basis = gko::initialize<Dense>({1.0, 2.0}, exec);
    const std::shared_ptr<gko::LinOp> projector = gko::initialize<Dense>({{3.0, 1.0}}, exec);
    const auto b = gko::initialize<Dense>({1.0, 1.0}, exec);
    const auto x = gko::initialize<Dense>({0.0, 0.0}, exec);
    const auto minus_one = gko::initialize<Dense>({-1.0}, exec);

    const auto op = gko::Perturbation<>::create(scalar, basis, projector);
    op->apply(b, x);
    check(x->at(0, 0) == 9.0 && x->at(1, 0) == 17.0, "x = b + 2 basis (projector b)");
    op->apply(minus_one, b, scalar, x);
    check(x->at(0, 0) == 9.0 && x->at(1, 0) == 17.0, "x = -(b + 2 basis (projector b)) + 2 x");
    check(op->get_scalar() == scalar && op->get_basis() == basis && op->get_projector() == projector, "getters");
    gko::Perturbation<double>::create(scalar, basis)->apply(b, x);
    check(x->at(0, 0) == 7.0 && x->at(1, 0) == 13.0, "the projector is the transposed basis by default");
    check_throws<gko::DimensionMismatch>([&] { gko::Perturbation<>::create(scalar, basis, basis); },
                                         "sizes are checked");
    return exit_status();
}
