// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that all preconditioners and factorizations that were created empty or moved from are
// operators of size 0 x 0.

#include <spruce/base/refreshable.hpp>
#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/preconditioner/ic.hpp>
#include <spruce/preconditioner/ilu.hpp>
#include <spruce/preconditioner/isai.hpp>
#include <spruce/preconditioner/jacobi.hpp>
#include <spruce/preconditioner/sor.hpp>

#include "test/factorization/factorization_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::as;
using spruce::dim;
using spruce::LinOp;
using spruce::share;

template <typename Types>
class EmptyPreconditioners : public factorization_test<Types> {
protected:
    using typename factorization_test<Types>::V;
    using typename factorization_test<Types>::I;
    using typename factorization_test<Types>::Dense;

    /// Returns the operators that factories of all classes generate from a matrix.
    std::vector<std::unique_ptr<LinOp>> generate_all(std::shared_ptr<const LinOp> a) const
    {
        using namespace spruce::preconditioner;
        namespace factorization = spruce::factorization;
        using lower = spruce::solver::LowerTrs<V, I>;
        using upper = spruce::solver::UpperTrs<V, I>;
        std::vector<std::unique_ptr<LinOp>> result;
        const auto add = [&](auto parameters) { result.push_back(parameters.on(this->exec)->generate(a)); };
        add(Jacobi<V, I>::build().with_max_block_size(1u));
        add(Jacobi<V, I>::build().with_max_block_size(4u));
        add(Ilu<lower, upper, false, I>::build());
        add(Ilu<V, V, false, I>::build());
        add(Ic<lower, I>::build());
        add(Ic<V, I>::build());
        add(LowerIsai<V, I>::build());
        add(UpperIsai<V, I>::build());
        add(GeneralIsai<V, I>::build());
        add(SpdIsai<V, I>::build());
        add(Sor<V, I>::build());
        add(Sor<V, I>::build().with_symmetric(true).with_multicolor(true));
        add(GaussSeidel<V, I>::build());
        add(GaussSeidel<V, I>::build().with_symmetric(true));
        add(factorization::Ilu<V, I>::build());
        add(factorization::Ic<V, I>::build());
        add(factorization::ParIlu<V, I>::build());
        add(factorization::ParIc<V, I>::build());
        add(factorization::ParIlut<V, I>::build());
        add(factorization::ParIct<V, I>::build());
        return result;
    }

    void expect_empty(LinOp& op, std::shared_ptr<const LinOp> a) const
    {
        EXPECT_EQ(op.get_size(), (dim<2>{0, 0}));
        const auto one = spruce::initialize<Dense>({V{1}}, this->exec);
        const auto nothing = Dense::create(this->exec, dim<2>{0, 2});
        const auto result = spruce::clone(nothing);
        EXPECT_NO_THROW(op.apply(nothing, result));
        EXPECT_NO_THROW(op.apply(one, nothing, one, result));
        const auto b = Dense::create(this->exec, dim<2>{a->get_size()[0], 2});
        const auto x = spruce::clone(b);
        EXPECT_THROW(op.apply(b, x), spruce::DimensionMismatch);
        EXPECT_THROW(op.apply(one, b, one, x), spruce::DimensionMismatch);
        EXPECT_THROW(as<spruce::Refreshable>(&op)->refresh(a), spruce::Error);
    }
};
TYPED_TEST_SUITE(EmptyPreconditioners, value_and_index_types, type_names);

TYPED_TEST(EmptyPreconditioners, AreOfSizeZero)
{
    using Dense = typename TestFixture::Dense;
    const auto data = hermitian_from_lower(random_sparse(this->engine, 20, 20, nnz_per_row(0, 4)));
    const auto a = this->make(data);
    const auto b = share(this->random_dense(20, 2));
    for (const auto& op : this->generate_all(a)) {
        const auto& found = *op;
        SCOPED_TRACE(spruce::name_demangling::get_type_name(typeid(found)));
        const auto expected = Dense::create(this->exec, b->get_size());
        op->apply(b, expected);
        const auto target = as<LinOp>(op->create_default());
        this->expect_empty(*target, a);

        target->move_from(op);

        this->expect_empty(*op, a);
        const auto x = this->dense_of_nan(20, 2);
        target->apply(b, x);
        EXPECT_MTX_NEAR(x, expected, 0.0);
        target->copy_from(op.get());
        this->expect_empty(*target, a);
    }
}

}  // namespace
