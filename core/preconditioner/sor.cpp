// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/preconditioner/sor.hpp>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <spruce/base/name_demangling.hpp>
#include <spruce/base/temporary_clone.hpp>
#include <spruce/matrix/permutation.hpp>
#include <spruce/preconditioner/factor_solvers.hpp>
#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/solver/triangular.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/base/refreshable.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/triangles.hpp"
#include "core/graph/coloring.hpp"
#include "core/preconditioner/sor_kernels.hpp"
#include "core/solver/level_order.hpp"

namespace spruce::preconditioner::detail {

template <typename V, typename I>
struct SorComposition<V, I>::options {
    const char* name;  ///< name of the factory in messages
    bool skip_sorting;
    bool symmetric;
    bool multicolor;
    remove_complex<V> relaxation_factor;
    std::shared_ptr<const LinOpFactory> l_solver;
    std::shared_ptr<const LinOpFactory> u_solver;
};

namespace {

template <typename Real>
void require_relaxation_factor(const std::string& name, Real factor)
{
    if (!(factor > 0 && factor < 2)) {
        std::ostringstream message;
        message << name << ": relaxation_factor " << factor << " (it has to be greater than 0 and less than 2)";
        throw OutOfBoundsError(__FILE__, __LINE__, message.str());
    }
}

/// Returns a matrix with the pattern of a whose values are the numbers of the entries. double
/// represents them exactly up to 2^53.
template <typename V, typename I>
std::unique_ptr<matrix::Csr<double, I>> with_numbered_entries(const matrix::Csr<V, I>& a)
{
    const auto exec = a.get_executor();
    const auto num_entries = a.get_num_stored_elements();
    array<double> numbers{exec, num_entries};
    kernels::csr::number_entries(*exec, numbers.get_data(), num_entries);
    return matrix::Csr<double, I>::create(
        exec, a.get_size(), std::move(numbers),
        array<I>::const_view(exec, num_entries, a.get_const_col_idxs()).copy_to_array(),
        array<I>::const_view(exec, a.get_size()[0] + 1, a.get_const_row_ptrs()).copy_to_array(),
        std::make_shared<typename matrix::Csr<double, I>::classical>());
}

/// Returns the permutation that orders rows by colour, and rows of a colour by number.
template <typename V, typename I>
std::shared_ptr<matrix::Permutation<I>> order_by_color(const matrix::Csr<V, I>& a)
{
    array<I> order{a.get_executor()};
    kernels::order_by_group(graph::color_rows(a), order);
    return matrix::Permutation<I>::create(a.get_executor(), std::move(order));
}

/// Creates a solver on the executor of the matrix by the factory, or a Default if that is null.
/// @param name, parameter  of the preconditioner and of the factory in messages
template <typename Default>
std::shared_ptr<LinOp> create_solver(const char* name, const char* parameter,
                                     const std::shared_ptr<const LinOpFactory>& factory,
                                     const std::shared_ptr<const LinOp>& matrix)
{
    const auto exec = matrix->get_executor();
    if (!factory) {
        return Default::build().on(exec)->generate(matrix);
    }
    auto solver = share(factory->generate(matrix));
    require_generated(name, parameter, solver.get());
    return solver->get_executor() == exec ? solver : share(clone(exec, solver));
}

/// Holds a triangle of the matrix, in the order of the colours if there are any, and its solver.
template <typename V, typename I>
struct triangle {
    using matrix_type = matrix::Csr<V, I>;

    /// Creates the triangle without its values and its solver.
    /// @param numbered  the matrix from with_numbered_entries(), in the order of the triangle
    triangle(const matrix::Csr<double, I>& numbered, const array<I>& diagonal, bool upper)
        : sources{numbered.get_executor()}
    {
        const auto exec = numbered.get_executor();
        const auto numbers = factorization::detail::extract_triangle(numbered, diagonal, upper, false);
        const auto num_entries = numbers->get_num_stored_elements();
        sources.resize_and_reset(num_entries);
        kernels::csr::convert_to_positions<I>(*exec, numbers->get_const_values(), num_entries, sources.get_data());
        matrix = matrix_type::create(
            exec, numbers->get_size(), array<V>{exec, num_entries},
            array<I>::const_view(exec, num_entries, numbers->get_const_col_idxs()).copy_to_array(),
            array<I>::const_view(exec, numbers->get_size()[0] + 1, numbers->get_const_row_ptrs()).copy_to_array());
    }

    array<I> sources;  ///< the entry of A for each entry of the triangle
    std::shared_ptr<matrix_type> matrix;
    std::shared_ptr<LinOp> solver;
};

}  // namespace

/// Holds what refresh() uses.
template <typename V, typename I>
struct sor_data {
    using matrix_type = matrix::Csr<V, I>;

    sor_data(const matrix_type& a, const typename SorComposition<V, I>::options& options)
        : name{options.name},
          relaxation_factor{options.relaxation_factor},
          pattern{a},
          diagonal{a.get_executor()},
          found_row{a.get_executor(), 1}
    {
        const auto exec = a.get_executor();
        if (factorization::detail::find_diagonal(a, diagonal) > 0) {
            const auto positions = diagonal.copy_to_host();
            const auto row = std::find(positions.begin(), positions.end(), I{-1}) - positions.begin();
            throw InvalidStateError(
                __FILE__, __LINE__, name,
                "row " + std::to_string(row) + " has no nonzero entry on the diagonal; every row needs one");
        }
        this->require_suitable_entries(a);
        std::unique_ptr<const matrix::Csr<double, I>> numbered;
        {
            auto sorted = with_numbered_entries(a);
            if (!options.skip_sorting && !sorted->is_sorted_by_column_index()) {
                sorted->sort_by_column_index();
            }
            numbered = std::move(sorted);
        }
        factorization::detail::require_increasing_columns(name, *numbered, options.skip_sorting, found_row);
        if (options.multicolor) {
            permutation = order_by_color(*numbered);
            numbered = numbered->permute(permutation, matrix::permute_mode::symmetric);
        }
        array<I> permuted_diagonal{exec};
        factorization::detail::find_diagonal(*numbered, permuted_diagonal);
        lower.emplace(*numbered, permuted_diagonal, false);
        if (options.symmetric) {
            upper.emplace(*numbered, permuted_diagonal, true);
        }
        numbered = nullptr;  // frees memory
        this->compute(a);
        lower->solver =
            create_solver<solver::LowerTrs<V, I>>(options.name, "l_solver", options.l_solver, lower->matrix);
        if (upper) {
            upper->solver =
                create_solver<solver::UpperTrs<V, I>>(options.name, "u_solver", options.u_solver, upper->matrix);
        }
    }

    void require_suitable_entries(const matrix_type& a)
    {
        const auto row = factorization::detail::find_row(found_row, a.get_size()[0], [&](I* first) {
            kernels::factor_pattern::find_unsuitable_row<V, I>(*a.get_executor(), a, diagonal.get_const_data(), false,
                                                               first);
        });
        if (row >= 0) {
            throw InvalidStateError(
                __FILE__, __LINE__, name,
                "row " + std::to_string(row) +
                    " has no nonzero entry on the diagonal, or an entry that is not finite; every row needs a "
                    "nonzero entry on the diagonal, and finite entries");
        }
    }

    void require_refreshable_solvers(const std::string& method) const
    {
        for (const auto& part : {&lower, &upper}) {
            if (*part && !spruce::detail::is_refreshable((*part)->solver.get())) {
                const auto& op = *(*part)->solver;
                throw NotSupported(__FILE__, __LINE__, method,
                                   "a solver of type " + name_demangling::get_type_name(typeid(op)) +
                                       " that is not Refreshable, or has a part that cannot be refreshed");
            }
        }
    }

    /// Computes the values of the triangles.
    void compute(const matrix_type& a)
    {
        const auto exec = a.get_executor();
        kernels::sor::scale_lower<V, I>(*exec, a.get_const_values(), lower->sources.get_const_data(), relaxation_factor,
                                        *lower->matrix);
        if (upper) {
            kernels::sor::scale_upper<V, I>(*exec, a.get_const_values(), upper->sources.get_const_data(),
                                            relaxation_factor, *upper->matrix);
        }
    }

    void refresh(const matrix_type& a)
    {
        pattern.require_same(name, a);
        this->require_suitable_entries(a);
        this->compute(a);
        for (const auto& part : {&lower, &upper}) {
            if (*part) {
                as<Refreshable>((*part)->solver)->refresh((*part)->matrix);
            }
        }
    }

    std::string name;
    remove_complex<V> relaxation_factor;
    factorization::detail::StoredPattern<V, I> pattern;   ///< of A
    array<I> diagonal;                                    ///< the diagonal entries of A
    array<I> found_row;                                   ///< one element
    std::shared_ptr<matrix::Permutation<I>> permutation;  ///< null if rows are not ordered by colour
    std::optional<triangle<V, I>> lower;
    std::optional<triangle<V, I>> upper;  ///< empty for forward sweeps only
};

template <typename V, typename I>
SorComposition<V, I>::SorComposition(std::shared_ptr<const Executor> exec)
    : Base(std::move(exec), "preconditioner::Sor or GaussSeidel")
{}

template <typename V, typename I>
SorComposition<V, I>::SorComposition(const Sor<V, I>* factory, std::shared_ptr<const LinOp> system_matrix)
    : SorComposition(factory->get_executor())
{
    const auto& parameters = factory->get_parameters();
    this->compute(std::move(system_matrix),
                  {"preconditioner::Sor", parameters.skip_sorting, parameters.symmetric, parameters.multicolor,
                   parameters.relaxation_factor, parameters.l_solver, parameters.u_solver});
}

template <typename V, typename I>
SorComposition<V, I>::SorComposition(const GaussSeidel<V, I>* factory, std::shared_ptr<const LinOp> system_matrix)
    : SorComposition(factory->get_executor())
{
    const auto& parameters = factory->get_parameters();
    this->compute(std::move(system_matrix),
                  {"preconditioner::GaussSeidel", parameters.skip_sorting, parameters.symmetric, parameters.multicolor,
                   remove_complex<V>{1}, parameters.l_solver, parameters.u_solver});
}

template <typename V, typename I>
void SorComposition<V, I>::compute(std::shared_ptr<const LinOp> system_matrix, const options& options)
{
    require_relaxation_factor(options.name, options.relaxation_factor);
    solver::detail::require_square(system_matrix.get(), options.name);
    const auto exec = this->get_executor();
    auto data = std::make_shared<sor_data<V, I>>(
        *copy_and_convert_to<const matrix_type>(exec, std::move(system_matrix)), options);
    std::vector<std::shared_ptr<const LinOp>> operators;
    if (data->permutation) {
        operators.push_back(data->permutation->compute_inverse());
    }
    if (data->upper) {
        operators.push_back(data->upper->solver);
    }
    operators.push_back(data->lower->solver);
    if (data->permutation) {
        operators.push_back(data->permutation);
    }
    this->set_product(options.name, std::move(data), std::move(operators));
}

template <typename V, typename I>
bool SorComposition<V, I>::can_be_refreshed() const
{
    const auto& data = this->get_data();
    return data && spruce::detail::is_refreshable(data->lower->solver.get()) &&
           (!data->upper || spruce::detail::is_refreshable(data->upper->solver.get()));
}

template <typename V, typename I>
void SorComposition<V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    auto& data = this->require_data(matrix.get());
    data.require_refreshable_solvers(this->get_name() + std::string("::refresh"));
    data.refresh(*copy_and_convert_to<const matrix_type>(this->get_executor(), std::move(matrix)));
}

#define SPRUCE_SOR_COMPOSITION(_value, _index) class SorComposition<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_SOR_COMPOSITION);

}  // namespace spruce::preconditioner::detail

namespace spruce::preconditioner {

template <typename V, typename I>
Sor<V, I>::Sor(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
Sor<V, I>::Sor(std::shared_ptr<const Executor> exec, const parameters_type& parameters)
    : Base(std::move(exec), parameters)
{}

template <typename V, typename I>
GaussSeidel<V, I>::GaussSeidel(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
GaussSeidel<V, I>::GaussSeidel(std::shared_ptr<const Executor> exec, const parameters_type& parameters)
    : Base(std::move(exec), parameters)
{}

#define SPRUCE_SOR(_value, _index) class SPRUCE_EXPORT Sor<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_SOR);
#define SPRUCE_GAUSS_SEIDEL(_value, _index) class SPRUCE_EXPORT GaussSeidel<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_GAUSS_SEIDEL);

}  // namespace spruce::preconditioner
