// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrices are written as text in both layouts, and as binary files.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

// The lines after the header.
template <typename Matrix>
static std::string body_of(const Matrix& matrix, gko::layout_type layout)
{
    std::ostringstream text;
    gko::write(text, matrix, layout);
    const auto written = text.str();
    return written.substr(written.find('\n') + 1);
}

template <typename Matrix>
static std::string header_of(const Matrix& matrix)
{
    std::ostringstream text;
    gko::write(text, matrix);
    return text.str().substr(0, text.str().find('\n'));
}

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto sparse = gko::initialize<gko::matrix::Csr<>>({{1.0, 0.0}, {1.0, 1.0}}, exec);
    const auto dense = gko::initialize<gko::matrix::Dense<>>({{1.0, 2.0}, {3.0, 4.0}}, exec);
    const gko::matrix::Dense<>* constant = dense.get();

    check(header_of(dense) == "%%MatrixMarket matrix array real general", "Dense is written as an array");
    check(header_of(constant) == "%%MatrixMarket matrix array real general", "a constant pointer as well");
    check(header_of(sparse) == "%%MatrixMarket matrix coordinate real general", "Csr is written by coordinates");
    check(header_of(sparse.get()) == "%%MatrixMarket matrix coordinate real general", "a raw pointer as well");
    check(body_of(sparse, gko::layout_type::coordinate) == "2 2 3\n1 1 1\n2 1 1\n2 2 1\n", "coordinates of Csr");
    check(body_of(sparse.get(), gko::layout_type::array) == "2 2\n1\n1\n0\n1\n", "Csr as an array, by columns");
    check(body_of(dense, gko::layout_type::array) == "2 2\n1\n3\n2\n4\n", "Dense as an array, by columns");
    check(body_of(constant, gko::layout_type::coordinate) == "2 2 4\n1 1 1\n1 2 2\n2 1 3\n2 2 4\n",
          "coordinates of Dense");

    std::stringstream binary;
    gko::write_binary(binary, sparse);
    const auto again = gko::read_binary<gko::matrix::Csr<>>(binary, exec);
    check(again->get_num_stored_elements() == 3 && again->get_const_values()[2] == 1.0, "a binary file is read back");

    // Copies between formats and precisions.
    const auto copy = gko::matrix::Dense<>::create(exec);
    copy->copy_from(sparse);
    const auto single = gko::matrix::Dense<float>::create(exec);
    single->copy_from(copy);
    check(single->at(1, 0) == 1.0f && single->at(0, 1) == 0.0f, "Csr becomes Dense, double becomes float");
    std::unique_ptr<gko::LinOp> cloned = gko::clone(dense);
    check(gko::as<gko::matrix::Dense<>>(cloned.get())->at(1, 1) == 4.0, "a clone");
    check(gko::as<gko::LinOp>(copy.get()) == copy.get(), "a cast to the base");
    static_assert(sizeof(gko::uint64) == 8 && sizeof(gko::uint8) == 1, "integers of given sizes");
    return exit_status();
}
