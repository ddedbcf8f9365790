// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests classes that applications derive: strategies, criteria in lists, and matrix formats. Also
// tests names of types.

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using Csr = spruce::matrix::Csr<double, spruce::int32>;
using Dense = spruce::matrix::Dense<double>;

/// Overrides the pure virtual functions of the interface and records the arguments of process().
class OwnStrategy : public Csr::strategy_type {
public:
    OwnStrategy() : Csr::strategy_type("own") {}
    void process(const spruce::array<spruce::int32>& row_ptrs, spruce::array<spruce::int32>* srow) override
    {
        num_row_ptrs = row_ptrs.get_size();
        srow_size = srow->get_size();
    }
    spruce::int64 clac_size(const spruce::int64 nnz) override { return nnz + 1; }
    std::shared_ptr<Csr::strategy_type> copy() override { return std::make_shared<OwnStrategy>(*this); }

    spruce::size_type num_row_ptrs{};
    spruce::size_type srow_size{};
};

TEST(ClientClasses, AStrategyOfTheApplicationMultipliesLikeClassical)
{
    for (const auto& exec : spruce::test::all_executors()) {
        SCOPED_TRACE(exec->get_description());
        const auto a = Csr::create(exec, std::make_shared<OwnStrategy>());
        a->read({{{1.0, 2.0, 0.0}, {0.0, 0.0, 3.0}}});
        const auto b = spruce::initialize<Dense>({1.0, 10.0, 100.0}, exec);
        const auto x = Dense::create(exec, dim<2>{2, 1});

        a->apply(b, x);

        EXPECT_MTX_NEAR(x, spruce::initialize<Dense>({21.0, 300.0}, exec), 0.0);
        const auto strategy = dynamic_cast<const OwnStrategy*>(a->get_strategy().get());
        ASSERT_NE(strategy, nullptr);
        EXPECT_EQ(strategy->get_name(), "own");
        EXPECT_EQ(strategy->num_row_ptrs, 3u);
        EXPECT_EQ(strategy->srow_size, 4u);
        EXPECT_EQ(a->get_num_srow_elements(), 4u);
    }
}

/// Overrides only the required functions: reads triples from the host and permutes rows and
/// columns.
class OwnFormat : public spruce::EnableLinOp<OwnFormat>,
                  public spruce::EnableCreateMethod<OwnFormat>,
                  public spruce::ReadableFromMatrixData<double, spruce::int32>,
                  public spruce::WritableToMatrixData<double, spruce::int32>,
                  public spruce::Permutable<spruce::int32> {
public:
    using spruce::ReadableFromMatrixData<double, spruce::int32>::read;
    using permutation = spruce::array<spruce::int32>;

    explicit OwnFormat(std::shared_ptr<const spruce::Executor> exec) : spruce::EnableLinOp<OwnFormat>(std::move(exec))
    {}

    void read(const spruce::matrix_data<double, spruce::int32>& data) override
    {
        data_ = data;
        this->set_size(data.size);
    }
    void write(spruce::matrix_data<double, spruce::int32>& data) const override { data = data_; }

    std::unique_ptr<spruce::LinOp> row_permute(const permutation* p) const override
    {
        return this->reordered([&](Csr& csr) { return csr.row_permute(p); });
    }
    std::unique_ptr<spruce::LinOp> column_permute(const permutation* p) const override
    {
        return this->reordered([&](Csr& csr) { return csr.column_permute(p); });
    }
    std::unique_ptr<spruce::LinOp> inverse_row_permute(const permutation* p) const override
    {
        return this->reordered([&](Csr& csr) { return csr.inverse_row_permute(p); });
    }
    std::unique_ptr<spruce::LinOp> inverse_column_permute(const permutation* p) const override
    {
        return this->reordered([&](Csr& csr) { return csr.inverse_column_permute(p); });
    }

protected:
    void apply_impl(const spruce::LinOp*, spruce::LinOp*) const override {}
    void apply_impl(const spruce::LinOp*, const spruce::LinOp*, const spruce::LinOp*, spruce::LinOp*) const override {}

private:
    template <typename Reorder>
    std::unique_ptr<spruce::LinOp> reordered(Reorder reorder) const
    {
        const auto csr = Csr::create(this->get_executor());
        csr->read(data_);
        auto result = create(this->get_executor());
        spruce::as<Csr>(reorder(*csr))->write(result->data_);
        result->set_size(result->data_.size);
        return result;
    }

    spruce::matrix_data<double, spruce::int32> data_;
};

using host_data = spruce::matrix_data<double, spruce::int32>;

host_data content_of(const spruce::LinOp& op)
{
    host_data data;
    dynamic_cast<const OwnFormat&>(op).write(data);
    return data;
}

TEST(ClientClasses, AFormatNeedsToReadFromTheHostOnly)
{
    const host_data data{{{1.0, 2.0}, {0.0, 3.0}}};
    spruce::matrix_assembly_data<double, spruce::int32> assembly{dim<2>{2, 2}};
    assembly.add_value(1, 0, 4.0);
    for (const auto& exec : spruce::test::all_executors()) {
        SCOPED_TRACE(exec->get_description());
        const auto there = spruce::device_matrix_data<double, spruce::int32>::create_from_host(exec, data);
        auto given = spruce::device_matrix_data<double, spruce::int32>::create_from_host(exec, data);
        const auto copied = OwnFormat::create(exec);
        const auto moved = OwnFormat::create(exec);
        const auto assembled = OwnFormat::create(exec);

        copied->read(there);
        moved->read(std::move(given));
        assembled->read(assembly);

        EXPECT_EQ(copied->get_size(), (dim<2>{2, 2}));
        EXPECT_EQ(content_of(*copied).nonzeros, data.nonzeros);
        EXPECT_EQ(content_of(*moved).nonzeros, data.nonzeros);
        EXPECT_EQ(content_of(*assembled).nonzeros, assembly.get_ordered_data().nonzeros);
    }
}

TEST(ClientClasses, AFormatThatPermutesRowsAndColumnsPermutesBoth)
{
    const host_data data{{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}}};
    for (const auto& exec : spruce::test::all_executors()) {
        SCOPED_TRACE(exec->get_description());
        const spruce::array<spruce::int32> p{exec, {1, 2, 0}};
        const auto a = OwnFormat::create(exec);
        a->read(data);

        const auto permuted = a->permute(&p);
        const auto back = spruce::as<OwnFormat>(permuted.get())->inverse_permute(&p);

        const host_data expected{{{5.0, 6.0, 4.0}, {8.0, 9.0, 7.0}, {2.0, 3.0, 1.0}}};
        EXPECT_EQ(content_of(*permuted).nonzeros, expected.nonzeros);
        EXPECT_EQ(content_of(*back).nonzeros, data.nonzeros);
    }
}

TEST(ClientClasses, CastAnyOperatorToASolver)
{
    const auto exec = spruce::ReferenceExecutor::create();
    const std::shared_ptr<const spruce::LinOp> a = spruce::initialize<Dense>({2.0}, exec);
    const std::shared_ptr<const spruce::LinOp> solver =
        spruce::solver::Cg<>::build().with_criteria(spruce::stop::Iteration::build()).on(exec)->generate(a);

    EXPECT_EQ(spruce::as<spruce::solver::detail::SolverBaseLinOp>(solver)->get_system_matrix(), a);
    EXPECT_THROW(spruce::as<spruce::solver::detail::SolverBaseLinOp>(a), spruce::NotSupported);
}

/// Represents an operator that can also be written as a product of two operators.
class OwnProduct : public spruce::UseComposition<double> {
public:
    OwnProduct() = default;
    OwnProduct(std::shared_ptr<const spruce::LinOp> left, std::shared_ptr<const spruce::LinOp> right)
        : spruce::UseComposition<double>(left, right)
    {}
    using spruce::UseComposition<double>::set_composition;
};

TEST(ClientClasses, AreKnownAsProducts)
{
    const auto exec = spruce::ReferenceExecutor::create();
    const std::shared_ptr<const spruce::LinOp> a = spruce::initialize<Dense>({{1.0, 2.0}}, exec);
    const std::shared_ptr<const spruce::LinOp> b = spruce::initialize<Dense>({3.0, 4.0}, exec);
    const OwnProduct none;
    const OwnProduct two{a, b};
    OwnProduct changed{two};
    const auto x = spruce::initialize<Dense>({0.0}, exec);

    two.get_composition()->apply(spruce::initialize<Dense>({10.0}, exec), x);
    changed.set_composition(b);

    EXPECT_EQ(x->at(0, 0), 110.0);
    EXPECT_EQ(two.get_operator_at(0), a);
    EXPECT_EQ(two.get_operator_at(1), b);
    EXPECT_THROW(two.get_operator_at(2), spruce::OutOfBoundsError);
    EXPECT_EQ(none.get_composition(), nullptr);
    EXPECT_EQ(none.get_operator_at(0), nullptr);
    EXPECT_EQ(changed.get_operator_at(0), b);
    EXPECT_THROW((OwnProduct{b, b}), spruce::DimensionMismatch);
}

TEST(ClientClasses, FactoriesOfOneCriterionAreCombined)
{
    namespace stop = spruce::stop;
    const auto exec = spruce::ReferenceExecutor::create();
    const auto limit = [&](int max_iters) {
        return spruce::share(stop::Iteration::build().with_max_iters(max_iters).on(exec));
    };
    const std::vector<std::shared_ptr<stop::Iteration::Factory>> one{limit(3)};
    const std::vector<std::shared_ptr<const stop::Iteration::Factory>> two{limit(3), limit(4)};
    const std::vector<std::shared_ptr<stop::CriterionFactory>> none;

    EXPECT_EQ(stop::combine(one), one.front());
    const auto combined = std::dynamic_pointer_cast<const stop::Combined::Factory>(stop::combine(two));
    ASSERT_NE(combined, nullptr);
    EXPECT_EQ(combined->get_parameters().criteria.size(), 2u);
    EXPECT_EQ(combined->get_parameters().criteria.back(), two.back());
    EXPECT_THROW(stop::combine(none), spruce::NotSupported);
}

TEST(ClientClasses, NamesOfTypesAreThoseOfTheSource)
{
    namespace names = spruce::name_demangling;
    const OwnStrategy strategy;
    const Csr::strategy_type& base = strategy;

    EXPECT_EQ(names::get_type_name(typeid(dim<2>)), names::get_static_type(dim<2>{}));
    EXPECT_EQ(names::get_static_type(1u), "unsigned int");
    EXPECT_EQ(names::get_static_type(base), "spruce::matrix::Csr<double, int>::strategy_type");
    EXPECT_NE(names::get_dynamic_type(base).find("OwnStrategy"), std::string::npos);
}

}  // namespace
