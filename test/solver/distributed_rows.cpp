// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests solvers on a system whose rows are distributed over two parts. Each part has its own
// executor and thread. The parts exchange vectors for products and sums for reductions. Each solver
// takes as many iterations as for the undivided system.

#include <spruce/spruce.hpp>

#include <thread>

#include "test/solver/iterative_solvers.hpp"
#include "test/solver/solver_fixture.hpp"
#include "test/solver/two_parts.hpp"

namespace {

using spruce::dim;
using spruce::LinOp;
using spruce::size_type;
using spruce::span;
using spruce::test::meeting_point;
using spruce::test::part_communicator;
using Csr = spruce::matrix::Csr<double, int>;
using Dense = spruce::matrix::Dense<double>;
using matrix_data = spruce::matrix_data<double, int>;

/// Multiplies the rows of this part by the vectors of both parts: a square system.
class PartOfMatrix : public spruce::EnableLinOp<PartOfMatrix>, public spruce::Distributed, public spruce::Transposable {
    friend class spruce::EnablePolymorphicObject<PartOfMatrix, LinOp>;

public:
    /// Creates the operator of some rows.
    /// @param whole  the undivided matrix
    static std::shared_ptr<PartOfMatrix> create(std::shared_ptr<const spruce::Executor> exec, const matrix_data& whole,
                                                span rows, meeting_point& point, const part_communicator& communicator)
    {
        auto result = std::shared_ptr<PartOfMatrix>(new PartOfMatrix(exec, dim<2>{rows.length()}));
        matrix_data own{dim<2>{rows.length(), whole.size[1]}};
        for (const auto& entry : whole.nonzeros) {
            if (static_cast<size_type>(entry.row) >= rows.begin && static_cast<size_type>(entry.row) < rows.end) {
                own.nonzeros.emplace_back(entry.row - static_cast<int>(rows.begin), entry.column, entry.value);
            }
        }
        result->whole_ = whole;
        result->rows_ = rows;
        result->matrix_ = Csr::create(exec);
        result->matrix_->read(own);
        result->point_ = &point;
        result->communicator_ = &communicator;
        return result;
    }

    const spruce::Communicator* get_communicator() const override { return communicator_; }
    std::unique_ptr<LinOp> transpose() const override { return this->conj_transpose(); }
    std::unique_ptr<LinOp> conj_transpose() const override
    {
        auto transposed = whole_;
        for (auto& entry : transposed.nonzeros) {
            std::swap(entry.row, entry.column);
        }
        transposed.sort_row_major();
        const auto result = create(this->get_executor(), transposed, rows_, *point_, *communicator_);
        auto copy = this->create_default();
        *copy = *result;
        return copy;
    }

protected:
    explicit PartOfMatrix(std::shared_ptr<const spruce::Executor> exec, dim<2> size = {})
        : EnableLinOp(std::move(exec), size)
    {}
    void apply_impl(const LinOp* b, LinOp* x) const override { matrix_->apply(this->gather(b), x); }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        matrix_->apply(alpha, this->gather(b), beta, x);
    }

private:
    struct own_part {
        const Dense* vector;
        span rows;
        Dense* whole;
    };

    /// Returns the vectors of both parts.
    std::unique_ptr<Dense> gather(const LinOp* b) const
    {
        const auto own = spruce::as<Dense>(b);
        auto whole = Dense::create(this->get_executor(), dim<2>{whole_.size[0], b->get_size()[1]});
        own_part part{own, rows_, whole.get()};
        point_->meet(&part, [](void* first, void* second) {
            for (const auto to : {first, second}) {
                for (const auto from : {first, second}) {
                    const auto& source = *static_cast<own_part*>(from);
                    const auto target = static_cast<own_part*>(to)->whole;
                    target->create_submatrix(source.rows, span{0, target->get_size()[1]})->copy_from(source.vector);
                }
            }
        });
        return whole;
    }

    matrix_data whole_;
    span rows_{0, 0};
    std::shared_ptr<Csr> matrix_;
    meeting_point* point_{};
    const part_communicator* communicator_{};
};

/// Applies a diagonal block of a matrix that has no entries outside the blocks. Provides products
/// with inner products if its format does.
template <typename Format>
class BlockOfMatrix : public spruce::EnableLinOp<BlockOfMatrix<Format>>,
                      public spruce::Distributed,
                      public spruce::Transposable,
                      public spruce::DotApplicable<double> {
    friend class spruce::EnablePolymorphicObject<BlockOfMatrix, LinOp>;

public:
    static std::shared_ptr<BlockOfMatrix> create(std::shared_ptr<const spruce::Executor> exec, const matrix_data& whole,
                                                 span rows, const part_communicator& communicator)
    {
        auto result = std::shared_ptr<BlockOfMatrix>(new BlockOfMatrix(exec, dim<2>{rows.length()}));
        matrix_data own{dim<2>{rows.length()}};
        const auto begin = static_cast<int>(rows.begin);
        for (const auto& entry : whole.nonzeros) {
            if (static_cast<size_type>(entry.row) >= rows.begin && static_cast<size_type>(entry.row) < rows.end) {
                own.nonzeros.emplace_back(entry.row - begin, entry.column - begin, entry.value);
            }
        }
        result->matrix_ = Format::create(exec);
        result->matrix_->read(own);
        result->communicator_ = &communicator;
        return result;
    }

    const spruce::Communicator* get_communicator() const override { return communicator_; }
    std::unique_ptr<LinOp> transpose() const override { return this->clone(); }  // symmetric
    std::unique_ptr<LinOp> conj_transpose() const override { return this->clone(); }
    void apply_with_dot(const Dense* b, Dense* x, Dense* dot, const spruce::Reduction& reduction) const override
    {
        EXPECT_EQ(reduction.get_communicator(), communicator_);
        ++num_dots;
        matrix_->apply_with_dot(b, x, dot, reduction);
    }

    mutable int num_dots{};

protected:
    explicit BlockOfMatrix(std::shared_ptr<const spruce::Executor> exec, dim<2> size = {})
        : spruce::EnableLinOp<BlockOfMatrix>(std::move(exec), size)
    {}
    void apply_impl(const LinOp* b, LinOp* x) const override { matrix_->apply(b, x); }
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override
    {
        matrix_->apply(alpha, b, beta, x);
    }

private:
    std::shared_ptr<Format> matrix_;
    const part_communicator* communicator_{};
};

template <typename Solver>
class DistributedRows : public ::testing::Test {
protected:
    static constexpr size_type size = 240;
    static constexpr size_type cut = 130;

    /// Returns a matrix whose eigenvalues lie between 0.5 and 1.5.
    /// @param is_coupled  true if there are entries outside the blocks of the two parts
    static matrix_data system(bool is_coupled = true)
    {
        matrix_data data{dim<2>{size}};
        const auto crosses = [&](int row) { return !is_coupled && row == static_cast<int>(cut); };
        for (int i = 0; i < static_cast<int>(size); ++i) {
            if (i > 0 && !crosses(i)) {
                data.nonzeros.emplace_back(i, i - 1, -0.25);
            }
            data.nonzeros.emplace_back(i, i, 1.0);
            if (i + 1 < static_cast<int>(size) && !crosses(i + 1)) {
                data.nonzeros.emplace_back(i, i + 1, -0.25);
            }
        }
        return data;
    }

    struct outcome {
        size_type num_iterations;
        std::vector<spruce::stop_reason> reasons;
        std::vector<double> x;
    };

    static outcome solve(std::shared_ptr<const LinOp> a, size_type first_row, size_type num_columns = 2)
    {
        const auto exec = a->get_executor();
        const auto num_rows = a->get_size()[0];
        auto on_host = Dense::create(exec->get_master(), dim<2>{num_rows, num_columns});
        for (size_type row = 0; row < num_rows; ++row) {
            for (size_type col = 0; col < num_columns; ++col) {
                on_host->at(row, col) =
                    std::sin((0.1 + 0.2 * static_cast<double>(col)) * static_cast<double>(first_row + row) + 0.5);
            }
        }
        const auto b = clone(exec, on_host);
        const auto x = clone(exec, on_host);
        x->fill(0.0);
        const auto log = spruce::share(spruce::log::Convergence<double>::create());
        const auto solver = spruce::test::build_for_spectrum<Solver>(0.5, 1.5)
                                .with_criteria(spruce::stop::Iteration::build().with_max_iters(500),
                                               spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-9))
                                .on(exec)
                                ->generate(a);
        solver->add_logger(log);

        solver->apply(b, x);

        outcome result{log->get_num_iterations(), solver->get_stop_reasons(), {}};
        const auto solution = clone(exec->get_master(), x);
        for (size_type row = 0; row < num_rows; ++row) {
            for (size_type col = 0; col < num_columns; ++col) {
                result.x.push_back(solution->at(row, col));
            }
        }
        return result;
    }

    /// Solves both parts at the same time, each with its own executor and thread.
    /// @param make_part  makes the operator of some rows
    template <typename MakePart>
    static void expect_as_many_iterations(const matrix_data& data, size_type num_columns, MakePart make_part)
    {
        const auto whole = Csr::create(spruce::test::test_executor());
        whole->read(data);
        const auto expected = solve(spruce::share(clone(whole)), 0, num_columns);
        meeting_point point;
        outcome halves[2];
        const auto solve_part = [&](int which, span rows) {
            const part_communicator communicator{point, rows.begin};
            halves[which] =
                solve(make_part(spruce::test::test_executor(), rows, point, communicator), rows.begin, num_columns);
        };
        std::thread other{[&] { solve_part(1, span{cut, size}); }};
        solve_part(0, span{0, cut});
        other.join();

        EXPECT_EQ(expected.reasons, (std::vector<spruce::stop_reason>(num_columns, spruce::stop_reason::converged)));
        for (const auto& half : halves) {
            EXPECT_EQ(half.num_iterations, expected.num_iterations);
            EXPECT_EQ(half.reasons, expected.reasons);
        }
        ASSERT_EQ(halves[0].x.size() + halves[1].x.size(), expected.x.size());
        for (size_type i = 0; i < expected.x.size(); ++i) {
            const auto found = i < halves[0].x.size() ? halves[0].x[i] : halves[1].x[i - halves[0].x.size()];
            // Sums are rounded differently, and x is as accurate as the criterion requires.
            ASSERT_NEAR(found, expected.x[i], 1e-8) << i;
        }
    }

    /// Solves with the blocks of a matrix whose format computes products with inner products.
    template <typename Format>
    static void expect_as_many_iterations_of_blocks()
    {
        const auto data = system(false);
        std::shared_ptr<BlockOfMatrix<Format>> blocks[2];
        expect_as_many_iterations(data, 1, [&](auto exec, span rows, auto&, const auto& communicator) {
            auto& block = blocks[rows.begin == 0 ? 0 : 1];
            block = BlockOfMatrix<Format>::create(exec, data, rows, communicator);
            return block;
        });
        const auto takes_dots = std::is_same_v<Solver, spruce::solver::Cg<double>>;
        EXPECT_TRUE(!takes_dots || blocks[0]->num_dots > 0);
        EXPECT_EQ(blocks[0]->num_dots, blocks[1]->num_dots);
    }
};

TYPED_TEST_SUITE(DistributedRows, spruce::test::iterative_solvers<double>);

TYPED_TEST(DistributedRows, TakeAsManyIterationsAsTheUndividedSystem)
{
    if (spruce::test::is_simulated(*spruce::test::test_executor())) {
        GTEST_SKIP() << "the simulated device serves one thread at a time";
    }
    const auto data = this->system();
    this->expect_as_many_iterations(data, 2, [&](auto exec, span rows, auto& point, const auto& communicator) {
        return PartOfMatrix::create(exec, data, rows, point, communicator);
    });
}

TYPED_TEST(DistributedRows, SumInProductsWithInnerProductsToo)
{
    if (spruce::test::is_simulated(*spruce::test::test_executor())) {
        GTEST_SKIP() << "the simulated device serves one thread at a time";
    }
    this->template expect_as_many_iterations_of_blocks<spruce::matrix::Ell<double, int>>();
    this->template expect_as_many_iterations_of_blocks<spruce::matrix::Sellp<double, int>>();
}

}  // namespace
