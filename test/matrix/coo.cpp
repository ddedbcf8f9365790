// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests operations of Coo other than its products and conversions.

#include <spruce/matrix/coo.hpp>

#include <limits>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class CooOperations : public kernel_test<Types> {
protected:
    using V = typename Types::value_type;

    static V of_absolute_value_3()
    {
        if constexpr (spruce::is_complex<V>()) {
            return {0, 3};
        } else {
            return -3;
        }
    }
};
TYPED_TEST_SUITE(CooOperations, value_and_index_types, type_names);

TYPED_TEST(CooOperations, TransposesByHand)
{
    const auto a = this->coo({{1, 0, 2}, {0, 3, 4}});

    EXPECT_MTX_STORED_ALIKE(a->transpose(), this->coo({{1, 0}, {0, 3}, {2, 4}}));
}

TYPED_TEST(CooOperations, ConjugatesWhenTransposing)
{
    using V = typename TypeParam::value_type;
    const V value = this->of_absolute_value_3();
    const auto a = this->coo({{0, value}, {1, 0}});

    EXPECT_MTX_STORED_ALIKE(a->conj_transpose(), this->coo({{0, 1}, {spruce::conj(value), 0}}));
    EXPECT_MTX_STORED_ALIKE(a->transpose(), this->coo({{0, 1}, {value, 0}}));
}

TYPED_TEST(CooOperations, TransposesEveryCaseLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : sparse_cases(this->engine)) {
        SCOPED_TRACE(one.name);
        const auto a = make_coo<V, I>(this->exec, one.data);
        const auto ref_a = make_coo<V, I>(this->ref, one.data);
        const auto csr = make_csr<V, I>(this->ref, one.data);
        const auto back = spruce::as<spruce::Transposable>(a->transpose().get())->transpose();

        EXPECT_MTX_STORED_ALIKE(a->transpose(), ref_a->transpose());
        EXPECT_MTX_STORED_ALIKE(a->conj_transpose(), ref_a->conj_transpose());
        EXPECT_MTX_STORED_ALIKE(a->transpose(), csr->transpose());
        csr->sort_by_column_index();
        EXPECT_MTX_STORED_ALIKE(back, csr);
    }
}

TYPED_TEST(CooOperations, TakesAbsoluteValues)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = this->coo({{0, this->of_absolute_value_3()}, {1, -2}});
    const auto expected = make_coo<spruce::remove_complex<V>, I>(this->exec, this->host({{0, 3}, {1, 2}}));

    const auto absolute = a->compute_absolute();
    a->compute_absolute_inplace();

    EXPECT_MTX_STORED_ALIKE(absolute, expected);
    EXPECT_MTX_STORED_ALIKE(a, this->coo({{0, 3}, {1, 2}}));
}

TYPED_TEST(CooOperations, ThrowsWhereIndicesCannotCountItsEntries)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // Views claim to be longer than their memory, which is not accessed.
    const auto size = static_cast<size_type>(std::numeric_limits<I>::max()) + 1;
    V value{};
    I index{};
    const auto a =
        TestFixture::Coo::create(this->exec, dim<2>{70000, 70000}, array<V>::view(this->exec, size, &value),
                                 array<I>::view(this->exec, size, &index), array<I>::view(this->exec, size, &index));
    const auto csr = this->csr({{1, 2}});

    EXPECT_THROW(a->convert_to(csr), spruce::OverflowError);
    EXPECT_THROW(a->transpose(), spruce::OverflowError);
    EXPECT_THROW(a->convert_to(this->dense({{1}})), spruce::OverflowError);
    EXPECT_THROW(a->convert_to(spruce::matrix::Ell<V, I>::create(this->exec)), spruce::OverflowError);
    EXPECT_THROW(a->convert_to(spruce::matrix::Sellp<V, I>::create(this->exec)), spruce::OverflowError);
    EXPECT_THROW(a->convert_to(spruce::matrix::Hybrid<V, I>::create(this->exec)), spruce::OverflowError);
    EXPECT_THROW(a->convert_to(spruce::matrix::Fbcsr<V, I>::create(this->exec)), spruce::OverflowError);
    EXPECT_THROW(a->convert_to(spruce::matrix::SparsityCsr<V, I>::create(this->exec)), spruce::OverflowError);
    EXPECT_MTX_STORED_ALIKE(csr, this->csr({{1, 2}}));
}

}  // namespace
