// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Objects and arrays where an executor can use them, for as long as a variable lives.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto other = gko::OmpExecutor::create();  // cannot use exec's memory
    gko::array<double> values{exec, {1.0, 2.0, 3.0}};

    check(gko::make_temporary_clone(exec, &values).get() == &values, "the array itself where it can be used");
    check(gko::make_temporary_output_clone(exec, &values).get() == &values, "the array itself for output");
    {
        const auto clone = gko::make_temporary_clone(other, &values);
        check(clone.get() != &values && clone->get_executor() == other, "a copy on the other executor");
        check(clone->get_size() == 3 && clone->get_const_data()[2] == 3.0, "with the elements");
        clone->get_data()[0] = 10.0;
        check(values.get_const_data()[0] == 1.0, "the array changes at the end");
    }
    check(values.get_const_data()[0] == 10.0, "a changed copy is copied back");
    {
        const auto clone = gko::make_temporary_output_clone(other, &values);
        check(clone->get_size() == 3 && clone->get_executor() == other, "as many elements on the other executor");
        clone->fill(4.0);
    }
    check(values.get_const_data()[2] == 4.0, "output is copied back");
    {
        const gko::array<double>* constant = &values;
        const auto clone = gko::make_temporary_clone(other, constant);
        static_assert(std::is_same<decltype(clone.get()), const gko::array<double>*>::value, "stays constant");
        check(clone->get_const_data()[1] == 4.0, "a copy to read");
    }
    {
        gko::array<int> indices{exec};
        gko::make_temporary_clone(other, &indices)->resize_and_reset(2);
        check(indices.get_size() == 2, "an array may get another size");
    }
    double memory[] = {1.0, 2.0};
    auto view = gko::make_array_view(exec, 2, memory);
    gko::make_temporary_clone(other, &view)->fill(5.0);
    check(memory[1] == 5.0 && !view.is_owning(), "a view stays a view");

    const auto x = gko::initialize<gko::matrix::Dense<>>({1.0, 2.0}, exec);
    gko::make_temporary_clone(other, x)->fill(6.0);
    check(x->at(1, 0) == 6.0, "matrices as well");
    gko::make_temporary_output_clone(other, x.get())->fill(7.0);
    check(x->at(0, 0) == 7.0, "matrices for output");
    return exit_status();
}
