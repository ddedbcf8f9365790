// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/workspace.hpp>

namespace spruce {

/// Represents a product of operators op_1 op_2 ... op_n, in which op_n is applied first. Operators
/// on other executors are copied to the executor of op_1. Vectors between two operators are kept
/// for the next apply(), so only one thread at a time can apply it. If the library is built without
/// NDEBUG, a concurrent apply() throws InvalidStateError. If op_1 uses an initial guess, it starts
/// from x. Any other operator with an initial guess starts from its own input if that has the size
/// of its result, otherwise from zero.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Composition : public EnableLinOp<Composition<ValueType>>, public Transposable {
    friend class EnablePolymorphicObject<Composition, LinOp>;

public:
    using value_type = ValueType;
    using transposed_type = Composition;

    /// Creates an empty product. Applying it throws NotSupported.
    static std::unique_ptr<Composition> create(std::shared_ptr<const Executor> exec)
    {
        return std::unique_ptr<Composition>(new Composition(std::move(exec)));
    }
    /// Creates the product of these operators.
    /// @throws DimensionMismatch  if the sizes of neighbouring operators do not match
    static std::unique_ptr<Composition> create(std::vector<std::shared_ptr<const LinOp>> operators)
    {
        return std::unique_ptr<Composition>(new Composition(std::move(operators)));
    }
    template <typename... Rest>
    static std::unique_ptr<Composition> create(std::shared_ptr<const LinOp> first, Rest&&... rest)
    {
        return create(std::vector<std::shared_ptr<const LinOp>>{std::move(first), std::forward<Rest>(rest)...});
    }
    template <typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
    static std::unique_ptr<Composition> create(Iterator begin, Iterator end)
    {
        return create(std::vector<std::shared_ptr<const LinOp>>(begin, end));
    }

    const std::vector<std::shared_ptr<const LinOp>>& get_operators() const noexcept { return operators_; }

    /// Returns true if op_1 uses an initial guess. The other operators do not read x.
    bool apply_uses_initial_guess() const override
    {
        return !operators_.empty() && operators_.front()->apply_uses_initial_guess();
    }

    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    bool shares_memory_with(const memory_extent& memory) const noexcept override;

    Composition(const Composition&);
    Composition(Composition&&);
    Composition& operator=(const Composition&);
    Composition& operator=(Composition&&);
    ~Composition() override;

protected:
    bool has_static_launches() const override;
    explicit Composition(std::shared_ptr<const Executor> exec);
    explicit Composition(std::vector<std::shared_ptr<const LinOp>> operators);
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Applies all operators but the first to b. Returns b if there is only one operator.
    const LinOp* apply_inner(const LinOp* b) const;

    std::vector<std::shared_ptr<const LinOp>> operators_;
    mutable detail::Workspace workspace_;
};

/// Holds a product of operators. It is a base of operators that can also be written as a product.
/// Example: a level of a multigrid method is the product of prolongation, coarse matrix and
/// restriction. Copies share the product, which stays on the executor where it was created.
template <typename ValueType = default_precision>
class UseComposition {
public:
    using value_type = ValueType;

    virtual ~UseComposition() = default;

    /// Returns the product; null if none was set.
    std::shared_ptr<Composition<ValueType>> get_composition() const { return composition_; }

    /// Returns operator number index of the product, counted from 0; null if no product was set.
    /// @throws OutOfBoundsError  if the product has fewer operators
    std::shared_ptr<const LinOp> get_operator_at(size_type index) const
    {
        if (!composition_) {
            return nullptr;
        }
        const auto& operators = composition_->get_operators();
        if (index >= operators.size()) {
            throw OutOfBoundsError(__FILE__, __LINE__, index, operators.size());
        }
        return operators[index];
    }

protected:
    UseComposition() = default;
    /// Creates the product of these operators.
    /// @throws DimensionMismatch  if the sizes of neighbouring operators do not match
    template <typename... Rest>
    explicit UseComposition(std::shared_ptr<const LinOp> first, Rest&&... rest)
    {
        this->set_composition(std::move(first), std::forward<Rest>(rest)...);
    }

    /// Replaces the product by the product of these operators.
    /// @throws DimensionMismatch  if the sizes of neighbouring operators do not match
    template <typename... Rest>
    void set_composition(std::shared_ptr<const LinOp> first, Rest&&... rest)
    {
        composition_ = Composition<ValueType>::create(std::move(first), std::forward<Rest>(rest)...);
    }

private:
    std::shared_ptr<Composition<ValueType>> composition_;
};

}  // namespace spruce
