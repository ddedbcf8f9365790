// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/factorization/factorization.hpp>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::NotSupported;
using spruce::share;
using spruce::experimental::factorization::storage_type;

template <typename Types>
class FactorizationObject : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using Factorization = spruce::experimental::factorization::Factorization<V, I>;
    using Composition = spruce::Composition<V>;
    using Diagonal = spruce::matrix::Diagonal<V>;

    /// Returns 2 i for complex values, otherwise 2.
    static V two()
    {
        if constexpr (spruce::is_complex<V>()) {
            return V{0, 2};
        } else {
            return V{2};
        }
    }

    void expect_separate(const Factorization& factorization, storage_type type) const
    {
        EXPECT_EQ(factorization.get_storage_type(), type);
        EXPECT_EQ(factorization.get_combined(), nullptr);
        EXPECT_EQ(factorization.get_size(), dim<2>(2, 2));
    }
};
TYPED_TEST_SUITE(FactorizationObject, value_and_index_types, type_names);

TYPED_TEST(FactorizationObject, UnpacksLu)
{
    const auto packed = TestFixture::Factorization::create_from_combined_lu(this->csr({{3, 5}, {2, 4}}));
    EXPECT_EQ(packed->get_storage_type(), storage_type::combined_lu);
    EXPECT_MTX_NEAR(packed->get_combined(), this->dense({{3, 5}, {2, 4}}), 0.0);
    EXPECT_EQ(packed->get_lower_factor(), nullptr);
    EXPECT_EQ(packed->get_upper_factor(), nullptr);
    EXPECT_EQ(packed->get_diagonal(), nullptr);

    const auto separate = packed->unpack();

    this->expect_separate(*separate, storage_type::composition);
    EXPECT_MTX_NEAR(separate->get_lower_factor(), this->dense({{1, 0}, {2, 1}}), 0.0);
    EXPECT_MTX_NEAR(separate->get_upper_factor(), this->dense({{3, 5}, {0, 4}}), 0.0);
    EXPECT_EQ(separate->get_diagonal(), nullptr);
}

TYPED_TEST(FactorizationObject, UnpacksLdu)
{
    const auto separate = TestFixture::Factorization::create_from_combined_ldu(this->csr({{3, 5}, {2, 4}}))->unpack();

    this->expect_separate(*separate, storage_type::composition);
    EXPECT_MTX_NEAR(separate->get_lower_factor(), this->dense({{1, 0}, {2, 1}}), 0.0);
    EXPECT_MTX_NEAR(separate->get_diagonal(), this->dense({{3, 0}, {0, 4}}), 0.0);
    EXPECT_MTX_NEAR(separate->get_upper_factor(), this->dense({{1, 5}, {0, 1}}), 0.0);
}

TYPED_TEST(FactorizationObject, UnpacksCholesky)
{
    const auto two = this->two();
    const auto separate =
        TestFixture::Factorization::create_from_combined_cholesky(this->csr({{3, 9}, {two, 4}}))->unpack();

    this->expect_separate(*separate, storage_type::symm_composition);
    EXPECT_MTX_NEAR(separate->get_lower_factor(), this->dense({{3, 0}, {two, 4}}), 0.0);
    EXPECT_MTX_NEAR(separate->get_upper_factor(), this->dense({{3, spruce::conj(two)}, {0, 4}}), 0.0);
}

TYPED_TEST(FactorizationObject, UnpacksLdl)
{
    const auto two = this->two();
    const auto separate = TestFixture::Factorization::create_from_combined_ldl(this->csr({{3, 9}, {two, 4}}))->unpack();

    this->expect_separate(*separate, storage_type::symm_composition);
    EXPECT_MTX_NEAR(separate->get_lower_factor(), this->dense({{1, 0}, {two, 1}}), 0.0);
    EXPECT_MTX_NEAR(separate->get_diagonal(), this->dense({{3, 0}, {0, 4}}), 0.0);
    EXPECT_MTX_NEAR(separate->get_upper_factor(), this->dense({{1, spruce::conj(two)}, {0, 1}}), 0.0);
}

TYPED_TEST(FactorizationObject, SortsAndChecksTheMatrixThatItUnpacks)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using spruce::UnsupportedMatrixProperty;
    host_matrix data{dim<2>{2, 2}};
    const auto unpack = [&] {
        return TestFixture::Factorization::create_from_combined_lu(make_csr<V, I>(this->exec, data))->unpack();
    };

    data.nonzeros = {{0, 1, 5.0}, {0, 0, 3.0}, {1, 1, 4.0}, {1, 0, 2.0}};
    EXPECT_MTX_NEAR(unpack()->get_upper_factor(), this->dense({{3, 5}, {0, 4}}), 0.0);
    data.nonzeros = {{0, 0, 3.0}, {1, 0, 2.0}};
    EXPECT_THROW_WITH(unpack(), UnsupportedMatrixProperty, "row 1");
    data.nonzeros = {{0, 0, 3.0}, {0, 0, 3.0}, {1, 1, 2.0}};
    EXPECT_THROW_WITH(unpack(), UnsupportedMatrixProperty, "row 0");
}

TYPED_TEST(FactorizationObject, AppliesSeparateFactors)
{
    const auto l = share(this->csr({{1, 0}, {2, 1}}));
    const auto d = share(TestFixture::Diagonal::create(this->exec, 2));
    this->csr({{2, 0}, {0, 3}})->extract_diagonal()->convert_to(d);
    const auto u = share(this->csr({{1, 4}, {0, 1}}));
    const auto b = this->dense({{1}, {1}});
    const auto product = TestFixture::Factorization::create_from_composition(TestFixture::Composition::create(l, d, u));
    const auto symmetric =
        TestFixture::Factorization::create_from_symm_composition(TestFixture::Composition::create(l, u));

    EXPECT_EQ(product->get_storage_type(), storage_type::composition);
    EXPECT_EQ(symmetric->get_storage_type(), storage_type::symm_composition);
    EXPECT_EQ(product->get_lower_factor(), l);
    EXPECT_EQ(product->get_diagonal(), d);
    EXPECT_EQ(product->get_upper_factor(), u);
    EXPECT_EQ(product->unpack()->get_lower_factor(), l);
    EXPECT_MTX_NEAR(this->apply(product, b), this->dense({{10}, {23}}), 0.0);
    EXPECT_MTX_NEAR(this->apply(symmetric, b), this->dense({{5}, {11}}), 0.0);
    const auto x = this->dense({{1}, {2}});
    product->apply(this->dense({{2}}), b, this->dense({{-1}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{19}, {44}}), 0.0);
    const auto packed = TestFixture::Factorization::create_from_combined_lu(this->csr({{3, 5}, {2, 4}}));
    EXPECT_THROW(packed->apply(b, x), NotSupported);
}

TYPED_TEST(FactorizationObject, RefusesWrongFactors)
{
    using F = typename TestFixture::Factorization;
    using C = typename TestFixture::Composition;
    const auto a = share(this->csr({{1, 0}, {2, 1}}));
    const auto wide = share(this->csr({{1, 0, 1}, {2, 1, 1}}));
    const auto tall = share(this->csr({{1, 0}, {2, 1}, {1, 1}}));

    EXPECT_THROW(F::create_from_composition(nullptr), NotSupported);
    EXPECT_THROW(F::create_from_combined_lu(nullptr), NotSupported);
    EXPECT_THROW(F::create_from_composition(C::create(a)), NotSupported);
    EXPECT_THROW(F::create_from_composition(C::create(a, a, a)), NotSupported);
    EXPECT_THROW(F::create_from_symm_composition(C::create(a, share(this->dense({{1, 2}, {3, 4}})))), NotSupported);
    EXPECT_THROW(F::create_from_composition(C::create(wide, tall)), spruce::DimensionMismatch);
    EXPECT_THROW(F::create_from_combined_ldl(this->csr({{1, 0, 1}, {2, 1, 1}})), spruce::DimensionMismatch);
}

TYPED_TEST(FactorizationObject, IsCopiedAndMoved)
{
    const auto packed = TestFixture::Factorization::create_from_combined_lu(this->csr({{3, 5}, {2, 4}}));
    const auto combined = packed->get_combined();

    const auto copy = clone(packed);
    const auto host_copy = clone(this->ref, packed);
    const auto moved = packed->create_default();
    moved->move_from(packed);

    EXPECT_EQ(copy->get_combined(), combined);
    EXPECT_MTX_NEAR(host_copy->get_combined(), combined, 0.0);
    EXPECT_EQ(moved->get_combined(), combined);
    EXPECT_EQ(packed->get_storage_type(), storage_type::empty);
    EXPECT_EQ(packed->get_combined(), nullptr);
    EXPECT_EQ(packed->unpack()->get_storage_type(), storage_type::empty);
}

}  // namespace
