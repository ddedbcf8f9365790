// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/par_ic.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"

namespace spruce::factorization {

template <typename V, typename I>
ParIc<V, I>::ParIc(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
ParIc<V, I>::ParIc(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}
{
    this->factorize(std::move(system_matrix),
                    {"factorization::ParIc", true, parameters_.both_factors, parameters_.skip_sorting,
                     parameters_.iterations, parameters_.l_strategy, nullptr},
                    factory->get_loggers());
}

template <typename V, typename I>
auto ParIc<V, I>::get_lt_factor() const -> std::shared_ptr<const matrix_type>
{
    return this->get_second_factor();
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), ParIc<V, I>);

#define SPRUCE_PAR_IC(_value, _index) class SPRUCE_EXPORT ParIc<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_PAR_IC);

}  // namespace spruce::factorization
