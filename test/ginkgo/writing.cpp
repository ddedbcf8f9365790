// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Writes matrices as text in both layouts and as binary files, and copies them between formats.

#include <ginkgo/ginkgo.hpp>

#include <memory>
#include <sstream>

#include "check.hpp"

int main()
{
    using Dense = gko::matrix::Dense<>;
    using Csr = gko::matrix::Csr<>;
    const auto exec = gko::ReferenceExecutor::create();
    const auto sparse = gko::initialize<Csr>({{1.0, 0.0}, {1.0, 1.0}}, exec);
    const auto dense = gko::initialize<Dense>({{1.0, 2.0}, {3.0, 4.0}}, exec);
    const Dense* constant = dense.get();
    const std::unique_ptr<gko::LinOp> op = gko::clone(dense);

    // The type of the matrix determines the layout if none is given.
    gko::write(std::cout, dense);
    gko::write(std::cout, constant);
    gko::write(std::cout, op);
    gko::write(std::cout, sparse);
    gko::write(std::cout, sparse.get());
    gko::write(std::cout, sparse, gko::layout_type::coordinate);
    gko::write(std::cout, sparse, gko::layout_type::array);
    gko::write(std::cout, sparse.get(), gko::layout_type::array);
    gko::write(std::cout, constant, gko::layout_type::coordinate);

    std::stringstream binary;
    gko::write_binary(binary, sparse);
    print("binary file, first bytes and size", binary.str().substr(0, 8), binary.str().size());
    const auto again = gko::read_binary<Csr>(binary, exec);
    print("entries that are read back, the last of them", again->get_num_stored_elements(),
          again->get_const_values()[2]);

    // Copies between formats and precisions.
    const auto copy = Dense::create(exec);
    copy->copy_from(sparse);
    const auto single = gko::matrix::Dense<float>::create(exec);
    single->copy_from(copy);
    print("second row of Csr as Dense", copy->at(1, 0), copy->at(1, 1));
    print("first row in single precision", single->at(0, 0), single->at(0, 1));
    print("the last entry of a clone", gko::as<Dense>(op.get())->at(1, 1));
    check(gko::as<gko::LinOp>(copy.get()) == copy.get(), "a cast to the base");
    static_assert(sizeof(gko::uint64) == 8 && sizeof(gko::uint8) == 1, "integers of given sizes");
    return exit_status();
}
