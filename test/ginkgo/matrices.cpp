// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Creates matrices with given sizes, strides and strategies, and reads entries into all formats.

#include <ginkgo/ginkgo.hpp>

#include <complex>
#include <cstring>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "check.hpp"

using Executor = std::shared_ptr<gko::Executor>;
using Data = gko::matrix_data<double, int>;
using DeviceData = gko::device_matrix_data<double, int>;
using Dense = gko::matrix::Dense<double>;
using Csr = gko::matrix::Csr<double, int>;
using Ell = gko::matrix::Ell<double, int>;
using Fbcsr = gko::matrix::Fbcsr<double, int>;
using Hybrid = gko::matrix::Hybrid<double, int>;

static void show_creation(const Executor& exec)
{
    const auto balanced = Csr::create(exec, gko::dim<2>{2, 3}, 4, std::make_shared<Csr::load_balance>(2));
    print("Csr, strategy", balanced->get_strategy()->get_name());
    print("Csr, elements of srow", balanced->get_num_srow_elements());
    print("Csr, srow is allocated", balanced->get_srow() != nullptr);

    const auto hybrid = Hybrid::create(exec, gko::dim<2>{2, 3}, 2, 3, std::make_shared<Hybrid::imbalance_limit>(0.4));
    print("Hybrid, size", hybrid->get_size());
    print("Hybrid, Ell part: entries per row, stride", hybrid->get_ell_num_stored_elements_per_row(),
          hybrid->get_ell_stride());
    print("Hybrid, limit", gko::as<const Hybrid::imbalance_limit>(hybrid->get_strategy().get())->get_percentage());

    const auto ell = Ell::create(exec, gko::dim<2>{2, 2}, 2, 3);
    gko::initialize<Dense>({{1.0, 3.0}, {0.0, 5.0}}, exec)->convert_to(ell);
    print("Ell, stride after a conversion to it", ell->get_stride());
    print("Ell, rows", ell->val_at(0, 0), ell->val_at(0, 1), ell->val_at(1, 0));
}

// Reads dense data from the host and then from the executor; returns the sums of the entries.
template <typename Matrix>
static std::string sums_of(const char* format, std::unique_ptr<Matrix> matrix, const Data& data)
{
    const auto exec = matrix->get_executor();
    std::ostringstream text;
    text << format << ":";
    for (const bool is_on_host : {true, false}) {
        if (is_on_host) {
            matrix->read(data);
        } else {
            matrix->read(DeviceData::create_from_host(exec, data));
        }
        const auto dense = Dense::create(exec);
        matrix->convert_to(dense);
        const auto on_host = dense->clone(exec->get_master());
        double sum = 0.0;
        for (gko::size_type row = 0; row < data.size[0]; ++row) {
            for (gko::size_type column = 0; column < data.size[1]; ++column) {
                sum += on_host->at(row, column);
            }
        }
        text << " " << sum;
    }
    text << "\n";
    return text.str();
}

// Orders entries by blocks: two dense blocks side by side, row by row within each block.
static std::string sums_of_all_formats(const Executor& exec)
{
    Data data{gko::dim<2>{2, 4}};
    data.nonzeros = {{0, 0, 1.0}, {0, 1, 2.0}, {1, 0, 3.0}, {1, 1, 4.0},
                     {0, 2, 5.0}, {0, 3, 6.0}, {1, 2, 7.0}, {1, 3, 8.0}};
    return sums_of("fbcsr", Fbcsr::create(exec, 2), data) + sums_of("csr", Csr::create(exec), data) +
           sums_of("coo", gko::matrix::Coo<double, int>::create(exec), data) + sums_of("ell", Ell::create(exec), data) +
           sums_of("sellp", gko::matrix::Sellp<double, int>::create(exec), data) +
           sums_of("hybrid", Hybrid::create(exec), data) + sums_of("dense", Dense::create(exec), data);
}

static bool has_omp() { return std::strcmp(gko::version_info::get().omp_version.tag, "not compiled") != 0; }

// Prints properties that do not depend on the random numbers of the standard library.
static void show_random_data()
{
    using complex = std::complex<double>;
    const gko::matrix_data<complex, int> data{gko::dim<2>{3, 3}, std::normal_distribution<>{5.0, 1.0},
                                              std::default_random_engine{1}};
    double sum = 0.0;
    for (const auto& entry : data.nonzeros) {
        sum += std::abs(entry.value.imag());
    }
    print("random complex data have imaginary parts", sum > 0.0);
    print("entries of random data, 3 x 3", data.nonzeros.size());
}

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    show_creation(exec);
    const auto sums = sums_of_all_formats(exec);
    std::cout << "sums of entries that were read from the host and from the executor, in the order of blocks\n" << sums;
    print("sums on all cores are equal", !has_omp() || sums_of_all_formats(gko::OmpExecutor::create()) == sums);
    show_random_data();

    // Reads a zero on the diagonal of a skew-symmetric matrix.
    std::istringstream skew{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0.0\n2 1 1.0\n"};
    for (const auto& entry : gko::read_raw<double, int>(skew).nonzeros) {
        print("skew-symmetric, row, column, value", entry.row, entry.column, entry.value);
    }
    const auto a = gko::share(gko::initialize<Csr>({{1.0, 2.0}, {3.0, 4.0}}, exec));
    const auto permutation = gko::matrix::Permutation<>::create(exec, gko::array<int>{exec, {0, 1, 2}});
    print("a permutation of another size throws", thrown_by([&] { a->permute(permutation); }));
    return exit_status();
}
