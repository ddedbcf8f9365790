// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/preconditioner/sor.hpp>

namespace spruce {
namespace preconditioner {
namespace detail {

template <typename ValueType, typename IndexType>
struct gauss_seidel_parameters
    : sor_base_parameters<gauss_seidel_parameters<ValueType, IndexType>, GaussSeidel<ValueType, IndexType>> {};

}  // namespace detail

/// Generates preconditioners by sweeps of Gauss-Seidel: those of Sor with a relaxation factor of 1.
/// M = D + L or, if symmetric is true, M = (D + L) D^-1 (D + U). Sor describes the operators that
/// generate() returns, and its exceptions. Only one thread at a time can apply such an operator.
/// Source: Saad 2003, Iterative Methods for Sparse Linear Systems, sections 4.1 and 10.2.
template <typename ValueType = default_precision, typename IndexType = int32>
class SPRUCE_EXPORT GaussSeidel
    : public EnableDefaultFactory<GaussSeidel<ValueType, IndexType>, detail::SorComposition<ValueType, IndexType>,
                                  detail::gauss_seidel_parameters<ValueType, IndexType>, LinOpFactory> {
    using Base = EnableDefaultFactory<GaussSeidel, detail::SorComposition<ValueType, IndexType>,
                                      detail::gauss_seidel_parameters<ValueType, IndexType>, LinOpFactory>;
    friend class EnablePolymorphicObject<GaussSeidel, LinOpFactory>;
    friend class enable_parameters_type<detail::gauss_seidel_parameters<ValueType, IndexType>, GaussSeidel>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using composition_type = Composition<ValueType>;
    using parameters_type = detail::gauss_seidel_parameters<ValueType, IndexType>;

    static parameters_type build() { return {}; }

private:
    explicit GaussSeidel(std::shared_ptr<const Executor> exec);
    GaussSeidel(std::shared_ptr<const Executor> exec, const parameters_type& parameters);
};

}  // namespace preconditioner
}  // namespace spruce
