// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests creation, copies and moves of Csr and Coo, and the strategies of Csr in copies and moves.

#include <spruce/matrix/csr.hpp>

#include "core/matrix/csr_kernels.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::clone;
using spruce::dim;
using spruce::size_type;

class CsrMatrix : public kernel_test<types<double, spruce::int32>> {
protected:
    using I = spruce::int32;

    std::vector<I> row_ptrs_of(const Csr& m) const
    {
        std::vector<I> result(m.get_size()[0] + 1);
        ref->copy_from(exec, result.size(), m.get_const_row_ptrs(), result.data());
        return result;
    }

    std::shared_ptr<Csr> a{this->csr({{1, 0, 2}, {0, 3, 0}})};
};

TEST_F(CsrMatrix, IsEmptyByDefault)
{
    const auto m = Csr::create(exec);

    EXPECT_EQ(m->get_size(), (dim<2>{}));
    EXPECT_EQ(m->get_num_stored_elements(), 0u);
    EXPECT_EQ(this->row_ptrs_of(*m), std::vector<I>{0});
}

TEST_F(CsrMatrix, MakesRoomForEntries)
{
    const auto m = Csr::create(exec, dim<2>{3, 4}, 7);

    EXPECT_EQ(m->get_num_stored_elements(), 7u);
    EXPECT_EQ(this->row_ptrs_of(*m), (std::vector<I>{0, 0, 0, 0}));  // valid immediately
    const auto x = this->dense_of_nan(3, 1);
    m->apply(this->dense({{1}, {1}, {1}, {1}}), x);
    EXPECT_MTX_NEAR(x, this->dense({{0}, {0}, {0}}), 0.0);
}

TEST_F(CsrMatrix, KnowsHowLongItsRowsAre)
{
    const auto m = this->csr({{1, 0, 2, 4}, {0, 3, 0, 0}, {0, 0, 0, 0}});

    EXPECT_EQ(m->compute_max_row_length(), 3u);
    EXPECT_EQ(m->compute_mean_row_length(), 4.0 / 3.0);
    EXPECT_EQ(Csr::create(exec)->compute_max_row_length(), 0u);
    EXPECT_EQ(Csr::create(exec)->compute_mean_row_length(), 0.0);
    EXPECT_EQ(Csr::create(exec, dim<2>{3, 4}, 7)->compute_mean_row_length(), 0.0);
}

TEST_F(CsrMatrix, MayHaveRoomForMoreEntriesThanThereAre)
{
    using V = double;
    // The elements after the entries must not be read: they are no column indices.
    const auto create = [&](std::shared_ptr<Csr::strategy_type> strategy) {
        return Csr::create(exec, dim<2>{2, 3}, array<V>{exec, {1.0, 2.0, 3.0, spruce::nan<V>(), spruce::nan<V>()}},
                           array<I>{exec, {0, 2, 1, 1 << 30, 1 << 30}}, array<I>{exec, {0, 2, 3}}, strategy);
    };
    const auto m = create(nullptr);
    const auto expected = this->csr({{1, 0, 2}, {0, 3, 0}});
    const auto check = [&](auto other) {
        m->convert_to(other.get());
        EXPECT_MTX_NEAR(other, expected, 0.0);
    };

    for (const auto& strategy : std::initializer_list<std::shared_ptr<Csr::strategy_type>>{
             std::make_shared<Csr::classical>(), std::make_shared<Csr::load_balance>(),
             std::make_shared<Csr::merge_path>(), std::make_shared<Csr::automatical>()}) {
        SCOPED_TRACE(strategy->get_name());
        EXPECT_MTX_NEAR(this->apply(create(strategy), this->dense({{1}, {2}, {3}})), this->dense({{7}, {6}}), 0.0);
        EXPECT_MTX_NEAR(this->apply(create(strategy), this->dense({{1, 0}, {2, 0}, {3, 1}})),
                        this->dense({{7, 2}, {6, 0}}), 0.0);
    }
    check(Coo::create(exec));
    check(Dense::create(exec));
    check(spruce::matrix::Ell<V, I>::create(exec));
    check(spruce::matrix::Sellp<V, I>::create(exec));
    check(spruce::matrix::Hybrid<V, I>::create(exec));
    check(spruce::matrix::Fbcsr<V, I>::create(exec));
    EXPECT_MTX_NEAR(spruce::as<spruce::Transposable>(m->transpose().get())->transpose(), expected, 0.0);
    EXPECT_MTX_NEAR(m->extract_diagonal(), this->csr({{1, 0}, {0, 3}}), 0.0);
    EXPECT_TRUE(m->is_sorted_by_column_index());
    m->sort_by_column_index();
    EXPECT_MTX_NEAR(m, expected, 0.0);
    const auto two = spruce::matrix::Diagonal<V>::create(exec, 2, array<V>{exec, {2.0, 2.0}});
    const auto half = spruce::matrix::Diagonal<V>::create(exec, 3, array<V>{exec, {0.5, 0.5, 0.5}});
    two->apply(m, m);
    half->rapply(m, m);
    EXPECT_MTX_NEAR(m, expected, 0.0);
}

TEST_F(CsrMatrix, TakesArraysThatFit)
{
    array<double> values{exec, {1, 2, 3}};
    const auto data = values.get_const_data();

    const auto m =
        Csr::create(exec, dim<2>{2, 3}, std::move(values), array<I>{exec, {0, 2, 1}}, array<I>{exec, {0, 2, 3}});

    EXPECT_EQ(m->get_const_values(), data);
    EXPECT_MTX_STORED_ALIKE(m, a);
    EXPECT_THROW_WITH(
        Csr::create(exec, dim<2>{2, 3}, array<double>{exec, {1.0}}, array<I>{exec, {0, 1}}, array<I>{exec, {0, 1, 2}}),
        spruce::ValueMismatch, "values and col_idxs");
    EXPECT_THROW_WITH(
        Csr::create(exec, dim<2>{2, 3}, array<double>{exec, {1.0}}, array<I>{exec, {0}}, array<I>{exec, {0, 1}}),
        spruce::ValueMismatch, "row_ptrs");
}

TEST_F(CsrMatrix, ViewsMemoryOfItsExecutorAndCopiesOther)
{
    std::vector<double> values{1, 2, 3};
    std::vector<I> col_idxs{0, 2, 1};
    std::vector<I> row_ptrs{0, 2, 3};
    const auto view_on = [&](auto target) {
        return Csr::create_const(target, dim<2>{2, 3}, array<double>::const_view(ref, 3, values.data()),
                                 array<I>::const_view(ref, 3, col_idxs.data()),
                                 array<I>::const_view(ref, 3, row_ptrs.data()));
    };

    EXPECT_EQ(view_on(ref)->get_const_values(), values.data());
    EXPECT_EQ(view_on(ref)->get_const_row_ptrs(), row_ptrs.data());
    EXPECT_MTX_STORED_ALIKE(view_on(exec), a);
    EXPECT_NE(view_on(exec)->get_const_values(), values.data());
}

TEST_F(CsrMatrix, IsCopiedAndMoved)
{
    for (const auto& other : all_executors()) {
        SCOPED_TRACE(other->get_description());
        const auto copy = Csr::create(other);
        copy->copy_from(a);
        EXPECT_MTX_STORED_ALIKE(copy, a);
        EXPECT_EQ(copy->get_executor(), other);

        const auto source = clone(a);
        const auto moved = Csr::create(other);
        moved->move_from(source);
        EXPECT_MTX_STORED_ALIKE(moved, a);
        EXPECT_EQ(moved->get_executor(), other);
        EXPECT_EQ(source->get_size(), (dim<2>{}));
        EXPECT_EQ(source->get_num_stored_elements(), 0u);
        EXPECT_EQ(this->row_ptrs_of(*source), std::vector<I>{0});  // the source remains a valid matrix
        const auto x = clone(other, this->dense_of_nan(2, 1));
        moved->apply(this->dense({{1}, {1}, {1}}), x);
        EXPECT_MTX_NEAR(x, this->dense({{3}, {3}}), 0.0);
    }
    Csr copy{*a};
    const Csr moved{std::move(copy)};
    EXPECT_MTX_STORED_ALIKE(&moved, a);
    a->clear();
    EXPECT_EQ(a->get_size(), (dim<2>{}));
    EXPECT_EQ(this->row_ptrs_of(*a), std::vector<I>{0});
}

TEST_F(CsrMatrix, MoveStealsStorageOnOneExecutor)
{
    const auto values = a->get_const_values();
    const auto target = Csr::create(exec);

    target->move_from(a);

    EXPECT_EQ(target->get_const_values(), values);
}

TEST_F(CsrMatrix, ChoosesAStrategyByItsExecutor)
{
    EXPECT_EQ(Csr::create(ref)->get_strategy()->get_name(), "classical");
    const auto name = Csr::create(exec)->get_strategy()->get_name();
    EXPECT_EQ(name, is_device(*exec) ? "automatical" : "classical");
    EXPECT_EQ(Csr::create(exec, std::make_shared<Csr::merge_path>())->get_strategy()->get_name(), "merge_path");
}

TEST_F(CsrMatrix, KnowsTheNamesOfStrategies)
{
    EXPECT_EQ(Csr::classical{}.get_name(), "classical");
    EXPECT_EQ(Csr::merge_path{}.get_name(), "merge_path");
    EXPECT_EQ(Csr::sparselib{}.get_name(), "sparselib");
    EXPECT_EQ(Csr::cusparse{}.get_name(), "cusparse");
    EXPECT_EQ(Csr::load_balance{}.get_name(), "load_balance");
    EXPECT_EQ((Csr::load_balance{7, 32, false}.get_name()), "load_balance");
    EXPECT_EQ(Csr::automatical{}.get_name(), "automatical");
}

TEST_F(CsrMatrix, TellsOnHostsWhereThePartsOfLoadBalanceBegin)
{
    const auto create = [&](int64_t num_parts, int warp_size) {
        return Csr::create(ref, dim<2>{5, 4}, array<double>{ref, 8}, array<int>{ref, {0, 0, 1, 2, 3, 0, 1, 2}},
                           array<int>{ref, {0, 1, 5, 5, 8, 8}},
                           std::make_shared<Csr::load_balance>(num_parts, warp_size));
    };
    const auto srow_of = [](const auto& a) {
        return std::vector<int>(a->get_const_srow(), a->get_const_srow() + a->get_num_srow_elements());
    };

    EXPECT_EQ(srow_of(create(4, 2)), (std::vector<int>{0, 1, 1, 3}));
    EXPECT_EQ(srow_of(create(1, 2)), (std::vector<int>{0}));
    EXPECT_EQ(srow_of(create(100, 4)), (std::vector<int>{0, 1}));
    EXPECT_EQ(srow_of(create(0, 32)), (std::vector<int>{}));
    EXPECT_EQ(srow_of(create(-1, 32)), (std::vector<int>{}));
    EXPECT_EQ(srow_of(Csr::create(ref, dim<2>{2, 3}, 4, std::make_shared<Csr::load_balance>(2))),
              (std::vector<int>{0}));
}

TEST_F(CsrMatrix, TellsTheVendorsLibraryOfEntriesAndNotOfRoomForMore)
{
    const auto with_room = Csr::create(ref, dim<2>{2, 2}, array<double>{ref, 5}, array<int>{ref, {1, 0, 1, 7, 7}},
                                       array<int>{ref, {0, 2, 3}}, std::make_shared<Csr::sparselib>());
    const auto filled_by_hand = Csr::create(ref, dim<2>{2, 2}, 5, std::make_shared<Csr::cusparse>());

    EXPECT_EQ(with_room->get_strategy()->get_num_entries(), 3);
    EXPECT_EQ(with_room->clone()->get_strategy()->get_num_entries(), 3);
    EXPECT_LT(filled_by_hand->get_strategy()->get_num_entries(), 0);
    EXPECT_LT(Csr::create(ref)->get_strategy()->get_num_entries(), 0);
}

TEST_F(CsrMatrix, StoresACopyOfTheStrategy)
{
    const auto strategy = std::make_shared<Csr::merge_path>();

    a->set_strategy(strategy);

    EXPECT_NE(a->get_strategy(), strategy);
    EXPECT_EQ(a->get_strategy()->get_name(), "merge_path");
    EXPECT_THROW(a->set_strategy(nullptr), spruce::NotSupported);
}

TEST_F(CsrMatrix, AutomaticalTakesTheNameOfItsChoice)
{
    std::vector<size_type> lengths(200, 3);
    const auto even = make_csr<double, I>(exec, random_sparse(this->engine, lengths, 900));
    lengths[17] = 900;
    const auto uneven = make_csr<double, I>(exec, random_sparse(this->engine, lengths, 900));

    even->set_strategy(std::make_shared<Csr::automatical>());
    uneven->set_strategy(std::make_shared<Csr::automatical>());

    EXPECT_EQ(even->get_strategy()->get_name(), "classical");
    EXPECT_EQ(uneven->get_strategy()->get_name(), "merge_path");
}

TEST_F(CsrMatrix, StrategiesTravelWithTheMatrix)
{
    const auto source = this->random_csr(300, 200, nnz_per_row(0, 90));
    const auto b = this->random_dense(200, 1);
    const auto expected = this->apply_on_reference(source, b);
    for (const auto& strategy : std::vector<std::shared_ptr<Csr::strategy_type>>{
             std::make_shared<Csr::merge_path>(), std::make_shared<Csr::load_balance>(),
             std::make_shared<Csr::automatical>()}) {
        source->set_strategy(strategy);
        for (const auto& other : all_executors()) {
            SCOPED_TRACE(strategy->get_name() + " to " + other->get_description());
            const auto there = clone(other, source);
            const auto back = clone(exec, there);
            const auto x = clone(other, this->dense_of_nan(300, 1));

            there->apply(b, x);

            EXPECT_MTX_NEAR(x, expected, this->tolerance_of_sum(90));
            EXPECT_MTX_NEAR(this->apply(back, b), expected, this->tolerance_of_sum(90));
            const auto transposed = spruce::as<Csr>(spruce::as<Csr>(source->transpose())->transpose());
            EXPECT_MTX_NEAR(this->apply(transposed, b), expected, this->tolerance_of_sum(90));
        }
    }
}

TEST_F(CsrMatrix, StrategyDataFollowNewRowPointers)
{
    // The structure is replaced in every possible way while the strategy remains.
    const auto original = this->random_csr(400, 300, nnz_per_row(0, 90));
    const auto b = this->random_dense(300, 1);
    const auto expected = this->apply_on_reference(original, b);
    spruce::matrix_data<double, I> data;
    original->write(data);
    const auto coo = Coo::create(exec);
    original->convert_to(coo);
    for (const auto& strategy : std::vector<std::shared_ptr<Csr::strategy_type>>{
             std::make_shared<Csr::merge_path>(), std::make_shared<Csr::load_balance>()}) {
        const auto by_read = Csr::create(exec, strategy);
        const auto by_conversion = Csr::create(exec, strategy);
        const auto by_hand = Csr::create(exec, dim<2>{400, 300}, original->get_num_stored_elements(), strategy);

        by_read->read(data);
        coo->convert_to(by_conversion);
        exec->copy(401, original->get_const_row_ptrs(), by_hand->get_row_ptrs());
        exec->copy(original->get_num_stored_elements(), original->get_const_col_idxs(), by_hand->get_col_idxs());
        exec->copy(original->get_num_stored_elements(), original->get_const_values(), by_hand->get_values());
        by_hand->set_strategy(by_hand->get_strategy());

        for (const auto& m : {by_read.get(), by_conversion.get(), by_hand.get()}) {
            EXPECT_EQ(m->get_strategy()->get_name(), strategy->get_name());
            EXPECT_MTX_NEAR(this->apply(m, b), expected, this->tolerance_of_sum(90));
        }
    }
}

TEST_F(CsrMatrix, CooTakesArraysThatFit)
{
    const auto coo = Coo::create(exec, dim<2>{2, 3}, array<double>{exec, {1, 2, 3}}, array<I>{exec, {0, 2, 1}},
                                 array<I>{exec, {0, 0, 1}});

    EXPECT_MTX_STORED_ALIKE(coo, a);
    EXPECT_THROW(
        Coo::create(exec, dim<2>{2, 3}, array<double>{exec, {1.0}}, array<I>{exec, {0, 2}}, array<I>{exec, {0}}),
        spruce::ValueMismatch);
    EXPECT_THROW(
        Coo::create(exec, dim<2>{2, 3}, array<double>{exec, {1.0}}, array<I>{exec, {0}}, array<I>{exec, {0, 1}}),
        spruce::ValueMismatch);
    EXPECT_EQ(Coo::create(exec, dim<2>{2, 3}, 7)->get_num_stored_elements(), 7u);
}

TEST_F(CsrMatrix, CooIsCopiedAndMoved)
{
    for (const auto& other : all_executors()) {
        const auto source = this->coo({{1, 0, 2}, {0, 3, 0}});
        const auto copy = clone(other, source);
        const auto moved = Coo::create(other);

        moved->move_from(source);

        EXPECT_MTX_STORED_ALIKE(copy, a);
        EXPECT_MTX_STORED_ALIKE(moved, a);
        EXPECT_EQ(source->get_size(), (dim<2>{}));
        EXPECT_EQ(source->get_num_stored_elements(), 0u);
    }
}

TEST_F(CsrMatrix, ReadThatFailsLeavesTheMatrixAsItWas)
{
    array<I> rows{exec, {0}};
    EXPECT_THROW(a->read(spruce::device_matrix_data<double, I>(exec, dim<2>{1, 1}, rows, array<I>{exec, {0, 1}},
                                                               array<double>{exec, {1.0}})),
                 spruce::ValueMismatch);

    EXPECT_MTX_STORED_ALIKE(a, this->csr({{1, 0, 2}, {0, 3, 0}}));
}

}  // namespace
