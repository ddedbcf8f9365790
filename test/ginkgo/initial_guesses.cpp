// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Shows the initial guess of an operator inside a product, which is its input.

#include <ginkgo/ginkgo.hpp>

#include <memory>

#include "check.hpp"

// Does not change the initial guess.
class Keep : public gko::EnableLinOp<Keep>, public gko::EnableCreateMethod<Keep> {
    friend class gko::EnablePolymorphicObject<Keep, gko::LinOp>;
    friend class gko::EnableCreateMethod<Keep>;

public:
    bool apply_uses_initial_guess() const override { return true; }

protected:
    explicit Keep(std::shared_ptr<const gko::Executor> exec, gko::dim<2> size = {}) : gko::EnableLinOp<Keep>(exec, size)
    {}
    void apply_impl(const gko::LinOp*, gko::LinOp*) const override {}
    void apply_impl(const gko::LinOp*, const gko::LinOp*, const gko::LinOp*, gko::LinOp*) const override {}
};

int main()
{
    using Dense = gko::matrix::Dense<double>;
    const auto exec = gko::ReferenceExecutor::create();
    const auto identity = gko::share(gko::initialize<Dense>({{1.0, 0.0}, {0.0, 1.0}}, exec));
    const auto keep = gko::share(Keep::create(exec, gko::dim<2>{2, 2}));
    const auto b = gko::initialize<Dense>({1.0, 2.0}, exec);
    const auto x = gko::initialize<Dense>({7.0, 7.0}, exec);

    const auto inner = gko::Composition<>::create(identity, keep, identity);
    inner->apply(b, x);
    print("guess of an inner operator: its input", x->at(0, 0), x->at(1, 0));

    const auto outer = gko::Composition<>::create(keep, identity);
    x->fill(7.0);
    outer->apply(b, x);
    print("guess of the first operator: x", x->at(0, 0), x->at(1, 0));
    return exit_status();
}
