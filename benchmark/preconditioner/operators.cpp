// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <functional>
#include <iterator>
#include <sstream>
#include <type_traits>

#include <spruce/base/composition.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/factorization/ic.hpp>
#include <spruce/factorization/ilu.hpp>
#include <spruce/factorization/par_ic.hpp>
#include <spruce/factorization/par_ict.hpp>
#include <spruce/factorization/par_ilu.hpp>
#include <spruce/factorization/par_ilut.hpp>
#include <spruce/log/convergence.hpp>
#include <spruce/matrix/permutation.hpp>
#include <spruce/multigrid/pgm.hpp>
#include <spruce/preconditioner/gauss_seidel.hpp>
#include <spruce/preconditioner/ic.hpp>
#include <spruce/preconditioner/ilu.hpp>
#include <spruce/preconditioner/isai.hpp>
#include <spruce/preconditioner/jacobi.hpp>
#include <spruce/preconditioner/sor.hpp>
#include <spruce/solver/bicgstab.hpp>
#include <spruce/solver/cg.hpp>
#include <spruce/solver/multigrid.hpp>
#include <spruce/stop/combined.hpp>
#include <spruce/stop/iteration.hpp>
#include <spruce/stop/residual_norm.hpp>

#include "benchmark/allocation_log.hpp"
#include "benchmark/preconditioner/measurements.hpp"

namespace spruce::bench {
namespace {

using jacobi = preconditioner::Jacobi<double, int32>;
using ilu = preconditioner::Ilu<solver::LowerTrs<double, int32>>;
using ic = preconditioner::Ic<solver::LowerTrs<double, int32>>;
using lower_isai = preconditioner::LowerIsai<double, int32>;
using upper_isai = preconditioner::UpperIsai<double, int32>;
using general_isai = preconditioner::GeneralIsai<double, int32>;
using spd_isai = preconditioner::SpdIsai<double, int32>;
using ilu_isai = preconditioner::Ilu<lower_isai, upper_isai>;
using ic_isai = preconditioner::Ic<lower_isai>;

double bytes_of_jacobi(const LinOp& op)
{
    return static_cast<double>(as<jacobi>(&op)->get_num_read_bytes()) +
           2.0 * sizeof(double) * static_cast<double>(op.get_size()[0]);
}

/// Returns the number of bytes that solves with two triangular matrices have to move for a vector.
/// Each reads the entries of a strict triangle, the inverse of its diagonal, offsets and b, and
/// writes x.
double bytes_of_triangles(const LinOp& lower, const LinOp& upper)
{
    const auto num_rows = static_cast<double>(lower.get_size()[0]);
    const auto entries = static_cast<double>(as<csr_matrix>(&lower)->get_num_stored_elements() +
                                             as<csr_matrix>(&upper)->get_num_stored_elements());
    return (entries - 2 * num_rows) * (sizeof(double) + sizeof(int32)) +
           2 * num_rows * (sizeof(int32) + 3 * sizeof(double));
}

/// Returns the number of bytes that a product of a sparse matrix with a vector has to move.
double bytes_of_product(const LinOp& op)
{
    const auto csr = as<csr_matrix>(&op);
    const auto size = csr->get_size();
    return static_cast<double>(csr->get_num_stored_elements()) * (sizeof(double) + sizeof(int32)) +
           static_cast<double>(size[0]) * (sizeof(int32) + sizeof(double)) +
           static_cast<double>(size[1]) * sizeof(double);
}

struct preconditioner_kind {
    std::string name;
    bool needs_symmetry;
    /// Returns null for no preconditioner.
    std::function<std::shared_ptr<const LinOpFactory>(const csr_matrix&)> create_factory;
    /// Returns the number of bytes that an application has to move. It is empty for no
    /// preconditioner.
    std::function<double(const LinOp&)> apply_bytes;
    bool keeps_symmetry{true};  ///< whether M is symmetric if A is
};

array<int32> consecutive_blocks(const std::shared_ptr<const Executor>& host, size_type num_rows, int32 block_size)
{
    std::vector<int32> result;
    for (int64 row = 0; row < static_cast<int64>(num_rows); row += block_size) {
        result.push_back(static_cast<int32>(row));
    }
    result.push_back(static_cast<int32>(num_rows));
    return {host, result.begin(), result.end()};
}

preconditioner_kind jacobi_of_consecutive_rows(int32 block_size, bool is_adaptive)
{
    return {(is_adaptive ? "adaptive-jacobi-" : "jacobi-") + std::to_string(block_size), false,
            [block_size, is_adaptive](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                const auto exec = a.get_executor();
                auto parameters = jacobi::build().with_max_block_size(static_cast<uint32>(block_size));
                if (block_size > 1) {
                    parameters.with_block_pointers(consecutive_blocks(exec->get_master(), a.get_size()[0], block_size));
                }
                if (is_adaptive) {
                    parameters.with_storage_optimization(precision_reduction::autodetect());
                }
                return parameters.on(exec);
            },
            bytes_of_jacobi};
}

preconditioner_kind jacobi_of_natural_blocks(const std::string& name, uint32 max_block_size)
{
    return {name, false,
            [max_block_size](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return jacobi::build().with_max_block_size(max_block_size).on(a.get_executor());
            },
            bytes_of_jacobi};
}

/// Describes exact solves with the factors L and U of a factorization.
template <typename Factorization>
preconditioner_kind ilu_of(const std::string& name)
{
    return {name, false,
            [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return ilu::build().with_factorization(Factorization::build()).on(a.get_executor());
            },
            [](const LinOp& op) {
                return bytes_of_triangles(*as<ilu>(&op)->get_l_solver()->get_system_matrix(),
                                          *as<ilu>(&op)->get_u_solver()->get_system_matrix());
            }};
}

/// Describes exact solves with the factors L and L^H of a factorization.
template <typename Factorization>
preconditioner_kind ic_of(const std::string& name)
{
    return {name, true,
            [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return ic::build().with_factorization(Factorization::build()).on(a.get_executor());
            },
            [](const LinOp& op) {
                return bytes_of_triangles(*as<ic>(&op)->get_l_solver()->get_system_matrix(),
                                          *as<ic>(&op)->get_lh_solver()->get_system_matrix());
            }};
}

/// Describes products with approximate inverses of the factors L and U.
preconditioner_kind ilu_with_isai()
{
    return {"ilu-isai", false,
            [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return ilu_isai::build().on(a.get_executor());
            },
            [](const LinOp& op) {
                return bytes_of_product(*as<ilu_isai>(&op)->get_l_solver()->get_approximate_inverse()) +
                       bytes_of_product(*as<ilu_isai>(&op)->get_u_solver()->get_approximate_inverse());
            }};
}

/// Describes products with an approximate inverse of the factor L, and with its transpose.
preconditioner_kind ic_with_isai()
{
    return {"ic-isai", true,
            [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return ic_isai::build().on(a.get_executor());
            },
            [](const LinOp& op) {
                return bytes_of_product(*as<ic_isai>(&op)->get_l_solver()->get_approximate_inverse()) +
                       bytes_of_product(*as<ic_isai>(&op)->get_lh_solver()->get_approximate_inverse());
            }};
}

/// Describes a factorized approximate inverse.
preconditioner_kind isai_of_definite()
{
    return {"spd-isai", true,
            [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return spd_isai::build().on(a.get_executor());
            },
            [](const LinOp& op) {
                const auto& factors = as<spd_isai>(&op)->get_approximate_inverse()->get_operators();
                return bytes_of_product(*factors[0]) + bytes_of_product(*factors[1]);
            }};
}

/// Describes an approximate inverse of A or of its lower triangle.
template <typename Isai>
preconditioner_kind isai_of(const std::string& name, int sparsity_power)
{
    return {name, false,
            [sparsity_power](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return Isai::build().with_sparsity_power(sparsity_power).on(a.get_executor());
            },
            [](const LinOp& op) { return bytes_of_product(*as<Isai>(&op)->get_approximate_inverse()); }, false};
}

/// Returns the system matrix of a triangular solver.
std::shared_ptr<const csr_matrix> triangle_of(const LinOp& op)
{
    if (const auto lower = dynamic_cast<const solver::LowerTrs<double, int32>*>(&op)) {
        return lower->get_system_matrix();
    }
    return as<solver::UpperTrs<double, int32>>(&op)->get_system_matrix();
}

/// Returns the number of bytes that a product of triangular solvers and permutations has to move
/// for a vector. A permutation reads its indices and a vector, and writes a vector.
double bytes_of_composition(const LinOp& op)
{
    double result{};
    for (const auto& part : as<Composition<double>>(&op)->get_operators()) {
        const auto num_rows = static_cast<double>(part->get_size()[0]);
        if (dynamic_cast<const matrix::Permutation<int32>*>(part.get())) {
            result += num_rows * (sizeof(int32) + 2 * sizeof(double));
        } else {
            const auto triangle = triangle_of(*part);
            result += bytes_of_triangles(*triangle, *triangle) / 2;
        }
    }
    return result;
}

/// Describes SOR or SSOR.
preconditioner_kind sor_of(const std::string& name, bool symmetric)
{
    return {name, symmetric,
            [=](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return preconditioner::Sor<double, int32>::build().with_symmetric(symmetric).on(a.get_executor());
            },
            bytes_of_composition, symmetric};
}

preconditioner_kind gauss_seidel_of(const std::string& name, bool symmetric, bool multicolor)
{
    return {name, symmetric,
            [=](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                return preconditioner::GaussSeidel<double, int32>::build()
                    .with_symmetric(symmetric)
                    .with_multicolor(multicolor)
                    .on(a.get_executor());
            },
            bytes_of_composition, symmetric};
}

/// Returns the number of bytes of the products in a V-cycle with the default smoother: on each
/// level those of the smoothing steps, of the residual, of the restriction and the prolongation; at
/// last that with the inverse of the coarsest matrix. Vectors are counted where products read or
/// write them.
double bytes_of_cycle(const LinOp& op)
{
    const auto multigrid = as<solver::Multigrid>(&op);
    auto num_products = 4.0;  // two steps from zero, the residual, two steps
    double result{};
    for (const auto& level : multigrid->get_mg_level_list()) {
        result += num_products * bytes_of_product(*level->get_fine_op()) + bytes_of_product(*level->get_restrict_op()) +
                  bytes_of_product(*level->get_prolong_op());
        num_products = 6;
    }
    const auto num_coarse = static_cast<double>(multigrid->get_coarsest_solver()->get_size()[0]);
    return result + sizeof(double) * num_coarse * (num_coarse + 2);
}

/// Describes multigrid with the default levels, or with levels of a factory.
template <typename Level>
preconditioner_kind multigrid_of(const std::string& name)
{
    return {name, false,
            [](const csr_matrix& a) -> std::shared_ptr<const LinOpFactory> {
                auto parameters = solver::Multigrid::build();
                if constexpr (!std::is_void<Level>::value) {
                    parameters.with_mg_level(Level::build());
                }
                return parameters.on(a.get_executor());
            },
            bytes_of_cycle};
}

const std::vector<preconditioner_kind>& preconditioner_kinds()
{
    static const std::vector<preconditioner_kind> kinds{
        {"none", false, [](const csr_matrix&) { return nullptr; }, {}},
        jacobi_of_consecutive_rows(1, false),
        jacobi_of_natural_blocks("jacobi-natural-3", 3),
        jacobi_of_natural_blocks("jacobi-natural", 32),
        jacobi_of_consecutive_rows(8, false),
        jacobi_of_consecutive_rows(16, false),
        jacobi_of_consecutive_rows(32, false),
        jacobi_of_consecutive_rows(8, true),
        jacobi_of_consecutive_rows(16, true),
        jacobi_of_consecutive_rows(32, true),
        ilu_of<factorization::Ilu<double, int32>>("ilu"),
        ilu_of<factorization::ParIlu<double, int32>>("par-ilu"),
        ilu_of<factorization::ParIlut<double, int32>>("par-ilut"),
        ic_of<factorization::Ic<double, int32>>("ic"),
        ic_of<factorization::ParIc<double, int32>>("par-ic"),
        ic_of<factorization::ParIct<double, int32>>("par-ict"),
        ilu_with_isai(),
        ic_with_isai(),
        isai_of_definite(),
        isai_of<lower_isai>("lower-isai", 1),
        isai_of<lower_isai>("lower-isai-2", 2),
        isai_of<general_isai>("general-isai", 1),
        sor_of("sor", false),
        sor_of("symmetric-sor", true),
        gauss_seidel_of("gauss-seidel", false, false),
        gauss_seidel_of("multicolor-gauss-seidel", false, true),
        gauss_seidel_of("symmetric-gauss-seidel", true, false),
        gauss_seidel_of("symmetric-multicolor-gauss-seidel", true, true),
        multigrid_of<void>("multigrid"),
        multigrid_of<multigrid::Pgm<double, int32>>("multigrid-pgm"),
    };
    return kinds;
}

/// Returns a vector of ones: in a discretized differential equation a constant right-hand side,
/// whose solution is smooth.
std::shared_ptr<vector> create_rhs(std::shared_ptr<const Executor> exec, size_type num_rows)
{
    auto result = vector::create(std::move(exec), dim<2>{num_rows, 1});
    result->fill(1.0);
    return result;
}

/// Holds an operator that is generated when it is first needed.
class generated_operator {
public:
    generated_operator(preconditioned_matrix& given, const preconditioner_kind& kind) : given_{given}, kind_{kind} {}

    const std::shared_ptr<const csr_matrix>& get_matrix() { return given_.input.on_executor(); }

    void generate()
    {
        op_.reset();
        op_ = this->get_factory()->generate(this->get_matrix());
    }
    /// Returns the operator, which is null for the kind "none".
    const std::shared_ptr<LinOp>& get()
    {
        if (!op_ && this->get_factory()) {
            this->generate();
        }
        return op_;
    }
    /// Computes the operator for the values of the matrix again.
    /// @throws case_skipped  if the operator cannot be refreshed
    void refresh()
    {
        const auto refreshable = dynamic_cast<Refreshable*>(this->get().get());
        if (!refreshable) {
            throw case_skipped("the operator cannot be refreshed");
        }
        refreshable->refresh(this->get_matrix());
    }
    double get_apply_bytes() { return kind_.apply_bytes(*this->get()); }

    /// Returns the bytes of the allocated memory that the operator keeps.
    size_type get_storage_bytes()
    {
        const auto allocations = std::make_shared<allocation_log>();
        op_.reset();
        given_.exec->add_logger(allocations);
        this->generate();
        given_.exec->remove_logger(allocations);
        return allocations->get_current();
    }

private:
    const std::shared_ptr<const LinOpFactory>& get_factory()
    {
        if (!factory_) {
            factory_ = kind_.create_factory(*this->get_matrix());
        }
        return factory_;
    }

    preconditioned_matrix& given_;
    const preconditioner_kind& kind_;
    std::shared_ptr<const LinOpFactory> factory_;
    std::shared_ptr<LinOp> op_;
};

/// Returns solves of A x = b by a solver with a preconditioner.
template <typename Solver>
timed_operation create_solve(preconditioned_matrix& given, const std::shared_ptr<const LinOp>& m)
{
    const auto a = given.input.on_executor();
    const auto exec = a->get_executor();
    auto parameters = Solver::build().with_criteria(
        stop::Iteration::build().with_max_iters(static_cast<size_type>(given.options.max_iterations)),
        stop::ResidualNorm<double>::build().with_reduction_factor(given.options.tolerance));
    if (m) {
        parameters.with_generated_preconditioner(m);
    }
    const auto solver = share(parameters.on(exec)->generate(a));
    const std::shared_ptr<log::Convergence<double>> log = log::Convergence<double>::create();
    solver->add_logger(log);
    const auto b = create_rhs(exec, a->get_size()[0]);
    const auto x = share(clone(b));
    const auto outcome = [=] {
        std::ostringstream text;
        text << solver->get_stop_reasons().at(0);
        return text.str();
    };
    timed_operation op;
    op.call = [=] { solver->apply(b, x); };
    op.prepare = [=] { x->fill(0.0); };
    op.check = [=, tolerance = given.options.tolerance]() -> std::optional<accuracy> {
        if (outcome() != "converged") {
            return {};
        }
        return accuracy{relative_residual(*a, *x, *b), 10 * tolerance};  // rounding errors change the residual
    };
    op.describe = [=] {
        return nlohmann::ordered_json{{"iterations", log->get_num_iterations()},
                                      {"outcome", outcome()},
                                      {"relative_residual", relative_residual(*a, *x, *b)}};
    };
    return op;
}

timed_operation create_solve(preconditioned_matrix& given, const preconditioner_kind& kind, generated_operator& m)
{
    const auto uses_cg = given.is_symmetric() && kind.keeps_symmetry;
    auto op = uses_cg ? create_solve<solver::Cg<double>>(given, m.get())
                      : create_solve<solver::Bicgstab<double>>(given, m.get());
    op.describe = [describe = op.describe, uses_cg] {
        nlohmann::ordered_json facts{{"solver", uses_cg ? "Cg" : "Bicgstab"}};
        facts.update(describe());
        return facts;
    };
    return op;
}

/// Adds the phases of the use of a preconditioner.
void add_cases(std::vector<benchmark_case>& cases, preconditioned_matrix& given, const preconditioner_kind& kind)
{
    const auto m = std::make_shared<generated_operator>(given, kind);
    const auto add = [&](const std::string& phase, const std::function<timed_operation()>& create) {
        cases.push_back({given.identity(kind.name, phase), [&given, &kind, create] {
                             if (kind.needs_symmetry && !given.is_symmetric()) {
                                 throw case_skipped("the matrix is not symmetric");
                             }
                             return create();
                         }});
    };
    if (kind.apply_bytes) {
        add("generate", [=] {
            timed_operation op;
            op.call = [=] { m->generate(); };
            op.describe = [=] { return nlohmann::ordered_json{{"storage_bytes", m->get_storage_bytes()}}; };
            return op;
        });
        add("refresh", [=] {
            m->get();
            timed_operation op;
            op.call = [=] { m->refresh(); };
            return op;
        });
        add("apply", [=] {
            const auto b = create_rhs(m->get_matrix()->get_executor(), m->get_matrix()->get_size()[0]);
            const auto x = share(clone(b));
            timed_operation op;
            op.call = [=, op = m->get()] { op->apply(b, x); };
            op.bytes = m->get_apply_bytes();
            return op;
        });
    }
    add("solve", [=, &given, &kind] { return create_solve(given, kind, *m); });
}

}  // namespace

std::vector<std::string> operator_names()
{
    std::vector<std::string> result{"lower-triangle", "upper-triangle"};
    result.insert(result.end(), std::begin(ilu_factors_names), std::end(ilu_factors_names));
    for (const auto& kind : preconditioner_kinds()) {
        result.push_back(kind.name);
    }
    return result;
}

std::vector<benchmark_case> preconditioner_cases(preconditioned_matrix& given)
{
    std::vector<benchmark_case> cases;
    for (const auto& kind : preconditioner_kinds()) {
        if (given.options.contain(kind.name)) {
            add_cases(cases, given, kind);
        }
    }
    return cases;
}

}  // namespace spruce::bench
