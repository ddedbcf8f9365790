// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/multigrid/galerkin_level.hpp>

#include <type_traits>
#include <utility>

#include <spruce/base/composition.hpp>
#include <spruce/base/temporary_clone.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/components/array_kernels.hpp"
#include "core/factorization/pattern_checks.hpp"
#include "core/multigrid/level_matrix.hpp"
#include "core/multigrid/multigrid_kernels.hpp"

namespace spruce::multigrid::detail {
namespace {

/// Returns the matrix for products with vectors of the level: the given one, or its copy if it is
/// a Csr of another value type.
template <typename V, typename I>
std::shared_ptr<const LinOp> choose_fine_op(std::shared_ptr<const LinOp> given,
                                            std::shared_ptr<const matrix::Csr<V, I>> converted)
{
    bool has_other_type{};
    for_each_value_and_index_type([&](auto tag) {
        using W = typename decltype(tag)::value_type;
        using J = typename decltype(tag)::index_type;
        if (!std::is_same_v<V, W> && dynamic_cast<const matrix::Csr<W, J>*>(given.get())) {
            has_other_type = true;
        }
    });
    return has_other_type ? std::shared_ptr<const LinOp>{std::move(converted)} : std::move(given);
}

}  // namespace

/// Holds what refresh() uses.
template <typename V, typename I>
struct GalerkinLevel<V, I>::data {
    data(const char* name, const level_matrix<V, I>& a, std::unique_ptr<matrix_type> prolongation,
         prolongation_update update, std::shared_ptr<const spectrum> eigenvalues, size_type num_vectors)
        : name{name},
          num_vectors{num_vectors},
          sorts_rows{a.is_sorted_copy},
          pattern{*a.given},
          fine{a.sorted},
          update{std::move(update)},
          p{std::move(prolongation)},
          eigenvalues{std::move(eigenvalues)}
    {
        std::tie(r, transposition) = p->transpose_reuse();
        this->conjugate_restriction();
        std::tie(ap, product_with_p) = fine->multiply_reuse(p);
        std::tie(coarse, product_with_r) = r->multiply_reuse(ap);
        this->complete_diagonal();
    }

    void complete_diagonal()
    {
        if (num_vectors > 0) {
            kernels::multigrid::complete_diagonal<V, I>(*coarse->get_executor(), *fine, *r, num_vectors, *coarse);
        }
    }

    void conjugate_restriction()
    {
        if constexpr (is_complex<V>()) {
            kernels::components::conjugate_array<V>(*r->get_executor(), r->get_const_values(), r->get_values(),
                                                    r->get_num_stored_elements());
        }
    }

    void refresh(std::shared_ptr<const matrix_type> a)
    {
        pattern.require_same(name, *a);
        if (sorts_rows) {
            auto sorted = clone(a);
            sorted->sort_by_column_index();
            a = std::move(sorted);
        }
        if (update) {
            update(*a, *p);
            transposition.update_values(p, r);
            this->conjugate_restriction();
        }
        product_with_p.update_values(a, p, ap);
        product_with_r.update_values(r, ap, coarse);
        fine = std::move(a);
        this->complete_diagonal();
    }

    const char* name;
    size_type num_vectors;
    bool sorts_rows;                                     ///< the rows of A are not sorted
    factorization::detail::StoredPattern<V, I> pattern;  ///< of A in its own order
    std::shared_ptr<const matrix_type> fine;             ///< the last A, sorted
    prolongation_update update;
    std::shared_ptr<matrix_type> p;
    std::shared_ptr<const spectrum> eigenvalues;
    std::shared_ptr<matrix_type> r;
    std::shared_ptr<matrix_type> ap;
    std::shared_ptr<matrix_type> coarse;
    typename matrix_type::permuting_reuse_info transposition;
    typename matrix_type::multiply_reuse_info product_with_p;
    typename matrix_type::multiply_reuse_info product_with_r;
};

template <typename V, typename I>
GalerkinLevel<V, I>::GalerkinLevel(std::shared_ptr<const Executor> exec) : Base(std::move(exec))
{}

template <typename V, typename I>
void GalerkinLevel<V, I>::compute_galerkin(const char* name, std::shared_ptr<const LinOp> fine,
                                           const level_matrix<V, I>& a, std::unique_ptr<matrix_type> p,
                                           prolongation_update update, std::shared_ptr<const spectrum> eigenvalues,
                                           size_type num_vectors)
{
    data_ = std::make_shared<data>(name, a, std::move(p), std::move(update), std::move(eigenvalues), num_vectors);
    product_ = Composition<V>::create(data_->p, data_->coarse, data_->r);
    this->set_fine_op(choose_fine_op<V, I>(std::move(fine), a.given));
    this->set_multigrid_level(data_->p, data_->coarse, data_->r);
    this->set_size(product_->get_size());
}

template <typename V, typename I>
void GalerkinLevel<V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    const std::string method = "the refresh of a multigrid level";
    spruce::detail::require_pointers(method.c_str(), matrix);
    if (!data_) {
        throw NotSupported(__FILE__, __LINE__, method, "a level that is empty or was copied from another executor");
    }
    const auto a = compact_csr<V, I>(this->get_executor(), matrix);
    data_->refresh(a);
    this->set_fine_op(choose_fine_op<V, I>(solver::detail::on_executor(this->get_executor(), std::move(matrix)), a));
}

template <typename V, typename I>
bool GalerkinLevel<V, I>::can_be_refreshed() const
{
    return data_ != nullptr;
}

template <typename V, typename I>
bool GalerkinLevel<V, I>::shares_memory_with(const memory_extent& memory) const noexcept
{
    return product_ && product_->shares_memory_with(memory);
}

template <typename V, typename I>
std::shared_ptr<const spectrum> GalerkinLevel<V, I>::get_spectrum() const
{
    return data_ ? data_->eigenvalues : nullptr;
}

template <typename V, typename I>
GalerkinLevel<V, I>::GalerkinLevel(const GalerkinLevel& other) : GalerkinLevel(other.get_executor())
{
    *this = other;
}

template <typename V, typename I>
GalerkinLevel<V, I>::GalerkinLevel(GalerkinLevel&& other) : GalerkinLevel(other.get_executor())
{
    *this = std::move(other);
}

template <typename V, typename I>
auto GalerkinLevel<V, I>::operator=(const GalerkinLevel& other) -> GalerkinLevel&
{
    if (this != &other) {
        Base::operator=(other);
        this->copy_operators(this->get_executor(), other);
        data_ = this->get_executor() == other.get_executor() ? other.data_ : nullptr;
        product_ = solver::detail::on_executor(this->get_executor(), other.product_);
    }
    return *this;
}

template <typename V, typename I>
auto GalerkinLevel<V, I>::operator=(GalerkinLevel&& other) -> GalerkinLevel&
{
    if (this != &other) {
        const auto& source = other;
        *this = source;
        other.set_size({});
        other.clear_operators();
        other.data_ = nullptr;
        other.product_ = nullptr;
    }
    return *this;
}

template <typename V, typename I>
GalerkinLevel<V, I>::~GalerkinLevel() = default;

template <typename V, typename I>
void GalerkinLevel<V, I>::apply_impl(const LinOp* b, LinOp* x) const
{
    if (product_) {
        product_->apply(b, x);
    }
}

template <typename V, typename I>
void GalerkinLevel<V, I>::apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const
{
    if (product_) {
        product_->apply(alpha, b, beta, x);
    }
}

#define SPRUCE_GALERKIN_LEVEL(_value, _index) class GalerkinLevel<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_GALERKIN_LEVEL);

}  // namespace spruce::multigrid::detail
