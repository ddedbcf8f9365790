// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>
#include <iostream>
#include <memory>

#include <spruce/base/executor.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>

namespace {

std::shared_ptr<spruce::Executor> make_executor(const char* kind)
{
    if (std::strcmp(kind, "hip") == 0) {
        return spruce::HipExecutor::create(0, spruce::ReferenceExecutor::create());
    }
    if (std::strcmp(kind, "omp") == 0) {
        return spruce::OmpExecutor::create();
    }
    return spruce::ReferenceExecutor::create();
}

}  // namespace

/// Multiplies a matrix by a vector on an executor of the given kind; returns 0 if the result is
/// right.
extern "C" SPRUCE_EXPORT int multiply(const char* kind)
try {
    using dense = spruce::matrix::Dense<double>;
    // The static variable is intentional: it is destroyed at program exit, possibly after the
    // backend.
    static const auto exec = make_executor(kind);
    static const auto a = spruce::initialize<spruce::matrix::Csr<double, int>>({{1.0, 2.0}, {0.0, 3.0}}, exec);
    const auto b = spruce::initialize<dense>({1.0, 1.0}, exec);
    const auto x = dense::create(exec, spruce::dim<2>{2, 1});
    a->apply(b, x);
    const auto host = clone(exec->get_master(), x);
    return host->at(0) == 3.0 && host->at(1) == 3.0 ? 0 : 1;
} catch (const spruce::Error& error) {
    std::cerr << error.what() << "; hip devices: " << spruce::HipExecutor::get_num_devices() << std::endl;
    return 2;
}
