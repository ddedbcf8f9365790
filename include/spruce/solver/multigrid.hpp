// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <spruce/base/refreshable.hpp>
#include <spruce/multigrid/multigrid_level.hpp>
#include <spruce/solver/enable_solver.hpp>
#include <spruce/solver/initial_guess.hpp>

namespace spruce {
namespace multigrid {

/// Selects what a cycle does on the next coarser level: one V-cycle (v), two W-cycles (w), or an
/// F-cycle and then a V-cycle (f).
enum class cycle { v, f, w };

/// Selects what smooths between the two visits of a coarser level in cycles f and w: the post- and
/// then the pre-smoother, one of them, or smoothers of their own.
enum class mid_smooth_type { both, post_smoother, pre_smoother, standalone };

}  // namespace multigrid

namespace solver {
namespace detail {
class MultigridHierarchy;
class MultigridCycle;
}  // namespace detail

/// Solves A x = b by multigrid cycles, or improves x by a fixed number of them as a preconditioner.
///
/// With nothing set, levels are multigrid::Sa, the smoother is two steps of a Chebyshev iteration
/// on the finest and three on other levels, the coarsest matrix is inverted, and an application is
/// one V-cycle from x = 0. Coarsening ends at 512 rows, after max_levels levels, or where a level
/// would have more than 2/3 of the rows of the one before. Where all levels would have more than
/// 2.5 times the entries of A, strength_threshold is raised on this and all coarser levels. A
/// coarsest matrix of more than 1024 rows is not inverted but smoothed by ten steps. explain()
/// reports these events.
///
/// For a Hermitian positive definite A this is a Hermitian preconditioner. It is positive definite
/// unless the smoother's estimate of the largest eigenvalue of D^-1 A is too small by more than a
/// tenth. Where A is not Hermitian, damped Jacobi steps replace the Chebyshev iteration. The
/// defaults are made for scalar elliptic equations such as diffusion: only constants are
/// interpolated. For systems with several unknowns at a point, such as elasticity, set mg_level to
/// a multigrid::Sa with near_null_space.
///
/// Cycle v smooths, restricts the residual b - A x, applies itself to the next coarser level, adds
/// the prolongated result to x, and smooths again.
///
/// One cycle from x = 0 evaluates no criterion, causes no event iteration_complete, and does not
/// change get_stop_reasons(). Several cycles are performed by an Ir. Loggers of this object receive
/// its event iteration_complete with this object as the solver, those of the executor with the Ir.
/// apply() keeps vectors for the next call, so that only one thread at a time can call it. If the
/// library is built without NDEBUG, a concurrent apply() throws InvalidStateError.
///
/// @param b  right-hand sides, n x k; not changed
/// @param x  n x k: see default_initial_guess; solution on exit
/// @throws DimensionMismatch  if the sizes of A, b and x do not match; nothing is changed
/// @throws DimensionMismatch  by generate() if A is not square
/// @throws InvalidStateError  by generate(), with the row, if there is a default level or smoother
///         and a diagonal entry is missing, zero, or for real types negative, or an entry is not
///         finite
/// @throws UnsupportedMatrixProperty  by generate(), with the row, if A stores an entry twice
/// @throws ValueMismatch  by generate() if mg_level is set and there would be no level, for
///         instance because A has at most min_coarse_rows rows; or if a list of smoothers has
///         neither one element nor as many as mg_level or as there are levels
/// @throws NotSupported  by generate() if a factory returns no operator, if a level is no
///         multigrid::EnableMultigridLevel, or if a matrix with a default level or smoother cannot
///         be converted to Csr
/// @throws OutOfBoundsError  by generate() if a selector returns a number outside the list, or if
///         smoother_iters is 0
///
/// Sources: Trottenberg, Oosterlee and Schueller 2001, Multigrid; for the default levels see
/// multigrid::Sa.
class SPRUCE_EXPORT Multigrid : public EnableLinOp<Multigrid>,
                                public EnableSolverBase<Multigrid>,
                                public EnableIterativeBase<Multigrid>,
                                public EnableApplyWithInitialGuess<Multigrid>,
                                public Refreshable {
    friend class EnablePolymorphicObject<Multigrid, LinOp>;
    friend class EnableApplyWithInitialGuess<Multigrid>;

public:
    class Factory;
    /// Contains the parameters of the factory.
    struct parameters_type : enable_parameters_type<parameters_type, Factory> {
        /// Sets the stopping criteria; default: one cycle. Iterations are cycles.
        std::vector<std::shared_ptr<const stop::CriterionFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(criteria);
        /// Sets the factories of MultigridLevels; default: multigrid::Sa for all levels.
        std::vector<std::shared_ptr<const LinOpFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(mg_level);
        /// Returns the number of the factory in mg_level for this level, 0 being the finest, and
        /// its matrix; default: that of the level, or the last one.
        std::function<size_type(size_type level, const LinOp* matrix)> SPRUCE_FACTORY_PARAMETER_SCALAR(level_selector,
                                                                                                       nullptr);
        /// Sets the factories of smoothers: one for all levels, one for each factory of mg_level,
        /// which smooths on the levels of that factory, or else one for each level. Null stands for
        /// no smoother. They improve the given x, such as those of build_smoother(). Default: the
        /// Chebyshev or Jacobi steps described above.
        std::vector<std::shared_ptr<const LinOpFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(pre_smoother);
        /// Sets those after the correction; used if post_uses_pre is false. Default: the same kind.
        std::vector<std::shared_ptr<const LinOpFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(post_smoother);
        /// Sets those between two visits of a coarser level; used if mid_case is standalone.
        /// Default: none.
        std::vector<std::shared_ptr<const LinOpFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(mid_smoother);
        /// Smooths after the correction by the pre-smoother.
        bool SPRUCE_FACTORY_PARAMETER_SCALAR(post_uses_pre, true);
        /// Selects what smooths between two visits of a coarser level.
        multigrid::mid_smooth_type SPRUCE_FACTORY_PARAMETER_SCALAR(mid_case, multigrid::mid_smooth_type::standalone);
        /// Sets the largest number of MultigridLevels.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(max_levels, 10);
        /// Sets the largest number of rows of a matrix that is not coarsened; if mg_level is not
        /// set, at least 512.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(min_coarse_rows, 64);
        /// Sets the factories of solvers for the coarsest level; default: the explicit inverse of
        /// up to 1024 rows, otherwise ten steps of the default smoother.
        std::vector<std::shared_ptr<const LinOpFactory>> SPRUCE_DEFERRED_FACTORY_VECTOR_PARAMETER(coarsest_solver);
        /// Returns the number of the factory in coarsest_solver; default: the first.
        std::function<size_type(size_type level, const LinOp* matrix)> SPRUCE_FACTORY_PARAMETER_SCALAR(solver_selector,
                                                                                                       nullptr);
        multigrid::cycle SPRUCE_FACTORY_PARAMETER_SCALAR(cycle, multigrid::cycle::v);
        /// Changes nothing, like the next two; accepted so that programs for Ginkgo compile.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(kcycle_base, 1);
        double SPRUCE_FACTORY_PARAMETER_SCALAR(kcycle_rel_tol, 0.25);
        double SPRUCE_FACTORY_PARAMETER_SCALAR(smoother_relax, 0.9);
        /// Multiplies the number of steps of the default smoother of levels.
        size_type SPRUCE_FACTORY_PARAMETER_SCALAR(smoother_iters, 1);
        /// Sets the initial guess: zero, b (rhs), or the x that is passed to apply() (provided).
        initial_guess_mode SPRUCE_FACTORY_PARAMETER_SCALAR(default_initial_guess, initial_guess_mode::zero);
    };
    SPRUCE_DECLARE_LIN_OP_FACTORY(Multigrid, parameters, Factory);
    SPRUCE_ENABLE_BUILD_METHOD(Factory);

    /// Returns the levels, the finest first.
    std::vector<std::shared_ptr<const multigrid::MultigridLevel>> get_mg_level_list() const;
    /// Returns the smoothers of the levels before the correction. Null pointers stand for levels
    /// without a smoother, also in the next two lists.
    std::vector<std::shared_ptr<const LinOp>> get_pre_smoother_list() const;
    std::vector<std::shared_ptr<const LinOp>> get_mid_smoother_list() const;
    std::vector<std::shared_ptr<const LinOp>> get_post_smoother_list() const;
    std::shared_ptr<const LinOp> get_coarsest_solver() const;
    multigrid::cycle get_cycle() const { return parameters_.cycle; }
    void set_cycle(multigrid::cycle cycle);
    bool shares_memory_with(const memory_extent& memory) const noexcept override;

    /// Returns a table of the levels with their rows, entries and types of operators, and remarks
    /// on where coarsening ended or strength_threshold was raised. Loggers receive this text with
    /// the event hierarchy_generated: those of the factory from generate(), those of this object
    /// from refresh(). Copies cause no such event.
    std::string explain() const;

    /// Recomputes all levels, smoothers and the coarsest solver for a matrix with the pattern of A,
    /// with the aggregates and patterns that generate() found.
    /// @throws UnsupportedMatrixProperty  if the size differs or, with the row, if the pattern of a
    ///         matrix that is coarsened differs. The pattern of a matrix that is only inverted is
    ///         not compared. Nothing is changed.
    /// @throws NotSupported  if this object is empty, or if one of its parts is not Refreshable;
    ///         the message names it. Nothing is changed.
    /// @throws InvalidStateError  with the row, if an entry or a diagonal is not suitable on some
    ///         level. Then some levels are those of the new matrix: this object must not be applied
    ///         until a refresh succeeds.
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool can_be_refreshed() const override;

    bool apply_uses_initial_guess() const override
    {
        return this->get_default_initial_guess() == initial_guess_mode::provided;
    }
    void set_stop_criterion_factory(std::shared_ptr<const stop::CriterionFactory> factory) override;

    /// Copies share levels and smoothers if they are on the same executor. After refresh() of one,
    /// refresh the others with the same matrix before they are applied: each holds its own system
    /// matrix. On another executor levels and smoothers are generated again.
    Multigrid(const Multigrid& other);
    Multigrid(Multigrid&& other);
    Multigrid& operator=(const Multigrid& other);
    Multigrid& operator=(Multigrid&& other);
    ~Multigrid() override;

protected:
    explicit Multigrid(std::shared_ptr<const Executor> exec);
    Multigrid(const Factory* factory, std::shared_ptr<const LinOp> system_matrix);
    bool has_static_launches() const override;
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;
    void apply_with_initial_guess_impl(const LinOp* b, LinOp* x, initial_guess_mode guess) const override;
    void apply_with_initial_guess_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x,
                                       initial_guess_mode guess) const override;

private:
    void generate();
    /// Returns true if an application is one cycle.
    bool is_single_cycle() const;
    /// Performs cycles until the criteria stop them; x contains the initial guess.
    void iterate(const LinOp* b, LinOp* x) const;

    std::shared_ptr<detail::MultigridCycle> cycle_;
    /// Performs several cycles as iterative refinement; created when it is needed.
    mutable std::shared_ptr<LinOp> iteration_;
};

}  // namespace solver
}  // namespace spruce
