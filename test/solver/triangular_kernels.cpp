// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/solver/triangular_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "core/base/launch_graph.hpp"
#include "core/factorization/triangles.hpp"
#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::size_type;

namespace triangular = spruce::kernels::triangular;

template <typename Types>
class TriangularKernels : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;

    static std::vector<I> levels_of(const Csr& a, bool upper)
    {
        array<I> levels{a.get_executor(), a.get_size()[0]};
        triangular::compute_levels<V, I>(*a.get_executor(), a, upper, nullptr, levels.get_data());
        const auto result = levels.copy_to_host();
        if (a.is_sorted_by_column_index()) {
            array<I> diagonal{a.get_executor()};
            if (spruce::factorization::detail::find_diagonal(a, diagonal) == 0) {
                triangular::compute_levels<V, I>(*a.get_executor(), a, upper, diagonal.get_const_data(),
                                                 levels.get_data());
                EXPECT_EQ(levels.copy_to_host(), result);
            }
        }
        return result;
    }

    /// Calls test() with small triangles solved as on the executor and, on GPUs, also by slices.
    template <typename Test>
    void test_with_blocks_and_slices(Test test)
    {
        test();
        if (std::dynamic_pointer_cast<const spruce::detail::GpuExecutor>(this->exec)) {
            SCOPED_TRACE("by slices");
            avoids_blocks_ = true;
            test();
            avoids_blocks_ = false;
        }
    }

    void analyze(const Csr& a, bool upper, bool unit_diagonal,
                 spruce::solver::detail::triangular_schedule<V, I>& schedule)
    {
        const auto exec = a.get_executor();
        schedule.avoids_blocks = avoids_blocks_;
        if (!unit_diagonal) {
            spruce::factorization::detail::find_diagonal(a, schedule.diagonal);
        }
        triangular::analyze<V, I>(*exec, a, upper, schedule);
    }

    /// Solves with the schedule of the executor of a.
    void solve(const Csr& a, bool upper, bool unit_diagonal, const Dense& b, Dense& x)
    {
        const auto exec = a.get_executor();
        spruce::solver::detail::triangular_schedule<V, I> schedule{exec};
        analyze(a, upper, unit_diagonal, schedule);
        triangular::solve<V, I>(*exec, a, upper, unit_diagonal, schedule, b, x);
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

    /// Creates levels of one to five rows, in turns. Each row depends on all rows of the previous
    /// two levels, and so does each column on rows of the next two.
    host_matrix levels_of_few_rows(size_type size)
    {
        std::vector<size_type> level(size);
        for (size_type row = 1; row < size; ++row) {
            const auto is_last = row - first_of(level, row - 1) == 1 + level[row - 1] % 5;
            level[row] = level[row - 1] + (is_last ? 1 : 0);
        }
        host_matrix data{spruce::dim<2>{size, size}};
        for (size_type row = 0; row < size; ++row) {
            for (size_type col = 0; col < size; ++col) {
                const auto distance = level[row] > level[col] ? level[row] - level[col] : level[col] - level[row];
                if (distance == 1 || distance == 2) {
                    data.nonzeros.emplace_back(row, col, 1.0 / static_cast<double>(1 + (row + 3 * col) % 7));
                }
            }
        }
        return with_diagonal(std::move(data));
    }
    static size_type first_of(const std::vector<size_type>& level, size_type row)
    {
        return static_cast<size_type>(std::find(level.begin(), level.end(), level[row]) - level.begin());
    }

    std::vector<host_matrix> matrices()
    {
        std::vector<host_matrix> result{chain(70), levels_of_few_rows(200)};
        for (const size_type size : {0, 1, 32, 33, 64, 65, 300, 512, 513, 1025}) {
            result.push_back(this->random_triangles(size, nnz_per_row(0, std::min<size_type>(size, 8))));
        }
        // GPUs process rows by a lane, a subwarp or a warp.
        result.push_back(this->random_triangles(300, nnz_per_row(10, 60)));
        std::vector<size_type> lengths(700, 3);
        lengths[0] = lengths[300] = lengths[301] = lengths[699] = 600;
        result.push_back(with_diagonal(random_sparse(this->engine, lengths, lengths.size())));
        result.push_back(with_unsorted_columns(this->engine, result.back()));
        return result;
    }

private:
    bool avoids_blocks_{};
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
    const auto nan = spruce::nan<V>();  // in the triangle that is not used
    const auto a = this->csr({{2, nan, 0, 0}, {1, 2, 0, 0}, {0, 0, 2, nan}, {0, 1, 1, 2}});
    const auto b = this->dense({{2}, {5}, {4}, {9}});
    this->test_with_blocks_and_slices([&] {
        for (const auto unit_diagonal : {false, true}) {
            const auto x = this->dense_of_nan(4, 1);

            this->solve(*a, false, unit_diagonal, *b, *x);

            EXPECT_MTX_NEAR(x, unit_diagonal ? this->dense({{2}, {3}, {4}, {2}}) : this->dense({{1}, {2}, {2}, {2.5}}),
                            0.0);
        }
    });
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
    this->test_with_blocks_and_slices([&] {
        size_type num_rhs = 0;
        for (const auto& data : this->matrices()) {
            num_rhs = (num_rhs + 1) % 8;
            const auto size = data.size[0];
            SCOPED_TRACE(testing::Message() << size << " rows, " << num_rhs << " right-hand sides");
            const auto a = make_csr<V, I>(this->exec, data);
            const auto host_a = make_csr<V, I>(this->ref, data);
            const auto b = this->random_dense(size, num_rhs, num_rhs + 2);
            for (const auto upper : {false, true}) {
                for (const auto unit_diagonal : {false, true}) {
                    const auto x = this->dense_of_nan(size, num_rhs, num_rhs + 1);
                    const auto expected = make_dense_of_nan<V>(this->ref, {size, num_rhs}, num_rhs);

                    this->solve(*a, upper, unit_diagonal, *b, *x);
                    this->solve(*host_a, upper, unit_diagonal, *clone(this->ref, b), *expected);

                    EXPECT_MTX_NEAR(x, expected, 40 * this->tolerance_of_sum(size));
                    EXPECT_TRUE(padding_is_intact(*x));
                }
            }
        }
    });
}

TYPED_TEST(TriangularKernels, SolveChainsOfRowsInParallel)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto sorted = spruce::test::chains_of_rows(20, 200);
    const auto size = sorted.size[0];
    for (const auto& data : {sorted, with_unsorted_columns(this->engine, sorted)}) {
        const auto a = make_csr<V, I>(this->exec, data);
        const auto host_a = clone(this->ref, a);
        for (const size_type num_rhs : {1, 3}) {
            const auto b = this->random_dense(size, num_rhs);
            for (const auto upper : {false, true}) {
                const auto x = this->dense_of_nan(size, num_rhs);
                const auto expected = clone(this->ref, x);

                this->solve(*a, upper, false, *b, *x);
                this->solve(*host_a, upper, false, *clone(this->ref, b), *expected);

                EXPECT_MTX_NEAR(x, expected, this->tolerance_of_sum(1000));
            }
        }
    }
}

TYPED_TEST(TriangularKernels, DistributeOnlyChainsWithEnoughWork)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto num_threads = spruce::OmpExecutor::get_num_omp_threads();
    if (this->exec->get_backend() != spruce::backend::omp || num_threads == 1 || num_threads > 16) {
        GTEST_SKIP() << "for 2 to 16 threads of CPUs";
    }
    // Levels of single rows have less locality than the order of the rows.
    const auto is_sequential = [&](const host_matrix& data) {
        spruce::solver::detail::triangular_schedule<V, I> schedule{this->exec};
        this->analyze(*make_csr<V, I>(this->exec, data), false, false, schedule);
        return schedule.chains.is_sequential();
    };

    EXPECT_FALSE(is_sequential(spruce::test::chains_of_rows(20, 200)));
    EXPECT_TRUE(is_sequential(spruce::test::chains_of_rows(20, 15)));
    EXPECT_TRUE(is_sequential(spruce::test::chains_of_rows(6000, 1)));
    EXPECT_TRUE(is_sequential(this->chain(6000)));
}

TYPED_TEST(TriangularKernels, SolveWithManyRowsInALevel)
{
    // Levels of thousands of rows have many slices on GPUs.
    const auto data = this->random_triangles(6000, nnz_per_row(1, 3));
    const auto a = make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, data);
    const auto host_a = clone(this->ref, a);
    const auto b = this->random_dense(data.size[0], 3);
    for (const auto upper : {false, true}) {
        const auto x = this->dense_of_nan(data.size[0], 3);
        const auto expected = clone(this->ref, x);

        this->solve(*a, upper, false, *b, *x);
        this->solve(*host_a, upper, false, *clone(this->ref, b), *expected);

        EXPECT_MTX_NEAR(x, expected, this->tolerance_of_sum(1000));
    }
}

TYPED_TEST(TriangularKernels, DoNotWaitForValuesThatAreNotFinite)
{
    using V = typename TestFixture::V;
    using real = spruce::remove_complex<V>;
    constexpr auto nan = std::numeric_limits<real>::quiet_NaN();
    constexpr auto infinity = std::numeric_limits<real>::infinity();
    const auto data = this->chain(100);
    const auto is_not_finite = [](const auto& x, size_type row) {
        const auto value = x->at(row, 0);
        return !std::isfinite(std::real(value)) || !std::isfinite(std::imag(value));
    };
    // The last value has the bits that GPUs store where a value is missing.
    const auto missing_bits = sizeof(real) == 4 ? std::uint64_t{0x7fa5a5a5} : std::uint64_t{0x7ff4a5a5a5a5a5a5};
    real missing;
    std::memcpy(&missing, &missing_bits, sizeof(real));
    this->test_with_blocks_and_slices([&] {
        for (const auto value : {nan, infinity, -infinity, missing}) {
            SCOPED_TRACE(value);
            const auto a = make_csr<V, typename TestFixture::I>(this->ref, data);
            const auto b = make_dense_of_nan<V>(this->ref, {100, 1});
            b->fill(V{1});
            for (const size_type row : {0, 50, 99}) {
                for (const auto unit_diagonal : {false, true}) {
                    auto changed_b = b->clone();
                    std::memcpy(static_cast<void*>(&changed_b->at(row, 0)), &value, sizeof(real));
                    const auto x = this->dense_of_nan(100, 1);

                    this->solve(*clone(this->exec, a), false, unit_diagonal, *clone(this->exec, changed_b), *x);

                    const auto host_x = clone(this->ref, x);
                    for (size_type i = 0; i < 100; ++i) {
                        EXPECT_EQ(is_not_finite(host_x, i), i >= row) << "row " << i << " of b has " << value;
                    }
                }
            }
            // An entry of the matrix, left of the diagonal of row 50.
            const auto changed_a = a->clone();
            changed_a->get_values()[3 * 50 - 1] = V{value};
            const auto x = this->dense_of_nan(100, 1);

            this->solve(*clone(this->exec, changed_a), false, false, *clone(this->exec, b), *x);

            EXPECT_TRUE(is_not_finite(clone(this->ref, x), 50));
            EXPECT_TRUE(is_not_finite(clone(this->ref, x), 99));
            EXPECT_FALSE(is_not_finite(clone(this->ref, x), 49));
        }
    });
}

TYPED_TEST(TriangularKernels, AreReplayedWithOtherRightHandSides)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto device = std::dynamic_pointer_cast<const spruce::detail::GpuExecutor>(this->exec);
    if (!device) {
        GTEST_SKIP() << "only GPUs record launches";
    }
    const auto data = this->random_triangles(300, nnz_per_row(0, 8));
    const auto a = make_csr<V, I>(this->exec, data);
    this->test_with_blocks_and_slices([&] {
        const auto b = this->random_dense(300, 3);
        const auto x = this->dense_of_nan(300, 3);
        spruce::solver::detail::triangular_schedule<V, I> schedule{this->exec};
        this->analyze(*a, false, false, schedule);
        triangular::solve<V, I>(*this->exec, *a, false, false, schedule, *b, *x);  // allocates memory
        spruce::detail::LaunchGraph recording{
            device, [&] { triangular::solve<V, I>(*this->exec, *a, false, false, schedule, *b, *x); }};
        for (int i = 0; i < 3; ++i) {
            const auto other_b = this->random_dense(300, 3);
            b->copy_from(other_b.get());
            const auto expected = this->dense_of_nan(300, 3);
            triangular::solve<V, I>(*this->exec, *a, false, false, schedule, *b, *expected);
            x->fill(spruce::nan<V>());

            recording.replay();

            EXPECT_MTX_NEAR(x, expected, 0.0);
        }
    });
}

TYPED_TEST(TriangularKernels, SolveOnTwoExecutorsAtOnce)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto data = this->random_triangles(700, nnz_per_row(0, 8));
    const auto b = this->random_dense(700, 1);
    const auto expected = make_dense_of_nan<V>(this->ref, {700, 1});
    this->solve(*make_csr<V, I>(this->ref, data), true, false, *clone(this->ref, b), *expected);
    this->test_with_blocks_and_slices([&] {
        std::vector<std::shared_ptr<spruce::Executor>> executors{this->exec, test_executor()};
        std::vector<std::unique_ptr<spruce::matrix::Dense<V>>> results(2);
        std::vector<std::thread> threads;
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([&, i] {
                const auto exec = executors[i];
                const auto a = make_csr<V, I>(exec, data);
                const auto local_b = clone(exec, expected);
                local_b->copy_from(clone(this->ref, b));
                results[i] = make_dense_of_nan<V>(exec, {700, 1});
                for (int repetition = 0; repetition < 3; ++repetition) {
                    this->solve(*a, true, false, *local_b, *results[i]);
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        for (const auto& result : results) {
            EXPECT_MTX_NEAR(result, expected, 40 * this->tolerance_of_sum(700));
        }
    });
}

}  // namespace
