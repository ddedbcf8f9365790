// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests executors and matrices in static variables. They live until the program ends, when drivers
// may be unloaded already. The program has to end without an error.

#include "test/utils/fixture.hpp"

namespace {

using Dense = spruce::matrix::Dense<double>;
using Csr = spruce::matrix::Csr<double, spruce::int32>;

// Created before main(), so destroyed after all libraries and objects that main() loads or creates.
std::vector<std::shared_ptr<spruce::Executor>> executors;
std::vector<std::shared_ptr<Dense>> vectors;

TEST(StaticObjects, MayBeMadeBeforeMainAndOutliveIt)
{
    static const auto matrices = [] {
        std::vector<std::shared_ptr<Csr>> result;
        for (const auto& exec : spruce::test::all_executors()) {
            result.push_back(spruce::initialize<Csr>({{1.0, 2.0}, {3.0, 4.0}}, exec));
            vectors.push_back(spruce::initialize<Dense>({1.0, 1.0}, exec));
            executors.push_back(exec);
        }
        return result;
    }();

    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const auto y = Dense::create(executors[i], spruce::dim<2>{2, 1});
        matrices[i]->apply(vectors[i], y);
        EXPECT_MTX_NEAR(y, spruce::initialize<Dense>({3.0, 7.0}, executors[i]), 0.0);
    }
}

/// Creates a matrix before main() that is the only owner of its executor.
const std::shared_ptr<Dense> early = [] {
    auto result =
        spruce::initialize<Dense>({1.0, 2.0}, std::shared_ptr<spruce::Executor>{spruce::ReferenceExecutor::create()});
    result->scale(spruce::initialize<Dense>({2.0}, result->get_executor()));
    return result;
}();

TEST(StaticObjects, KernelsRunBeforeMain)
{
    EXPECT_EQ(early->at(0), 2.0);
    EXPECT_EQ(early->at(1), 4.0);
}

/// Uses the vectors after main(), when static variables are destroyed.
struct Late {
    ~Late()
    {
        for (auto& x : vectors) {
            const auto exec = x->get_executor();
            if (!spruce::test::is_device(*exec)) {
                x->fill(1.0);
            }
            x.reset();
        }
    }
};

TEST(StaticObjects, HostsWorkAfterMain) { static const Late late; }

}  // namespace
