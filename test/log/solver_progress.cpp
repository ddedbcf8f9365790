// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/solver_progress.hpp>

#include <complex>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/utils/fixture.hpp"

namespace {

using spruce::dim;
using spruce::LinOp;
using spruce::size_type;
using spruce::log::Logger;
using spruce::log::SolverProgress;
using Dense = spruce::matrix::Dense<double>;
using ComplexDense = spruce::matrix::Dense<std::complex<double>>;

class SolverProgressTest : public ::testing::Test {
protected:
    /// Performs two Richardson iterations, which halve the residuals 4 and 6 each time.
    template <typename Matrix = Dense>
    void solve(std::shared_ptr<const spruce::Executor> exec, std::shared_ptr<const Logger> logger)
    {
        const auto solver = spruce::solver::Ir<typename Matrix::value_type>::build()
                                .with_criteria(spruce::stop::Iteration::build().with_max_iters(2))
                                .on(exec)
                                ->generate(spruce::initialize<Matrix>({0.5}, exec));
        const auto x = spruce::initialize<Matrix>({{0.0, 0.0}}, exec);
        solver->add_logger(logger);
        solver->apply(spruce::initialize<Matrix>({{4.0, 6.0}}, exec), x);
    }
    template <typename Matrix = Dense>
    void solve(std::shared_ptr<const Logger> logger)
    {
        this->solve<Matrix>(ref, std::move(logger));
    }

    /// Reports an iteration without a solver.
    static void report(const Logger& logger, size_type iteration, const LinOp* norm, const LinOp* implicit_sq_norm)
    {
        const LinOp* none{};
        logger.on<Logger::iteration_complete>(none, none, none, iteration, none, norm, implicit_sq_norm, nullptr,
                                              false);
    }

    std::shared_ptr<spruce::ReferenceExecutor> ref{spruce::ReferenceExecutor::create()};
    std::ostringstream out;
};

TEST_F(SolverProgressTest, WritesATable)
{
    this->solve(SolverProgress::create_scalar_table_writer(out));

    EXPECT_EQ(out.str(),
              "   iteration residual_norm(0) residual_norm(1)\n"
              "           0                4                6\n"
              "           1                2                3\n"
              "           2                1              1.5\n");
}

TEST_F(SolverProgressTest, WritesATableOfOtherWidthAndPrecision)
{
    const auto norm = spruce::initialize<Dense>({1.0 / 3.0}, ref);
    const auto implicit = spruce::initialize<Dense>({1.0 / 9.0}, ref);
    const auto logger = SolverProgress::create_scalar_table_writer(out, 3, 4);

    report(*logger, 0, norm.get(), implicit.get());

    EXPECT_EQ(out.str(),
              "iteration residual_norm implicit_sq_residual_norm\n"
              "        0         0.333                     0.111\n");
}

TEST_F(SolverProgressTest, WritesCsv)
{
    this->solve(SolverProgress::create_scalar_csv_writer(out));
    this->solve(SolverProgress::create_scalar_csv_writer(out, 6, ';'));

    EXPECT_EQ(out.str(),
              "iteration,residual_norm(0),residual_norm(1)\n"
              "0,4,6\n"
              "1,2,3\n"
              "2,1,1.5\n"
              "iteration;residual_norm(0);residual_norm(1)\n"
              "0;4;6\n"
              "1;2;3\n"
              "2;1;1.5\n");
}

TEST_F(SolverProgressTest, WritesAHeaderForEachSolve)
{
    const auto norm = spruce::initialize<Dense>({2.0}, ref);
    const auto implicit = spruce::initialize<Dense>({4.0}, ref);
    const auto logger = SolverProgress::create_scalar_csv_writer(out);

    report(*logger, 3, norm.get(), nullptr);  // the logger was added during a solve
    report(*logger, 4, norm.get(), nullptr);
    report(*logger, 4, norm.get(), nullptr);  // reported again: the true residual did not confirm convergence
    report(*logger, 0, norm.get(), nullptr);
    report(*logger, 1, norm.get(), implicit.get());

    EXPECT_EQ(out.str(),
              "iteration,residual_norm\n3,2\n4,2\n4,2\n"
              "iteration,residual_norm\n0,2\n"
              "iteration,residual_norm,implicit_sq_residual_norm\n1,2,4\n");
}

TEST_F(SolverProgressTest, WritesNumbersWhateverTheStreamIsSetTo)
{
    const auto norm = spruce::initialize<Dense>({12345678.0}, ref);
    const auto implicit = spruce::initialize<ComplexDense>({std::complex<double>{1.5, -2.0}}, ref);
    const auto infinite = spruce::initialize<spruce::matrix::Dense<float>>({-INFINITY}, ref);
    const auto logger = SolverProgress::create_scalar_csv_writer(out, 10);
    out << std::hex << std::scientific << std::showpos;

    report(*logger, 12, norm.get(), implicit.get());
    report(*logger, 13, infinite.get(), norm.get());

    EXPECT_EQ(out.str(),
              "iteration,residual_norm,implicit_sq_residual_norm\n"
              "12,12345678,1.5-2i\n"
              "13,-inf,12345678\n");
}

TEST_F(SolverProgressTest, LeavesOutWhatIsNoDense)
{
    const auto csr = spruce::initialize<spruce::matrix::Csr<double, spruce::int32>>({2.0}, ref);
    const auto logger = SolverProgress::create_scalar_csv_writer(out);

    report(*logger, 0, csr.get(), nullptr);
    report(*logger, 1, Dense::create(ref).get(), nullptr);

    EXPECT_EQ(out.str(), "iteration\n0\n1\n");
}

TEST_F(SolverProgressTest, WritesTheSameOnAllExecutors)
{
    for (const auto& exec : spruce::test::all_executors()) {
        SCOPED_TRACE(exec->get_description());
        out.str("");

        this->solve(exec, SolverProgress::create_scalar_csv_writer(out));

        EXPECT_EQ(out.str(), "iteration,residual_norm(0),residual_norm(1)\n0,4,6\n1,2,3\n2,1,1.5\n");
    }
}

class VectorStorage : public SolverProgressTest {
protected:
    VectorStorage()
    {
        const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder = std::filesystem::temp_directory_path() / (std::string("spruce_vector_storage_") + test->name());
        std::filesystem::remove_all(folder);
        std::filesystem::create_directory(folder);
    }
    ~VectorStorage() override { std::filesystem::remove_all(folder); }

    std::string prefix() const { return (folder / "run_").string(); }
    size_type num_files() const
    {
        return std::distance(std::filesystem::directory_iterator{folder}, std::filesystem::directory_iterator{});
    }
    void expect_file(const std::string& name, std::initializer_list<double> row) const
    {
        std::ifstream file{prefix() + name, std::ios::binary};
        const auto content = Dense::create(ref);
        content->read(spruce::read_generic_raw<double, spruce::int32>(file));
        EXPECT_MTX_NEAR(content, spruce::initialize<Dense>({row}, ref), 0.0) << name;
    }

    std::filesystem::path folder;
};

TEST_F(VectorStorage, WritesVectorsAndNormsOfEachIteration)
{
    for (const auto& exec : spruce::test::all_executors()) {
        SCOPED_TRACE(exec->get_description());

        this->solve(exec, SolverProgress::create_vector_storage(prefix()));

        EXPECT_EQ(this->num_files(), 3 * 3 + 1u);
        expect_file("0_right_hand_side.mtx", {4, 6});
        expect_file("0_solution.mtx", {0, 0});
        expect_file("1_solution.mtx", {4, 6});
        expect_file("2_solution.mtx", {6, 9});
        expect_file("2_residual.mtx", {1, 1.5});
        expect_file("2_residual_norm.mtx", {1, 1.5});
    }
}

TEST_F(VectorStorage, WritesBinaryFiles)
{
    this->solve(SolverProgress::create_vector_storage(prefix(), true));

    EXPECT_EQ(this->num_files(), 3 * 3 + 1u);
    expect_file("0_right_hand_side.bin", {4, 6});
    expect_file("2_solution.bin", {6, 9});
}

TEST_F(VectorStorage, SaysWhereItCannotWrite)
{
    const auto nowhere = (folder / "absent" / "run_").string();

    EXPECT_THROW_WITH(this->solve(SolverProgress::create_vector_storage(nowhere)), spruce::StreamError, "absent");
}

}  // namespace
