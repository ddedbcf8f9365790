// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include <algorithm>
#include <numeric>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;

namespace kernel = spruce::kernels::triangular;

template <typename Types>
class TriangularKernels : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;

    static std::vector<I> levels_of(const Csr& a, bool upper)
    {
        array<I> levels{a.get_executor(), a.get_size()[0]};
        kernel::compute_levels<V, I>(*a.get_executor(), a, upper, levels.get_data());
        return levels.copy_to_host();
    }

    /// Contains the rows ordered by levels and the begin of each level.
    struct schedule {
        std::vector<I> order;
        std::vector<size_type> level_ptrs;
    };
    static schedule schedule_of(const std::vector<I>& levels)
    {
        schedule result{std::vector<I>(levels.size()), {0}};
        std::iota(result.order.begin(), result.order.end(), I{});
        std::stable_sort(result.order.begin(), result.order.end(), [&](I a, I b) { return levels[a] < levels[b]; });
        for (size_type i = 1; i <= levels.size(); ++i) {
            if (i == levels.size() || levels[result.order[i]] != levels[result.order[i - 1]]) {
                result.level_ptrs.push_back(i);
            }
        }
        return result;
    }

    /// Creates random entries in both triangles, of which only one is used, and a dominant
    /// diagonal.
    host_matrix random_triangles(size_type size, nnz_per_row lengths)
    {
        return with_diagonal(random_sparse(this->engine, size, size, lengths));
    }
    static host_matrix with_diagonal(host_matrix data)
    {
        data.nonzeros.erase(std::remove_if(data.nonzeros.begin(), data.nonzeros.end(),
                                           [](const auto& entry) { return entry.row == entry.column; }),
                            data.nonzeros.end());
        for (auto& entry : data.nonzeros) {
            entry.value /= 16.0;
        }
        for (size_type row = 0; row < data.size[0]; ++row) {
            data.nonzeros.emplace_back(row, row, 1.5 + static_cast<double>(row % 3));
        }
        data.sort_row_major();
        return data;
    }

    /// Creates a matrix in which each row depends on the previous one, or on the next one in the
    /// upper triangle.
    static host_matrix chain(size_type size)
    {
        host_matrix data{spruce::dim<2>{size, size}};
        for (size_type row = 0; row < size; ++row) {
            for (size_type col = row == 0 ? 0 : row - 1; col < std::min(row + 2, size); ++col) {
                data.nonzeros.emplace_back(row, col, row == col ? 2.0 : 1.0);
            }
        }
        return data;
    }

    std::vector<host_matrix> matrices()
    {
        std::vector<host_matrix> result{chain(70)};
        for (const size_type size : {0, 1, 32, 33, 64, 65, 300, 1025}) {
            result.push_back(this->random_triangles(size, nnz_per_row(0, std::min<size_type>(size, 8))));
        }
        // GPUs process rows that are longer than the others in another way.
        std::vector<size_type> lengths(700, 3);
        lengths[0] = lengths[300] = lengths[301] = lengths[699] = 600;
        result.push_back(with_diagonal(random_sparse(this->engine, lengths, lengths.size())));
        result.push_back(with_unsorted_columns(this->engine, result.back()));
        return result;
    }
};
TYPED_TEST_SUITE(TriangularKernels, value_and_index_types, type_names);

TYPED_TEST(TriangularKernels, ComputeLevelsByHand)
{
    using I = typename TestFixture::I;
    const auto a = this->csr({{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}, {0, 1, 1, 1}});

    EXPECT_EQ(this->levels_of(*a, false), (std::vector<I>{0, 1, 0, 2}));
    EXPECT_EQ(this->levels_of(*a, true), (std::vector<I>{1, 0, 1, 0}));
}

TYPED_TEST(TriangularKernels, SolveByHand)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto nan = spruce::nan<V>();  // in the triangle that is not used
    const auto a = this->csr({{2, nan, 0, 0}, {1, 2, 0, 0}, {0, 0, 2, nan}, {0, 1, 1, 2}});
    const auto b = this->dense({{2}, {5}, {4}, {9}});
    const array<I> order{this->exec, {0, 2, 1, 3}};
    for (const auto unit_diagonal : {false, true}) {
        const auto x = this->dense_of_nan(4, 1);

        kernel::solve<V, I>(*this->exec, *a, false, unit_diagonal, order.get_const_data(), {0, 2, 3, 4}, *b, *x);

        EXPECT_MTX_NEAR(x, unit_diagonal ? this->dense({{2}, {3}, {4}, {2}}) : this->dense({{1}, {2}, {2}, {2.5}}),
                        0.0);
    }
}

TYPED_TEST(TriangularKernels, ComputeLevelsLikeReference)
{
    for (const auto& data : this->matrices()) {
        SCOPED_TRACE(data.size[0]);
        for (const auto upper : {false, true}) {
            const auto expected =
                this->levels_of(*make_csr<typename TestFixture::V, typename TestFixture::I>(this->ref, data), upper);

            EXPECT_EQ(
                this->levels_of(*make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, data), upper),
                expected);
        }
    }
}

TYPED_TEST(TriangularKernels, SolveLikeReference)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    size_type num_rhs = 0;
    for (const auto& data : this->matrices()) {
        num_rhs = (num_rhs + 1) % 4;
        const auto size = data.size[0];
        SCOPED_TRACE(testing::Message() << size << " rows, " << num_rhs << " right-hand sides");
        const auto a = make_csr<V, I>(this->exec, data);
        const auto host_a = make_csr<V, I>(this->ref, data);
        const auto b = this->random_dense(size, num_rhs, num_rhs + 2);
        for (const auto upper : {false, true}) {
            const auto schedule = this->schedule_of(this->levels_of(*host_a, upper));
            const array<I> order{this->exec, schedule.order.begin(), schedule.order.end()};
            for (const auto unit_diagonal : {false, true}) {
                const auto x = this->dense_of_nan(size, num_rhs, num_rhs + 1);
                const auto expected = make_dense_of_nan<V>(this->ref, {size, num_rhs}, num_rhs);

                kernel::solve<V, I>(*this->exec, *a, upper, unit_diagonal, order.get_const_data(), schedule.level_ptrs,
                                    *b, *x);

                kernel::solve<V, I>(*this->ref, *host_a, upper, unit_diagonal, schedule.order.data(),
                                    schedule.level_ptrs, *clone(this->ref, b), *expected);
                EXPECT_MTX_NEAR(x, expected, 40 * this->tolerance_of_sum(size));
                EXPECT_TRUE(padding_is_intact(*x));
            }
        }
    }
}

}  // namespace
