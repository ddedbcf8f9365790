// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/math.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/stop/criterion.hpp>

namespace spruce {
namespace stop {

/// Selects the baseline of a residual norm: ||b||, the norm of the initial residual, or 1.
enum class mode { rhs_norm, initial_resnorm, absolute };

/// Implements the criteria on residual norms. The baseline is computed once for each solve. Norms
/// are 2-norms of columns.
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

    /// Tests the residual norm if the solver provides it, otherwise that of its residual or of
    /// b - A x.
    bool check_impl(uint8 stopping_id, bool set_finalized, array<stopping_status>* status, bool* one_changed,
                    const Criterion::Updater& updater) override;
    bool append_bounds_impl(uint8 stopping_id, size_type iteration, std::vector<residual_bound>& bounds) const override;
    /// Stops the running columns whose norm, 1 x k, is at most reduction_factor baseline.
    /// @return true if all columns have stopped
    bool check_norm(const LinOp* norm, uint8 stopping_id, bool set_finalized, array<stopping_status>& status,
                    bool& one_changed);

    remove_complex<ValueType> reduction_factor_{};
    std::shared_ptr<norm_type> baseline_;
    std::shared_ptr<norm_type> norm_;  ///< the norm of the last check, if the solver did not provide it
    std::shared_ptr<spruce::detail::criterion_workspace> memory_;

private:
    /// Computes norm_ = ||b - A x||.
    void compute_residual_norm(const LinOp* x);
    Reduction get_reduction() const;

    std::shared_ptr<const LinOp> system_matrix_;
    std::shared_ptr<const LinOp> b_;
};

/// Stops column j as converged if ||r_j|| <= reduction_factor baseline_j, which NaN does not
/// satisfy. Default: reduction_factor 5 machine epsilons, baseline ||b||.
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
    SPRUCE_DECLARE_CRITERION_FACTORY(ResidualNorm, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

protected:
    ResidualNorm(const Factory* factory, const CriterionArgs& args)
        : ResidualNormBase<ValueType>(factory->get_executor(), args, factory->get_parameters().reduction_factor,
                                      factory->get_parameters().baseline),
          parameters_{factory->get_parameters()}
    {}
};

/// Stops column j as converged if sqrt(|rho_j|) <= reduction_factor baseline_j, where rho_j is the
/// squared residual norm in the recurrence of the solver, for instance (r, M^-1 r) in Cg. This norm
/// needs no reduction of its own. If rho_j is zero or subnormal, the recurrence has broken down,
/// and ||r_j|| is tested if the solver provides it. Default: reduction_factor 5 machine epsilons,
/// baseline ||b||.
/// @throws NotSupported  by check() without rho_j, and by apply() of solvers without it, such as
///         Gmres
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
    SPRUCE_DECLARE_CRITERION_FACTORY(ImplicitResidualNorm, parameters, Factory);
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
