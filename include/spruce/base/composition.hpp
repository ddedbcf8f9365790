// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

#include <spruce/base/kept_vectors.hpp>
#include <spruce/base/lin_op.hpp>

namespace spruce {

/// A product of operators op_1 op_2 ... op_n, applied last first. Operators elsewhere are copied to the executor of the
/// first. What lies between two operators is kept for the next apply, so one thread at a time can apply it; where the library is
/// built without NDEBUG, an apply during another one throws InvalidStateError. Operators that start from what their result holds start
/// from zero there, and op_1 from x.
template <typename ValueType = default_precision>
class SPRUCE_EXPORT Composition : public EnableLinOp<Composition<ValueType>>, public Transposable {
    friend class EnablePolymorphicObject<Composition, LinOp>;

public:
    using value_type = ValueType;
    using transposed_type = Composition;

    /// An empty product: applying it throws NotSupported.
    static std::unique_ptr<Composition> create(std::shared_ptr<const Executor> exec)
    {
        return std::unique_ptr<Composition>(new Composition(std::move(exec)));
    }
    /// @throws DimensionMismatch  if neighbours do not fit
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

    /// That of op_1, the only one that sees x.
    bool apply_uses_initial_guess() const override
    {
        return !operators_.empty() && operators_.front()->apply_uses_initial_guess();
    }

    std::unique_ptr<LinOp> transpose() const override;
    std::unique_ptr<LinOp> conj_transpose() const override;

    Composition(const Composition&);
    Composition(Composition&&);
    Composition& operator=(const Composition&);
    Composition& operator=(Composition&&);
    ~Composition() override;

protected:
    explicit Composition(std::shared_ptr<const Executor> exec);
    explicit Composition(std::vector<std::shared_ptr<const LinOp>> operators);
    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    /// The operators but for the first, applied to b; b if there is only one.
    const LinOp* apply_inner(const LinOp* b) const;

    std::vector<std::shared_ptr<const LinOp>> operators_;
    mutable detail::kept_vectors vectors_;
};

}  // namespace spruce
