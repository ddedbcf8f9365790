// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the operands of LinOp::apply(): sizes, null pointers, other executors, other precisions.

#include <stdexcept>
#include <vector>

#include <spruce/base/name_demangling.hpp>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::clone;
using spruce::dim;

template <typename T>
std::string name_of(const T& object)
{
    return spruce::name_demangling::get_type_name(typeid(object));
}

template <typename Types>
class Operands : public kernel_test<Types> {
protected:
    /// Expects that update(b, x) adds factor times (6, 7) to x. The numbers in x are not
    /// representable in a precision lower than that of X.
    template <typename X, typename Update>
    void expect_adds_exactly(double factor, Update update) const
    {
        const auto vector = [&](double first, double second) {
            host_matrix data{dim<2>{2, 1}};
            data.nonzeros = {{0, 0, first}, {1, 0, second}};
            return make_dense<X>(this->exec, data);
        };
        const auto b = vector(1, 3);
        const auto x = vector(0.1, 0.3);

        update(b.get(), x.get());

        EXPECT_MTX_NEAR(x, vector(factor * 6 + 0.1, factor * 7 + 0.3), 0.0);
    }

    template <typename X>
    void expect_keeps_precision_of(const std::vector<const spruce::LinOp*>& operators,
                                   const typename kernel_test<Types>::Coo* coo) const
    {
        const auto one = this->dense({{1}});
        const auto two = this->dense({{2}});
        for (const auto op : operators) {
            SCOPED_TRACE(name_of(*op));
            expect_adds_exactly<X>(2, [&](auto b, auto x) { op->apply(two, b, one, x); });
        }
        expect_adds_exactly<X>(1, [&](auto b, auto x) { coo->apply2(b, x); });
        expect_adds_exactly<X>(2, [&](auto b, auto x) { coo->apply2(two, b, x); });
    }
};
TYPED_TEST_SUITE(Operands, value_types, type_names);

TYPED_TEST(Operands, MayLiveOnAnotherExecutor)
{
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto a = this->csr({{1, 2}, {3, 4}});
        const auto b = clone(other, this->dense({{1}, {1}}));
        const auto x = clone(other, this->dense_of_nan(2, 1));
        const auto alpha = clone(other, this->dense({{2}}));
        const auto beta = clone(other, this->dense({{-1}}));

        a->apply(b, x);
        EXPECT_MTX_NEAR(x, this->dense({{3}, {7}}), 0.0);
        EXPECT_EQ(x->get_executor(), other);
        a->apply(alpha, b, beta, x);
        EXPECT_MTX_NEAR(x, this->dense({{3}, {7}}), 0.0);
    }
}

TYPED_TEST(Operands, OnAnotherExecutorMayBeStridedViews)
{
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto big_x = make_dense<typename TypeParam::value_type>(this->ref, this->host({{9, 9, 9}, {9, 9, 9}}));
    const auto big_b = make_dense<typename TypeParam::value_type>(this->ref, this->host({{1, 5, 0}, {1, 5, 1}}));

    a->apply(big_b->create_submatrix({0, 2}, {0, 3}), big_x->create_submatrix({0, 2}, {0, 3}));
    EXPECT_MTX_NEAR(big_x, this->dense({{3, 15, 2}, {7, 35, 4}}), 0.0);

    a->apply(big_b->create_submatrix({0, 2}, {1, 2}), big_x->create_submatrix({0, 2}, {2, 3}));
    EXPECT_MTX_NEAR(big_x, this->dense({{3, 15, 15}, {7, 35, 35}}), 0.0);
}

TYPED_TEST(Operands, OnTheSameExecutorAreNotCopied)
{
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto b = this->dense({{1}, {1}});
    const auto x = this->dense_of_nan(2, 1);
    a->apply(b, x);
    const auto before = this->exec->get_counters();

    a->apply(b, x);

    const auto did = this->exec->get_counters() - before;
    EXPECT_EQ(did.allocations, 0u);
    EXPECT_EQ(did.copies, 0u);
    EXPECT_EQ(did.kernels, 1u);
    EXPECT_EQ(did.waits, 0u);
}

TYPED_TEST(Operands, OnTheSameDeviceButAnotherHandleAreNotCopied)
{
    const auto other = test_executor();
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto b = clone(other, this->dense({{1}, {1}}));
    const auto x = clone(other, this->dense_of_nan(2, 1));
    const auto before = this->exec->get_counters();

    a->apply(b, x);

    EXPECT_EQ((this->exec->get_counters() - before).copies, 0u);
    EXPECT_MTX_NEAR(x, this->dense({{3}, {7}}), 0.0);
}

TYPED_TEST(Operands, InAnotherPrecisionAreConverted)
{
    using other = spruce::next_precision<typename TypeParam::value_type>;
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto b = make_dense<other>(this->exec, this->host({{1, 0}, {1, 2}}));
    const auto x = make_dense<other>(this->exec, this->host({{9, 9}, {9, 9}}));

    a->apply(b, x);
    EXPECT_MTX_NEAR(x, this->dense({{3, 4}, {7, 8}}), 0.0);

    a->apply(this->dense({{2}}), b, this->dense({{1}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{9, 12}, {21, 24}}), 0.0);
}

TYPED_TEST(Operands, OfHigherPrecisionThanTheOperatorKeepIt)
{
    using V = typename TypeParam::value_type;
    using higher = spruce::next_precision<V>;
    if constexpr (sizeof(higher) > sizeof(V)) {
        const auto dense = this->dense({{0, 2}, {4, 1}});
        const auto csr = this->csr({{0, 2}, {4, 1}});
        const auto coo = this->coo({{0, 2}, {4, 1}});
        const auto product = spruce::Composition<V>::create(std::shared_ptr<spruce::LinOp>(clone(csr)));
        const std::vector<const spruce::LinOp*> operators{dense.get(), csr.get(), coo.get(), product.get()};

        this->template expect_keeps_precision_of<higher>(operators, coo.get());
        if constexpr (!spruce::is_complex<V>()) {
            this->template expect_keeps_precision_of<spruce::to_complex<higher>>(operators, coo.get());
        }

        // If beta is zero, x may contain anything. A rejected call does not change it.
        const auto x = make_dense_of_nan<higher>(this->exec, dim<2>{2, 1});
        csr->apply(this->dense({{2}}), this->dense({{1}, {3}}), this->dense({{0}}), x);
        EXPECT_MTX_NEAR(x, this->dense({{12}, {14}}), 0.0);
        EXPECT_THROW(csr->apply(coo, this->dense({{1}, {3}}), this->dense({{0}}), x), spruce::DimensionMismatch);
        EXPECT_THROW(csr->apply(this->coo({{1}}), this->dense({{1}, {3}}), this->dense({{0}}), x),
                     spruce::NotSupported);
        EXPECT_MTX_NEAR(x, this->dense({{12}, {14}}), 0.0);
    }
}

TYPED_TEST(Operands, MayBeComplexForARealOperator)
{
    using V = typename TypeParam::value_type;
    using complex = spruce::to_complex<V>;
    if constexpr (!spruce::is_complex<V>()) {
        const auto a = this->csr({{1, 2}, {3, 4}});
        const auto b = spruce::initialize<spruce::matrix::Dense<complex>>({complex(1, 2), complex(0, 1)}, this->exec);
        const auto x = spruce::initialize<spruce::matrix::Dense<complex>>({complex(0, 0), complex(0, 0)}, this->exec);
        const auto expected =
            spruce::initialize<spruce::matrix::Dense<complex>>({complex(1, 4), complex(3, 10)}, this->exec);

        a->apply(b, x);
        EXPECT_MTX_NEAR(x, expected, 0.0);

        a->apply(this->dense({{1}}), b, this->dense({{-1}}), x);
        const auto zeros =
            spruce::initialize<spruce::matrix::Dense<complex>>({complex(0, 0), complex(0, 0)}, this->exec);
        EXPECT_MTX_NEAR(x, zeros, 0.0);
    }
}

TYPED_TEST(Operands, MayNotBeComplexForOneSideOnly)
{
    using V = typename TypeParam::value_type;
    if constexpr (!spruce::is_complex<V>()) {
        const auto a = this->csr({{1, 2}, {3, 4}});
        const auto b = spruce::matrix::Dense<spruce::to_complex<V>>::create(this->exec, dim<2>{2, 1});

        EXPECT_THROW(a->apply(b, this->dense({{1}, {1}})), spruce::NotSupported);
        EXPECT_THROW(a->apply(this->dense({{1}, {1}}), b), spruce::NotSupported);
    }
}

TYPED_TEST(Operands, HaveToFitTogetherAndAreUntouchedOtherwise)
{
    const auto a = this->csr({{1, 2, 3}, {4, 5, 6}});
    const auto b = this->dense({{1}, {1}, {1}});
    const auto two = this->dense({{5}, {6}});
    const auto scalar = this->dense({{1}});
    const auto row = this->dense({{1, 2}});

    EXPECT_THROW_WITH(a->apply(two, two), spruce::DimensionMismatch,
                      "apply: A is 2 x 3, but b is 2 x 1: b needs 3 rows");
    EXPECT_THROW_WITH(a->apply(b, b), spruce::DimensionMismatch, "A is 2 x 3, but x is 3 x 1: x needs 2 rows");
    EXPECT_THROW_WITH(a->apply(b, this->dense({{1, 1}, {1, 1}})), spruce::DimensionMismatch,
                      "b and x need as many columns");
    EXPECT_THROW_WITH(a->apply(row, b, scalar, two), spruce::DimensionMismatch, "alpha has to be 1 x 1");
    EXPECT_THROW_WITH(a->apply(scalar, b, row, two), spruce::DimensionMismatch, "beta has to be 1 x 1");
    EXPECT_MTX_NEAR(two, this->dense({{5}, {6}}), 0.0);
}

TYPED_TEST(Operands, MayNotBeNull)
{
    const auto a = this->csr({{1}});
    const auto b = this->dense({{1}});
    const std::unique_ptr<typename TestFixture::Dense> none;

    EXPECT_THROW_WITH(a->apply(none, b), spruce::NotSupported, "a null pointer");
    EXPECT_THROW(a->apply(b, none), spruce::NotSupported);
    EXPECT_THROW(a->apply(none, b, b, b), spruce::NotSupported);
    EXPECT_THROW(a->apply(b, b, none, b), spruce::NotSupported);
    EXPECT_THROW(b->scale(none), spruce::NotSupported);
}

TYPED_TEST(Operands, HaveToBeDense)
{
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto coo = this->coo({{1, 2}, {3, 4}});
    const auto x = this->dense({{1, 2}, {3, 4}});

    const auto scalar = this->coo({{1}});
    const auto one = this->dense({{1}});
    const auto expect_refusal = [](auto call, const std::string& op, const std::string& operand) {
        EXPECT_THROW_WITH(call(), spruce::NotSupported,
                          op + "::apply is not supported for " + operand + " of type spruce::matrix::Coo<");
        EXPECT_THROW_WITH(call(), spruce::NotSupported, ", which has to be spruce::matrix::Dense<");
    };

    const auto csr_type = name_of(*a);
    expect_refusal([&] { a->apply(coo, x); }, csr_type, "b");
    expect_refusal([&] { a->apply(x, coo); }, csr_type, "x");
    expect_refusal([&] { a->apply(scalar, x, one, x); }, csr_type, "alpha");
    expect_refusal([&] { a->apply(one, x, scalar, x); }, csr_type, "beta");
    expect_refusal([&] { x->apply(coo, x); }, name_of(*x), "b");
    // The product rejects the operands, so the message names it instead of its factors.
    const auto product = spruce::Composition<typename TypeParam::value_type>::create(
        std::shared_ptr<spruce::LinOp>(clone(a)), std::shared_ptr<spruce::LinOp>(clone(a)));
    expect_refusal([&] { product->apply(coo, x); }, name_of(*product), "b");
    EXPECT_THROW_WITH(x->scale(scalar), spruce::NotSupported, "alpha of type spruce::matrix::Coo<");
    EXPECT_THROW_WITH(x->add_scaled(one, coo), spruce::NotSupported, "b of type spruce::matrix::Coo<");
    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
}

TYPED_TEST(Operands, OfAFailedApplyOnAnotherExecutorAreNotCopiedBack)
{
    const auto a = this->csr({{1, 2}, {3, 4}});
    const auto coo = this->coo({{1, 2}, {3, 4}});
    const auto x = clone(this->ref, this->dense({{1, 2}, {3, 4}}));

    EXPECT_THROW(a->apply(coo, x), spruce::NotSupported);

    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
}

TYPED_TEST(Operands, OfVectorUpdatesMayLiveOnAnotherExecutor)
{
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto x = this->dense({{1, 2}, {3, 4}});
        const auto b = clone(other, this->dense({{1, 1}, {1, 1}}));
        const auto alpha = clone(other, this->dense({{2}}));
        const auto dot = clone(other, this->dense_of_nan(1, 2));

        x->scale(alpha);
        x->add_scaled(alpha, b);
        x->sub_scaled(alpha, b);
        x->inv_scale(alpha);
        x->compute_dot(b, dot);

        EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
        EXPECT_MTX_NEAR(dot, this->dense({{4, 6}}), 0.0);
    }
}

TYPED_TEST(Operands, OfVectorUpdatesHaveToFitTogether)
{
    const auto x = this->dense({{1, 2}, {3, 4}});
    const auto row = this->dense({{1, 2}});
    const auto long_row = this->dense({{1, 2, 3}});
    const auto one = this->dense({{1}});
    const auto norm = this->real_dense({{0}});

    EXPECT_THROW(x->scale(long_row), spruce::DimensionMismatch);
    EXPECT_THROW(x->inv_scale(this->dense({{1}, {2}})), spruce::DimensionMismatch);
    EXPECT_THROW(x->add_scaled(one, row), spruce::DimensionMismatch);
    EXPECT_THROW(x->sub_scaled(long_row, x), spruce::DimensionMismatch);
    EXPECT_THROW(x->compute_dot(row, row), spruce::DimensionMismatch);
    EXPECT_THROW(x->compute_conj_dot(x, one), spruce::DimensionMismatch);
    EXPECT_THROW(x->compute_norm2(norm), spruce::DimensionMismatch);
    EXPECT_THROW(x->transpose(row), spruce::DimensionMismatch);
    EXPECT_MTX_NEAR(x, this->dense({{1, 2}, {3, 4}}), 0.0);
}

/// Computes x = 2 b and x = 2 alpha b + beta x with operands of type V.
template <typename V>
class Twice : public spruce::EnableLinOp<Twice<V>>, public spruce::EnableCreateMethod<Twice<V>> {
public:
    explicit Twice(std::shared_ptr<const spruce::Executor> exec, dim<2> size = {})
        : spruce::EnableLinOp<Twice>(std::move(exec), size)
    {}

protected:
    void apply_impl(const spruce::LinOp* b, spruce::LinOp* x) const override
    {
        spruce::precision_dispatch_real_complex<V>(
            [](auto dense_b, auto dense_x) {
                dense_x->copy_from(dense_b);
                dense_x->add_scaled(spruce::initialize<spruce::matrix::Dense<V>>({V{1}}, dense_b->get_executor()),
                                    dense_b);
            },
            b, x);
    }
    void apply_impl(const spruce::LinOp* alpha, const spruce::LinOp* b, const spruce::LinOp* beta,
                    spruce::LinOp* x) const override
    {
        spruce::precision_dispatch_real_complex<V>(
            [](auto dense_alpha, auto dense_b, auto dense_beta, auto dense_x) {
                dense_x->scale(dense_beta);
                dense_x->add_scaled(dense_alpha, dense_b);
                dense_x->add_scaled(dense_alpha, dense_b);
            },
            alpha, b, beta, x);
    }
};

TYPED_TEST(Operands, OfClientOperatorsAreConvertedToTheirValueType)
{
    using V = typename TypeParam::value_type;
    using other = spruce::next_precision<V>;
    const auto op = Twice<V>::create(this->exec, dim<2>{2, 2});
    const auto b = this->dense({{1}, {3}});
    const auto x = this->dense_of_nan(2, 1);
    const auto other_x = make_dense<other>(this->exec, this->host({{9}, {9}}));
    const auto two = make_dense<other>(this->exec, this->host({{2}}));
    const auto one = this->dense({{1}});

    op->apply(b, x);
    op->apply(make_dense<other>(this->exec, this->host({{1}, {3}})), other_x);

    EXPECT_MTX_NEAR(x, this->dense({{2}, {6}}), 0.0);
    EXPECT_MTX_NEAR(other_x, this->dense({{2}, {6}}), 0.0);
    op->apply(two, b, one, x);
    EXPECT_MTX_NEAR(x, this->dense({{6}, {18}}), 0.0);
    EXPECT_THROW(op->apply(b, this->csr({{1}, {3}})), spruce::NotSupported);
    if constexpr (!spruce::is_complex<V>()) {
        using complex = spruce::to_complex<V>;
        const auto vector = [&](complex first, complex second) {
            return spruce::initialize<spruce::matrix::Dense<complex>>({first, second}, this->exec);
        };
        const auto complex_x = vector({9, 9}, {9, 9});

        op->apply(vector({1, 2}, {3, 4}), complex_x);
        EXPECT_MTX_NEAR(complex_x, vector({2, 4}, {6, 8}), 0.0);

        op->apply(two, vector({1, 2}, {3, 4}), one, complex_x);
        EXPECT_MTX_NEAR(complex_x, vector({6, 12}, {18, 24}), 0.0);
    }
}

TYPED_TEST(Operands, AreConvertedForAsLongAsAVariableLives)
{
    using V = typename TypeParam::value_type;
    using spruce::make_temporary_conversion;
    const auto x = make_dense<spruce::next_precision<V>>(this->exec, this->host({{1, 2}}));
    {
        const auto converted = make_temporary_conversion<V>(x);
        static_assert(std::is_same_v<decltype(converted.get()), spruce::matrix::Dense<V>*>);
        EXPECT_MTX_NEAR(converted.get(), this->dense({{1, 2}}), 0.0);
        converted->fill(spruce::one<V>());
        EXPECT_MTX_NEAR(x, this->dense({{1, 2}}), 0.0);
    }
    EXPECT_MTX_NEAR(x, this->dense({{1, 1}}), 0.0);
    try {
        const auto converted = make_temporary_conversion<V>(x.get());
        converted->fill(spruce::zero<V>());
        throw std::runtime_error("on purpose");
    } catch (const std::runtime_error&) {
        EXPECT_MTX_NEAR(x, this->dense({{1, 1}}), 0.0);
    }
    const spruce::LinOp* constant = x.get();
    EXPECT_MTX_NEAR(make_temporary_conversion<V>(constant).get(), x, 0.0);
    spruce::precision_dispatch<V>([](auto dense_x) { dense_x->fill(spruce::zero<V>()); }, x.get());
    EXPECT_MTX_NEAR(x, this->dense({{0, 0}}), 0.0);

    const auto same = this->dense({{1, 2}});
    EXPECT_EQ(make_temporary_conversion<V>(same).get(), same.get());
    const auto csr = this->csr({{1}});
    EXPECT_THROW(make_temporary_conversion<V>(csr), spruce::NotSupported);
    EXPECT_THROW(make_temporary_conversion<V>(static_cast<spruce::LinOp*>(nullptr)), spruce::NotSupported);
}

}  // namespace
