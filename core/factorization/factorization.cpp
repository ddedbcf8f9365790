// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/factorization.hpp>

#include <algorithm>
#include <string>

#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/factorization/triangles.hpp"

namespace spruce::experimental::factorization {
namespace {

constexpr bool is_separate(storage_type type)
{
    return type == storage_type::composition || type == storage_type::symm_composition;
}

/// Returns a copy of the matrix, with sorted rows, and its diagonal entries.
template <typename V, typename I>
std::unique_ptr<matrix::Csr<V, I>> sort_and_check(const matrix::Csr<V, I>& combined, array<I>& diagonal)
{
    namespace tools = spruce::factorization::detail;
    auto sorted = combined.clone();
    sorted->sort_by_column_index();
    const auto exec = sorted->get_executor();
    array<I> found{exec, 1};
    const auto row = tools::find_row(found, sorted->get_size()[0], [&](I* first) {
        kernels::factor_pattern::find_unsorted_row<V, I>(*exec, *sorted, first);
    });
    if (row >= 0) {
        throw UnsupportedMatrixProperty(__FILE__, __LINE__,
                                        "Factorization::unpack: row " + std::to_string(row) + " stores an entry twice");
    }
    if (tools::find_diagonal(*sorted, diagonal) > 0) {
        const auto on_host = diagonal.copy_to_host();
        const auto missing = std::find(on_host.begin(), on_host.end(), I{-1}) - on_host.begin();
        throw UnsupportedMatrixProperty(
            __FILE__, __LINE__,
            "Factorization::unpack: row " + std::to_string(missing) + " has no entry on the diagonal");
    }
    return sorted;
}

}  // namespace

template <typename V, typename I>
Factorization<V, I>::Factorization(std::shared_ptr<const Executor> exec) : EnableLinOp<Factorization>(std::move(exec))
{}

template <typename V, typename I>
Factorization<V, I>::Factorization(const Factorization& other) : Factorization(other.get_executor())
{
    *this = other;
}

template <typename V, typename I>
Factorization<V, I>::Factorization(Factorization&& other) : Factorization(other.get_executor())
{
    *this = std::move(other);
}

template <typename V, typename I>
Factorization<V, I>& Factorization<V, I>::operator=(const Factorization& other)
{
    if (this != &other) {
        factors_ = solver::detail::on_executor(this->get_executor(), other.factors_);
        storage_type_ = other.storage_type_;
        EnableLinOp<Factorization>::operator=(other);
    }
    return *this;
}

template <typename V, typename I>
Factorization<V, I>& Factorization<V, I>::operator=(Factorization&& other)
{
    if (this != &other) {
        factors_ = solver::detail::on_executor(this->get_executor(), other.factors_);
        other.factors_ = nullptr;
        storage_type_ = std::exchange(other.storage_type_, storage_type::empty);
        EnableLinOp<Factorization>::operator=(std::move(other));
    }
    return *this;
}

template <typename V, typename I>
Factorization<V, I>::~Factorization() = default;

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create(std::unique_ptr<composition_type> factors,
                                                                 storage_type type)
{
    auto result = std::unique_ptr<Factorization>(new Factorization(factors->get_executor()));
    result->set_size(factors->get_size());
    result->storage_type_ = type;
    result->factors_ = std::move(factors);
    return result;
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_product(const char* method,
                                                                              std::unique_ptr<composition_type> product,
                                                                              storage_type type)
{
    spruce::detail::require_pointers(method, product);
    const auto& operators = product->get_operators();
    const auto is_matrix = [&](size_type i) { return dynamic_cast<const matrix_type*>(operators[i].get()) != nullptr; };
    const auto num = operators.size();
    if ((num != 2 && num != 3) || !is_matrix(0) || !is_matrix(num - 1) ||
        (num == 3 && !dynamic_cast<const diag_type*>(operators[1].get()))) {
        throw NotSupported(__FILE__, __LINE__, method,
                           "a Composition that is neither of two Csr nor of a Csr, a Diagonal and a Csr");
    }
    for (const auto& factor : operators) {
        solver::detail::require_square(factor.get(), method);
    }
    return create(std::move(product), type);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_matrix(const char* method,
                                                                             std::unique_ptr<matrix_type> matrix,
                                                                             storage_type type)
{
    spruce::detail::require_pointers(method, matrix);
    solver::detail::require_square(matrix.get(), method);
    return create(composition_type::create(share(std::move(matrix))), type);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_composition(
    std::unique_ptr<composition_type> composition)
{
    return create_from_product("Factorization::create_from_composition", std::move(composition),
                               storage_type::composition);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_symm_composition(
    std::unique_ptr<composition_type> composition)
{
    return create_from_product("Factorization::create_from_symm_composition", std::move(composition),
                               storage_type::symm_composition);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_combined_lu(std::unique_ptr<matrix_type> matrix)
{
    return create_from_matrix("Factorization::create_from_combined_lu", std::move(matrix), storage_type::combined_lu);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_combined_ldu(std::unique_ptr<matrix_type> matrix)
{
    return create_from_matrix("Factorization::create_from_combined_ldu", std::move(matrix), storage_type::combined_ldu);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_combined_cholesky(
    std::unique_ptr<matrix_type> matrix)
{
    return create_from_matrix("Factorization::create_from_combined_cholesky", std::move(matrix),
                              storage_type::symm_combined_cholesky);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::create_from_combined_ldl(std::unique_ptr<matrix_type> matrix)
{
    return create_from_matrix("Factorization::create_from_combined_ldl", std::move(matrix),
                              storage_type::symm_combined_ldl);
}

template <typename V, typename I>
std::unique_ptr<Factorization<V, I>> Factorization<V, I>::unpack() const
{
    using spruce::factorization::detail::extract_triangle;
    if (!this->get_combined()) {
        return std::unique_ptr<Factorization>(new Factorization(*this));
    }
    array<I> diagonal{this->get_executor()};
    const auto combined = sort_and_check(*this->get_combined(), diagonal);
    const auto is_symmetric =
        storage_type_ == storage_type::symm_combined_cholesky || storage_type_ == storage_type::symm_combined_ldl;
    const auto has_diagonal =
        storage_type_ == storage_type::combined_ldu || storage_type_ == storage_type::symm_combined_ldl;
    const auto l_has_ones = storage_type_ != storage_type::symm_combined_cholesky;
    const auto strategy = this->get_combined()->get_strategy();
    const auto l = share(extract_triangle(*combined, diagonal, false, l_has_ones, strategy));
    const auto u = is_symmetric ? as<matrix_type>(share(l->conj_transpose()))
                                : share(extract_triangle(*combined, diagonal, true, has_diagonal, strategy));
    return create(has_diagonal ? composition_type::create(l, share(combined->extract_diagonal()), u)
                               : composition_type::create(l, u),
                  is_symmetric ? storage_type::symm_composition : storage_type::composition);
}

template <typename V, typename I>
template <typename Operator>
std::shared_ptr<const Operator> Factorization<V, I>::get_operator(bool is_available, size_type index) const
{
    return is_available ? std::static_pointer_cast<const Operator>(factors_->get_operators()[index]) : nullptr;
}

template <typename V, typename I>
auto Factorization<V, I>::get_lower_factor() const -> std::shared_ptr<const matrix_type>
{
    return this->template get_operator<matrix_type>(is_separate(storage_type_), 0);
}

template <typename V, typename I>
auto Factorization<V, I>::get_diagonal() const -> std::shared_ptr<const diag_type>
{
    return this->template get_operator<diag_type>(is_separate(storage_type_) && factors_->get_operators().size() == 3,
                                                  1);
}

template <typename V, typename I>
auto Factorization<V, I>::get_upper_factor() const -> std::shared_ptr<const matrix_type>
{
    const auto is_available = is_separate(storage_type_);
    return this->template get_operator<matrix_type>(is_available,
                                                    is_available ? factors_->get_operators().size() - 1 : 0);
}

template <typename V, typename I>
auto Factorization<V, I>::get_combined() const -> std::shared_ptr<const matrix_type>
{
    return this->template get_operator<matrix_type>(storage_type_ != storage_type::empty && !is_separate(storage_type_),
                                                    0);
}

template <typename V, typename I>
bool Factorization<V, I>::shares_memory_with(const memory_extent& memory) const noexcept
{
    return factors_ && factors_->shares_memory_with(memory);
}

template <typename V, typename I>
bool Factorization<V, I>::has_static_launches() const
{
    return is_separate(storage_type_) && factors_->launches_are_static();
}

template <typename V, typename I>
auto Factorization<V, I>::get_product() const -> const composition_type&
{
    if (!is_separate(storage_type_)) {
        throw NotSupported(__FILE__, __LINE__, "Factorization::apply",
                           "an empty factorization or one in a single matrix; unpack() separates the factors");
    }
    return *factors_;
}

template <typename V, typename I>
void Factorization<V, I>::apply_impl(const LinOp* b, LinOp* x) const
{
    this->get_product().apply(b, x);
}

template <typename V, typename I>
void Factorization<V, I>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    this->get_product().apply(alpha, b, beta, x);
}

#define SPRUCE_FACTORIZATION(_value, _index) class SPRUCE_EXPORT Factorization<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_FACTORIZATION);

}  // namespace spruce::experimental::factorization
