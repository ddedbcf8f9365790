// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests conversions between Dense, Csr and Coo in all directions, between precisions, and from and
// to triples.

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class Conversion : public kernel_test<Types> {
protected:
    /// Returns the cases with sorted columns, as a Dense returns them.
    std::vector<sparse_case> cases()
    {
        auto result = sparse_cases(this->engine);
        for (auto& one : result) {
            one.data.sort_row_major();
        }
        return result;
    }
};
TYPED_TEST_SUITE(Conversion, value_and_index_types, type_names);

TYPED_TEST(Conversion, KeepsEntriesInAllDirections)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for (const auto& one : this->cases()) {
        SCOPED_TRACE(one.name);
        const auto csr = make_csr<V, I>(this->exec, one.data);
        const auto coo = make_coo<V, I>(this->exec, one.data);
        const auto dense = make_dense<V>(this->exec, one.data);
        // The targets have another size, and their old entries must not remain.
        const auto to_csr = this->csr({{1, 2}, {3, 4}});
        const auto to_coo = this->coo({{1, 2}, {3, 4}});
        const auto to_dense = this->dense_of_nan(3, 4);

        csr->convert_to(to_coo);
        EXPECT_MTX_STORED_ALIKE(to_coo, coo);
        csr->convert_to(to_dense);
        EXPECT_MTX_STORED_ALIKE(to_dense, dense);
        coo->convert_to(to_csr);
        EXPECT_MTX_STORED_ALIKE(to_csr, csr);
        coo->convert_to(to_dense);
        EXPECT_MTX_STORED_ALIKE(to_dense, dense);
        dense->convert_to(to_csr);
        EXPECT_MTX_STORED_ALIKE(to_csr, csr);
        dense->convert_to(to_coo);
        EXPECT_MTX_STORED_ALIKE(to_coo, coo);
        dense->convert_to(to_dense);
        EXPECT_MTX_STORED_ALIKE(to_dense, dense);
    }
}

TYPED_TEST(Conversion, ReadsFromStridedAndWritesToStridedDense)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = random_sparse(this->engine, 70, 45, nnz_per_row(0, 40));
    const auto csr = make_csr<V, I>(this->exec, data);
    const auto strided = make_dense<V>(this->exec, data, 50);
    const auto to_csr = TestFixture::Csr::create(this->exec);
    const auto to_strided = this->dense_of_nan(70, 45, 61);

    strided->convert_to(to_csr);
    EXPECT_MTX_STORED_ALIKE(to_csr, csr);

    csr->convert_to(to_strided);
    EXPECT_MTX_STORED_ALIKE(to_strided, strided);
    EXPECT_EQ(to_strided->get_stride(), 61u);
    EXPECT_TRUE(padding_is_intact(*to_strided));
}

TYPED_TEST(Conversion, KeepsNanAndDropsZeroFromDense)
{
    using V = typename TypeParam::value_type;
    const auto dense = this->dense({{0, spruce::nan<V>()}, {V(-0.0), 2}});
    const auto csr = TestFixture::Csr::create(this->exec);

    dense->convert_to(csr);

    EXPECT_EQ(csr->get_num_stored_elements(), 2u);
    EXPECT_MTX_NEAR(csr, dense, 0.0);
}

TYPED_TEST(Conversion, AddsUpDuplicatesInDense)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    host_matrix data{dim<2>{2, 2}};
    data.nonzeros = {{0, 1, 1.0}, {0, 1, 2.0}, {1, 1, 5.0}, {1, 1, -1.0}};
    const auto dense = this->dense_of_nan(2, 2);

    make_csr<V, I>(this->exec, data)->convert_to(dense);

    EXPECT_MTX_NEAR(dense, this->dense({{0, 3}, {0, 4}}), 0.0);
}

TYPED_TEST(Conversion, AddsUpDuplicatesOfLongUnsortedRowsInDense)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    host_matrix data{dim<2>{3, 150}};
    for (int i = 0; i < 300; ++i) {
        data.nonzeros.emplace_back(1, 7 * i % 150, i);
    }
    host_matrix sums{dim<2>{3, 150}};
    sums.nonzeros = data.nonzeros;
    sums.sum_duplicates();
    const auto dense = this->dense_of_nan(3, 150);

    make_csr<V, I>(this->exec, data)->convert_to(dense);

    EXPECT_MTX_NEAR(dense, (make_dense<V>(this->ref, sums)), 0.0);
}

TYPED_TEST(Conversion, GoesToAnotherExecutorAndBack)
{
    using Csr = typename TestFixture::Csr;
    using Coo = typename TestFixture::Coo;
    using Dense = typename TestFixture::Dense;
    const auto csr = this->random_csr(60, 50, nnz_per_row(0, 20));
    const auto ref_coo = Coo::create(this->ref);
    const auto ref_dense = Dense::create(this->ref);
    const auto back = Csr::create(this->exec);

    ref_coo->copy_from(csr);
    EXPECT_MTX_STORED_ALIKE(ref_coo, csr);
    back->copy_from(ref_coo);
    EXPECT_MTX_STORED_ALIKE(back, csr);
    ref_dense->copy_from(csr);
    EXPECT_MTX_NEAR(ref_dense, csr, 0.0);
    back->copy_from(ref_dense);
    EXPECT_MTX_STORED_ALIKE(back, csr);
    const auto on_ref = clone(this->ref, csr);
    EXPECT_EQ(on_ref->get_executor(), this->ref);
    EXPECT_MTX_STORED_ALIKE(clone(this->exec, on_ref), csr);
}

TYPED_TEST(Conversion, ChangesPrecisionAndBack)
{
    using other = spruce::next_precision<typename TypeParam::value_type>;
    using I = typename TypeParam::index_type;
    const auto csr = this->csr({{1, 0, 2.5}, {0, -3, 0}});
    const auto coo = this->coo({{1, 0, 2.5}, {0, -3, 0}});
    const auto dense = this->dense({{1, 0, 2.5}, {0, -3, 0}}, 5);
    for (const auto& target :
         {std::shared_ptr<spruce::Executor>{this->exec}, std::shared_ptr<spruce::Executor>{this->ref}}) {
        const auto other_csr = spruce::matrix::Csr<other, I>::create(target);
        const auto other_coo = spruce::matrix::Coo<other, I>::create(target);
        const auto other_dense = spruce::matrix::Dense<other>::create(target);
        const auto back = TestFixture::Csr::create(this->exec);
        const auto dense_back = TestFixture::Dense::create(this->exec);

        other_csr->copy_from(csr);
        other_coo->copy_from(coo);
        other_dense->copy_from(dense);
        back->copy_from(other_csr);
        dense_back->copy_from(other_dense);

        EXPECT_MTX_STORED_ALIKE(other_csr, csr);
        EXPECT_MTX_STORED_ALIKE(other_coo, coo);
        EXPECT_MTX_STORED_ALIKE(other_dense, dense);
        EXPECT_MTX_STORED_ALIKE(back, csr);
        EXPECT_MTX_STORED_ALIKE(dense_back, dense);
    }
}

TYPED_TEST(Conversion, ReadsAndWritesTriples)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using data_type = spruce::matrix_data<V, I>;
    for (const auto& one : this->cases()) {
        SCOPED_TRACE(one.name);
        data_type data;
        make_csr<V, I>(this->ref, one.data)->write(data);
        const auto device_data = spruce::device_matrix_data<V, I>::create_from_host(this->exec, data);
        const auto csr = TestFixture::Csr::create(this->exec);
        const auto coo = TestFixture::Coo::create(this->exec);
        const auto dense = TestFixture::Dense::create(this->exec);

        csr->read(data);
        coo->read(data);
        dense->read(data);
        for (const auto& op :
             std::initializer_list<const spruce::WritableToMatrixData<V, I>*>{csr.get(), coo.get(), dense.get()}) {
            data_type written;
            op->write(written);
            EXPECT_EQ(written.size, data.size);
            EXPECT_EQ(written.nonzeros, data.nonzeros);
        }

        csr->clear();
        coo->clear();
        dense->clear();
        csr->read(device_data);
        coo->read(device_data);
        dense->read(device_data);
        EXPECT_MTX_STORED_ALIKE(csr, coo);
        EXPECT_MTX_NEAR(dense, coo, 0.0);
        EXPECT_EQ(csr->get_num_stored_elements(), data.nonzeros.size());
    }
}

TYPED_TEST(Conversion, KeepsZerosOfTriples)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    spruce::matrix_data<V, I> data{dim<2>{2, 2}};
    data.nonzeros = {{0, 0, V(0)}, {1, 1, V(1)}};
    const auto csr = TestFixture::Csr::create(this->exec);

    csr->read(data);

    EXPECT_EQ(csr->get_num_stored_elements(), 2u);
}

TYPED_TEST(Conversion, GivesDeviceTriplesAwayWhenMoved)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    spruce::matrix_data<V, I> data{dim<2>{2, 2}};
    data.nonzeros = {{0, 1, V(3)}, {1, 1, V(1)}};
    auto device_data = spruce::device_matrix_data<V, I>::create_from_host(this->exec, data);
    const auto values = device_data.get_const_values();
    const auto csr = TestFixture::Csr::create(this->exec);

    csr->read(std::move(device_data));

    EXPECT_EQ(csr->get_const_values(), values);
    EXPECT_EQ(device_data.get_num_stored_elements(), 0u);
    EXPECT_MTX_NEAR(csr, this->csr({{0, 3}, {0, 1}}), 0.0);
}

}  // namespace
