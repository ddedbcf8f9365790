// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Makes objects and arrays accessible to an executor during the lifetime of a variable.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto other = gko::OmpExecutor::create();  // cannot access exec's memory
    gko::array<double> values{exec, {1.0, 2.0, 3.0}};

    print("where an array can be used, it is taken itself", gko::make_temporary_clone(exec, &values).get() == &values);
    print("and for output", gko::make_temporary_output_clone(exec, &values).get() == &values);
    {
        const auto clone = gko::make_temporary_clone(other, &values);
        check(clone.get() != &values && clone->get_executor() == other, "a copy on the other executor");
        print("elsewhere a copy: size, last element", clone->get_size(), clone->get_const_data()[2]);
        clone->get_data()[0] = 10.0;
        print("first element while the copy is changed", values.get_const_data()[0]);
    }
    print("first element after that", values.get_const_data()[0]);
    {
        const auto clone = gko::make_temporary_output_clone(other, &values);
        check(clone->get_executor() == other, "memory on the other executor");
        print("elsewhere memory for output: size", clone->get_size());
        clone->fill(4.0);
    }
    print("last element after the output", values.get_const_data()[2]);
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
