// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/par_ilu.hpp>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"

namespace spruce::factorization {

template <typename V, typename I>
ParIlu<V, I>::ParIlu(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
ParIlu<V, I>::ParIlu(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}
{
    this->factorize(std::move(system_matrix),
                    {"factorization::ParIlu", false, true, parameters_.skip_sorting, parameters_.iterations,
                     parameters_.l_strategy, parameters_.u_strategy},
                    factory->get_loggers());
}

template <typename V, typename I>
auto ParIlu<V, I>::get_u_factor() const -> std::shared_ptr<const matrix_type>
{
    return this->get_second_factor();
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), ParIlu<V, I>);

#define SPRUCE_PAR_ILU(_value, _index) class SPRUCE_EXPORT ParIlu<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_PAR_ILU);

}  // namespace spruce::factorization
