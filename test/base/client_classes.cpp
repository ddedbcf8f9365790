// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// What applications derive and call beyond the usual: a strategy of their own, criteria of one kind in a list, names of types.

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using Csr = spruce::matrix::Csr<double, spruce::int32>;
using Dense = spruce::matrix::Dense<double>;

/// Overrides what the interface has had from the beginning, and notes what it is asked to prepare.
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
