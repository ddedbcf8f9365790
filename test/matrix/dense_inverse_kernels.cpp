// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests the inversion of dense matrices, on all executors.

#include <vector>

#include "core/matrix/dense_inverse_kernels.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

template <typename Types>
class DenseInverse : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::Dense;
    using typename kernel_test<Types>::real;

    /// Returns the inverse; the matrix is overwritten.
    std::unique_ptr<Dense> invert(const std::unique_ptr<Dense>& a, double tolerance = 0) const
    {
        auto inverse = this->dense_of_nan(a->get_size()[0], a->get_size()[0], a->get_size()[0] + 2);
        spruce::array<spruce::int64> workspace{this->exec};
        spruce::kernels::dense::invert<V>(*this->exec, static_cast<real>(tolerance), *a, *inverse, workspace);
        return inverse;
    }
};
TYPED_TEST_SUITE(DenseInverse, value_types, type_names);

TYPED_TEST(DenseInverse, ByHand)
{
    EXPECT_MTX_NEAR(this->invert(this->dense({{4}})), this->dense({{0.25}}), 0.0);
    EXPECT_MTX_NEAR(this->invert(this->dense({{0, 2}, {4, 0}})), this->dense({{0, 0.25}, {0.5, 0}}), 0.0);
    EXPECT_MTX_NEAR(this->invert(this->dense({{0, 1, 0}, {0, 0, 2}, {4, 0, 0}})),
                    this->dense({{0, 0, 0.25}, {1, 0, 0}, {0, 0.5, 0}}), 0.0);
    EXPECT_EQ(this->invert(this->dense_of_nan(0, 0))->get_size(), dim<2>{});
}

TYPED_TEST(DenseInverse, OfRandomMatrices)
{
    for (const size_type size : {2, 3, 31, 32, 33, 70}) {
        SCOPED_TRACE(size);
        const auto a = this->random_dense(size, size, size + 3);
        host_matrix diagonal{dim<2>{size}};
        for (size_type i = 0; i < size; ++i) {
            diagonal.nonzeros.emplace_back(i, i, 1.0);
        }
        const auto identity = make_dense<typename TestFixture::V>(this->exec, diagonal);
        a->add_scaled(this->dense({{3}}), identity);  // limits the condition number
        const auto copy = clone(a);

        const auto inverse = this->invert(a);

        EXPECT_MTX_NEAR(this->apply(copy, inverse), identity, 200 * static_cast<double>(size) * this->epsilon());
    }
}

TYPED_TEST(DenseInverse, LeavesOutWhatIsSingular)
{
    // The graph Laplacian of the path 0 - 1 - 2. Unknown 2 is left out.
    const auto a = this->dense({{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}});

    EXPECT_MTX_NEAR(this->invert(a, 1e-5), this->dense({{2, 1, 0}, {1, 1, 0}, {0, 0, 0}}), 10 * this->epsilon());
    EXPECT_MTX_NEAR(this->invert(this->dense({{0, 0}, {0, 2}}), 1e-5), this->dense({{0, 0}, {0, 0.5}}), 0.0);
    EXPECT_MTX_NEAR(this->invert(this->dense({{0, 0}, {0, 0}}), 1e-5), this->dense({{0, 0}, {0, 0}}), 0.0);
}

}  // namespace
