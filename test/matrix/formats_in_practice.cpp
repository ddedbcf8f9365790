// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests matrices from applications in every format.

#include <algorithm>
#include <cmath>
#include <fstream>

#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::LinOp;
using spruce::size_type;

template <typename Types>
class FormatsInPractice : public formats_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;

    /// Calls check(matrix) for the matrices of test/matrices and benchmark/matrices.
    template <typename Check>
    void for_each_matrix(Check check)
    {
        std::vector<std::string> names{"1138_bus", "add20", "Chem97Zt", "adder_dcop_32", "illc1850", "plskz362"};
        if (!is_simulated(*this->exec)) {
            names.insert(names.end(), {"hangGlider_2", "p2p-Gnutella31", "cavity10", "memplus", "BentPipe2D100",
                                       "beam_tet_dof2475", "s3rmt3m3", "luxembourg_osm", "Trefethen_20000"});
        }
        if (spruce::is_complex<V>()) {
            names.insert(names.end(), {"mhd1280b", "dwg961b", "helmholtz_2D"});
        }
        for (const auto& name : names) {
            SCOPED_TRACE(name);
            std::ifstream file{matrix_file(name)};
            check(spruce::read_generic<Csr>(file, this->exec).get());
        }
    }

    /// Returns an Fbcsr with the smallest blocks of more than one entry that divide the matrix;
    /// null if there are none.
    std::unique_ptr<LinOp> in_blocks(const Csr* csr) const
    {
        const auto size = csr->get_size();
        for (const auto block_size : {2, 3, 5, 7}) {
            if (size[0] % block_size == 0 && size[1] % block_size == 0) {
                return make_format<typename formats_test<Types>::Fbcsr>("", block_size).convert(csr);
            }
        }
        return nullptr;
    }

    /// Returns the matrix with all values replaced by one.
    std::unique_ptr<Csr> pattern_of(const Csr* csr) const
    {
        auto result = csr->clone();
        result->create_value_view()->fill(spruce::one<V>());
        return result;
    }

    /// Returns the maximum of 1 and the magnitudes of the entries.
    static double magnitude_of(const Csr* csr)
    {
        spruce::matrix_data<V, I> data;
        csr->write(data);
        double result = 1.0;
        for (const auto& entry : data.nonzeros) {
            result = std::max(result, static_cast<double>(std::abs(entry.value)));
        }
        return result;
    }

    /// Holds products on the reference for comparison with those of a matrix in any format.
    class products {
    public:
        products(FormatsInPractice& test, const Csr* csr)
            : test_{test}, tolerance_{magnitude_of(csr) * test.tolerance_of_sum(csr->compute_max_row_length() + 1)}
        {
            const auto ref_csr = clone(test.ref, csr);
            for (const size_type num_rhs : {1, 2}) {
                auto b = test.random_dense(csr->get_size()[1], num_rhs);
                auto y = test.random_dense(csr->get_size()[0], num_rhs);
                auto product = test.apply_on_reference(csr, clone(test.ref, b));
                auto sum = clone(test.ref, y);
                ref_csr->apply(alpha_, b, beta_, sum);
                expected_.push_back({std::move(b), std::move(y), std::move(product), std::move(sum)});
            }
        }
        void expect_of(const LinOp& a) const
        {
            for (const auto& expected : expected_) {
                SCOPED_TRACE(std::to_string(expected.b->get_size()[1]) + " columns");
                const auto sum = clone(expected.y);

                a.apply(alpha_, expected.b, beta_, sum);

                EXPECT_MTX_NEAR(test_.apply(&a, expected.b), expected.product, tolerance_);
                EXPECT_MTX_NEAR(sum, expected.sum, tolerance_);
            }
        }

    private:
        struct operands_and_results {
            std::unique_ptr<Dense> b;
            std::unique_ptr<Dense> y;
            std::unique_ptr<Dense> product;
            std::unique_ptr<Dense> sum;
        };
        FormatsInPractice& test_;
        double tolerance_;
        std::unique_ptr<Dense> alpha_{test_.dense({{V(-1.25)}})};
        std::unique_ptr<Dense> beta_{test_.dense({{V(0.75)}})};
        std::vector<operands_and_results> expected_;
    };
};
TYPED_TEST_SUITE(FormatsInPractice, value_and_index_types, type_names);

TYPED_TEST(FormatsInPractice, MultiplyAlike)
{
    this->for_each_matrix([&](const auto* csr) {
        const typename TestFixture::products products{*this, csr};

        this->for_each_format(csr, [&](const LinOp& a) { products.expect_of(a); });
        if (const auto blocks = this->in_blocks(csr)) {
            SCOPED_TRACE("Fbcsr with blocks");
            products.expect_of(*blocks);
        }
    });
}

TYPED_TEST(FormatsInPractice, MultiplyAlikeAsPatterns)
{
    this->for_each_matrix([&](const auto* csr) {
        const auto ones = this->pattern_of(csr);
        const auto pattern = TestFixture::SparsityCsr::create(this->exec);
        pattern->copy_from(csr);

        typename TestFixture::products{*this, ones.get()}.expect_of(*pattern);
    });
}

TYPED_TEST(FormatsInPractice, ConvertToEachOtherAndBackExactly)
{
    this->for_each_matrix([&](const auto* csr) {
        const auto is_large = csr->get_num_stored_elements() > 20000;
        this->expect_round_trips(csr, this->formats(), is_large || is_simulated(*this->exec) ? 4 : 1);
        if (const auto blocks = this->in_blocks(csr)) {
            EXPECT_MTX_NEAR(blocks, csr, 0.0);
        }
    });
}

TYPED_TEST(FormatsInPractice, TransposeAlike)
{
    const auto formats = this->formats();
    size_type turn{};
    this->for_each_matrix([&](const auto* csr) {
        const auto ref_csr = clone(this->ref, csr);
        const auto expected = ref_csr->transpose();
        const auto expected_conjugates = ref_csr->conj_transpose();

        for (const auto i : {size_type{}, 1 + turn++ % (formats.size() - 1)}) {  // Csr, and the others by turns
            SCOPED_TRACE(formats[i].name);
            const auto a = formats[i].convert(csr);
            const auto transposable = spruce::as<const spruce::Transposable>(a.get());
            EXPECT_MTX_STORED_ALIKE(transposable->transpose(), expected);
            EXPECT_MTX_STORED_ALIKE(transposable->conj_transpose(), expected_conjugates);
        }
        if (const auto blocks = this->in_blocks(csr)) {
            EXPECT_MTX_NEAR(spruce::as<const spruce::Transposable>(blocks.get())->transpose(), expected, 0.0);
        }
    });
}

}  // namespace
