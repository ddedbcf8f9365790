// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/multigrid/fixed_coarsening.hpp>

#include <string>
#include <utility>
#include <vector>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/graph/aggregation_kernels.hpp"
#include "core/multigrid/level_matrix.hpp"
#include "core/multigrid/piecewise_constants.hpp"

namespace spruce::multigrid {
namespace {

constexpr auto name_of_fixed_coarsening = "multigrid::FixedCoarsening";

/// Returns the number of the coarse row for each row, or a negative number.
template <typename I>
std::vector<I> number_rows(const array<I>& coarse_rows, size_type num_rows)
{
    std::vector<I> numbers(num_rows, static_cast<I>(kernels::aggregation::isolated_vertex));
    I number{};
    for (const auto row : coarse_rows.copy_to_host()) {
        if (row < 0 || static_cast<size_type>(row) >= num_rows) {
            throw OutOfBoundsError(__FILE__, __LINE__,
                                   std::string(name_of_fixed_coarsening) + ": coarse_rows contains " +
                                       std::to_string(row) + ", but the matrix has " + std::to_string(num_rows) +
                                       " rows");
        }
        if (numbers[row] >= 0) {
            throw UnsupportedMatrixProperty(
                __FILE__, __LINE__,
                std::string(name_of_fixed_coarsening) + ": coarse_rows contains " + std::to_string(row) + " twice");
        }
        numbers[row] = number++;
    }
    return numbers;
}

}  // namespace

template <typename V, typename I>
FixedCoarsening<V, I>::FixedCoarsening(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
FixedCoarsening<V, I>::FixedCoarsening(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}
{
    const auto exec = this->get_executor();
    const auto a = detail::sorted_csr<V, I>(exec, system_matrix, parameters_.skip_sorting, name_of_fixed_coarsening);
    const auto numbers = number_rows(parameters_.coarse_rows, a.sorted->get_size()[0]);
    auto p = detail::create_tentative<V, I>(array<I>{exec, numbers.begin(), numbers.end()},
                                            parameters_.coarse_rows.get_size());
    this->compute_galerkin(name_of_fixed_coarsening, std::move(system_matrix), a, std::move(p), nullptr);
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), FixedCoarsening<V, I>);

#define SPRUCE_FIXED_COARSENING(_value, _index) class SPRUCE_EXPORT FixedCoarsening<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_FIXED_COARSENING);

}  // namespace spruce::multigrid
