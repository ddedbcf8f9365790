// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include <spruce/base/device_matrix_data.hpp>
#include <spruce/matrix/coo.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/ell.hpp>
#include <spruce/matrix/fbcsr.hpp>
#include <spruce/matrix/hybrid.hpp>
#include <spruce/matrix/sellp.hpp>
#include <spruce/matrix/sparsity_csr.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/conversion/vendor_sort.hpp"
#include "benchmark/csr_comparison.hpp"
#include "benchmark/permuted_entries.hpp"
#include "benchmark/storage_bytes.hpp"
#include "benchmark/table.hpp"
#include "common/numeric/radix_digits.hpp"

namespace spruce::bench {
namespace {

using V = double;
using I = int32;
using csr_matrix = matrix::Csr<V, I>;
using triples = device_matrix_data<V, I>;

struct conversion_options : matrix_run_options {
    double max_dense_bytes{4e9};
};

/// Returns 3, which suits meshes with three unknowns at each point, if it divides the size, or else
/// 2 or 1.
int find_block_size(const dim<2>& size)
{
    for (const int candidate : {3, 2}) {
        if (size[0] % candidate == 0 && size[1] % candidate == 0) {
            return candidate;
        }
    }
    return 1;
}

double as_double(size_type number) { return static_cast<double>(number); }

/// Checks that the padded matrix does not consist mostly of padding.
/// @throws case_skipped  if it does: such formats are of no practical use
void require_little_padding(const csr_matrix& a)
{
    constexpr double max_padding = 4.0;
    const auto padded = static_cast<double>(a.get_size()[0]) * static_cast<double>(a.compute_max_row_length());
    if (padded > max_padding * static_cast<double>(a.get_num_stored_elements())) {
        throw case_skipped("most of the result would be padding");
    }
}

/// Measures all operations with one matrix.
class conversion_benchmark {
public:
    conversion_benchmark(benchmark_run& run, matrix_source& source, const conversion_options& options)
        : exec_{run.get_executor()}, name_{source.get_name()}, options_{options}, input_{run, source}
    {}

    /// Returns the cases: first a product with a vector, to which the others are compared.
    std::vector<benchmark_case> create_cases()
    {
        this->add("spmv", [this] {
            const auto a = this->a();
            const auto b = share(matrix::Dense<V>::create(exec_, dim<2>{a->get_size()[1], 1}));
            const auto x = share(matrix::Dense<V>::create(exec_, dim<2>{a->get_size()[0], 1}));
            b->fill(1.0);
            timed_operation op;
            op.call = [=] { a->apply(b, x); };
            op.bytes = as_double(bytes_of(*a) + (a->get_size()[0] + a->get_size()[1]) * sizeof(V));
            op.flops = 2.0 * static_cast<double>(a->get_num_stored_elements());
            return op;
        });
        this->add_format<matrix::Coo<V, I>>("coo");
        this->add_format<matrix::Ell<V, I>>("ell");
        this->add_format<matrix::Sellp<V, I>>("sellp");
        this->add_format<matrix::Hybrid<V, I>>("hybrid");
        this->add_format<matrix::SparsityCsr<V, I>>("sparsity_csr");
        this->add_format<matrix::Fbcsr<V, I>>("fbcsr");
        this->add_format<matrix::Dense<V>>("dense");
        this->add_order();
        this->add_assembly();
        return cases_;
    }

private:
    template <typename Create>
    void add(const std::string& operation, Create create)
    {
        cases_.push_back({matrix_case(operation, name_), create});
    }

    std::shared_ptr<const csr_matrix> a() { return input_.on_executor(); }

    template <typename Format>
    std::shared_ptr<Format> create(std::shared_ptr<const Executor> exec)
    {
        if constexpr (std::is_same_v<Format, matrix::Fbcsr<V, I>>) {
            return Format::create(exec, find_block_size(this->a()->get_size()));
        } else {
            return Format::create(exec);
        }
    }

    /// Checks that the matrix should be converted to the format.
    /// @throws case_skipped  if it should not
    template <typename Format>
    void require_format()
    {
        const auto size = this->a()->get_size();
        const auto dense_bytes = static_cast<double>(size[0]) * static_cast<double>(size[1]) * sizeof(V);
        if (std::is_same_v<Format, matrix::Dense<V>> && dense_bytes > options_.max_dense_bytes) {
            throw case_skipped("the result would have more than --max-dense-bytes");
        }
        if (std::is_same_v<Format, matrix::Ell<V, I>> || std::is_same_v<Format, matrix::Sellp<V, I>>) {
            require_little_padding(*this->a());
        }
    }

    /// Compares a matrix to the conversion of the reference, both as Csr.
    template <typename Format>
    accuracy check(const Format& converted)
    {
        const auto reference = ReferenceExecutor::create();
        const auto expected = this->create<Format>(reference);
        on_reference(*input_.on_host())->convert_to(expected);
        const auto as_csr = [&](const auto& matrix) {
            auto result = csr_matrix::create(reference);
            clone(reference, &matrix)->convert_to(result);
            result->sort_by_column_index();
            return result;
        };
        return compare(*as_csr(converted), *as_csr(*expected));
    }

    template <typename Format>
    void add_format(const std::string& name)
    {
        const auto describe = [this] {
            return std::is_same_v<Format, matrix::Fbcsr<V, I>>
                       ? nlohmann::ordered_json{{"block_size", find_block_size(this->a()->get_size())}}
                       : nlohmann::ordered_json::object();
        };
        this->add("csr -> " + name, [=] {
            this->require_format<Format>();
            const auto a = this->a();
            const auto other = this->create<Format>(exec_);
            a->convert_to(other);
            timed_operation op;
            op.call = [=] { a->convert_to(other); };
            op.bytes = as_double(bytes_of(*a) + bytes_of(*other));
            op.check = [=] { return this->check(*other); };
            op.describe = describe;
            return op;
        });
        this->add(name + " -> csr", [=] {
            this->require_format<Format>();
            const auto other = this->create<Format>(exec_);
            this->a()->convert_to(other);
            const auto back = share(csr_matrix::create(exec_));
            timed_operation op;
            op.call = [=] { other->convert_to(back); };
            op.bytes = as_double(bytes_of(*other) + bytes_of(*this->a()));
            op.check = [=] {
                const auto expected = csr_matrix::create(ReferenceExecutor::create());
                clone(expected->get_executor(), other)->convert_to(expected);
                return compare(*back, *expected);
            };
            op.describe = describe;
            return op;
        });
    }

    void add_order()
    {
        this->add("transpose", [this] {
            const auto a = this->a();
            const auto result = std::make_shared<std::unique_ptr<LinOp>>();
            timed_operation op;
            op.call = [=] { *result = a->transpose(); };
            op.bytes = 2 * as_double(bytes_of(*a));
            op.check = [=, host = input_.on_host()] {
                const auto computed = clone(as<csr_matrix>(result->get()));
                computed->sort_by_column_index();
                const auto expected = as<csr_matrix>(on_reference(*host)->transpose());
                expected->sort_by_column_index();
                return compare(*computed, *expected);
            };
            return op;
        });
        const auto sort_of = [](const std::shared_ptr<const csr_matrix>& unsorted) {
            const auto work = share(clone(unsorted));
            timed_operation op;
            op.call = [=] { work->sort_by_column_index(); };
            op.bytes = 2 * as_double(bytes_of(*unsorted));
            op.check = [=] {
                const auto expected = clone(ReferenceExecutor::create(), unsorted);
                expected->sort_by_column_index();
                return compare(*work, *expected);
            };
            op.prepare = [=] { work->copy_from(unsorted); };
            return op;
        };
        this->add("sort shuffled rows", [=] { return sort_of(clone(exec_, with_shuffled_rows(*input_.on_host()))); });
        this->add("sort sorted rows", [=] {
            const auto sorted = share(clone(this->a()));
            sorted->sort_by_column_index();
            return sort_of(sorted);
        });
        this->add_vendor_sort("as many by CUB's radix sort", 1);
    }

    void add_assembly()
    {
        // Sixteenths of the bytes of the triples that an operation reads and writes.
        const auto on_copy = [this](size_type read_and_written, auto call) {
            return [=] {
                const auto shuffled = this->get_shuffled_triples();
                const auto work = std::make_shared<triples>(exec_);
                timed_operation op;
                op.call = [=] { call(*work); };
                op.bytes = as_double(read_and_written * bytes_of(*shuffled) / 16);
                op.prepare = [=] { *work = triples{exec_, *shuffled}; };
                return op;
            };
        };
        this->add("sort triples", on_copy(32, [](triples& work) { work.sort_row_major(); }));
        this->add_vendor_sort("as many triples by CUB's radix sort", 2);
        this->add("sum duplicates, 2 each", on_copy(24, [](triples& work) { work.sum_duplicates(); }));
        this->add("remove zeros", on_copy(30, [](triples& work) { work.remove_zeros(); }));
    }

    /// Adds the vendor's sort of factor * nnz keys with values. Each key contains a row and a
    /// column.
    void add_vendor_sort(const std::string& operation, size_type factor)
    {
        if (exec_->get_backend() == backend::cuda) {
            this->add(operation, [=] {
                const auto size = this->a()->get_size();
                const auto num_bits = num_bits_below(size[0]) + num_bits_below(size[1]);
                timed_operation op;
                op.call = make_vendor_sort(exec_, factor * this->a()->get_num_stored_elements(), num_bits);
                if (!op.call) {
                    throw case_skipped("this spruce-bench was built without CUDA");
                }
                return op;
            });
        }
    }

    /// Returns every entry twice, in random order. One of eight values is zero.
    std::shared_ptr<const triples> get_shuffled_triples()
    {
        if (!shuffled_triples_) {
            matrix_data<V, I> data;
            input_.on_host()->write(data);
            auto& entries = data.nonzeros;
            const auto nnz = input_.on_host()->get_num_stored_elements();
            entries.resize(2 * nnz);
            std::copy_n(entries.begin(), nnz, entries.begin() + static_cast<std::ptrdiff_t>(nnz));
            std::mt19937_64 engine{2};
            std::shuffle(entries.begin(), entries.end(), engine);
            for (size_type i = 0; i < entries.size(); i += 8) {
                entries[i].value = 0;
            }
            shuffled_triples_ = std::make_shared<triples>(triples::create_from_host(exec_, data));
        }
        return shuffled_triples_;
    }

    std::shared_ptr<const Executor> exec_;
    std::string name_;
    const conversion_options& options_;
    matrix_input<V, I> input_;
    std::shared_ptr<const triples> shuffled_triples_;
    std::vector<benchmark_case> cases_;
};

/// Measures the cases one after another, and adds their times in products with a vector.
void measure_cases(benchmark_run& run, const std::vector<benchmark_case>& cases)
{
    double spmv_seconds{};
    for (const auto& one : cases) {
        for (const auto result : run.measure({one})) {
            const auto seconds = result->value("seconds_median", 0.0);
            spmv_seconds = one.identity["operation"] == "spmv" ? seconds : spmv_seconds;
            if (seconds > 0 && spmv_seconds > 0) {
                (*result)["facts"]["spmvs"] = seconds / spmv_seconds;
            }
        }
    }
}

int run_conversion(const CLI::App& command, const conversion_options& options)
{
    auto sources = collect_sources(options, "conversion");
    constexpr size_type about = 20;
    benchmark_run run{command, options, {sources.size(), about}};
    run.measure_each(sources, [&](matrix_source& source) {
        conversion_benchmark benchmark{run, source, options};
        measure_cases(run, benchmark.create_cases());
    });
    return run.finish({number_column("SpMVs", "spmvs", [](double value) { return to_text(value, 3); })});
}

}  // namespace

void add_conversion(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<conversion_options>();
    const auto command =
        program.add_subcommand("conversion", "measure conversions, sorting and assembly in units of an SpMV");
    command->add_option("--max-dense-bytes", options->max_dense_bytes, "the largest Dense to convert to")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    add_matrix_options(*command, *options);
    add_executor_options(*command, *options);
    add_measurement_options(*command, *options);
    command->callback([options, command, &exit_code] { exit_code = run_conversion(*command, *options); });
}

}  // namespace spruce::bench
