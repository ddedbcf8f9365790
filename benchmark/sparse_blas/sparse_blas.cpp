// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>

#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/permutation.hpp>

#include "benchmark/allocation_log.hpp"
#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/csr_comparison.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/permuted_entries.hpp"
#include "benchmark/sparse_blas/vendor_spgemm.hpp"
#include "benchmark/storage_bytes.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {
namespace {

using csr_matrix = matrix::Csr<double, int32>;
using csr_pointer = std::shared_ptr<const csr_matrix>;

struct sparse_blas_options : matrix_run_options {
    std::vector<std::string> operations;  ///< all if it is empty
};

/// Returns the number of multiplications in a a.
double count_products(const csr_matrix& host)
{
    double num{};
    for (size_type nz = 0; nz < host.get_num_stored_elements(); ++nz) {
        const auto row = host.get_const_row_ptrs() + host.get_const_col_idxs()[nz];
        num += static_cast<double>(row[1] - row[0]);
    }
    return num;
}

/// Returns the most memory that a call allocates besides its result.
/// @param call  returns the result, or a pointer to it
template <typename Call>
nlohmann::ordered_json describe_product(const std::shared_ptr<Executor>& exec, Call call)
{
    const auto memory = std::make_shared<allocation_log>();
    exec->add_logger(memory);
    const auto result = call();
    exec->remove_logger(memory);
    const auto result_bytes = bytes_of(*result);
    const auto peak = memory->get_peak();
    return {{"entries", result->get_num_stored_elements()},
            {"result_bytes", result_bytes},
            {"workspace_bytes", peak > result_bytes ? peak - result_bytes : 0}};
}

/// Measures operations on one sparse matrix.
class sparse_blas_matrix {
public:
    sparse_blas_matrix(benchmark_run& run, matrix_source& source)
        : exec_{run.get_executor()}, name_{source.get_name()}, input_{run, source}
    {}

    std::vector<benchmark_case> spgemm()
    {
        auto cases = this->one_case("spgemm", [this] {
            const auto a = this->square();
            auto result = std::make_shared<std::unique_ptr<csr_matrix>>();
            auto op = this->product([=] { *result = a->multiply(a); }, [=] { return result->get(); });
            op.describe = [=] { return describe_product(exec_, [&] { return a->multiply(a); }); };
            return op;
        });
        this->add_case(cases, "spgemm, known structure", "spruce", [this] {
            const auto a = this->square();
            using reuse_type = decltype(a->multiply_reuse(a));
            const auto planned = std::make_shared<reuse_type>(a->multiply_reuse(a));
            const auto update = [=] { planned->second.update_values(a, a, planned->first); };
            auto op = this->product(update, [=] { return planned->first.get(); });
            op.describe = [=] {
                return describe_product(exec_, [&] {
                    update();
                    return planned->first.get();
                });
            };
            return op;
        });
        if (exec_->get_backend() == backend::cuda) {
            this->add_case(cases, "spgemm", "cusparse", [this] {
                const auto a = this->square();
                auto result = std::make_shared<std::unique_ptr<csr_matrix>>();
                auto op = this->product([=] { *result = multiply_by_vendor(*a, *a); }, [=] { return result->get(); });
                op.describe = [=] { return describe_product(exec_, [&] { return multiply_by_vendor(*a, *a); }); };
                return op;
            });
        }
        return cases;
    }

    std::vector<benchmark_case> spgeam()
    {
        return this->one_case("spgeam", [this] {
            const auto alpha = initialize<matrix::Dense<double>>({2.0}, exec_);
            const auto beta = initialize<matrix::Dense<double>>({0.5}, exec_);
            const auto nnz = static_cast<double>(this->a()->get_num_stored_elements());
            return this->operation_like_reference(
                3 * nnz, [alpha = share(alpha->clone()), beta = share(beta->clone())](const csr_pointer& a) {
                    const auto on = [&](const auto& scalar) { return clone(a->get_executor(), scalar); };
                    return a->scale_add(on(alpha), on(beta), a);
                });
        });
    }

    std::vector<benchmark_case> transpose()
    {
        return this->one_case("transpose", [this] {
            return this->operation_like_reference(0,
                                                  [](const csr_pointer& a) { return as<csr_matrix>(a->transpose()); });
        });
    }

    std::vector<benchmark_case> sort()
    {
        return this->one_case("sort", [this] {
            const auto shuffled = share(clone(exec_, with_shuffled_rows(*input_.on_host())));
            const auto work = share(clone(shuffled));
            timed_operation op;
            op.call = [=] { work->sort_by_column_index(); };
            op.prepare = [=] { work->copy_from(shuffled); };
            op.bytes = 2.0 * static_cast<double>(bytes_of(*shuffled));
            op.check = [=] {
                const auto expected = clone(ReferenceExecutor::create(), shuffled);
                expected->sort_by_column_index();
                return compare(*work, *expected);
            };
            return op;
        });
    }

    std::vector<benchmark_case> permute()
    {
        return this->one_case("permute", [this] {
            const auto size = this->a()->get_size()[0];
            const std::shared_ptr<const matrix::Permutation<int32>> order =
                matrix::Permutation<int32>::create(exec_, scattered_order<int32>(exec_, size));
            return this->operation_like_reference(0, [order](const csr_pointer& a) {
                return a->permute(clone(a->get_executor(), order), matrix::permute_mode::rows);
            });
        });
    }

private:
    template <typename Create>
    void add_case(std::vector<benchmark_case>& cases, const std::string& operation, const std::string& library,
                  Create create)
    {
        auto identity = matrix_case(operation, name_);
        identity["library"] = library;
        cases.push_back({identity, create});
    }
    template <typename Create>
    std::vector<benchmark_case> one_case(const std::string& operation, Create create)
    {
        std::vector<benchmark_case> cases;
        this->add_case(cases, operation, "spruce", create);
        return cases;
    }

    csr_pointer a() { return input_.on_executor(); }

    csr_pointer square()
    {
        const auto size = this->a()->get_size();
        if (size[0] != size[1]) {
            throw std::runtime_error("A A needs a square matrix, but A is " + std::to_string(size[0]) + " x " +
                                     std::to_string(size[1]));
        }
        return this->a();
    }

    /// Describes a way to compute A A. Each product reads an entry of A that may be in a cache, so
    /// the number of bytes is undefined.
    template <typename Result>
    timed_operation product(std::function<void()> call, Result result)
    {
        timed_operation op;
        op.call = std::move(call);
        op.flops = 2 * count_products(*input_.on_host());
        op.check = [=, host = input_.on_host()] {
            const auto a = on_reference(*host);
            const auto absolute = share(a->compute_absolute());
            const auto computed = clone(result());
            computed->sort_by_column_index();
            return compare(*computed, *a->multiply(a), *absolute->multiply(absolute), input_.on_host()->get_size()[1]);
        };
        return op;
    }

    /// Describes an operation whose result is compared to that of the reference.
    /// @param compute  returns the result for a matrix on any executor
    template <typename Compute>
    timed_operation operation_like_reference(double flops, Compute compute)
    {
        const auto a = this->a();
        const auto result = std::make_shared<decltype(compute(a))>();
        timed_operation op;
        op.call = [=] { *result = compute(a); };
        op.bytes = 2.0 * static_cast<double>(bytes_of(*a));
        op.flops = flops;
        op.check = [=, host = input_.on_host()] {
            const auto computed = clone(result->get());
            const auto expected = compute(on_reference(*host));
            computed->sort_by_column_index();
            expected->sort_by_column_index();
            return compare(*computed, *expected);
        };
        return op;
    }

    std::shared_ptr<Executor> exec_;
    std::string name_;
    matrix_input<double, int32> input_;
};

using measured_operation = std::vector<benchmark_case> (sparse_blas_matrix::*)();

const std::vector<std::pair<std::string, measured_operation>>& all_operations()
{
    static const std::vector<std::pair<std::string, measured_operation>> all{
        {"spgemm", &sparse_blas_matrix::spgemm},
        {"spgeam", &sparse_blas_matrix::spgeam},
        {"transpose", &sparse_blas_matrix::transpose},
        {"sort", &sparse_blas_matrix::sort},
        {"permute", &sparse_blas_matrix::permute}};
    return all;
}

int run_sparse_blas(const CLI::App& command, const sparse_blas_options& options)
{
    auto sources = collect_sources(options, "sparse-blas");
    std::vector<std::string> names;
    for (const auto& one : all_operations()) {
        names.push_back(one.first);
    }
    for (const auto& name : options.operations) {
        check_name("operation", name, names);
    }
    benchmark_run run{command, options, {sources.size(), names.size() + 1}};
    run.measure_each(sources, [&](matrix_source& source) {
        sparse_blas_matrix matrix{run, source};
        for (const auto& [name, cases_of] : all_operations()) {
            const auto& wanted = options.operations;
            if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
                for (const auto& one : (matrix.*cases_of)()) {
                    run.measure({one});
                }
            }
        }
    });
    return run.finish({number_column("entries", "entries", [](double value) { return to_text(value); }),
                       number_column("result", "result_bytes", bytes_text),
                       number_column("workspace", "workspace_bytes", bytes_text)});
}

}  // namespace

void add_sparse_blas(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<sparse_blas_options>();
    const auto command = program.add_subcommand(
        "sparse-blas", "measure products and sums of sparse matrices, transposes, sorts and permutations");
    add_matrix_options(*command, *options);
    add_executor_options(*command, *options);
    add_names_option(*command, "--operations", options->operations,
                     "only these of spgemm, spgeam, transpose, sort and permute");
    add_measurement_options(*command, *options);
    command->footer(
        "\nspgemm is A A, also with known structure, when only values are computed; spgeam is 2 A + A / 2; sort sorts\n"
        "the entries of shuffled rows; permute exchanges rows without an order.");
    command->callback([options, command, &exit_code] { exit_code = run_sparse_blas(*command, *options); });
}

}  // namespace spruce::bench
