// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that indices of an application are checked before their use: indices out of range, and
// repeated indices of permutations. The message names them.

#include "core/base/index_set_kernels.hpp"
#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::OutOfBoundsError;
using spruce::size_type;
using spruce::ValueMismatch;

template <typename Types>
class IndexChecks : public formats_test<Types> {
protected:
    using V = typename Types::value_type;
    using I = typename Types::index_type;
    using Permutation = spruce::matrix::Permutation<I>;
    using Scaled = spruce::matrix::ScaledPermutation<V, I>;
    using Gatherer = spruce::matrix::RowGatherer<I>;

    array<I> indices(std::initializer_list<I> values) const { return {this->exec, values}; }
    array<V> ones(size_type size) const
    {
        array<V> result{this->exec, size};
        result.fill(V(1));
        return result;
    }
    /// Returns order with another index at one position.
    static array<I> with(const array<I>& order, size_type position, I index)
    {
        auto on_host = order.copy_to_host();
        on_host[position] = index;
        return {order.get_executor(), on_host.begin(), on_host.end()};
    }

    /// Calls check(run) for each function run(a, indices) that permutes rows or columns of
    /// matrices.
    template <typename Check>
    static void for_each_permutation(Check check)
    {
        check([](const auto& a, const array<I>& p) { a.permute(&p); });
        check([](const auto& a, const array<I>& p) { a.inverse_permute(&p); });
        check([](const auto& a, const array<I>& p) { a.row_permute(&p); });
        check([](const auto& a, const array<I>& p) { a.column_permute(&p); });
        check([](const auto& a, const array<I>& p) { a.inverse_row_permute(&p); });
        check([](const auto& a, const array<I>& p) { a.inverse_column_permute(&p); });
    }
};
TYPED_TEST_SUITE(IndexChecks, value_and_index_types, type_names);

TYPED_TEST(IndexChecks, FindRepeatedIndicesByHand)
{
    using I = typename TypeParam::index_type;
    const auto has_repeated = [&](const array<I>& indices) {
        array<I> positions{this->exec, 100};
        positions.fill(0);
        bool result{};
        spruce::kernels::index_set::find_repeated<I>(*this->exec, indices.get_const_data(), indices.get_size(),
                                                     positions.get_data(), result);
        return result;
    };

    EXPECT_FALSE(has_repeated(this->indices({3})));
    EXPECT_FALSE(has_repeated(this->indices({1, 0, 2})));
    EXPECT_FALSE(has_repeated(this->indices({99, 5, 0})));
    EXPECT_TRUE(has_repeated(this->indices({0, 0})));
    EXPECT_TRUE(has_repeated(this->indices({7, 1, 99, 7})));
}

TYPED_TEST(IndexChecks, FindOneWrongIndexAmongMany)
{
    using I = typename TypeParam::index_type;
    using Permutation = typename TestFixture::Permutation;
    for (const size_type size : {2, 31, 32, 33, 64, 65, 257, 5000}) {
        SCOPED_TRACE(size);
        const auto order = this->random_order(size);
        const auto last = size - 1;
        const auto first_index = order.copy_to_host()[0];

        EXPECT_NO_THROW(Permutation::create(this->exec, order));
        EXPECT_THROW(Permutation::create(this->exec, this->with(order, last, static_cast<I>(size))), OutOfBoundsError);
        EXPECT_THROW(Permutation::create(this->exec, this->with(order, 0, -1)), OutOfBoundsError);
        EXPECT_THROW(Permutation::create(this->exec, this->with(order, last, first_index)), ValueMismatch);
    }
    EXPECT_NO_THROW(Permutation::create(this->exec, array<I>{this->exec}));
}

TYPED_TEST(IndexChecks, OfPermutationsThatAreCreatedNameIndexPositionAndBound)
{
    using Permutation = typename TestFixture::Permutation;
    using Scaled = typename TestFixture::Scaled;
    using Gatherer = typename TestFixture::Gatherer;
    const auto large = this->indices({0, 2, 400000000});
    const auto negative = this->indices({0, -1, 2});
    const auto repeated = this->indices({1, 0, 1});
    const std::string large_text = "index 400000000 at position 2, but indices have to be at least 0 and below 3";
    const std::string negative_text = "index -1 at position 1, but";
    const std::string repeated_text = "2 and 3 differ: index 1 is at the positions 0 and 2";

    EXPECT_THROW_WITH(Permutation::create(this->exec, large), OutOfBoundsError, "Permutation::create: " + large_text);
    EXPECT_THROW_WITH(Permutation::create(this->exec, negative), OutOfBoundsError, negative_text);
    EXPECT_THROW_WITH(Permutation::create(this->exec, repeated), ValueMismatch, repeated_text);
    EXPECT_THROW_WITH(Permutation::create_const(this->exec, large.as_const_view()), OutOfBoundsError, large_text);
    EXPECT_THROW_WITH(Scaled::create(this->exec, this->ones(3), large), OutOfBoundsError,
                      "ScaledPermutation::create: " + large_text);
    EXPECT_THROW_WITH(Scaled::create(this->exec, this->ones(3), repeated), ValueMismatch, repeated_text);
    EXPECT_THROW_WITH(Scaled::create_const(this->exec, this->ones(3).as_const_view(), negative.as_const_view()),
                      OutOfBoundsError, negative_text);
    EXPECT_THROW_WITH(Gatherer::create(this->exec, dim<2>{3, 3}, large), OutOfBoundsError,
                      "RowGatherer::create: " + large_text);
    EXPECT_THROW_WITH(Gatherer::create_const(this->exec, dim<2>{3, 3}, negative.as_const_view()), OutOfBoundsError,
                      negative_text);
    EXPECT_NO_THROW(Gatherer::create(this->exec, dim<2>{3, 2}, repeated));
}

TYPED_TEST(IndexChecks, OfArraysRunOnOtherExecutorsToo)
{
    using I = typename TypeParam::index_type;
    using Permutation = typename TestFixture::Permutation;
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const array<I> wrong{other, {0, 2}};

        EXPECT_THROW(Permutation::create(this->exec, wrong), OutOfBoundsError);
        EXPECT_THROW(this->dense({{1}, {2}})->row_gather(&wrong), OutOfBoundsError);
        EXPECT_THROW(this->csr({{1}, {2}})->row_permute(&wrong), OutOfBoundsError);
    }
}

TYPED_TEST(IndexChecks, OfArraysPrecedeEveryPermutationOfEveryFormat)
{
    using I = typename TestFixture::I;
    const auto csr = this->csr({{1, 2, 0}, {0, 3, 4}, {5, 0, 6}});
    const auto large = this->indices({0, 1, 3});
    const auto repeated = this->indices({2, 0, 2});
    for (const auto& format : this->all_formats()) {
        SCOPED_TRACE(format.name);
        const auto a = format.convert(csr.get());
        const auto& permutable = dynamic_cast<const spruce::Permutable<I>&>(*a);
        this->for_each_permutation([&](auto run) {
            EXPECT_THROW_WITH(run(permutable, large), OutOfBoundsError, "index 3 at position 2");
            EXPECT_THROW_WITH(run(permutable, repeated), ValueMismatch, "index 2 is at the positions 0 and 2");
        });
    }
    // A rejected call does not change the output.
    const auto x = this->random_dense(3, 3);
    const auto output = this->random_dense(3, 3);
    const auto before = clone(output);
    EXPECT_THROW(x->row_permute(&large, output), OutOfBoundsError);
    EXPECT_THROW(x->inverse_permute(&repeated, output), ValueMismatch);
    EXPECT_MTX_NEAR(output, before, 0.0);
}

TYPED_TEST(IndexChecks, OfArraysPrecedeGatheringAndScattering)
{
    const auto x = this->random_dense(2, 3);
    const auto output = this->random_dense(2, 3);
    const auto long_output = this->random_dense(5, 3);
    const auto before = clone(output);
    const auto long_before = clone(long_output);
    const auto one = this->dense({{1}});
    const auto large = this->indices({0, 400000000});
    const auto negative = this->indices({-7, 0});
    const auto repeated = this->indices({4, 4});

    EXPECT_THROW_WITH(
        x->row_gather(&large), OutOfBoundsError,
        "Dense::row_gather: index 400000000 at position 1, but indices have to be at least 0 and below 2");
    EXPECT_THROW(x->row_gather(&negative, output), OutOfBoundsError);
    EXPECT_THROW(x->row_gather(one, &large, one, output), OutOfBoundsError);
    EXPECT_THROW_WITH(x->row_scatter(&large, long_output), OutOfBoundsError, "below 5");
    EXPECT_THROW_WITH(x->row_scatter(&repeated, long_output), ValueMismatch, "index 4 is at the positions 0 and 1");
    EXPECT_MTX_NEAR(output, before, 0.0);
    EXPECT_MTX_NEAR(long_output, long_before, 0.0);
}

}  // namespace
