// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Assembles the stiffness matrix of linear finite elements on the unit square from the
// contributions of its triangles. It is assembled entry by entry on the host, and by a sum of all
// contributions on the executor.
// usage: matrix-assembly [EXECUTOR]

#include <array>

#include "../shared.hpp"

namespace {

using namespace example;
using matrix = spruce::matrix::Csr<value_type, index_type>;

constexpr index_type num_cells = 30;  // along each side; each cell is cut into two triangles
constexpr index_type num_points = num_cells + 1;

/// Calls add(row, column, value) for each contribution. The contributions do not depend on the size
/// of the right-angled triangles.
template <typename Add>
void visit_contributions(Add add)
{
    constexpr value_type local[3][3] = {{1.0, -0.5, -0.5}, {-0.5, 0.5, 0.0}, {-0.5, 0.0, 0.5}};
    for (index_type i = 0; i < num_cells; ++i) {
        for (index_type j = 0; j < num_cells; ++j) {
            const auto corner = i * num_points + j;
            const auto opposite = corner + num_points + 1;
            // The right angle is at the first point of each triangle.
            for (const auto& points : {std::array<index_type, 3>{corner, corner + 1, corner + num_points},
                                       std::array<index_type, 3>{opposite, opposite - 1, opposite - num_points}}) {
                for (int k = 0; k < 3; ++k) {
                    for (int l = 0; l < 3; ++l) {
                        add(points[k], points[l], local[k][l]);
                    }
                }
            }
        }
    }
}

std::unique_ptr<matrix> assemble_on_host(std::shared_ptr<const spruce::Executor> exec)
{
    spruce::matrix_assembly_data<value_type, index_type> sums{spruce::dim<2>(num_points * num_points)};
    visit_contributions(
        [&](index_type row, index_type column, value_type value) { sums.add_value(row, column, value); });
    auto result = matrix::create(exec);
    result->read(sums);
    return result;
}

std::unique_ptr<matrix> assemble_on_executor(std::shared_ptr<const spruce::Executor> exec)
{
    data_type contributions{spruce::dim<2>(num_points * num_points)};
    visit_contributions([&](index_type row, index_type column, value_type value) {
        contributions.nonzeros.emplace_back(row, column, value);
    });
    auto data = spruce::device_matrix_data<value_type, index_type>::create_from_host(exec, contributions);
    data.sum_duplicates();
    auto result = matrix::create(exec);
    result->read(std::move(data));
    return result;
}

int assemble(std::shared_ptr<spruce::Executor> exec)
{
    const auto a = assemble_on_executor(exec);
    data_type from_host;
    assemble_on_host(exec)->write(from_host);
    data_type from_executor;
    a->write(from_executor);
    // All contributions are multiples of 1/2, so sums are not rounded.
    const auto same = from_host.size == from_executor.size && from_host.nonzeros == from_executor.nonzeros;
    std::cout << "matrix: " << from_executor.size[0] << " x " << from_executor.size[1] << ", "
              << from_executor.nonzeros.size() << " entries\n"
              << "on the host and on the executor: " << (same ? "the same" : "DIFFERENT") << "\n";

    // A constant function has no gradient. The Laplacian of x^2 + y^2 is 4, so A gives -4 h^2 at
    // each inner point.
    const auto ones = vector::create(exec, spruce::dim<2>(from_executor.size[1], 1));
    ones->fill(1.0);
    const auto host = exec->get_master();
    const auto squares = vector::create(host, ones->get_size());
    for (index_type i = 0; i < num_points; ++i) {
        for (index_type j = 0; j < num_points; ++j) {
            squares->at(i * num_points + j, 0) = static_cast<value_type>(i * i + j * j);  // in units of h^2
        }
    }
    const auto of_ones = vector::create(exec, ones->get_size());
    const auto of_squares = vector::create(exec, ones->get_size());
    a->apply(ones, of_ones);
    a->apply(squares, of_squares);
    const auto zeros = of_ones->clone(host);
    const auto laplacians = of_squares->clone(host);
    bool good = same;
    for (index_type i = 0; i < num_points; ++i) {
        for (index_type j = 0; j < num_points; ++j) {
            const auto point = i * num_points + j;
            const auto is_inner = i > 0 && i < num_cells && j > 0 && j < num_cells;
            good = good && zeros->at(point, 0) == 0.0 && (!is_inner || laplacians->at(point, 0) == -4.0);
        }
    }
    return conclude(good);
}

}  // namespace

int main(int argc, char* argv[]) { return run(argc, argv, assemble); }
