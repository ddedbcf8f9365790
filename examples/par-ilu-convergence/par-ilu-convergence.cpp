// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Computes incomplete LU factors by more and more sweeps of ParIlu, and compares them with those of
// Ilu, which are exact: by the nonlinear residual, the norm of A - L U at the places of entries of
// A, and by the iterations of Bicgstab with these factors. Few sweeps suffice for a preconditioner.
// usage: par-ilu-convergence [EXECUTOR]

#include <iomanip>

#include "../shared.hpp"

namespace {

using namespace example;
using bicgstab = spruce::solver::Bicgstab<double>;
using csr = spruce::matrix::Csr<double, index_type>;
using ilu = spruce::factorization::Ilu<double, index_type>;
using par_ilu = spruce::factorization::ParIlu<double, index_type>;

/// Returns the Laplacian and a convection.
data_type convection_diffusion()
{
    auto data = laplacian(30);
    for (auto& entry : data.nonzeros) {
        entry.value += entry.column == entry.row ? 0.5 : entry.column == entry.row - 1 ? -0.5 : 0.0;
    }
    return data;
}

/// Returns the Frobenius norm of A - L U at the places of entries of A, divided by that of A.
double nonlinear_residual(const csr& a, const csr& l, const csr& u)
{
    const auto exec = a.get_executor();
    const auto one = spruce::initialize<vector>({1.0}, exec);
    const auto minus_one = spruce::initialize<vector>({-1.0}, exec);
    const auto host_a = a.clone(exec->get_master());
    const auto difference = l.multiply_add(minus_one, &u, one, &a)->clone(exec->get_master());
    double squares{};
    double squares_of_a{};
    for (index_type row = 0; row < static_cast<index_type>(a.get_size()[0]); ++row) {
        auto other = difference->get_const_row_ptrs()[row];  // both have sorted rows
        for (auto nz = host_a->get_const_row_ptrs()[row]; nz < host_a->get_const_row_ptrs()[row + 1]; ++nz) {
            while (difference->get_const_col_idxs()[other] < host_a->get_const_col_idxs()[nz]) {
                ++other;
            }
            squares += std::pow(difference->get_const_values()[other], 2);
            squares_of_a += std::pow(host_a->get_const_values()[nz], 2);
        }
    }
    return std::sqrt(squares / squares_of_a);
}

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = convection_diffusion();
    const auto a = spruce::share(csr::create(exec));
    a->read(data);

    std::cout << "sweeps  residual  iterations\n" << std::scientific << std::setprecision(1);
    const auto assess = [&](const std::string& name, auto product) {
        const auto residual = nonlinear_residual(*a, *product->get_l_factor(), *product->get_u_factor());
        const auto preconditioner =
            spruce::share(spruce::preconditioner::Ilu<>::build().on(exec)->generate(spruce::share(std::move(product))));
        const auto iterations = count_iterations<bicgstab>(data, a, preconditioner);
        std::cout << std::setw(6) << name << std::setw(10) << residual << std::setw(12) << iterations << "\n";
        return std::pair{residual, iterations};
    };
    const auto exact = assess("exact", ilu::build().on(exec)->generate(a));
    auto good = exact.first < 1e-14;
    auto last = std::pair{1.0, spruce::size_type{}};
    for (const unsigned sweeps : {1u, 2u, 3u, 5u, 8u}) {
        const auto found =
            assess(std::to_string(sweeps), par_ilu::build().with_iterations(sweeps).on(exec)->generate(a));
        good = good && found.first < last.first;
        last = found;
    }
    return conclude(good && last.first < 1e-4 && last.second <= exact.second + 2);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
