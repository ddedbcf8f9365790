// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/math.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/stop/criterion.hpp>

namespace spruce {
namespace stop {

/// What a residual is compared with: ||b||, the norm of the initial residual, or 1.
enum class mode { rhs_norm, initial_resnorm, absolute };

/// What the criteria on residual norms share: the baseline, computed once for each solve. All norms are 2-norms by column.
template <typename ValueType>
class SPRUCE_EXPORT ResidualNormBase : public EnablePolymorphicObject<ResidualNormBase<ValueType>, Criterion> {
    friend class EnablePolymorphicObject<ResidualNormBase, Criterion>;

protected:
    using norm_type = matrix::Dense<remove_complex<ValueType>>;

    explicit ResidualNormBase(std::shared_ptr<const Executor> exec)
        : EnablePolymorphicObject<ResidualNormBase, Criterion>(std::move(exec))
    {}
    ResidualNormBase(std::shared_ptr<const Executor> exec, const CriterionArgs& args,
                     remove_complex<ValueType> reduction_factor, mode baseline);

    /// Uses the residual's norm if the solver gives it, else the residual, else b - A x.
    bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                    const Criterion::Updater& updater) override;
    bool append_bounds_impl(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const override;

    remove_complex<ValueType> reduction_factor_{};
    std::shared_ptr<norm_type> baseline_;
    std::shared_ptr<spruce::detail::criterion_workspace> memory_;

private:
    /// Computes norm_ = ||b - A x||.
    void compute_residual_norm(const LinOp* x);
    Reduction get_reduction() const;

    std::shared_ptr<const LinOp> system_matrix_;
    std::shared_ptr<const LinOp> b_;
    std::shared_ptr<norm_type> norm_;
};

/// Stops column j, as converged, when ||r_j|| <= reduction_factor * baseline_j. A NaN never satisfies it.
/// Default: reduction_factor 5 machine epsilons, baseline ||b||.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT ResidualNorm : public ResidualNormBase<ValueType> {
    friend class EnablePolymorphicObject<ResidualNorm, Criterion>;

public:
    using absolute_type = remove_complex<ValueType>;
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        remove_complex<ValueType> SPRUCE_FACTORY_PARAMETER_SCALAR(
            reduction_factor, 5 * std::numeric_limits<remove_complex<ValueType>>::epsilon());
        mode SPRUCE_FACTORY_PARAMETER_SCALAR(baseline, mode::rhs_norm);
    };
    SPRUCE_ENABLE_CRITERION_FACTORY(ResidualNorm, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    ResidualNorm(const Factory* factory, const CriterionArgs& args)
        : ResidualNormBase<ValueType>(factory->get_executor(), args, factory->get_parameters().reduction_factor,
                                      factory->get_parameters().baseline),
          parameters_{factory->get_parameters()}
    {}
};

/// As ResidualNorm, with sqrt(|rho_j|) of the solver's recurrence in place of the norm, which needs no reduction. Where rho_j is zero
/// the recurrence has broken down, and the residual's norm counts if the solver knows it.
/// @throws NotSupported  at the first check if the solver has no such quantity
template <typename ValueType = default_precision>
class SPRUCE_EXPORT ImplicitResidualNorm : public ResidualNormBase<ValueType> {
    friend class EnablePolymorphicObject<ImplicitResidualNorm, Criterion>;

public:
    SPRUCE_CREATE_FACTORY_PARAMETERS(parameters, Factory)
    {
        remove_complex<ValueType> SPRUCE_FACTORY_PARAMETER_SCALAR(
            reduction_factor, 5 * std::numeric_limits<remove_complex<ValueType>>::epsilon());
        mode SPRUCE_FACTORY_PARAMETER_SCALAR(baseline, mode::rhs_norm);
    };
    SPRUCE_ENABLE_CRITERION_FACTORY(ImplicitResidualNorm, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    ImplicitResidualNorm(const Factory* factory, const CriterionArgs& args)
        : ResidualNormBase<ValueType>(factory->get_executor(), args, factory->get_parameters().reduction_factor,
                                      factory->get_parameters().baseline),
          parameters_{factory->get_parameters()}
    {}
    bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                    const Criterion::Updater& updater) override;
    bool append_bounds_impl(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const override;
};

}  // namespace stop
}  // namespace spruce
