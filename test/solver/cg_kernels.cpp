// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cg_kernels.hpp"

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;
using spruce::stop_reason;
using spruce::stopping_status;

namespace kernel = spruce::kernels::cg;

template <typename Types>
class CgKernels : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::Dense;

    /// Every third column has stopped.
    static std::vector<stopping_status> some_stopped(size_type size)
    {
        std::vector<stopping_status> status(size);
        for (size_type col = 2; col < size; col += 3) {
            status[col].converge(1);
        }
        return status;
    }

    /// What one executor computes with: the same random numbers on each.
    struct operands {
        operands(std::shared_ptr<const spruce::Executor> exec, dim<2> size, size_type padding, random_engine engine)
            : exec{exec}, size{size}, padding{padding}, engine{engine}
        {
            const auto stopped = some_stopped(size[1]);
            status = array<stopping_status>{exec, stopped.begin(), stopped.end()};
        }
        std::shared_ptr<Dense> vectors()
        {
            return make_dense<V>(exec, random_full(engine, size[0], size[1]), size[1] + padding);
        }
        std::shared_ptr<Dense> scalars()
        {
            auto data = random_full(engine, 1, size[1]);
            for (auto& entry : data.nonzeros) {
                entry.value += 1.5;  // away from zero, for division
            }
            return make_dense<V>(exec, data);
        }

        std::shared_ptr<const spruce::Executor> exec;
        dim<2> size;
        size_type padding;
        random_engine engine;
        array<stopping_status> status;
    };

    /// Calls run(operands) on both executors; it returns the matrices to compare.
    template <typename Run>
    void compare_on_every_shape(Run run)
    {
        for (const auto& size : std::vector<dim<2>>{{0, 0},
                                                    {0, 2},
                                                    {5, 0},
                                                    {1, 1},
                                                    {33, 1},
                                                    {64, 2},
                                                    {129, 3},
                                                    {40, 8},
                                                    {31, 17},
                                                    {7, 70},
                                                    {1025, 1},
                                                    {4099, 5}}) {
            for (const size_type padding : {0, 3}) {
                SCOPED_TRACE(std::to_string(size[0]) + " x " + std::to_string(size[1]) + ", padding " +
                             std::to_string(padding));
                const auto found = run(operands{this->exec, size, padding, this->engine});
                const auto expected = run(operands{this->ref, size, 0, this->engine});

                for (size_type i = 0; i < found.size(); ++i) {
                    EXPECT_MTX_NEAR(found[i], expected[i], this->tolerance_of_sum(size[0])) << "result " << i;
                    if (const auto dense = dynamic_cast<const Dense*>(found[i].get())) {
                        EXPECT_TRUE(padding_is_intact(*dense)) << "result " << i;
                    }
                }
            }
        }
    }

    using results = std::vector<std::shared_ptr<spruce::LinOp>>;
};
TYPED_TEST_SUITE(CgKernels, value_types, type_names);

TYPED_TEST(CgKernels, Step1ByHand)
{
    // Columns: in progress, started anew because prev_rho is zero, stopped.
    const auto p = this->dense({{1, 1, 1}, {2, 2, 2}});
    const auto stopped = this->some_stopped(3);
    const array<stopping_status> status{this->exec, stopped.begin(), stopped.end()};

    kernel::step_1<typename TypeParam::value_type>(*this->exec, *p, *this->dense({{10, 10, 10}, {20, 20, 20}}),
                                                   *this->dense({{6, 6, 6}}), *this->dense({{2, 0, 2}}), status);

    EXPECT_MTX_NEAR(p, this->dense({{13, 10, 1}, {26, 20, 2}}), 0.0);
}

TYPED_TEST(CgKernels, Step2ByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress; stopped; (p, q) is zero; rho is zero; not finite.
    const auto p = this->dense({{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}});
    const auto q = this->dense({{4, 4, 2, 4, spruce::nan<V>()}, {3, 3, -1, 3, 3}});
    const auto alpha = this->dense_of_nan(1, 5);
    std::vector<stopping_status> expected(5);
    expected[1].converge(1);
    array<stopping_status> status{this->exec, expected.begin(), expected.end()};
    array<char> tmp{this->exec};

    kernel::step_2<V>(*this->exec, *p, *q, *this->dense({{5, 5, 5, 0, 5}}), *alpha, status, tmp);

    EXPECT_MTX_NEAR(alpha, this->dense({{0.5, 0, 0, 0, 0}}), 0.0);
    expected[2].stop(stop_reason::breakdown_curvature);
    expected[3].stop(stop_reason::breakdown_inner_product);
    expected[4].stop(stop_reason::not_finite);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CgKernels, Step3ByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: in progress, without progress, stopped, and one whose residual becomes zero.
    const auto x = this->dense({{1, 1, 1, 1}, {2, 2, 2, 2}});
    const auto r = this->dense({{8, 3, 6, 4}, {6, 4, 8, 3}});
    const auto rr = this->dense_of_nan(1, 4);
    const auto norm = this->real_dense({{-1, -1, -1, -1}});
    std::vector<stopping_status> expected(4);
    expected[2].converge(1);
    array<stopping_status> status{this->exec, expected.begin(), expected.end()};
    array<char> tmp{this->exec};

    kernel::step_3<V>(*this->exec, *x, *r, *this->dense({{1, 1, 1, 1}, {2, 2, 2, 2}}),
                      *this->dense({{4, 4, 4, 4}, {3, 3, 3, 3}}), *this->dense({{1, 0, 1, 1}}), *rr, *norm, status,
                      tmp);

    EXPECT_MTX_NEAR(x, this->dense({{2, 1, 1, 2}, {4, 2, 2, 4}}), 0.0);
    EXPECT_MTX_NEAR(r, this->dense({{4, 3, 6, 0}, {3, 4, 8, 0}}), 0.0);
    EXPECT_MTX_NEAR(rr, this->dense({{25, 25, 100, 0}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{5, 5, 10, 0}}), this->epsilon());
    expected[3].stop(stop_reason::converged);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CgKernels, Step1LikeReference)
{
    this->compare_on_every_shape([](auto with) {
        const auto p = with.vectors();
        kernel::step_1<typename TypeParam::value_type>(*with.exec, *p, *with.vectors(), *with.scalars(),
                                                       *with.scalars(), with.status);
        return typename TestFixture::results{p};
    });
}

TYPED_TEST(CgKernels, Step2LikeReference)
{
    using V = typename TypeParam::value_type;
    this->compare_on_every_shape([](auto with) {
        const auto p = with.vectors();
        const std::shared_ptr<spruce::LinOp> alpha = make_dense_of_nan<V>(with.exec, dim<2>{1, with.size[1]});
        array<char> tmp{with.exec};
        const auto rho = with.scalars();
        kernel::step_2<V>(*with.exec, *p, *p, *rho, *spruce::as<typename TestFixture::Dense>(alpha), with.status, tmp);
        return typename TestFixture::results{alpha};
    });
}

TYPED_TEST(CgKernels, Step3LikeReference)
{
    using V = typename TypeParam::value_type;
    using RealDense = typename TestFixture::RealDense;
    this->compare_on_every_shape([](auto with) {
        const auto x = with.vectors();
        const auto r = with.vectors();
        const auto p = with.vectors();
        const auto q = with.vectors();
        const auto alpha = with.scalars();
        const dim<2> scalar_size{1, with.size[1]};
        const std::shared_ptr<spruce::LinOp> rr = make_dense_of_nan<V>(with.exec, scalar_size);
        const std::shared_ptr<spruce::LinOp> norm = RealDense::create(with.exec, scalar_size);
        array<char> tmp{with.exec};
        kernel::step_3<V>(*with.exec, *x, *r, *p, *q, *alpha, *spruce::as<typename TestFixture::Dense>(rr),
                          *spruce::as<RealDense>(norm), with.status, tmp);
        return typename TestFixture::results{x, r, rr, norm};
    });
}

}  // namespace
