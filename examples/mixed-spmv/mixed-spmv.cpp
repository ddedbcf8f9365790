// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Multiplies a matrix in single precision with vectors in double precision. The values of the
// matrix take half the memory, and the indices take as much as before. Each product converts b to
// the precision of the matrix and the result back. It is therefore faster only if reading the
// matrix takes much longer than the conversions. The accuracy is seven digits instead of sixteen.
// usage: mixed-spmv [EXECUTOR]

#include <chrono>

#include "../shared.hpp"

namespace {

using namespace example;

/// Returns the time of one product in seconds.
template <typename Matrix>
double time_of(const Matrix& a, const vector& b, vector& x)
{
    constexpr int repetitions = 20;
    const auto exec = a.get_executor();
    a.apply(&b, &x);
    exec->synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repetitions; ++i) {
        a.apply(&b, &x);
    }
    exec->synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repetitions;
}

int multiply(std::shared_ptr<spruce::Executor> exec)
{
    // The values are not exactly representable in single precision.
    auto data = laplacian(100);
    for (auto& entry : data.nonzeros) {
        entry.value /= 3.0;
    }
    const auto a_double = spruce::matrix::Csr<double, index_type>::create(exec);
    a_double->read(data);
    const auto a_single = spruce::matrix::Csr<float, index_type>::create(exec);
    a_single->copy_from(a_double);  // converts
    const auto b = wave(exec, data.size[1]);
    const auto x = vector::create(exec, spruce::dim<2>(data.size[0], 1));

    const auto seconds_double = time_of(*a_double, *b, *x);
    const auto error_double = relative_error(data, *b, *x);
    const auto seconds_mixed = time_of(*a_single, *b, *x);
    const auto error_mixed = relative_error(data, *b, *x);

    std::cout << "double matrix: " << 1e6 * seconds_double << " us, error " << error_double << "\n"
              << "single matrix: " << 1e6 * seconds_mixed << " us, error " << error_mixed << "\n";
    return conclude(error_double < 1e-14 && error_mixed > 1e-14 && error_mixed < 1e-6);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, multiply); }
