// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that each solver stops with a reason if the input files of the system contain inf or nan.

#include <sstream>
#include <string>

#include "test/solver/iterative_solvers.hpp"
#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::stop_reason;
namespace solver = spruce::solver;
namespace stop = spruce::stop;

template <typename Types>
class NotFiniteInput : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;

    /// Reads the matrix ((4, value), (-1, 4)).
    std::shared_ptr<Csr> read_matrix(const std::string& value) const
    {
        return this->template read<Csr>("coordinate real general\n2 2 4\n1 1 4\n1 2 " + value + "\n2 1 -1\n2 2 4\n");
    }
    /// Reads the vector (1, value).
    std::shared_ptr<Dense> read_vector(const std::string& value) const
    {
        return this->template read<Dense>("array real general\n2 1\n1\n" + value + "\n");
    }

    void expect_not_finite(std::shared_ptr<Csr> a, const Dense* b) const
    {
        for_each_iterative_solver<V>([&](auto tag) { this->expect_not_finite_by<typename decltype(tag)::type>(a, b); });
    }

private:
    template <typename Matrix>
    std::shared_ptr<Matrix> read(const std::string& text) const
    {
        std::istringstream is{"%%MatrixMarket matrix " + text};
        const auto matrix = share(Matrix::create(this->exec));
        matrix->read(spruce::read_raw<V, I>(is));
        return matrix;
    }

    template <typename Solver>
    void expect_not_finite_by(std::shared_ptr<Csr> a, const Dense* b) const
    {
        SCOPED_TRACE(spruce::name_demangling::get_type_name(typeid(Solver)));
        const auto x = this->dense({{0}, {0}});
        const auto solver = build_for_spectrum<Solver>(3, 5)
                                .with_criteria(stop::Iteration::build().with_max_iters(100u),
                                               stop::ResidualNorm<V>::build().with_reduction_factor(1e-3f))
                                .on(this->exec)
                                ->generate(a);

        solver->apply(b, x);

        EXPECT_EQ(solver->get_stop_reasons(), (std::vector<stop_reason>{stop_reason::not_finite}));
    }
};
TYPED_TEST_SUITE(NotFiniteInput, one_of_each_type, type_names);

TYPED_TEST(NotFiniteInput, OfTheMatrixIsTheStopReason)
{
    const auto b = this->read_vector("1");
    for (const auto value : {"inf", "-inf", "nan"}) {
        SCOPED_TRACE(value);

        this->expect_not_finite(this->read_matrix(value), b.get());
    }
}

TYPED_TEST(NotFiniteInput, OfTheRightHandSideIsTheStopReason)
{
    const auto a = this->read_matrix("-1");
    for (const auto value : {"inf", "-inf", "nan"}) {
        SCOPED_TRACE(value);
        const auto b = this->read_vector(value);

        this->expect_not_finite(a, b.get());
    }
}

}  // namespace
