// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls copy_and_convert_to with pointers to constant objects.

#include <ginkgo/ginkgo.hpp>

#include <memory>
#include <type_traits>

#include "check.hpp"

int main()
{
    using Dense = gko::matrix::Dense<double>;
    using Csr = gko::matrix::Csr<double, int>;
    const std::shared_ptr<const gko::Executor> exec = gko::ReferenceExecutor::create();
    const std::shared_ptr<const gko::Executor> other = gko::OmpExecutor::create();
    const std::shared_ptr<const gko::LinOp> shared = gko::initialize<Dense>({{1.0, 2.0}, {0.0, 3.0}}, exec);
    const gko::LinOp* const plain = shared.get();

    const auto same = gko::copy_and_convert_to<Dense>(exec, plain);
    const auto converted = gko::copy_and_convert_to<Csr>(exec, plain);
    const auto elsewhere = gko::copy_and_convert_to<Dense>(other, plain);
    const std::shared_ptr<const Dense> same_shared = gko::copy_and_convert_to<Dense>(exec, shared);
    const std::shared_ptr<const Csr> converted_shared = gko::copy_and_convert_to<Csr>(exec, shared);

    static_assert(std::is_const<std::remove_reference_t<decltype(*same)>>::value, "what was constant stays constant");
    check(same.get() == plain && same_shared == shared, "no copy where none is needed");
    check(converted->get_num_stored_elements() == 3 && converted_shared->get_const_values()[2] == 3.0,
          "another format");
    check(elsewhere->get_executor() == other && elsewhere->at(0, 1) == 2.0, "another executor");
    return exit_status();
}
