// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/par_ilut.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"

namespace spruce::factorization {

template <typename V, typename I>
ParIlut<V, I>::ParIlut(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
ParIlut<V, I>::ParIlut(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}
{
    this->factorize(std::move(system_matrix),
                    {"factorization::ParIlut", false, true, parameters_.skip_sorting, 0, parameters_.l_strategy,
                     parameters_.u_strategy, parameters_.get_limits()},
                    factory->get_loggers());
}

template <typename V, typename I>
auto ParIlut<V, I>::get_u_factor() const -> std::shared_ptr<const matrix_type>
{
    return this->get_second_factor();
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), ParIlut<V, I>);

#define SPRUCE_PAR_ILUT(_value, _index) class SPRUCE_EXPORT ParIlut<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_PAR_ILUT);

}  // namespace spruce::factorization
