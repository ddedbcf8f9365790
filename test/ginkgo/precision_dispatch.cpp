// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Applies an application's operator to vectors of other precisions and to complex vectors.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

template <typename V>
using Vec = gko::matrix::Dense<V>;
using complex = std::complex<double>;

// Computes x = 2 b in double.
class Twice : public gko::EnableLinOp<Twice>, public gko::EnableCreateMethod<Twice> {
public:
    Twice(std::shared_ptr<const gko::Executor> exec, gko::dim<2> size = {}) : gko::EnableLinOp<Twice>(exec, size) {}

protected:
    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override
    {
        gko::precision_dispatch_real_complex<double>(
            [](auto dense_b, auto dense_x) {
                dense_x->copy_from(dense_b);
                dense_x->scale(gko::initialize<Vec<double>>({2.0}, dense_b->get_executor()));
            },
            b, x);
    }
    void apply_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta, gko::LinOp* x) const override
    {
        gko::precision_dispatch_real_complex<double>(
            [](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
                dense_x->scale(dense_beta);
                dense_x->add_scaled(dense_alpha, dense_b);
                dense_x->add_scaled(dense_alpha, dense_b);
            },
            alpha, b, beta, x);
    }
};

int main()
{
    const auto exec = gko::ReferenceExecutor::create();
    const auto op = Twice::create(exec, gko::dim<2>(2));
    const auto b = gko::initialize<Vec<double>>({1.0, 2.0}, exec);
    const auto single_b = gko::initialize<Vec<float>>({1.0f, 2.0f}, exec);
    const auto complex_b = gko::initialize<Vec<complex>>({complex{1.0, 2.0}, complex{3.0, 4.0}}, exec);
    const auto x = b->clone();
    const auto single_x = single_b->clone();
    const auto complex_x = complex_b->clone();
    const auto one = gko::initialize<Vec<double>>({1.0}, exec);
    const auto single_one = gko::initialize<Vec<float>>({1.0f}, exec);

    op->apply(b, x);
    print("operands of the operator's own type", x->at(0, 0), x->at(1, 0));
    op->apply(single_b, single_x);
    print("operands of the other precision", single_x->at(0, 0), single_x->at(1, 0));
    op->apply(b, single_x);
    print("operands of two precisions", single_x->at(0, 0), single_x->at(1, 0));
    op->apply(complex_b, complex_x);
    print("a real operator on complex operands", complex_x->at(0, 0), complex_x->at(1, 0));
    op->apply(single_one, complex_b, one, complex_x);
    print("scalars of two precisions", complex_x->at(0, 0), complex_x->at(1, 0));

    // Operands of the right type are not copied.
    const gko::LinOp* input = b.get();
    gko::LinOp* output = x.get();
    gko::precision_dispatch<double>(
        [&](auto dense_b, auto dense_x) {
            static_assert(std::is_same<decltype(dense_b), const Vec<double>*>::value, "input is constant");
            static_assert(std::is_same<decltype(dense_x), Vec<double>*>::value, "output is not");
            print("operands of the right type are not copied", dense_b == b.get() && dense_x == x.get());
            dense_x->fill(7.0);
        },
        input, output);
    print("what is written arrives", x->at(0, 0), x->at(1, 0));
    gko::precision_dispatch<float>([](auto dense_x) { dense_x->at(0, 0) = 0.5f; }, output);
    check(x->at(0, 0) == 0.5, "what is written to a converted copy is converted back");
    gko::precision_dispatch_real_complex<double>(
        [&](auto alpha, auto dense_b, auto dense_x) {
            dense_x->copy_from(dense_b);
            dense_x->scale(alpha);
        },
        gko::initialize<Vec<float>>({3.0f}, exec).get(), input, output);
    check(x->at(1, 0) == 6.0, "a scalar and two vectors");
    gko::mixed_precision_dispatch<double>([](auto, auto dense_x) { dense_x->fill(1.0); }, input, output);
    gko::mixed_precision_dispatch_real_complex<double>([](auto dense_b, auto dense_x) { dense_x->copy_from(dense_b); },
                                                       input, output);
    check(x->at(0, 0) == 1.0 && x->at(1, 0) == 2.0, "the forms for operators of mixed precision");

    // Converted operands exist as long as the variable.
    {
        const auto converted = gko::make_temporary_conversion<double>(single_x.get());
        check(converted.get() != nullptr && converted->at(0, 0) == 2.0, "a converted copy");
        converted->fill(9.0);
        check(single_x->at(0, 0) == 2.0f, "nothing is converted back before the end");
    }
    check(single_x->at(0, 0) == 9.0f, "a changed copy is converted back at the end");
    const auto read_only = gko::make_temporary_conversion<double>(input);
    print("a temporary conversion copies no operand of the right type", read_only.get() == b.get());
    check_throws<gko::NotSupported>([&] { gko::make_temporary_conversion<double>(complex_b.get()); },
                                    "a complex vector has no real conversion");
    check_throws<gko::NotSupported>([&] { gko::precision_dispatch<double>([](auto) {}, op.get()); },
                                    "an operator is no vector");
    return exit_status();
}
