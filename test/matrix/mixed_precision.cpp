// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests products of matrices with vectors and factors of other types.

#include <algorithm>
#include <complex>
#include <limits>

#include "test/utils/formats.hpp"
#include "test/utils/plain_matrix.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::LinOp;
using spruce::size_type;

template <typename Types>
class MixedPrecision : public formats_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Coo;
    using Other = spruce::next_precision<V>;
    template <typename T>
    using dense_of = spruce::matrix::Dense<T>;

    struct any_matrix {
        std::string name;
        std::unique_ptr<LinOp> matrix;
        plain_matrix plain;
    };

    static constexpr size_type num_rows = 70;
    static constexpr size_type longest_row = 60;

    /// Returns matrices with random values that are not representable in float.
    std::vector<any_matrix> matrices()
    {
        std::vector<any_matrix> result;
        const auto add = [&](const std::string& name, std::unique_ptr<LinOp> matrix, const host_matrix& data) {
            result.push_back({name, std::move(matrix), plain_matrix::rounded<V>(data)});
        };
        auto data = random_sparse(this->engine, num_rows, num_rows, nnz_per_row(0, longest_row));
        const auto csr = make_csr<V, I>(this->exec, data);
        for (const auto& format : this->formats_and_dense()) {
            add(format.name, format.convert(csr.get()), data);
        }
        add("Fbcsr with blocks", make_format<typename formats_test<Types>::Fbcsr>("", 2).convert(csr.get()), data);

        const auto value = static_cast<V>(1.1);
        auto pattern = formats_test<Types>::SparsityCsr::create(this->exec);
        pattern->copy_from(csr);
        array<V>::view(this->exec, 1, pattern->get_value()).fill(value);
        for (auto& entry : data.nonzeros) {
            entry.value = std::complex<double>(value);
        }
        add("SparsityCsr", std::move(pattern), data);

        host_matrix one_in_each_row{data.size};
        array<V> factors{this->ref, num_rows};
        array<I> order{this->ref, num_rows};
        for (size_type row = 0; row < num_rows; ++row) {
            factors.get_data()[row] = this->random_value();
            order.get_data()[row] = static_cast<I>((row + 7) % num_rows);
            one_in_each_row.nonzeros.emplace_back(row, row, std::complex<double>(factors.get_data()[row]));
        }
        add("Diagonal", spruce::matrix::Diagonal<V>::create(this->exec, num_rows, factors), one_in_each_row);
        for (size_type row = 0; row < num_rows; ++row) {
            const auto from = order.get_data()[row];
            one_in_each_row.nonzeros[row].column = from;
            one_in_each_row.nonzeros[row].value = std::complex<double>(factors.get_data()[from]);
        }
        add("ScaledPermutation", spruce::matrix::ScaledPermutation<V, I>::create(this->exec, factors, order),
            one_in_each_row);
        return result;
    }

    V random_value() { return clone(this->ref, this->random_dense(1, 1))->at(0, 0); }

    template <typename B, typename X>
    struct operands {
        host_matrix host_b;
        host_matrix host_x;
        double tolerance;
        std::unique_ptr<dense_of<B>> b;

        plain_matrix plain_b() const { return plain_matrix::rounded<B>(host_b); }
        plain_matrix plain_x() const { return plain_matrix::rounded<X>(host_x); }
        /// Creates x with padding.
        std::unique_ptr<dense_of<X>> x() const { return make_dense<X>(b->get_executor(), host_x, host_x.size[1] + 2); }
        std::unique_ptr<dense_of<X>> x_of_nan() const
        {
            return make_dense_of_nan<X>(b->get_executor(), host_x.size, host_x.size[1] + 2);
        }
    };

    /// Calls check(operands) with vectors of these types. Sums have the precision of the matrix or,
    /// for a few operators, at least that of x. Rounding the result to the precision of x adds half
    /// a unit in the last place.
    template <typename B, typename X, typename Check>
    void for_each_vector(Check check)
    {
        const auto name_of_b = type_names::GetName<types<B, I>>(0);
        const auto name_of_x = type_names::GetName<types<X, I>>(0);
        const auto epsilon_of_x = static_cast<double>(std::numeric_limits<spruce::remove_complex<X>>::epsilon());
        const auto tolerance = this->tolerance_of_sum(longest_row + 1) + 0.5 * epsilon_of_x;
        for (const size_type num_rhs : {1, 3}) {
            SCOPED_TRACE(std::to_string(num_rhs) + " columns, b " + name_of_b + ", x " + name_of_x);
            const auto host_b = random_full(this->engine, num_rows, num_rhs);
            check(operands<B, X>{host_b, random_full(this->engine, num_rows, num_rhs), tolerance,
                                 make_dense<B>(this->exec, host_b, num_rhs + 1)});
        }
    }
    template <typename Check>
    void for_each_pair_of_vectors(Check check)
    {
        this->template for_each_vector<V, Other>(check);
        this->template for_each_vector<Other, V>(check);
        this->template for_each_vector<Other, Other>(check);
        if constexpr (!spruce::is_complex<V>()) {
            using C = spruce::to_complex<V>;
            this->template for_each_vector<C, C>(check);
#if !SPRUCE_TYPES_MINIMAL  // builds for minimal types have one precision of complex vectors
            using OtherC = spruce::to_complex<Other>;
            this->template for_each_vector<C, OtherC>(check);
            this->template for_each_vector<OtherC, C>(check);
            this->template for_each_vector<OtherC, OtherC>(check);
#endif
        }
    }

    template <typename T>
    std::unique_ptr<dense_of<T>> factor(double value) const
    {
        return spruce::initialize<dense_of<T>>({static_cast<T>(value)}, this->exec);
    }
    std::unique_ptr<dense_of<std::complex<double>>> expected(const plain_matrix& x) const
    {
        return x.to_dense<std::complex<double>>(this->ref);
    }

    const std::unique_ptr<dense_of<V>> alpha{factor<V>(-1.1)};
    const std::unique_ptr<dense_of<Other>> beta{factor<Other>(0.7)};
    const plain_matrix::value plain_alpha{static_cast<spruce::remove_complex<V>>(-1.1)};
    const plain_matrix::value plain_beta{static_cast<spruce::remove_complex<Other>>(0.7)};
};
TYPED_TEST_SUITE(MixedPrecision, value_types, type_names);

TYPED_TEST(MixedPrecision, OfVectorsGivesTheProduct)
{
    const auto matrices = this->matrices();
    this->for_each_pair_of_vectors([&](const auto& with) {
        for (const auto& a : matrices) {
            SCOPED_TRACE(a.name);
            const auto x = with.x_of_nan();

            a.matrix->apply(with.b, x);

            EXPECT_MTX_NEAR(x, this->expected(a.plain * with.plain_b()), with.tolerance);
            EXPECT_TRUE(padding_is_intact(*x));
        }
    });
}

TYPED_TEST(MixedPrecision, OfVectorsAndFactorsGivesTheSum)
{
    const auto matrices = this->matrices();
    this->for_each_pair_of_vectors([&](const auto& with) {
        for (const auto& a : matrices) {
            SCOPED_TRACE(a.name);
            const auto x = with.x();
            const auto product = this->plain_alpha * (a.plain * with.plain_b());

            a.matrix->apply(this->alpha, with.b, this->beta, x);

            EXPECT_MTX_NEAR(x, this->expected(product + this->plain_beta * with.plain_x()), with.tolerance);
            EXPECT_TRUE(padding_is_intact(*x));
        }
    });
}

TYPED_TEST(MixedPrecision, OfVectorsIsServedByCooThatAdds)
{
    using Coo = typename TestFixture::Coo;
    const auto matrices = this->matrices();
    const auto& a = *std::find_if(matrices.begin(), matrices.end(), [](const auto& m) { return m.name == "Coo"; });
    const auto coo = spruce::as<const Coo>(a.matrix.get());
    this->for_each_pair_of_vectors([&](const auto& with) {
        const auto product = a.plain * with.plain_b();
        const auto x = with.x();
        const auto scaled = with.x();

        coo->apply2(with.b, x);
        coo->apply2(this->beta, with.b, scaled);

        EXPECT_MTX_NEAR(x, this->expected(product + with.plain_x()), with.tolerance);
        EXPECT_MTX_NEAR(scaled, this->expected(this->plain_beta * product + with.plain_x()), with.tolerance);
    });
}

}  // namespace
