// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Computes the products x = A b and x = alpha A b + beta x of a sparse matrix with a vector, on any
// executor.
// usage: simple-spmv [EXECUTOR [FILE.mtx[.gz]]]

#include "../shared.hpp"

namespace {

using namespace example;
using matrix = spruce::matrix::Csr<value_type, index_type>;

int multiply(std::shared_ptr<spruce::Executor> exec, const data_type& data)
{
    // The matrix and the vectors are in the memory of the executor that uses them.
    const auto a = matrix::create(exec);
    a->read(data);
    const auto size = a->get_size();
    std::cout << "matrix: " << size[0] << " x " << size[1] << ", " << a->get_num_stored_elements() << " entries\n";
    const auto b = wave(exec, size[1]);
    const auto x = vector::create(exec, spruce::dim<2>(size[0], 1));

    a->apply(b, x);
    const auto error = relative_error(data, *b, *x);
    std::cout << "x = A b:         error " << error << "\n";

    // After x = A b, the result of 3 A b - 2 x is A b again.
    const auto alpha = spruce::initialize<vector>({3.0}, exec);
    const auto beta = spruce::initialize<vector>({-2.0}, exec);
    a->apply(alpha, b, beta, x);
    const auto advanced_error = relative_error(data, *b, *x);
    std::cout << "x = 3 A b - 2 x: error " << advanced_error << "\n";

    const auto tolerance = 1e-13;
    return conclude(error < tolerance && advanced_error < tolerance);
}

}  // namespace

int main(int argc, char* argv[])
{
    return run(argc, argv, [&](auto exec) {
        return multiply(exec, argc > 2 ? spruce::read_file<value_type, index_type>(argv[2]) : laplacian(100));
    });
}
