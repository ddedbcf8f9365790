// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Stores the inverted blocks of a block-Jacobi preconditioner in the shortest format that their
// condition numbers permit, and compares the iterations of conjugate gradients with those in full
// precision. All arithmetic remains in double.
// usage: adaptiveprecision-blockjacobi [EXECUTOR]

#include "../shared.hpp"

namespace {

using namespace example;
using cg = spruce::solver::Cg<double>;
using jacobi = spruce::preconditioner::Jacobi<double, index_type>;

/// Returns the number of bytes of a value in this format.
std::size_t bytes_of(spruce::precision_reduction format)
{
    return sizeof(double) >> (format.get_preserving() + format.get_nonpreserving());
}

int solve(std::shared_ptr<spruce::Executor> exec)
{
    const auto data = laplacian(40);
    const auto a = spruce::share(spruce::matrix::Csr<double, index_type>::create(exec));
    a->read(data);
    const auto full = spruce::share(jacobi::build().with_max_block_size(8u).on(exec)->generate(a));
    const auto adaptive = spruce::share(jacobi::build()
                                            .with_max_block_size(8u)
                                            .with_storage_optimization(spruce::precision_reduction::autodetect())
                                            .on(exec)
                                            ->generate(a));

    auto formats = adaptive->get_parameters().storage_optimization.block_wise;
    formats.set_executor(exec->get_master());
    std::map<std::size_t, int> num_blocks;
    for (spruce::size_type block = 0; block < formats.get_size(); ++block) {
        ++num_blocks[bytes_of(formats.get_const_data()[block])];
    }
    for (const auto& [num_bytes, count] : num_blocks) {
        std::cout << count << " of " << adaptive->get_num_blocks() << " blocks have " << num_bytes
                  << " bytes a value\n";
    }
    const auto with_full = count_iterations<cg>(data, a, full);
    const auto with_adaptive = count_iterations<cg>(data, a, adaptive);
    std::cout << "iterations: " << with_full << " in full, " << with_adaptive << " in adaptive precision\n";
    return conclude(num_blocks.count(sizeof(double)) == 0 && 20 * with_adaptive <= 21 * with_full);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, solve); }
