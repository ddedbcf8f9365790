// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <limits>

#include <spruce/stop/residual_norm.hpp>

/// Contains deprecated criteria, which ResidualNorm replaces.

namespace spruce {
namespace stop {

/// Stops column j as converged if ||r_j|| is at most reduction_factor times the initial ||r_j||.
/// Deprecated: ResidualNorm with mode::initial_resnorm replaces it.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT ResidualNormReduction : public ResidualNormBase<ValueType> {
    friend class EnablePolymorphicObject<ResidualNormReduction, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        remove_complex<ValueType> SPRUCE_FACTORY_PARAMETER_SCALAR(
            reduction_factor, 5 * std::numeric_limits<remove_complex<ValueType>>::epsilon());
    };
    SPRUCE_DECLARE_CRITERION_FACTORY(ResidualNormReduction, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    ResidualNormReduction(const Factory* factory, const CriterionArgs& args)
        : ResidualNormBase<ValueType>(factory->get_executor(), args, factory->get_parameters().reduction_factor,
                                      mode::initial_resnorm),
          parameters_{factory->get_parameters()}
    {}
};

/// Stops column j as converged if ||r_j|| <= tolerance ||b_j||. Deprecated: ResidualNorm with
/// mode::rhs_norm replaces it; tolerance is its reduction_factor.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT RelativeResidualNorm : public ResidualNormBase<ValueType> {
    friend class EnablePolymorphicObject<RelativeResidualNorm, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        remove_complex<ValueType> SPRUCE_FACTORY_PARAMETER_SCALAR(
            tolerance, 5 * std::numeric_limits<remove_complex<ValueType>>::epsilon());
    };
    SPRUCE_DECLARE_CRITERION_FACTORY(RelativeResidualNorm, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    RelativeResidualNorm(const Factory* factory, const CriterionArgs& args)
        : ResidualNormBase<ValueType>(factory->get_executor(), args, factory->get_parameters().tolerance,
                                      mode::rhs_norm),
          parameters_{factory->get_parameters()}
    {}
};

/// Stops column j as converged if ||r_j|| <= tolerance. Deprecated: ResidualNorm with
/// mode::absolute replaces it; tolerance is its reduction_factor.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT AbsoluteResidualNorm : public ResidualNormBase<ValueType> {
    friend class EnablePolymorphicObject<AbsoluteResidualNorm, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        remove_complex<ValueType> SPRUCE_FACTORY_PARAMETER_SCALAR(
            tolerance, 5 * std::numeric_limits<remove_complex<ValueType>>::epsilon());
    };
    SPRUCE_DECLARE_CRITERION_FACTORY(AbsoluteResidualNorm, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    AbsoluteResidualNorm(const Factory* factory, const CriterionArgs& args)
        : ResidualNormBase<ValueType>(factory->get_executor(), args, factory->get_parameters().tolerance,
                                      mode::absolute),
          parameters_{factory->get_parameters()}
    {}
};

}  // namespace stop
}  // namespace spruce
