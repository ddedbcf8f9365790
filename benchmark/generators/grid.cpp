// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/generators/grid.hpp"

#include <limits>

#include "benchmark/generators/building.hpp"
#include "benchmark/generators/families.hpp"

namespace spruce::bench::family {
namespace {

constexpr double pi = 3.14159265358979323846;

bool is_center(const grid_stencil::triple& offset) { return offset == grid_stencil::triple{0, 0, 0}; }

/// Returns true for the neighbour that is one step towards the origin along an axis.
bool is_upstream(const grid_stencil::triple& offset)
{
    return offset[0] + offset[1] + offset[2] == -1 &&
           offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2] == 1;
}

/// Returns 1 or jump, in a checkerboard of eight blocks in each direction.
double coefficient(const grid_stencil& grid, const grid_stencil::triple& point, double jump)
{
    int64 block_sum = 0;
    for (int d = 0; d < 3; ++d) {
        block_sum += 8 * point[d] / grid.size()[d];
    }
    return block_sum % 2 == 0 ? 1 : jump;
}

generated_matrix poisson(parameters& params, int num_dims, stencil_shape shape)
{
    constexpr auto max = std::numeric_limits<double>::max();
    const grid_stencil grid{params.next_sizes("the grid", num_dims, 1), shape};
    const auto anisotropy = params.option("aniso", 1, 0, max);
    const auto jump = params.option("jump", 1, 0, max);
    const auto peclet = params.option("convection", 0, 0, max);
    const auto shift = params.option("shift", 0, -max, max);
    const auto neumann = params.flag("neumann");
    params.check(grid.num_points(), grid.num_points(), grid.num_entries());

    std::vector<double> diffusion;
    std::vector<double> convection;
    for (const auto& offset : grid.offsets()) {
        diffusion.push_back(offset[0] != 0 ? anisotropy : 1);
        convection.push_back(is_upstream(offset) ? peclet : 0);
    }
    const auto num_points = static_cast<int64>(grid.num_points());
    csr_builder builder{num_points, num_points, grid.num_entries()};
    grid.for_each_point([&](const grid_stencil::triple& point) {
        const auto here = jump == 1 ? 1 : coefficient(grid, point, jump);
        double sum = -shift;
        int64 diagonal = 0;
        for (size_type k = 0; k < grid.offsets().size(); ++k) {
            if (is_center(grid.offsets()[k])) {
                diagonal = builder.num_entries();
                builder.add(grid.index(point), 0);
                continue;
            }
            const auto other = grid.neighbour(point, k);
            const auto is_inside = grid.contains(other);
            if (!is_inside && neumann) {
                continue;
            }
            // The harmonic mean keeps the flux through the interface continuous. The formula is
            // symmetric, so that both sides of the interface are rounded equally.
            const auto there = jump == 1 || !is_inside ? here : coefficient(grid, other, jump);
            const auto mean = here == there ? here : 2 * (here * there) / (here + there);
            const auto weight = mean * diffusion[k] + convection[k];
            sum += weight;
            if (is_inside) {
                builder.add(grid.index(other), -weight);
            }
        }
        builder.value_at(diagonal) = sum;
        builder.end_row();
    });
    return builder.finish();
}

}  // namespace

generated_matrix poisson2d_5pt(parameters& params) { return poisson(params, 2, stencil_shape::star); }
generated_matrix poisson2d_9pt(parameters& params) { return poisson(params, 2, stencil_shape::box); }
generated_matrix poisson3d_7pt(parameters& params) { return poisson(params, 3, stencil_shape::star); }
generated_matrix poisson3d_27pt(parameters& params) { return poisson(params, 3, stencil_shape::box); }

generated_matrix saddle_point(parameters& params)
{
    const auto size = params.next_sizes("the grid", 3, 1);
    const grid_stencil box{size, stencil_shape::box};
    const grid_stencil star{size, stencil_shape::star};
    const auto num_entries = box.num_entries() + 2 * star.num_entries();
    params.check(2 * box.num_points(), 2 * box.num_points(), num_entries);

    const auto n = static_cast<int64>(box.num_points());
    csr_builder builder{2 * n, 2 * n, num_entries};
    const auto add_row = [&](const grid_stencil& grid, const grid_stencil::triple& point, int64 first_col) {
        const auto num_offsets = static_cast<double>(grid.offsets().size());
        grid.for_each_neighbour(point, [&](int64 col, size_type k) {
            builder.add(first_col + col, is_center(grid.offsets()[k]) ? num_offsets - 1 : -1);
        });
    };
    box.for_each_point([&](const grid_stencil::triple& point) {
        add_row(box, point, 0);
        add_row(star, point, n);
        builder.end_row();
    });
    star.for_each_point([&](const grid_stencil::triple& point) {
        add_row(star, point, 0);
        builder.end_row();
    });
    return builder.finish();
}

generated_matrix skew(parameters& params)
{
    const grid_stencil grid{params.next_sizes("the grid", 2, 1), stencil_shape::star};
    const auto num_entries = grid.num_entries() - grid.num_points();
    params.check(grid.num_points(), grid.num_points(), num_entries);

    const auto num_points = static_cast<int64>(grid.num_points());
    csr_builder builder{num_points, num_points, num_entries};
    grid.for_each_point([&](const grid_stencil::triple& point) {
        grid.for_each_neighbour(point, [&](int64 col, size_type k) {
            if (!is_center(grid.offsets()[k])) {
                builder.add(col, is_upstream(grid.offsets()[k]) ? -1 : 1);
            }
        });
        builder.end_row();
    });
    return builder.finish();
}

generated_matrix hermitian(parameters& params)
{
    const grid_stencil grid{params.next_sizes("the grid", 2, 1), stencil_shape::star};
    params.check(grid.num_points(), grid.num_points(), grid.num_entries());

    constexpr double root = 0.70710678118654752440;
    constexpr double cosine[] = {1, root, 0, -root, -1, -root, 0, root};
    const auto num_points = static_cast<int64>(grid.num_points());
    csr_builder builder{num_points, num_points, grid.num_entries(), true};
    grid.for_each_point([&](const grid_stencil::triple& point) {
        grid.for_each_neighbour(point, [&](int64 col, size_type k) {
            const auto& offset = grid.offsets()[k];
            if (is_center(offset)) {
                builder.add(col, 4, 0);
            } else if (offset[0] == 0) {
                builder.add(col, -1, 0);
            } else {
                const auto y = point[1] % 8;
                builder.add(col, -cosine[y], -static_cast<double>(offset[0]) * cosine[(y + 6) % 8]);
            }
        });
        builder.end_row();
    });
    return builder.finish();
}

generated_matrix helmholtz(parameters& params)
{
    const grid_stencil grid{params.next_sizes("the grid", 3, 1), stencil_shape::star};
    params.check(grid.num_points(), grid.num_points(), grid.num_entries());

    constexpr double wave_number = 2 * pi / 10;  // times the mesh width: ten points a wavelength
    constexpr double squared = wave_number * wave_number;
    const auto num_points = static_cast<int64>(grid.num_points());
    csr_builder builder{num_points, num_points, grid.num_entries(), true};
    grid.for_each_point([&](const grid_stencil::triple& point) {
        grid.for_each_neighbour(point, [&](int64 col, size_type k) {
            if (is_center(grid.offsets()[k])) {
                builder.add(col, 6 - squared, -0.1 * squared);
            } else {
                builder.add(col, -1, 0);
            }
        });
        builder.end_row();
    });
    return builder.finish();
}

}  // namespace spruce::bench::family
