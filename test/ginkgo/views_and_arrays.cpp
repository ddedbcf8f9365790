// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Sub-matrices, views and operations of arrays.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto d =
        gko::initialize<gko::matrix::Dense<double>>({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}}, exec);

    const auto sub = d->create_submatrix(gko::span(0, 1), gko::span(0, 2));
    check(sub->get_size() == gko::dim<2>(1, 2) && sub->at(0, 1) == 2.0, "a sub-matrix of spans");
    const auto local = d->create_submatrix(gko::local_span(0, 1), gko::local_span(1, 3), gko::dim<2>(1, 2));
    check(local->get_size() == gko::dim<2>(1, 2) && local->at(0, 1) == 3.0, "a sub-matrix of local spans");
    local->fill(0.0);
    check(d->at(0, 1) == 0.0 && d->at(0, 2) == 0.0 && d->at(1, 1) == 5.0, "sub-matrices are views");

    gko::array<double> a(exec, 3);
    a.fill(1.5);
    check(a.copy_to_host() == std::vector<double>(3, 1.5), "elements on the host");
    check(gko::reduce_add(a, 0.5) == 5.0, "a sum with a first summand");
    auto view = a.as_view();
    view.get_data()[0] = 2.0;
    const auto constant = a.as_const_view();
    check(!view.is_owning() && constant.get_const_data()[0] == 2.0, "views of an array");
    gko::array<float> single(exec);
    single = a;
    check(single.get_size() == 3 && single.get_const_data()[0] == 2.0f, "elements of another type");
    const auto other = gko::OmpExecutor::create();
    a.set_executor(other);
    check(a.get_executor() == other && a.copy_to_host()[0] == 2.0, "an array moves to another executor");
    return exit_status();
}
