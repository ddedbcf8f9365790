// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/cb_gmres_kernels.hpp"

#include "test/solver/step_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;
using spruce::stop_reason;
using spruce::stopping_status;
using spruce::solver::cb_gmres::storage_precision;

namespace cb_gmres = spruce::kernels::cb_gmres;
using spruce::kernels::gmres::packed_begin;

const std::vector<storage_precision> all_precisions{storage_precision::keep,     storage_precision::reduce1,
                                                    storage_precision::reduce2,  storage_precision::integer,
                                                    storage_precision::ireduce1, storage_precision::ireduce2};

template <typename Types>
class CbGmresKernels : public step_test<Types> {
protected:
    using typename step_test<Types>::V;
    using typename step_test<Types>::real;
    using typename step_test<Types>::Dense;
    using typename step_test<Types>::RealDense;
    using typename step_test<Types>::operands;
    using projection = spruce::kernels::gmres::projection<V>;

    /// Allocates memory for compressed vectors.
    class store {
    public:
        store(std::shared_ptr<const spruce::Executor> exec, storage_precision precision, dim<2> size,
              size_type num_vectors)
            : precision_{precision}, scales_{RealDense::create(exec, dim<2>{num_vectors, size[1]})}
        {
            for (size_type i = 0; i < num_vectors; ++i) {
                memory_.emplace_back(exec, size[0] * size[1] * cb_gmres::bytes_of<V>(precision));
            }
        }
        cb_gmres::basis<V> basis()
        {
            std::vector<void*> vectors;
            for (auto& memory : memory_) {
                vectors.push_back(memory.get_data());
            }
            return {precision_, vectors, *scales_};
        }

    private:
        storage_precision precision_;
        std::unique_ptr<RealDense> scales_;
        std::vector<array<char>> memory_;
    };

    /// Stores random vectors. Their rounded entries are compared at the end, as all operands are.
    static void fill(store& memory, operands& with)
    {
        auto basis = memory.basis();
        auto& norm = with.real_scalars();
        auto& largest = with.real_scalars();
        for (size_type i = 0; i < basis.vectors.size(); ++i) {
            auto& v = with.vectors();
            cb_gmres::find_largest<V>(*with.exec, v, largest, with.tmp);
            cb_gmres::compress<V>(*with.exec, norm, largest, i, basis, v);
        }
    }

    cb_gmres::remainder<V> remainder(operands& with, real again) const
    {
        auto& norm = with.real_scalars();
        auto& largest = with.real_scalars();
        auto& flags = with.real_scalars();
        flags.fill(again);
        return {norm, largest, flags};
    }

    // Fewer vectors than one pass takes, and several passes.
    static inline const std::vector<size_type> basis_sizes{1, 9, 17};
};
TYPED_TEST_SUITE(CbGmresKernels, value_types, type_names);

TYPED_TEST(CbGmresKernels, FindLargestByHand)
{
    using V = typename TypeParam::value_type;
    const auto largest = this->real_dense({{-1, -1}});
    array<char> tmp{this->exec};

    cb_gmres::find_largest<V>(*this->exec, *this->dense({{1, 0}, {-3, 0}, {2, 0}}), *largest, tmp);

    EXPECT_MTX_NEAR(largest, this->real_dense({{3, 0}}), 0.0);
}

TYPED_TEST(CbGmresKernels, CompressRoundsToThePrecisionOfTheStorage)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    const auto is_double = std::is_same_v<real, double>;
    // Bounds relative to the largest entry.
    const std::vector<double> bounds{is_double ? 3e-16 : 2e-7, is_double ? 1e-7 : 5e-4,  5e-4,
                                     is_double ? 3e-16 : 2e-7, is_double ? 3e-10 : 2e-5, 2e-5};
    for (size_type i = 0; i < all_precisions.size(); ++i) {
        typename TestFixture::store memory{this->exec, all_precisions[i], dim<2>{100, 2}, 3};
        const auto v = this->random_dense(100, 2);
        const auto expected = clone(v);
        expected->inv_scale(this->dense({{5, 7}}));
        const auto largest = this->real_dense({{0, 0}});
        array<char> tmp{this->exec};
        cb_gmres::find_largest<V>(*this->exec, *v, *largest, tmp);

        cb_gmres::compress<V>(*this->exec, *this->real_dense({{5, 7}}), *largest, 1, memory.basis(), *v);

        // The bound covers both parts of a complex number.
        EXPECT_MTX_NEAR(v, expected, 1.5 * bounds[i]);
        // Vectors that are stored already are unchanged.
        const auto again = clone(v);
        cb_gmres::find_largest<V>(*this->exec, *again, *largest, tmp);
        cb_gmres::compress<V>(*this->exec, *this->real_dense({{1, 1}}), *largest, 2, memory.basis(), *again);
        EXPECT_MTX_NEAR(again, v, 4 * this->epsilon());
    }
}

TYPED_TEST(CbGmresKernels, CompressGivesZeroForZeroNorm)
{
    using V = typename TypeParam::value_type;
    for (const auto precision : all_precisions) {
        typename TestFixture::store memory{this->exec, precision, dim<2>{2, 3}, 1};
        const auto v = this->dense({{spruce::nan<V>(), 0, 3}, {1, 0, 4}});

        cb_gmres::compress<V>(*this->exec, *this->real_dense({{0, 0, 5}}), *this->real_dense({{1, 0, 4}}), 0,
                              memory.basis(), *v);

        EXPECT_MTX_NEAR(v, this->dense({{0, 0, 0.6}, {0, 0, 0.8}}), 1e-3);
    }
}

TYPED_TEST(CbGmresKernels, OrthogonalizesByHand)
{
    using V = typename TypeParam::value_type;
    for (const auto precision : all_precisions) {
        typename TestFixture::store memory{this->exec, precision, dim<2>{3, 2}, 2};
        array<char> tmp{this->exec};
        const auto ones = this->real_dense({{1, 1}});
        cb_gmres::compress<V>(*this->exec, *ones, *ones, 0, memory.basis(), *this->dense({{1, 1}, {0, 0}, {0, 0}}));
        cb_gmres::compress<V>(*this->exec, *ones, *ones, 1, memory.basis(), *this->dense({{0, 0}, {1, 1}, {0, 0}}));
        // Columns: most of the vector remains; little of it remains.
        const auto w = this->dense({{3, 3}, {4, 4}, {-12, 2}});
        const auto h = this->dense_of_nan(2, 2);
        const auto triangle = this->dense_of_nan(3, 2);
        const auto norm = this->real_dense({{-1, -1}});
        const auto largest = this->real_dense({{-1, -1}});
        const auto again = this->real_dense({{-1, -1}});
        const cb_gmres::remainder<V> left{*norm, *largest, *again};

        cb_gmres::multi_dot<V>(*this->exec, memory.basis(), *w, false, left, *h, *triangle, tmp);
        EXPECT_MTX_NEAR(h, this->dense({{3, 3}, {4, 4}}), 10 * this->epsilon());
        EXPECT_MTX_NEAR(triangle->create_submatrix({1, 3}, {0, 2}), h, 0.0);

        cb_gmres::subtract<V>(*this->exec, memory.basis(), *h, *w, left, tmp);
        EXPECT_MTX_NEAR(w, this->dense({{0, 0}, {0, 0}, {-12, 2}}), 10 * this->epsilon());
        EXPECT_MTX_NEAR(norm, this->real_dense({{12, 2}}), this->epsilon());
        EXPECT_MTX_NEAR(largest, this->real_dense({{12, 2}}), 0.0);
        EXPECT_MTX_NEAR(again, this->real_dense({{0, 1}}), 0.0);

        const auto rest = this->dense({{1, 1}, {2, 2}, {-12, 2}});
        cb_gmres::multi_dot<V>(*this->exec, memory.basis(), *rest, true, left, *h, *triangle, tmp);
        EXPECT_MTX_NEAR(h, this->dense({{0, 1}, {0, 2}}), 10 * this->epsilon());
        EXPECT_MTX_NEAR(triangle->create_submatrix({1, 3}, {0, 2}), this->dense({{3, 4}, {4, 6}}),
                        10 * this->epsilon());
    }
}

TYPED_TEST(CbGmresKernels, FinishStepByHand)
{
    using V = typename TypeParam::value_type;
    // Columns: unchanged; subtracted again; nothing remains; stopped.
    typename TestFixture::store memory{this->exec, storage_precision::reduce1, dim<2>{2, 4}, 1};
    array<char> tmp{this->exec};
    const auto ones = this->real_dense({{1, 1, 1, 1}});
    cb_gmres::compress<V>(*this->exec, *ones, *ones, 0, memory.basis(), *this->dense({{1, 1, 1, 1}, {0, 0, 0, 0}}));
    const auto w = this->dense({{1, 1, 1, 1}, {4, 4, 0, 4}});
    const auto h = this->dense({{0, 1, 1, 0}});
    const auto triangle = this->dense({{3, 3, 3, 3}});
    const auto sin = this->dense_of_nan(1, 4);
    const auto rhs = this->dense({{10, 10, 10, 10}, {0, 0, 0, 0}});
    const auto cos = this->real_dense({{0, 0, 0, 0}});
    const auto next_norm = this->real_dense({{10, 10, 10, 10}});
    const auto start_norm = this->real_dense({{10, 10, 10, 10}});
    const auto norm = this->real_dense({{10, 10, 10, 10}});
    const auto history = this->real_dense({{0, 0, 0, 0}, {10, 10, 10, 10}, {0, 0, 0, 0}});
    const auto left_norm = this->real_dense({{4, 9, 9, 4}});
    const auto largest = this->real_dense({{4, 9, 9, 4}});
    const auto again = this->real_dense({{0, 1, 1, 0}});
    array<size_type> num_steps{this->exec, 4};
    num_steps.fill(0);
    std::vector<stopping_status> expected(4);
    expected[3].stop(stop_reason::stagnation);
    auto status = this->statuses(expected);

    cb_gmres::finish_step<V>(*this->exec, memory.basis(), *h, *w, {*left_norm, *largest, *again},
                             {*triangle, *cos, *sin, *rhs, *next_norm, *start_norm, *norm, *history, num_steps}, status,
                             tmp);

    EXPECT_MTX_NEAR(w, this->dense({{1, 0, 0, 1}, {4, 4, 0, 4}}), 0.0);
    EXPECT_MTX_NEAR(left_norm, this->real_dense({{4, 4, 0, 4}}), 0.0);
    EXPECT_MTX_NEAR(largest, this->real_dense({{4, 4, 0, 4}}), 0.0);
    EXPECT_MTX_NEAR(next_norm, this->real_dense({{4, 4, 0, 0}}), 0.0);
    EXPECT_MTX_NEAR(norm, this->real_dense({{8, 8, 0, 10}}), 20 * this->epsilon());
    EXPECT_EQ(num_steps.copy_to_host(), (std::vector<size_type>{1, 1, 1, 0}));
    expected[2].stop(stop_reason::converged);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CbGmresKernels, ResumeUnconfirmedByHand)
{
    using real = typename TestFixture::real;
    // Columns: running, converged, converged with zero residual, stopped.
    std::vector<stopping_status> expected(4);
    auto before = expected;
    before[1].converge(1);
    before[2].converge(1);
    before[3].stop(2);
    auto status = this->statuses(before);
    const auto norm = this->real_dense({{9, 9, 9, 9}});

    cb_gmres::resume_unconfirmed<real>(*this->exec, *this->real_dense({{1, 2, 0, 4}}), *norm, status);

    EXPECT_MTX_NEAR(norm, this->real_dense({{1, 2, 0, 4}}), 0.0);
    expected[2].stop(stop_reason::converged);
    expected[3].stop(2);
    EXPECT_EQ(status.copy_to_host(), expected);
}

TYPED_TEST(CbGmresKernels, OverflowStaysOutOfTheSolution)
{
    using V = typename TypeParam::value_type;
    constexpr auto huge = std::numeric_limits<typename TestFixture::real>::max();
    typename TestFixture::store memory{this->exec, storage_precision::keep, dim<2>{2, 2}, 1};
    const auto ones = this->real_dense({{1, 1}});
    cb_gmres::compress<V>(*this->exec, *ones, *ones, 0, memory.basis(), *this->dense({{1, 1}, {1, 1}}));
    array<size_type> num_steps{this->exec, 2};
    num_steps.fill(1);
    const auto x = this->dense({{huge, 1}, {-huge, 2}});

    cb_gmres::add_combination<V>(*this->exec, memory.basis(), *this->dense({{huge, 1}}), num_steps, *x);

    EXPECT_MTX_NEAR(x, this->dense({{huge, 2}, {0, 3}}), 0.0);
}

TYPED_TEST(CbGmresKernels, OrthogonalizesLikeReference)
{
    using V = typename TypeParam::value_type;
    // Each precision with one of the sizes.
    for (size_type i = 0; i < all_precisions.size(); ++i) {
        const auto precision = all_precisions[i];
        const auto size = this->basis_sizes[i % this->basis_sizes.size()];
        this->compare_on_every_shape(
            [&](auto& with) {
                typename TestFixture::store memory{with.exec, precision, with.size, size};
                this->fill(memory, with);
                auto& w = with.vectors();
                auto& h = with.rows(size);
                auto& triangle = with.rows(packed_begin(size));
                for (const auto is_second : {false, true}) {
                    const auto left = this->remainder(with, 1);
                    cb_gmres::multi_dot<V>(*with.exec, memory.basis(), w, is_second, left, h, triangle, with.tmp);
                    h.scale(spruce::initialize<typename TestFixture::Dense>({V(0.01)}, with.exec));
                    cb_gmres::subtract<V>(*with.exec, memory.basis(), h, w, left, with.tmp);
                }
            },
            i == 1 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(CbGmresKernels, FinishStepLikeReference)
{
    using V = typename TypeParam::value_type;
    using real = typename TestFixture::real;
    // Each precision with one of the sizes, subtracted again or not.
    for (size_type i = 0; i < all_precisions.size(); ++i) {
        const auto precision = all_precisions[i];
        const auto size = this->basis_sizes[i % this->basis_sizes.size()];
        this->compare_on_every_shape(
            [&](auto& with) {
                typename TestFixture::store memory{with.exec, precision, with.size, size};
                this->fill(memory, with);
                array<size_type> num_steps{with.exec, with.size[1]};
                num_steps.fill(size - 1);
                const auto tenth = spruce::initialize<typename TestFixture::Dense>({V(0.1)}, with.exec);
                auto& h = with.rows(size);
                h.scale(tenth);
                auto& w = with.vectors();
                const auto left = this->remainder(with, real(i % 2));
                auto& triangle = with.rows(packed_begin(size));
                auto& cos = with.real_rows(size);
                auto& sin = with.rows(size);
                sin.scale(tenth);  // prevents growth from rotation to rotation
                auto& rhs = with.rows(size + 1);
                auto& next_norm = with.real_scalars();
                auto& start_norm = with.real_scalars();
                auto& norm = with.real_scalars();
                auto& history = with.real_rows(spruce::kernels::gmres::num_history_rows);

                cb_gmres::finish_step<V>(*with.exec, memory.basis(), h, w, left,
                                         {triangle, cos, sin, rhs, next_norm, start_norm, norm, history, num_steps},
                                         with.status, with.tmp);

                with.keep_counts(num_steps);
            },
            i == 3 ? this->everything : this->few_entries);
    }
}

TYPED_TEST(CbGmresKernels, ResumeUnconfirmedLikeReference)
{
    using real = typename TestFixture::real;
    this->compare_on_every_shape([](auto& with) {
        auto& residual_norm = with.real_scalars();
        cb_gmres::resume_unconfirmed<real>(*with.exec, residual_norm, with.real_scalars(), with.status);
    });
}

TYPED_TEST(CbGmresKernels, AddCombinationLikeReference)
{
    // Each precision with one of the sizes.
    for (size_type i = 0; i < all_precisions.size(); ++i) {
        const auto precision = all_precisions[i];
        const auto size = this->basis_sizes[i % this->basis_sizes.size()];
        this->compare_on_every_shape(
            [&](auto& with) {
                std::vector<size_type> counts(with.size[1]);
                for (size_type col = 0; col < counts.size(); ++col) {
                    counts[col] = col * 7 % (size + 1);
                }
                const array<size_type> num_steps{with.exec, counts.begin(), counts.end()};
                typename TestFixture::store memory{with.exec, precision, with.size, size};
                this->fill(memory, with);
                auto& y = with.rows(size);
                cb_gmres::add_combination<typename TypeParam::value_type>(*with.exec, memory.basis(), y, num_steps,
                                                                          with.vectors());
            },
            i == 2 ? this->everything : this->few_entries);
    }
}

}  // namespace
