// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/lin_op.hpp>
#include <spruce/base/temporary_clone.hpp>

namespace spruce {
namespace solver {

/// Selects the initial guess of an iterative method: zero, the right-hand side b, or the given x.
enum class initial_guess_mode { zero, rhs, provided };

/// Represents operators for which each apply can select the initial guess.
class SPRUCE_EXPORT ApplyWithInitialGuess {
public:
    virtual ~ApplyWithInitialGuess();
    /// Computes x = op(b) from this initial guess.
    virtual void apply_with_initial_guess(ptr_param<const LinOp> b, ptr_param<LinOp> x,
                                          initial_guess_mode guess) const = 0;
    /// Computes x = alpha op(b) + beta x, where op starts from this initial guess.
    virtual void apply_with_initial_guess(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b,
                                          ptr_param<const LinOp> beta, ptr_param<LinOp> x,
                                          initial_guess_mode guess) const = 0;
    /// Returns the initial guess of apply().
    initial_guess_mode get_default_initial_guess() const { return default_initial_guess_; }

protected:
    explicit ApplyWithInitialGuess(initial_guess_mode guess = initial_guess_mode::provided)
        : default_initial_guess_{guess}
    {}
    void set_default_initial_guess(initial_guess_mode guess) { default_initial_guess_ = guess; }

private:
    initial_guess_mode default_initial_guess_;
};

/// Implements ApplyWithInitialGuess for Concrete: checks sizes and copies operands to its executor.
/// Concrete derives from EnableLinOp first, and defines apply_with_initial_guess_impl().
template <typename Concrete>
class SPRUCE_EXPORT EnableApplyWithInitialGuess : public ApplyWithInitialGuess {
public:
    void apply_with_initial_guess(ptr_param<const LinOp> b, ptr_param<LinOp> x, initial_guess_mode guess) const override
    {
        spruce::detail::require_fitting_operands(*this->self(), b.get(), x.get());
        const auto exec = this->self()->get_executor();
        this->apply_with_initial_guess_impl(make_temporary_clone(exec, b.get()).get(),
                                            make_temporary_clone(exec, x.get()).get(), guess);
    }
    void apply_with_initial_guess(ptr_param<const LinOp> alpha, ptr_param<const LinOp> b, ptr_param<const LinOp> beta,
                                  ptr_param<LinOp> x, initial_guess_mode guess) const override
    {
        spruce::detail::require_fitting_operands(*this->self(), alpha.get(), b.get(), beta.get(), x.get());
        const auto exec = this->self()->get_executor();
        this->apply_with_initial_guess_impl(
            make_temporary_clone(exec, alpha.get()).get(), make_temporary_clone(exec, b.get()).get(),
            make_temporary_clone(exec, beta.get()).get(), make_temporary_clone(exec, x.get()).get(), guess);
    }

protected:
    using ApplyWithInitialGuess::ApplyWithInitialGuess;
    virtual void apply_with_initial_guess_impl(const LinOp* b, LinOp* x, initial_guess_mode guess) const = 0;
    virtual void apply_with_initial_guess_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x,
                                               initial_guess_mode guess) const = 0;

private:
    const Concrete* self() const { return static_cast<const Concrete*>(this); }
};

}  // namespace solver
}  // namespace spruce
