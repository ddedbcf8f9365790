// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests preconditioned solves of systems from engineering and science and of generated ones: where
// the reference executor reaches a residual of 1e-10, the others do so in about as many iterations.
// Factors by sweeps need hardly more iterations than those by elimination, and factors with fill-in
// need no more. Set SPRUCE_TEST_MATRICES to a folder to test its square matrices (*.mtx.gz) only.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

#include <spruce/factorization/par_ic.hpp>
#include <spruce/factorization/par_ict.hpp>
#include <spruce/factorization/par_ilu.hpp>
#include <spruce/factorization/par_ilut.hpp>
#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/preconditioner/ic.hpp>
#include <spruce/preconditioner/ilu.hpp>
#include <spruce/preconditioner/isai.hpp>
#include <spruce/preconditioner/jacobi.hpp>

#include "test/solver/solver_fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::share;
using spruce::size_type;
namespace factorization = spruce::factorization;
namespace preconditioner = spruce::preconditioner;

/// Follow the name of a preconditioner with factors by elimination and without fill-in.
constexpr auto by_sweeps = " by sweeps";
constexpr auto with_fill = " with fill-in";

class PreconditionedSystems : public kernel_test<types<double, spruce::int32>> {
protected:
    using factory_list = std::vector<std::pair<std::string, std::function<std::shared_ptr<spruce::LinOpFactory>(
                                                                const std::shared_ptr<const spruce::Executor>&)>>>;

    template <typename V>
    static factory_list factories(bool is_symmetric)
    {
        using I = spruce::int32;
        using lower = spruce::solver::LowerTrs<V, I>;
        using jacobi = preconditioner::Jacobi<V, I>;
        factory_list result{
            {"Jacobi, blocks of 1", [](const auto& exec) { return jacobi::build().with_max_block_size(1u).on(exec); }},
            {"Jacobi, blocks of up to 16",
             [](const auto& exec) { return jacobi::build().with_max_block_size(16u).on(exec); }},
            {"Jacobi in adaptive precision",
             [](const auto& exec) {
                 return jacobi::build()
                     .with_max_block_size(16u)
                     .with_storage_optimization(spruce::precision_reduction::autodetect())
                     .on(exec);
             }},
            {"Gauss-Seidel, symmetric",
             [](const auto& exec) { return preconditioner::GaussSeidel<V, I>::build().with_symmetric(true).on(exec); }},
            {"Ilu", [](const auto& exec) { return preconditioner::Ilu<lower>::build().on(exec); }},
            {std::string{"Ilu"} + by_sweeps, [](const auto& exec) {
                 return preconditioner::Ilu<lower>::build()
                     .with_factorization(factorization::ParIlu<V, I>::build())
                     .on(exec);
             }}};
        if (is_symmetric) {
            result.emplace_back("Isai",
                                [](const auto& exec) { return preconditioner::SpdIsai<V, I>::build().on(exec); });
            result.emplace_back("Ic", [](const auto& exec) { return preconditioner::Ic<lower>::build().on(exec); });
            result.emplace_back(std::string{"Ic"} + by_sweeps, [](const auto& exec) {
                return preconditioner::Ic<lower>::build()
                    .with_factorization(factorization::ParIc<V, I>::build())
                    .on(exec);
            });
            result.emplace_back(std::string{"Ic"} + with_fill, [](const auto& exec) {
                return preconditioner::Ic<lower>::build()
                    .with_factorization(factorization::ParIct<V, I>::build())
                    .on(exec);
            });
        } else {
            result.emplace_back(std::string{"Ilu"} + with_fill, [](const auto& exec) {
                return preconditioner::Ilu<lower>::build()
                    .with_factorization(factorization::ParIlut<V, I>::build())
                    .on(exec);
            });
        }
        return result;
    }

    static bool is_hermitian(const host_matrix& a)
    {
        std::map<std::pair<spruce::int64, spruce::int64>, std::complex<double>> values;
        for (const auto& entry : a.nonzeros) {
            values[{entry.row, entry.column}] += entry.value;
        }
        return std::all_of(values.begin(), values.end(), [&](const auto& entry) {
            const auto found = values.find({entry.first.second, entry.first.first});
            return found != values.end() && found->second == std::conj(entry.second);
        });
    }

    struct result {
        bool has_converged;
        double iterations;
        double residual;  ///< norm of b - A x divided by that of b
    };

    /// Solves with symmetric A and M by Cg, otherwise by Gmres, whose residual norms hardly depend
    /// on rounding errors. Returns nothing if the preconditioner cannot be generated.
    template <typename V, typename Factory>
    static std::optional<result> solve(const std::shared_ptr<const spruce::Executor>& exec, const host_matrix& data,
                                       bool symmetric, const Factory& factory)
    {
        using Dense = spruce::matrix::Dense<V>;
        const auto a = share(make_csr<V, spruce::int32>(exec, data));
        std::shared_ptr<spruce::LinOp> m;
        try {
            m = factory(exec)->generate(a);
        } catch (const spruce::Error&) {
            return {};
        }
        const auto log = share(spruce::log::Convergence<V>::create());
        const auto make = [&](auto builder) -> std::unique_ptr<spruce::LinOp> {
            auto solver = builder
                              .with_criteria(spruce::stop::Iteration::build().with_max_iters(1200u),
                                             spruce::stop::ResidualNorm<V>::build().with_reduction_factor(1e-10))
                              .with_generated_preconditioner(m)
                              .on(exec)
                              ->generate(a);
            solver->add_logger(log);
            return solver;
        };
        const auto solver = symmetric ? make(spruce::solver::Cg<V>::build())
                                      : make(spruce::solver::Gmres<V>::build().with_krylov_dim(100u));
        const auto b = Dense::create(exec, spruce::dim<2>{data.size[0], 1});
        const auto x = clone(b);
        x->fill(1.0);
        a->apply(x, b);
        x->fill(0.0);
        solver->apply(b, x);
        const auto r = clone(b);
        a->apply(spruce::initialize<Dense>({-1.0}, exec), x, spruce::initialize<Dense>({1.0}, exec), r);
        const auto r_norm = spruce::matrix::Dense<double>::create(exec->get_master(), spruce::dim<2>{1, 1});
        r->compute_norm2(r_norm);
        const auto b_norm = clone(r_norm);
        b->compute_norm2(b_norm);
        return result{log->has_converged(), static_cast<double>(log->get_num_iterations()),
                      r_norm->at(0, 0) / b_norm->at(0, 0)};
    }

    void expect_solved_as_by_reference(const std::filesystem::path& path)
    {
        std::ifstream file{path};
        const auto data = spruce::read_generic_raw<std::complex<double>, spruce::int64>(file);
        const auto is_real = std::all_of(data.nonzeros.begin(), data.nonzeros.end(),
                                         [](const auto& entry) { return entry.value.imag() == 0; });
        if (data.size[0] == data.size[1] && is_real) {
            expect_solved_as_by_reference<double>(path.filename().string(), data);
        } else if (data.size[0] == data.size[1]) {
#if !SPRUCE_TYPES_MINIMAL
            expect_solved_as_by_reference<std::complex<double>>(path.filename().string(), data);
#endif
        }
    }

    template <typename V>
    void expect_solved_as_by_reference(const std::string& matrix, const host_matrix& data)
    {
        const auto symmetric = is_hermitian(data);
        const auto factories = this->factories<V>(symmetric);
        for (const auto& [name, factory] : factories) {
            const auto is_by_sweeps = name.find(by_sweeps) != std::string::npos;
            const auto is_parallel = is_by_sweeps || name.find(with_fill) != std::string::npos;
            const auto has_symmetric_factors = !is_parallel || name.find("Ic") == 0;
            const auto has_factors = name.find("I") == 0 && name != "Isai";
            if (is_simulated(*this->exec) && !(has_factors && has_symmetric_factors)) {
                continue;  // up to a thousand iterations; tests of each preconditioner have smaller systems
            }
            SCOPED_TRACE(matrix + ", " + name);
            const auto expected = solve<V>(this->ref, data, symmetric && has_symmetric_factors, factory);
            const auto found = solve<V>(this->exec, data, symmetric && has_symmetric_factors, factory);

            ASSERT_EQ(found.has_value(), expected.has_value());
            if (is_parallel) {
                const auto exact_name = name.substr(0, name.find(' '));
                const auto exact_factory = std::find_if(factories.begin(), factories.end(), [&](const auto& one) {
                                               return one.first == exact_name;
                                           })->second;
                const auto exact = solve<V>(this->exec, data, symmetric && has_symmetric_factors, exact_factory);
                if (exact && exact->has_converged) {
                    ASSERT_TRUE(found.has_value());
                    EXPECT_TRUE(found->has_converged);
                    EXPECT_LE(found->iterations, is_by_sweeps ? 1.3 * exact->iterations + 1 : exact->iterations);
                }
            }
            if (expected && expected->has_converged && expected->residual <= 1e-10) {
                ++num_solved_;
                EXPECT_TRUE(found->has_converged);
                EXPECT_LE(found->residual, 1.02e-10);
                EXPECT_NEAR(found->iterations, expected->iterations, 0.1 * expected->iterations + 1);
            }
        }
    }

    int num_solved_{};
};

TEST_F(PreconditionedSystems, AreSolvedAsByReference)
{
    if (const auto folder = std::getenv("SPRUCE_TEST_MATRICES")) {
        for (const auto& entry : std::filesystem::directory_iterator{folder}) {
            if (entry.path().extension() == ".gz") {
                this->expect_solved_as_by_reference(entry.path());
            }
        }
        EXPECT_GT(num_solved_, 0);
        return;
    }
    this->expect_solved_as_by_reference(matrix_file("1138_bus"));
    EXPECT_EQ(num_solved_, is_simulated(*this->exec) ? 4 : 10);
    if (!is_simulated(*this->exec)) {
        this->expect_solved_as_by_reference(matrix_file("beam_tet_dof2475"));
        this->expect_solved_as_by_reference(matrix_file("add20"));
        EXPECT_EQ(num_solved_, 27);
    }
}

TEST_F(PreconditionedSystems, OfMeshesAreSolvedAsByReference)
{
    for (const std::string spec :
         {"poisson2d-5pt:20", "poisson3d-7pt:10", "poisson3d-27pt:8", "poisson3d-7pt:10,jump=10000",
          "poisson3d-7pt:10,aniso=100", "fem-block:5x5x5,3,spd", "fem-block:5x5x5,3,spd,decades=4"}) {
        const auto before = num_solved_;
        const auto data = generated_data(spec);
        this->expect_solved_as_by_reference<double>(spec, data);
        EXPECT_GE(num_solved_ - before, is_simulated(*this->exec) ? 2 : 7) << spec;
    }
}

#if !SPRUCE_TYPES_MINIMAL

TEST_F(PreconditionedSystems, WithComplexValuesAreSolvedAsByReference)
{
    for (const std::string spec : {"poisson3d-7pt:8", "fem-block:5x5x5,3"}) {
        auto data = generated_data(spec);
        for (auto& entry : data.nonzeros) {
            // Scales rows by numbers of modulus 1 and columns by their conjugates.
            entry.value *= std::polar(1.0, 0.1 * static_cast<double>(entry.row % 17 - entry.column % 17));
        }
        this->expect_solved_as_by_reference<std::complex<double>>(spec, data);
    }
    EXPECT_GT(num_solved_, 0);
}

#endif

}  // namespace
