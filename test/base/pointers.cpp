// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/pointers.hpp>

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using Dense = spruce::matrix::Dense<double>;
using Csr = spruce::matrix::Csr<double, int>;
using spruce::LinOp;

class Pointers : public ::testing::Test {
protected:
    std::unique_ptr<Dense> make() const { return spruce::initialize<Dense>({1.0, 2.0}, ref); }

    std::shared_ptr<const spruce::Executor> ref{spruce::ReferenceExecutor::create()};
};

const LinOp* take(spruce::ptr_param<const LinOp> p) { return p.get(); }

TEST_F(Pointers, ParameterTakesAllKindsOfPointers)
{
    const auto unique = this->make();
    const std::shared_ptr<Dense> shared = this->make();
    const std::shared_ptr<const LinOp> base = shared;
    const spruce::ptr_param<const Dense> param = unique;

    EXPECT_EQ(take(unique), unique.get());
    EXPECT_EQ(take(unique.get()), unique.get());
    EXPECT_EQ(take(shared), shared.get());
    EXPECT_EQ(take(base), shared.get());
    EXPECT_EQ(take(param), unique.get());
    EXPECT_NE(take(this->make()), nullptr);
    EXPECT_TRUE(param);
    EXPECT_EQ(param->get_size(), (dim<2>{2, 1}));
    EXPECT_EQ((*param).get_stride(), 1u);
    static_assert(!std::is_copy_assignable_v<spruce::ptr_param<LinOp>>);
    static_assert(!std::is_convertible_v<std::shared_ptr<const Dense>, spruce::ptr_param<Dense>>);
}

TEST_F(Pointers, CloneKeepsTheDynamicType)
{
    const std::shared_ptr<const LinOp> base = this->make();
    const auto other = spruce::OmpExecutor::create();

    const std::unique_ptr<LinOp> copy = clone(base);
    const auto there = clone(other, base);
    const auto dense = clone(this->make());

    EXPECT_NE(dynamic_cast<Dense*>(copy.get()), nullptr);
    EXPECT_NE(copy.get(), base.get());
    EXPECT_EQ(there->get_executor(), other);
    EXPECT_MTX_NEAR(there, base, 0.0);
    static_assert(std::is_same_v<decltype(clone(base)), std::unique_ptr<LinOp>>);
    static_assert(std::is_same_v<std::decay_t<decltype(dense)>, std::unique_ptr<Dense>>);
}

TEST_F(Pointers, ShareAndGivePassOwnershipOn)
{
    auto unique = this->make();
    const auto raw = unique.get();

    const std::shared_ptr<Dense> shared = spruce::share(std::move(unique));
    EXPECT_EQ(shared.get(), raw);
    EXPECT_EQ(unique, nullptr);

    auto second = this->make();
    const std::shared_ptr<const LinOp> given = spruce::give(second);
    EXPECT_EQ(second, nullptr);
    EXPECT_NE(spruce::share(this->make()), nullptr);
}

TEST_F(Pointers, LendGivesThePlainPointer)
{
    const auto unique = this->make();
    const std::shared_ptr<const Dense> shared = this->make();

    EXPECT_EQ(spruce::lend(unique), unique.get());
    EXPECT_EQ(spruce::lend(unique.get()), unique.get());
    EXPECT_EQ(spruce::lend(shared), shared.get());
}

TEST_F(Pointers, AsCastsOrSaysWhatItFound)
{
    std::unique_ptr<LinOp> unique = this->make();
    const std::shared_ptr<LinOp> shared = this->make();
    const std::shared_ptr<const LinOp> constant = shared;
    const auto raw = unique.get();

    EXPECT_EQ(spruce::as<Dense>(raw), raw);
    EXPECT_EQ(spruce::as<Dense>(static_cast<const LinOp*>(raw)), raw);
    EXPECT_EQ(spruce::as<Dense>(shared), shared);
    EXPECT_EQ(spruce::as<Dense>(constant), constant);
    EXPECT_EQ(spruce::as<Dense>(spruce::ptr_param<LinOp>(raw)), raw);
    EXPECT_THROW_WITH(spruce::as<Csr>(raw), spruce::NotSupported, "Dense<double>");
    EXPECT_THROW_WITH(spruce::as<Csr>(std::move(unique)), spruce::NotSupported, "Csr<double, int>");
    EXPECT_NE(unique, nullptr);  // a failed cast does not change the owner
    const std::unique_ptr<Dense> dense = spruce::as<Dense>(std::move(unique));
    EXPECT_EQ(dense.get(), raw);
    EXPECT_THROW(spruce::as<Csr>(static_cast<LinOp*>(nullptr)), spruce::NotSupported);
    static_assert(std::is_same_v<decltype(spruce::as<Dense>(constant)), std::shared_ptr<const Dense>>);
}

TEST_F(Pointers, CopyAndConvertToGivesTheObjectItselfWherePossible)
{
    const std::shared_ptr<Dense> dense = this->make();
    const auto omp = spruce::OmpExecutor::create();

    EXPECT_EQ((spruce::copy_and_convert_to<Dense>(ref, dense)), dense);
    EXPECT_EQ((spruce::copy_and_convert_to<Dense>(ref, dense.get()).get()), dense.get());
    const auto there = spruce::copy_and_convert_to<Dense>(omp, dense);
    EXPECT_NE(there, dense);
    EXPECT_EQ(there->get_executor(), omp);
    const auto csr = spruce::copy_and_convert_to<Csr>(ref, dense.get());
    EXPECT_MTX_NEAR(csr.get(), dense, 0.0);
    const std::shared_ptr<const Dense> constant = dense;
    const std::shared_ptr<const Csr> const_csr = spruce::copy_and_convert_to<const Csr>(omp, constant);
    EXPECT_MTX_NEAR(const_csr, dense, 0.0);
}

TEST_F(Pointers, CopyAndConvertToKeepsConst)
{
    const std::shared_ptr<const Dense> dense = this->make();
    const spruce::LinOp* const op = dense.get();

    const auto same = spruce::copy_and_convert_to<Dense>(ref, dense);
    const auto same_op = spruce::copy_and_convert_to<Dense>(ref, op);
    const auto csr = spruce::copy_and_convert_to<Csr>(ref, op);

    static_assert(std::is_same_v<decltype(same), const std::shared_ptr<const Dense>>);
    static_assert(std::is_same_v<std::decay_t<decltype(*same_op)>, Dense>);
    static_assert(std::is_const_v<std::remove_reference_t<decltype(*csr)>>);
    EXPECT_EQ(same, dense);
    EXPECT_EQ(same_op.get(), op);
    EXPECT_MTX_NEAR(csr.get(), dense, 0.0);
    EXPECT_THROW((spruce::copy_and_convert_to<Csr>(ref, static_cast<const Dense*>(nullptr))), spruce::NotSupported);
}

TEST_F(Pointers, TemporaryCloneCopiesBackUnlessConst)
{
    const auto omp = spruce::OmpExecutor::create();
    const std::shared_ptr<Dense> dense = this->make();
    {
        const auto same = make_temporary_clone(ref, dense);
        EXPECT_EQ(same.get(), dense.get());
    }
    {
        const auto there = make_temporary_clone(std::shared_ptr<const spruce::Executor>(omp), dense);
        EXPECT_NE(there.get(), dense.get());
        EXPECT_EQ(there->get_executor(), omp);
        there->at(0) = 7.0;
        EXPECT_EQ(dense->at(0), 1.0);
    }
    EXPECT_EQ(dense->at(0), 7.0);
    try {
        const auto there = make_temporary_clone(std::shared_ptr<const spruce::Executor>(omp), dense);
        there->at(0) = 9.0;
        throw std::runtime_error("on purpose");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(dense->at(0), 7.0);  // no partial result is copied back
    }
}

TEST_F(Pointers, TemporaryClonesOfArraysCopyElements)
{
    const std::shared_ptr<const spruce::Executor> omp = spruce::OmpExecutor::create();
    spruce::array<int> values{ref, {1, 2, 3}};
    const auto& constant = values;
    EXPECT_EQ(make_temporary_clone(ref, &values).get(), &values);
    EXPECT_EQ(make_temporary_output_clone(ref, &values).get(), &values);

    {
        const auto there = make_temporary_clone(omp, &values);
        EXPECT_EQ(there->get_executor(), omp);
        EXPECT_EQ(there->copy_to_host(), (std::vector<int>{1, 2, 3}));
        there->get_data()[0] = 4;
        EXPECT_EQ(values.get_const_data()[0], 1);
    }
    EXPECT_EQ(values.copy_to_host(), (std::vector<int>{4, 2, 3}));
    EXPECT_EQ(make_temporary_clone(omp, &constant)->copy_to_host(), values.copy_to_host());
    const auto before = ref->get_counters();
    {
        const auto there = make_temporary_output_clone(omp, &values);
        EXPECT_EQ(there->get_size(), values.get_size());
        EXPECT_EQ((ref->get_counters() - before).copies, 0);
        there->fill(5);
    }
    EXPECT_EQ(values.copy_to_host(), (std::vector<int>{5, 5, 5}));
    spruce::array<int> empty;
    EXPECT_EQ(make_temporary_clone(omp, &empty)->get_size(), 0);
    int memory[] = {1, 2};
    auto view = spruce::make_array_view(ref, 2, memory);
    make_temporary_clone(omp, &view)->fill(6);
    EXPECT_EQ(memory[1], 6);
}

TEST_F(Pointers, TemporaryOutputCloneOnlyCopiesBack)
{
    const std::shared_ptr<const spruce::Executor> omp = spruce::OmpExecutor::create();
    const auto dense = this->make();
    const std::shared_ptr<LinOp> csr = spruce::initialize<Csr>({1.0, 2.0}, ref);
    EXPECT_EQ(make_temporary_output_clone(ref, dense).get(), dense.get());
    const auto before = omp->get_counters();
    {
        const auto there = make_temporary_output_clone(omp, dense);
        EXPECT_NE(there.get(), dense.get());
        EXPECT_EQ(there->get_executor(), omp);
        EXPECT_EQ(there->get_size(), dense->get_size());
        EXPECT_EQ((omp->get_counters() - before).copies, 0u);
        there->fill(7.0);
    }
    EXPECT_EQ(dense->at(0), 7.0);
    EXPECT_EQ(dense->at(1), 7.0);
    {
        const auto there = make_temporary_output_clone(omp, csr);  // any type is accepted
        spruce::as<Csr>(there.get())->get_values()[0] = 5.0;
    }
    EXPECT_EQ(spruce::as<Csr>(csr)->get_const_values()[0], 5.0);
}

TEST_F(Pointers, NullDeletersDoNothing)
{
    int value = 3;
    const std::unique_ptr<int, spruce::null_deleter<int>> one(&value);
    const std::unique_ptr<int[], spruce::null_deleter<int[]>> many(&value);

    EXPECT_EQ(*one, many[0]);
}

}  // namespace
