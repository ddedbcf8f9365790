// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Creates submatrices and views. Copies, fills and sums up arrays.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto d =
        gko::initialize<gko::matrix::Dense<double>>({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}}, exec);

    const auto sub = d->create_submatrix(gko::span(0, 1), gko::span(0, 2));
    print("a sub-matrix of spans", sub->get_size(), sub->at(0, 1));
    const auto local = d->create_submatrix(gko::local_span(0, 1), gko::local_span(1, 3), gko::dim<2>(1, 2));
    print("a sub-matrix of local spans", local->get_size(), local->at(0, 1));
    local->fill(0.0);
    print("sub-matrices are views", d->at(0, 1), d->at(0, 2), d->at(1, 1));

    gko::array<double> a(exec, 3);
    a.fill(1.5);
    print("elements on the host", a.copy_to_host().size(), a.copy_to_host()[2]);
    print("a sum with a first summand", gko::reduce_add(a, 0.5));
    auto view = a.as_view();
    view.get_data()[0] = 2.0;
    const auto constant = a.as_const_view();
    print("views of an array: owner, element", view.is_owning(), constant.get_const_data()[0]);
    gko::array<float> single(exec);
    single = a;
    print("elements of another type", single.get_size(), single.get_const_data()[0]);
    const auto other = gko::OmpExecutor::create();
    a.set_executor(other);
    check(a.get_executor() == other, "an array moves to another executor");
    print("an element after the array has moved to another executor", a.copy_to_host()[0]);
    return exit_status();
}
