// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that multigrid with rigid-body modes solves linear elasticity in few iterations.

#include <array>
#include <cmath>
#include <complex>
#include <memory>

#include <spruce/multigrid/sa.hpp>
#include <spruce/solver/multigrid.hpp>

#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::int64;
using spruce::share;
using spruce::size_type;
using spruce::multigrid::create_rigid_body_modes;
using spruce::solver::Multigrid;

using element_matrix = std::array<std::array<double, 24>, 24>;

/// Returns the corner of a cube with this number, each coordinate 0 or 1.
std::array<int, 3> corner(int number) { return {number & 1, number >> 1 & 1, number >> 2 & 1}; }

/// Computes the stiffness matrix of a trilinear (Q1) element on the unit cube for the Young's
/// modulus 1 and the Poisson ratio 0.3, by eight Gauss points.
/// Source: Zienkiewicz and Taylor, The Finite Element Method, volume 1, chapter 6.
element_matrix element_stiffness()
{
    constexpr double nu = 0.3;
    constexpr double lambda = nu / ((1 + nu) * (1 - 2 * nu));
    constexpr double mu = 1 / (2 * (1 + nu));
    element_matrix result{};
    for (int point = 0; point < 8; ++point) {
        std::array<double, 3> x{};
        for (int c = 0; c < 3; ++c) {
            x[c] = 0.5 + (corner(point)[c] ? 0.5 : -0.5) / std::sqrt(3.0);
        }
        std::array<std::array<double, 3>, 8> gradients{};
        for (int node = 0; node < 8; ++node) {
            for (int c = 0; c < 3; ++c) {
                double value = corner(node)[c] ? 1 : -1;
                for (int d = 0; d < 3; ++d) {
                    value *= d == c ? 1 : corner(node)[d] ? x[d] : 1 - x[d];
                }
                gradients[node][c] = value;
            }
        }
        for (int i = 0; i < 24; ++i) {
            for (int j = 0; j < 24; ++j) {
                const auto& g = gradients[i / 3];
                const auto& h = gradients[j / 3];
                auto value = lambda * g[i % 3] * h[j % 3] + mu * g[j % 3] * h[i % 3];
                if (i % 3 == j % 3) {
                    value += mu * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);
                }
                result[i][j] += value / 8;
            }
        }
    }
    return result;
}

/// Holds a cube of width^3 elements that is fixed at the side x = 0, where it has no unknowns.
struct elastic_cube {
    explicit elastic_cube(int width) : width{width}
    {
        const auto stiffness = element_stiffness();
        const auto size = static_cast<size_type>(3 * width * (width + 1) * (width + 1));
        matrix = host_matrix{dim<2>{size, size}};
        for (int element = 0; element < width * width * width; ++element) {
            const std::array<int, 3> first{element % width, element / width % width, element / width / width};
            for (int i = 0; i < 24; ++i) {
                for (int j = 0; j < 24; ++j) {
                    const auto row = number(first, i);
                    const auto column = number(first, j);
                    if (row >= 0 && column >= 0) {
                        matrix.nonzeros.emplace_back(row, column, stiffness[i][j]);
                    }
                }
            }
        }
        matrix.sum_duplicates();
    }

    /// Returns the number of an unknown of an element, or a negative number at the fixed side.
    int64 number(const std::array<int, 3>& first, int unknown) const
    {
        const auto at = corner(unknown / 3);
        const auto x = first[0] + at[0] - 1;
        return x < 0 ? -1
                     : 3 * ((x * (width + 1) + first[1] + at[1]) * int64{width + 1} + first[2] + at[2]) + unknown % 3;
    }

    std::unique_ptr<spruce::matrix::Dense<double>> coordinates(std::shared_ptr<const spruce::Executor> host) const
    {
        auto result = spruce::matrix::Dense<double>::create(host, dim<2>{matrix.size[0] / 3, 3});
        for (size_type node = 0; node < result->get_size()[0]; ++node) {
            const auto side = static_cast<size_type>(width + 1);
            result->at(node, 0) = static_cast<double>(node / side / side + 1);
            result->at(node, 1) = static_cast<double>(node / side % side);
            result->at(node, 2) = static_cast<double>(node % side);
        }
        return result;
    }

    /// Returns the cube in other units.
    elastic_cube scaled(double factor) const
    {
        auto result = *this;
        for (auto& entry : result.matrix.nonzeros) {
            entry.value *= factor;
        }
        return result;
    }

    int width;
    host_matrix matrix;
};

class MultigridElasticity : public kernel_test<types<double, spruce::int32>> {
protected:
    using sa = spruce::multigrid::Sa<double, spruce::int32>;

    /// Returns the iterations of Cg until the residual is 1e-8 of the right-hand side.
    size_type iterations(const elastic_cube& cube, bool with_modes)
    {
        const auto a = share(make_csr<double, spruce::int32>(exec, cube.matrix));
        auto levels = sa::build();
        if (with_modes) {
            levels.with_near_null_space(create_rigid_body_modes<double>(*cube.coordinates(ref))).with_block_size(3u);
        }
        const auto solver = spruce::solver::Cg<double>::build()
                                .with_criteria(spruce::stop::Iteration::build().with_max_iters(300u),
                                               spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-8))
                                .with_preconditioner(Multigrid::build().with_mg_level(levels))
                                .on(exec)
                                ->generate(a);
        const auto log = share(spruce::log::Convergence<double>::create());
        solver->add_logger(log);
        const auto b = this->random_dense(cube.matrix.size[0], 1);
        const auto x = clone(b);
        x->fill(0.0);
        solver->apply(b, x);
        EXPECT_TRUE(log->has_converged());
        return log->get_num_iterations();
    }
};

TEST_F(MultigridElasticity, ConvergesFastWithRigidBodyModes)
{
    if (is_simulated(*exec)) {
        GTEST_SKIP() << "large for the simulated device, which has smaller matrices in multigrid/sa.cpp";
    }
    for (const auto width : {6, 12}) {
        SCOPED_TRACE("width " + std::to_string(width));
        const elastic_cube cube{width};

        const auto found = this->iterations(cube, true);

        EXPECT_LE(found, 25);
        // Right-hand sides are random.
        EXPECT_NEAR(static_cast<double>(found), static_cast<double>(this->iterations(cube.scaled(0x1p-40), true)), 1);
        EXPECT_LT(1.5 * static_cast<double>(found), static_cast<double>(this->iterations(cube, false)));
    }
}

}  // namespace
