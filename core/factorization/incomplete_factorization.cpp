// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/incomplete_factorization.hpp>

#include <tuple>

#include <spruce/base/temporary_clone.hpp>
#include <spruce/solver/solver_base.hpp>

#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/components/array_kernels.hpp"
#include "core/factorization/incomplete_factors.hpp"

namespace spruce::factorization::detail {

/// Holds what refresh() uses.
template <typename V, typename I>
struct incomplete_factorization_data {
    using matrix_type = matrix::Csr<V, I>;

    incomplete_factorization_data(const matrix_type& a, const typename IncompleteFactorization<V, I>::options& options)
        : is_hermitian{options.is_hermitian},
          factors{options.name, a, options.is_hermitian, options.skip_sorting, options.num_sweeps, options.threshold},
          l{factors.create_triangle(false, !is_hermitian, options.l_strategy)}
    {
        if (!options.stores_second_factor) {
            return;
        }
        if (is_hermitian) {
            std::tie(second, transposition) = l->transpose_reuse();
            this->conjugate_second();
            if (options.second_strategy) {
                second->set_strategy(options.second_strategy);
            }
        } else {
            second = factors.create_triangle(true, false, options.second_strategy);
        }
    }

    void refresh(const matrix_type& a)
    {
        factors.refresh(a);
        factors.copy_triangle(false, !is_hermitian, *l);
        if (second && is_hermitian) {
            transposition.update_values(l, second);
            this->conjugate_second();
        } else if (second) {
            factors.copy_triangle(true, false, *second);
        }
    }

    void conjugate_second()
    {
        if constexpr (is_complex<V>()) {
            kernels::components::conjugate_array<V>(*second->get_executor(), second->get_const_values(),
                                                    second->get_values(), second->get_num_stored_elements());
        }
    }

    bool is_hermitian;
    IncompleteFactors<V, I> factors;
    std::shared_ptr<matrix_type> l;
    std::shared_ptr<matrix_type> second;
    typename matrix_type::permuting_reuse_info transposition;
};

template <typename V, typename I>
IncompleteFactorization<V, I>::IncompleteFactorization(std::shared_ptr<const Executor> exec)
    : Base(std::move(exec), "an incomplete factorization")
{}

template <typename V, typename I>
void IncompleteFactorization<V, I>::factorize(std::shared_ptr<const LinOp> a, options options,
                                              const std::vector<std::shared_ptr<const log::Logger>>& loggers)
{
    solver::detail::require_square(a.get(), options.name);
    const auto matrix = copy_and_convert_to<const matrix_type>(this->get_executor(), std::move(a));
    auto data = std::make_shared<incomplete_factorization_data<V, I>>(*matrix, options);
    std::vector<std::shared_ptr<const LinOp>> operators{data->l};
    if (data->second) {
        operators.push_back(data->second);
    }
    this->set_product(options.name, std::move(data), std::move(operators));
    if (this->get_data()->factors.have_sweeps_failed()) {
        this->template log<log::Logger::sweeps_failed>(this);
        for (const auto& logger : std::vector(loggers)) {
            logger->template on<log::Logger::sweeps_failed>(this);
        }
    }
}

template <typename V, typename I>
auto IncompleteFactorization<V, I>::get_l_factor() const -> std::shared_ptr<const matrix_type>
{
    const auto& operators = this->get_operators();
    return operators.empty() ? nullptr : std::static_pointer_cast<const matrix_type>(operators[0]);
}

template <typename V, typename I>
auto IncompleteFactorization<V, I>::get_second_factor() const -> std::shared_ptr<const matrix_type>
{
    const auto& operators = this->get_operators();
    if (operators.size() == 1) {
        return as<matrix_type>(share(this->get_l_factor()->conj_transpose()));
    }
    return operators.empty() ? nullptr : std::static_pointer_cast<const matrix_type>(operators[1]);
}

template <typename V, typename I>
bool IncompleteFactorization<V, I>::can_be_refreshed() const
{
    return this->get_data() != nullptr;
}

template <typename V, typename I>
void IncompleteFactorization<V, I>::refresh(std::shared_ptr<const LinOp> matrix)
{
    auto& data = this->require_data(matrix.get());
    data.refresh(*copy_and_convert_to<const matrix_type>(this->get_executor(), std::move(matrix)));
    if (data.factors.have_sweeps_failed()) {
        this->template log<log::Logger::sweeps_failed>(this);
    }
}

#define SPRUCE_INCOMPLETE_FACTORIZATION(_value, _index) class IncompleteFactorization<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_INCOMPLETE_FACTORIZATION);

}  // namespace spruce::factorization::detail
