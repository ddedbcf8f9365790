// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/multigrid_hierarchy.hpp"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <sstream>
#include <utility>

#include <spruce/base/name_demangling.hpp>
#include <spruce/base/temporary_clone.hpp>
#include <spruce/multigrid/sa.hpp>

#include "core/base/refreshable.hpp"
#include "core/multigrid/explicit_inverse.hpp"
#include "core/multigrid/level_matrix.hpp"

namespace spruce::solver::detail {
namespace {

constexpr auto name_of_multigrid = "solver::Multigrid";
/// Matrices of at most this many rows are not coarsened by default.
constexpr size_type max_default_coarsest_rows = 512;
/// Larger coarsest matrices are not inverted.
constexpr size_type max_inverted_rows = 1024;
/// The smallest useful factor between the numbers of rows of two levels.
constexpr double min_coarsening = 1.5;
/// The largest number of entries of all levels, divided by that of the finest one.
constexpr double max_operator_complexity = 2.5;

/// Calls function(zero of the value type, zero of the index type) for the types of the Csr that the
/// operator is, or else to which it can be converted. Returns false if there are none.
template <typename Function>
bool visit_types(const LinOp* op, Function function)
{
    const auto visit = [&](auto is_suitable) {
        bool found{};
        for_each_value_and_index_type([&](auto tag) {
            using V = typename decltype(tag)::value_type;
            using I = typename decltype(tag)::index_type;
            if (!found && is_suitable(static_cast<const matrix::Csr<V, I>*>(nullptr))) {
                found = true;
                function(V{}, I{});
            }
        });
        return found;
    };
    return visit([&](auto csr) { return dynamic_cast<decltype(csr)>(op) != nullptr; }) || visit([&](auto csr) {
               using Csr = std::remove_const_t<std::remove_pointer_t<decltype(csr)>>;
               return dynamic_cast<const ConvertibleTo<Csr>*>(op) != nullptr;
           });
}

std::string type_name(const LinOp& op) { return name_demangling::get_type_name(typeid(op)); }

std::string size_text(const LinOp& op)
{
    return std::to_string(op.get_size()[0]) + " x " + std::to_string(op.get_size()[1]);
}

/// Returns the number of stored entries of a Csr; nothing for other operators.
std::optional<size_type> num_entries(const LinOp* op)
{
    std::optional<size_type> result;
    visit_types(op, [&](auto value, auto index) {
        if (const auto csr = dynamic_cast<const matrix::Csr<decltype(value), decltype(index)>*>(op)) {
            result = csr->get_num_stored_elements();
        }
    });
    return result;
}

/// Returns the value type of a level.
/// @throws NotSupported  if it is not an EnableMultigridLevel
value_tag vector_type_of(const multigrid::MultigridLevel& level)
{
    value_tag result;
    bool found{};
    for_each_value_type([&](auto tag) {
        using V = typename decltype(tag)::type;
        if (dynamic_cast<const multigrid::EnableMultigridLevel<V>*>(&level)) {
            result = V{};
            found = true;
        }
    });
    if (!found) {
        throw NotSupported(__FILE__, __LINE__, name_of_multigrid,
                           "a level of type " + name_demangling::get_type_name(typeid(level)) +
                               ", which is not derived from multigrid::EnableMultigridLevel");
    }
    return result;
}

/// Selects from a list of factories, and returns the index.
template <typename Selector>
size_type select(const std::vector<std::shared_ptr<const LinOpFactory>>& factories, const Selector& selector,
                 size_type level, size_type default_index, const LinOp* matrix, const char* list)
{
    const auto index = selector ? selector(level, matrix) : std::min(default_index, factories.size() - 1);
    if (index >= factories.size()) {
        throw OutOfBoundsError(__FILE__, __LINE__, index, factories.size());
    }
    if (!factories[index]) {
        throw NotSupported(__FILE__, __LINE__, name_of_multigrid,
                           "a null pointer as element " + std::to_string(index) + " of " + list);
    }
    return index;
}

std::shared_ptr<const LinOp> generate(const LinOpFactory& factory, const std::shared_ptr<const LinOp>& matrix,
                                      const std::shared_ptr<const Executor>& exec, const char* list)
{
    std::shared_ptr<const LinOp> op = factory.generate(matrix);
    if (!op) {
        throw NotSupported(__FILE__, __LINE__, name_of_multigrid,
                           std::string("a factory of ") + list + " that returns null");
    }
    return on_executor(exec, std::move(op));
}

/// Creates the default smoother of a level.
/// @param level  may know the eigenvalues; null: there is no level
/// @throws NotSupported  if the matrix cannot be converted to Csr
std::shared_ptr<const LinOp> create_smoother(const std::shared_ptr<const LinOp>& matrix,
                                             const std::shared_ptr<const Executor>& exec, size_type num_steps,
                                             const LinOp* level)
{
    std::shared_ptr<const LinOp> result;
    const auto found = visit_types(matrix.get(), [&](auto value, auto index) {
        using V = decltype(value);
        using I = decltype(index);
        const auto a = multigrid::detail::compact_csr<V, I>(exec, matrix);
        const auto galerkin_level = dynamic_cast<const multigrid::detail::GalerkinLevel<V, I>*>(level);
        result = std::make_shared<multigrid::detail::PolynomialSmoother<V, I>>(
            matrix, *a, num_steps, galerkin_level ? galerkin_level->get_spectrum() : nullptr,
            galerkin_level != nullptr);
    });
    if (!found) {
        throw NotSupported(__FILE__, __LINE__, name_of_multigrid,
                           "the default smoother for a matrix of type " + type_name(*matrix) +
                               ", which cannot be converted to Csr; set pre_smoother");
    }
    return result;
}

/// Checks the entries of a matrix, since small ones are inverted without other checks.
/// @throws InvalidStateError  as multigrid::detail::find_suitable_diagonal()
template <typename V, typename I>
void require_suitable(const std::shared_ptr<const Executor>& exec, const std::shared_ptr<const LinOp>& matrix)
{
    multigrid::detail::find_suitable_diagonal(*multigrid::detail::compact_csr<V, I>(exec, matrix), name_of_multigrid);
}

template <typename V>
void smooth(const LinOp* smoother, const matrix::Dense<V>* b, matrix::Dense<V>* x, bool from_zero,
            spruce::detail::Workspace::Impl& work, size_type number)
{
    if (!smoother) {
        if (from_zero) {
            x->fill(zero<V>());
        }
        return;
    }
    if (const auto own = dynamic_cast<const multigrid::detail::Smoother*>(smoother)) {
        own->smooth(b, x, from_zero, work, number);
        return;
    }
    if (from_zero) {
        x->fill(zero<V>());
    }
    smoother->apply(b, x);
}

}  // namespace

MultigridHierarchy::MultigridHierarchy(std::shared_ptr<const Executor> exec, std::shared_ptr<const LinOp> matrix,
                                       const Parameters& parameters)
    : exec_{std::move(exec)}, mid_case_{parameters.mid_case}
{
    if (parameters.mg_level.empty()) {
        this->generate_default_levels(std::move(matrix), parameters);
    } else {
        this->generate_levels(std::move(matrix), parameters);
    }
    this->generate_smoothers(parameters);
    this->generate_coarsest_solver(parameters);
}

void MultigridHierarchy::add_level(std::shared_ptr<const LinOp> op, size_type factory_index)
{
    auto operators =
        std::shared_ptr<const multigrid::MultigridLevel>(op, dynamic_cast<const multigrid::MultigridLevel*>(op.get()));
    coarsest_matrix_ = operators->get_coarse_op();
    coarsest_value_type_ = vector_type_of(*operators);
    levels_.push_back(
        {std::move(op), std::move(operators), nullptr, nullptr, nullptr, coarsest_value_type_, factory_index});
}

void MultigridHierarchy::remove_unsuitable_level()
{
    coarsest_matrix_ = levels_.back().operators->get_fine_op();
    remarks_.push_back("level " + std::to_string(levels_.size()) +
                       " would have an unsuitable diagonal entry: not coarsened further");
    levels_.pop_back();
    coarsest_value_type_ = levels_.empty() ? coarsest_value_type_ : vector_type_of(*levels_.back().operators);
}

std::shared_ptr<const LinOpFactory> MultigridHierarchy::find_factory(const Parameters& parameters, size_type index)
{
    const auto next = levels_.empty() ? nullptr : levels_.back().operators->get_next_factory();
    if (next && levels_.back().factory_index == index) {
        return next;
    }
    if (next) {
        remarks_.push_back("level " + std::to_string(levels_.size() + 1) + " is generated by element " +
                           std::to_string(index) + " of mg_level, which does not know the near-null space of level " +
                           std::to_string(levels_.size()));
    }
    return parameters.mg_level[index];
}

void MultigridHierarchy::generate_levels(std::shared_ptr<const LinOp> matrix, const Parameters& parameters)
{
    coarsest_matrix_ = matrix;
    while (levels_.size() < parameters.max_levels && coarsest_matrix_->get_size()[0] > parameters.min_coarse_rows) {
        const auto number = levels_.size();
        const auto index =
            select(parameters.mg_level, parameters.level_selector, number, number, coarsest_matrix_.get(), "mg_level");
        std::shared_ptr<const LinOp> op;
        try {
            op = generate(*this->find_factory(parameters, index), coarsest_matrix_, exec_, "mg_level");
        } catch (const InvalidStateError&) {
            if (levels_.empty()) {
                throw;
            }
            this->remove_unsuitable_level();
            break;
        }
        const auto level = dynamic_cast<const multigrid::MultigridLevel*>(op.get());
        if (!level) {
            throw NotSupported(__FILE__, __LINE__, name_of_multigrid,
                               "a factory of mg_level that returns a " + type_name(*op) +
                                   ", which is not a multigrid::MultigridLevel");
        }
        spruce::detail::require_pointers("a multigrid level", level->get_fine_op(), level->get_restrict_op(),
                                         level->get_coarse_op(), level->get_prolong_op());
        const auto num_coarse = level->get_coarse_op()->get_size()[0];
        if (num_coarse == 0 || num_coarse >= coarsest_matrix_->get_size()[0]) {
            remarks_.push_back("level " + std::to_string(number + 1) + " would have " + std::to_string(num_coarse) +
                               " rows: not coarsened further");
            break;
        }
        this->add_level(std::move(op), index);
    }
    if (levels_.empty()) {
        throw ValueMismatch(
            __FILE__, __LINE__, name_of_multigrid, levels_.size(), size_type{1},
            "mg_level is set, but the matrix of " + size_text(*matrix) + " cannot be coarsened: min_coarse_rows is " +
                std::to_string(parameters.min_coarse_rows) + ", max_levels is " +
                std::to_string(parameters.max_levels) + (remarks_.empty() ? std::string{} : "; " + remarks_.back()));
    }
}

void MultigridHierarchy::generate_default_levels(std::shared_ptr<const LinOp> matrix, const Parameters& parameters)
{
    const auto min_rows = std::max(parameters.min_coarse_rows, max_default_coarsest_rows);
    coarsest_matrix_ = matrix;
    const auto generate_all = [&](auto value, auto index) {
        using V = decltype(value);
        using I = decltype(index);
        using Level = multigrid::Sa<V, I>;
        coarsest_value_type_ = value;
        require_suitable<V, I>(exec_, matrix);
        auto threshold = Level::build().strength_threshold;
        double complexity = 1;
        double num_fine{};
        while (levels_.size() < parameters.max_levels && coarsest_matrix_->get_size()[0] > min_rows) {
            const auto number = levels_.size() + 1;
            const auto num_rows = static_cast<double>(coarsest_matrix_->get_size()[0]);
            const auto csr = copy_and_convert_to<const matrix::Csr<V, I>>(exec_, coarsest_matrix_);
            if (levels_.empty()) {
                num_fine = static_cast<double>(csr->get_num_stored_elements());
            }
            std::shared_ptr<Level> level;
            try {
                level = Level::build().with_strength_threshold(threshold).on(exec_)->generate(coarsest_matrix_);
            } catch (const InvalidStateError&) {
                if (levels_.empty()) {
                    throw;
                }
                this->remove_unsuitable_level();
                break;
            }
            const auto& coarse = *level->get_coarse_op();
            const auto num_coarse_rows = static_cast<double>(coarse.get_size()[0]);
            const auto grown = complexity + static_cast<double>(*num_entries(&coarse)) / num_fine;
            if (num_coarse_rows * min_coarsening > num_rows || num_coarse_rows == 0) {
                remarks_.push_back("level " + std::to_string(number) + " would have " +
                                   std::to_string(coarse.get_size()[0]) + " rows: not coarsened further");
                break;
            }
            if (grown > max_operator_complexity && threshold < 1) {
                threshold = std::max(4 * threshold, 0.02);
                remarks_.push_back("level " + std::to_string(number) +
                                   " would have too many entries: strength_threshold raised to " +
                                   std::to_string(threshold));
                continue;
            }
            complexity = grown;
            this->add_level(std::move(level), 0);
        }
        if (levels_.empty()) {  // levels check this
            multigrid::detail::sorted_csr<V, I>(exec_, matrix, false, name_of_multigrid);
        }
    };
    if (!visit_types(matrix.get(), generate_all)) {
        throw NotSupported(__FILE__, __LINE__, name_of_multigrid,
                           "the default levels for a matrix of type " + type_name(*matrix) +
                               ", which cannot be converted to Csr; set mg_level");
    }
}

void MultigridHierarchy::generate_smoothers(const Parameters& parameters)
{
    if (parameters.smoother_iters == 0) {
        throw OutOfBoundsError(__FILE__, __LINE__,
                               std::string(name_of_multigrid) + ": smoother_iters 0 (it has to be at least 1)");
    }
    const auto num_factories = parameters.mg_level.size();
    const auto check = [&](const auto& list, const char* list_name) {
        if (list.size() > 1 && list.size() != num_factories && list.size() != levels_.size()) {
            throw ValueMismatch(__FILE__, __LINE__, name_of_multigrid, list.size(), levels_.size(),
                                std::string(list_name) + " needs one element, one for each element of mg_level (" +
                                    std::to_string(num_factories) + "), or one for each level");
        }
    };
    const auto create = [&](const auto& list, size_type number, const char* list_name) -> std::shared_ptr<const LinOp> {
        const auto matrix = levels_[number].operators->get_fine_op();
        if (list.empty()) {
            return create_smoother(matrix, exec_, (number == 0 ? 2 : 3) * parameters.smoother_iters,
                                   levels_[number].op.get());
        }
        const auto index = list.size() == num_factories ? levels_[number].factory_index : number;
        const auto& factory = list.size() == 1 ? list[0] : list[index];
        return factory ? generate(*factory, matrix, exec_, list_name) : nullptr;
    };
    check(parameters.pre_smoother, "pre_smoother");
    check(parameters.post_smoother, "post_smoother");
    check(parameters.mid_smoother, "mid_smoother");
    for (size_type number = 0; number < levels_.size(); ++number) {
        auto& level = levels_[number];
        level.pre_smoother = create(parameters.pre_smoother, number, "pre_smoother");
        level.post_smoother =
            parameters.post_uses_pre ? level.pre_smoother : create(parameters.post_smoother, number, "post_smoother");
        if (parameters.mid_case == multigrid::mid_smooth_type::standalone && !parameters.mid_smoother.empty()) {
            level.mid_smoother = create(parameters.mid_smoother, number, "mid_smoother");
        }
    }
}

void MultigridHierarchy::generate_coarsest_solver(const Parameters& parameters)
{
    if (!parameters.coarsest_solver.empty()) {
        const auto index = select(parameters.coarsest_solver, parameters.solver_selector, levels_.size(), 0,
                                  coarsest_matrix_.get(), "coarsest_solver");
        coarsest_solver_ = generate(*parameters.coarsest_solver[index], coarsest_matrix_, exec_, "coarsest_solver");
        return;
    }
    constexpr size_type num_steps = 10;
    if (coarsest_matrix_->get_size()[0] > max_inverted_rows) {
        remarks_.push_back("the coarsest matrix is too large to be inverted: smoothed");
        coarsest_solver_ = create_smoother(coarsest_matrix_, exec_, num_steps, nullptr);
        return;
    }
    std::visit(
        [&](auto value) {
            coarsest_solver_ = std::make_shared<multigrid::detail::ExplicitInverse<decltype(value)>>(
                on_executor(exec_, coarsest_matrix_));
        },
        coarsest_value_type_);
}

void MultigridHierarchy::apply_cycle(multigrid::cycle cycle, const LinOp* b, LinOp* x,
                                     spruce::detail::Workspace& workspace) const
{
    std::visit(
        [&](auto value) {
            using Dense = matrix::Dense<decltype(value)>;
            this->apply_to_level(0, cycle, as<const Dense>(b), as<Dense>(x), workspace.get());
        },
        this->get_value_type());
}

template <typename V>
void MultigridHierarchy::apply_to_level(size_type number, multigrid::cycle cycle, const matrix::Dense<V>* b,
                                        matrix::Dense<V>* x, spruce::detail::Workspace::Impl& work) const
{
    if (number == levels_.size()) {
        smooth(coarsest_solver_.get(), b, x, true, work, number);
        return;
    }
    const auto& level = levels_[number];
    smooth(level.pre_smoother.get(), b, x, true, work, number);
    this->correct(number, cycle, b, x, work);
    if (cycle != multigrid::cycle::v) {
        using type = multigrid::mid_smooth_type;
        if (mid_case_ == type::standalone) {
            smooth(level.mid_smoother.get(), b, x, false, work, number);
        }
        if (mid_case_ == type::both || mid_case_ == type::post_smoother) {
            smooth(level.post_smoother.get(), b, x, false, work, number);
        }
        if (mid_case_ == type::both || mid_case_ == type::pre_smoother) {
            smooth(level.pre_smoother.get(), b, x, false, work, number);
        }
        this->correct(number, cycle == multigrid::cycle::f ? multigrid::cycle::v : cycle, b, x, work);
    }
    smooth(level.post_smoother.get(), b, x, false, work, number);
}

/// Adds the correction of the next coarser level to x.
template <typename V>
void MultigridHierarchy::correct(size_type number, multigrid::cycle cycle, const matrix::Dense<V>* b,
                                 matrix::Dense<V>* x, spruce::detail::Workspace::Impl& work) const
{
    const auto& operators = *levels_[number].operators;
    const auto num_rhs = b->get_size()[1];
    const auto plus_one = work.constant({"one", number}, exec_, one<V>());
    const auto minus_one = work.constant({"-one", number}, exec_, -one<V>());
    const auto r = work.dense<V>({"r", number}, exec_, b->get_size());
    r->copy_from(b);
    operators.get_fine_op()->apply(minus_one, x, plus_one, r);
    const auto next_type = number + 1 == levels_.size() ? coarsest_value_type_ : levels_[number + 1].value_type;
    std::visit(
        [&](auto value) {
            using Next = decltype(value);
            const dim<2> size{operators.get_coarse_op()->get_size()[0], num_rhs};
            const auto coarse_b = work.dense<Next>({"b", number + 1}, exec_, size);
            const auto coarse_x = work.dense<Next>({"x", number + 1}, exec_, size);
            operators.get_restrict_op()->apply(r, coarse_b);
            this->apply_to_level(number + 1, cycle, coarse_b, coarse_x, work);
            operators.get_prolong_op()->apply(plus_one, coarse_x, plus_one, x);
        },
        next_type);
}

const LinOp* MultigridHierarchy::find_part_without_refresh() const
{
    const auto cannot_be_refreshed = [](const std::shared_ptr<const LinOp>& op) {
        return op && !spruce::detail::is_refreshable(op.get());
    };
    for (const auto& level : levels_) {
        for (const auto& op : {level.op, level.pre_smoother, level.mid_smoother, level.post_smoother}) {
            if (cannot_be_refreshed(op)) {
                return op.get();
            }
        }
    }
    return cannot_be_refreshed(coarsest_solver_) ? coarsest_solver_.get() : nullptr;
}

void MultigridHierarchy::refresh(std::shared_ptr<const LinOp> matrix)
{
    if (const auto part = this->find_part_without_refresh()) {
        throw NotSupported(
            __FILE__, __LINE__, "the refresh of solver::Multigrid",
            "a part of type " + type_name(*part) + " that is not Refreshable, or has a part that cannot be refreshed");
    }
    factorization::detail::require_same_size(
        name_of_multigrid, matrix->get_size(),
        (levels_.empty() ? coarsest_matrix_ : levels_[0].operators->get_fine_op())->get_size());
    if (levels_.empty()) {
        visit_types(matrix.get(),
                    [&](auto value, auto index) { require_suitable<decltype(value), decltype(index)>(exec_, matrix); });
    }
    const auto refresh_part = [&](const std::shared_ptr<const LinOp>& op) {
        if (op) {
            as<Refreshable>(std::const_pointer_cast<LinOp>(op))->refresh(matrix);
        }
    };
    for (const auto& level : levels_) {
        refresh_part(level.op);
        matrix = level.operators->get_fine_op();
        refresh_part(level.pre_smoother);
        refresh_part(level.mid_smoother);
        if (level.post_smoother != level.pre_smoother) {
            refresh_part(level.post_smoother);
        }
        matrix = level.operators->get_coarse_op();
    }
    refresh_part(coarsest_solver_);
    coarsest_matrix_ = std::move(matrix);
}

bool MultigridHierarchy::launches_are_static() const
{
    const auto is_static = [](const std::shared_ptr<const LinOp>& op) { return !op || op->launches_are_static(); };
    return is_static(coarsest_solver_) && std::all_of(levels_.begin(), levels_.end(), [&](const level& level) {
               const auto& operators = *level.operators;
               return is_static(operators.get_fine_op()) && is_static(operators.get_restrict_op()) &&
                      is_static(operators.get_prolong_op()) && is_static(level.pre_smoother) &&
                      is_static(level.mid_smoother) && is_static(level.post_smoother);
           });
}

bool MultigridHierarchy::shares_memory_with(const memory_extent& memory) const noexcept
{
    const auto shares = [&](const std::shared_ptr<const LinOp>& op) { return op && op->shares_memory_with(memory); };
    return shares(coarsest_solver_) || shares(coarsest_matrix_) ||
           std::any_of(levels_.begin(), levels_.end(), [&](const level& level) {
               const auto& operators = *level.operators;
               return shares(operators.get_fine_op()) || shares(operators.get_restrict_op()) ||
                      shares(operators.get_prolong_op()) || shares(level.pre_smoother) || shares(level.mid_smoother) ||
                      shares(level.post_smoother);
           });
}

std::string MultigridHierarchy::explain() const
{
    std::ostringstream text;
    text << "level  rows        entries     operators\n";
    double sum{};
    double finest{};
    const auto add_matrix = [&](size_type number, const LinOp& matrix, const std::string& operators) {
        const auto entries = num_entries(&matrix);
        if (entries) {
            sum += static_cast<double>(*entries);
            finest = number == 0 ? static_cast<double>(*entries) : finest;
        }
        text << std::left << std::setw(7) << number << std::setw(12) << matrix.get_size()[0] << std::setw(12)
             << (entries ? std::to_string(*entries) : "unknown") << operators << '\n';
    };
    for (size_type number = 0; number < levels_.size(); ++number) {
        const auto& level = levels_[number];
        auto operators = type_name(*level.op);
        operators += ", " + (level.pre_smoother ? type_name(*level.pre_smoother) : std::string("no pre-smoother"));
        if (level.post_smoother != level.pre_smoother) {
            operators +=
                ", " + (level.post_smoother ? type_name(*level.post_smoother) : std::string("no post-smoother"));
        }
        add_matrix(number, *level.operators->get_fine_op(), operators);
    }
    add_matrix(levels_.size(), *coarsest_matrix_, type_name(*coarsest_solver_));
    if (finest > 0) {
        text << "entries of all levels / entries of the finest: " << std::setprecision(3) << sum / finest << '\n';
    }
    for (const auto& remark : remarks_) {
        text << remark << '\n';
    }
    return text.str();
}

}  // namespace spruce::solver::detail
