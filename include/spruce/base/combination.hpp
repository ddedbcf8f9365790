// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/workspace.hpp>

namespace spruce {

/// Represents a sum of operators c_1 op_1 + ... + c_n op_n with 1 x 1 coefficients. It keeps the
/// scalars and vectors of an apply() for the next one, so only one thread at a time can apply it.
/// If the library is built without NDEBUG, a concurrent apply() throws InvalidStateError. All
/// operators that use an initial guess start from x.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Combination : public EnableLinOp<Combination<ValueType>>, public Transposable {
    friend class EnablePolymorphicObject<Combination, LinOp>;

public:
    using value_type = ValueType;
    using transposed_type = Combination;

    static std::unique_ptr<Combination> create(std::shared_ptr<const Executor> exec)
    {
        return std::unique_ptr<Combination>(new Combination(std::move(exec)));
    }
    /// Creates c_1 op_1 + c_2 op_2 + ... from the arguments c_1, op_1, c_2, op_2, ...
    /// @throws DimensionMismatch  if the operators differ in size
    /// @throws NotSupported  for an empty list or a null pointer in it
    template <typename... Rest>
    static std::unique_ptr<Combination> create(std::shared_ptr<const LinOp> coefficient,
                                               std::shared_ptr<const LinOp> op, Rest&&... rest)
    {
        static_assert(sizeof...(Rest) % 2 == 0, "coefficients and operators come in pairs");
        const std::vector<std::shared_ptr<const LinOp>> all{std::move(coefficient), std::move(op),
                                                            std::forward<Rest>(rest)...};
        std::vector<std::shared_ptr<const LinOp>> coefficients;
        std::vector<std::shared_ptr<const LinOp>> operators;
        for (size_type i = 0; i < all.size(); i += 2) {
            coefficients.push_back(all[i]);
            operators.push_back(all[i + 1]);
        }
        return std::unique_ptr<Combination>(new Combination(std::move(coefficients), std::move(operators)));
    }
    template <typename CoefficientIterator, typename OperatorIterator,
              typename = typename std::iterator_traits<CoefficientIterator>::iterator_category,
              typename = typename std::iterator_traits<OperatorIterator>::iterator_category>
    static std::unique_ptr<Combination> create(CoefficientIterator coefficient_begin,
                                               CoefficientIterator coefficient_end, OperatorIterator operator_begin,
                                               OperatorIterator operator_end)
    {
        return std::unique_ptr<Combination>(
            new Combination({coefficient_begin, coefficient_end}, {operator_begin, operator_end}));
    }

    const std::vector<std::shared_ptr<const LinOp>>& get_coefficients() const noexcept { return coefficients_; }
    const std::vector<std::shared_ptr<const LinOp>>& get_operators() const noexcept { return operators_; }

    /// Returns true if at least one operator uses an initial guess.
    bool apply_uses_initial_guess() const override;

    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    bool shares_memory_with(const memory_extent& memory) const noexcept override;

    Combination(const Combination&);
    Combination(Combination&&);
    Combination& operator=(const Combination&);
    Combination& operator=(Combination&&);
    ~Combination() override;

protected:
    bool has_static_launches() const override;
    explicit Combination(std::shared_ptr<const Executor> exec);
    Combination(std::vector<std::shared_ptr<const LinOp>> coefficients,
                std::vector<std::shared_ptr<const LinOp>> operators);
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// Computes x = c_1 op_1(b) + ... + c_n op_n(b).
    void compute_sum(const LinOp* b, LinOp* x) const;

    std::vector<std::shared_ptr<const LinOp>> coefficients_;
    std::vector<std::shared_ptr<const LinOp>> operators_;
    mutable detail::Workspace workspace_;
};

}  // namespace spruce
