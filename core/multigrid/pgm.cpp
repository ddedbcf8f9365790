// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/multigrid/pgm.hpp>

#include <sstream>
#include <utility>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/graph/aggregation.hpp"
#include "core/multigrid/level_matrix.hpp"
#include "core/multigrid/multigrid_kernels.hpp"
#include "core/multigrid/piecewise_constants.hpp"

namespace spruce::multigrid {
namespace {

constexpr auto name_of_pgm = "multigrid::Pgm";

void require_ratio(double ratio)
{
    if (!(ratio >= 0 && ratio <= 1)) {
        std::ostringstream message;
        message << name_of_pgm << ": max_unassigned_ratio " << ratio << " (it has to be between 0 and 1)";
        throw OutOfBoundsError(__FILE__, __LINE__, message.str());
    }
}

}  // namespace

template <typename V, typename I>
Pgm<V, I>::Pgm(std::shared_ptr<const Executor> exec) : Base(exec), aggregates_{exec}
{}

template <typename V, typename I>
Pgm<V, I>::Pgm(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}, aggregates_{factory->get_executor()}
{
    require_ratio(parameters_.max_unassigned_ratio);
    const auto exec = this->get_executor();
    const auto a = detail::sorted_csr<V, I>(exec, system_matrix, parameters_.skip_sorting, name_of_pgm);
    const auto size = a.sorted->get_size()[0];
    const auto diagonal = detail::find_suitable_diagonal(*a.sorted, name_of_pgm);
    array<remove_complex<V>> scale{exec, size};
    kernels::multigrid::scale_by_diagonal<V, I>(*exec, a.sorted->get_const_values(), diagonal.get_const_data(), size,
                                                scale.get_data());
    auto found = graph::match_rows(*a.sorted, scale, parameters_.max_iterations, parameters_.max_unassigned_ratio);
    aggregates_ = std::move(found.aggregates);
    auto p = detail::create_tentative<V, I>(aggregates_, found.num_aggregates);
    this->compute_galerkin(name_of_pgm, std::move(system_matrix), a, std::move(p), nullptr);
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), Pgm<V, I>);

#define SPRUCE_PGM(_value, _index) class SPRUCE_EXPORT Pgm<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_PGM);

}  // namespace spruce::multigrid
