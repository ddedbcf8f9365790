// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>

#include <CLI/CLI.hpp>

#include <spruce/matrix/dense.hpp>
#include <spruce/matrix/dense_blas.hpp>

#include "benchmark/benchmark_run.hpp"
#include "benchmark/blas/cublas.hpp"
#include "benchmark/commands.hpp"
#include "benchmark/errors.hpp"
#include "benchmark/types.hpp"

namespace spruce::bench {
namespace {

/// Describes an operation by its name, the number of its sizes and its formula.
struct operation {
    const char* name;
    std::size_t num_sizes;
    const char* formula;
};
constexpr operation operations[]{{"apply", 3, "Dense::apply: m x n times n x k"},
                                 {"gemm-own", 3, "the same by Spruce's kernels"},
                                 {"gemm-vendor", 3, "the same by the vendor's library"},
                                 {"symv", 1, "a symmetric n x n matrix times a vector"},
                                 {"symm", 2, "a symmetric n x n matrix times n x k"},
                                 {"syrk", 2, "a triangle of a a^T for a of n x k"},
                                 {"syr2k", 2, "a triangle of a b^T + b a^T for a and b of n x k"},
                                 {"trmm", 2, "a triangular n x n matrix times n x k, in place"}};

/// Specifies an operation and its sizes.
struct task {
    const operation* what;
    std::array<size_type, 3> size;
};

struct blas_options : run_options {
    std::vector<std::string> cases{"1024x1024x1",    "4096x4096x1",     "16384x16384x1", "symv:16384",
                                   "4x4000000x1",    "64x262144x1",     "1000000x4x1",   "1000000x16x1",
                                   "1000000x16x4",   "256x256x256",     "512x512x512",   "1024x1024x1024",
                                   "2048x2048x2048", "4096x4096x4096",  "4096x64x4096",  "symm:4096x4096",
                                   "syrk:4096x4096", "syr2k:4096x4096", "trmm:4096x4096"};
    std::string value_type{"double"};
};

/// Parses a task such as "symv:4096", "trmm:4096x512", or "4096x4096x1" for a general product.
task parse_task(const std::string& text)
{
    const auto colon = text.find(':');
    const auto name = colon == std::string::npos ? "apply" : text.substr(0, colon);
    std::vector<std::string> names;
    task result{};
    for (const auto& one : operations) {
        names.emplace_back(one.name);
        result.what = name == one.name ? &one : result.what;
    }
    check_name("operation", name, names);
    auto begin = colon == std::string::npos ? 0 : colon + 1;
    for (std::size_t i = 0; i < result.what->num_sizes; ++i) {
        const auto is_last = i + 1 == result.what->num_sizes;
        const auto end = is_last ? text.size() : std::min(text.find('x', begin), text.size());
        const auto digits = text.substr(begin, end - begin);
        if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos ||
            std::stoul(digits) == 0) {
            throw usage_error("the sizes in '" + text + "' are not " + std::to_string(result.what->num_sizes) +
                              " numbers like 4096x512, none of them 0: " + result.what->formula);
        }
        result.size[i] = std::stoul(digits);
        begin = std::min(end + 1, text.size());
    }
    return result;
}

double as_double(size_type size) { return static_cast<double>(size); }

/// Returns numbers in [0.5, 1) without an order.
double factor(size_type i) { return 0.5 + static_cast<double>(i * 7919 % 1024) / 2048; }

/// Returns the sum of the products of two factors for j < n.
double sum_of_factors(size_type n)
{
    double sum{};
    for (size_type j = 0; j < n; ++j) {
        sum += factor(j) * factor(j + 1);
    }
    return sum;
}

/// Holds the operands of a task. Their entries are products of a factor of the row and one of the
/// column, so that the entries of the result are known and positive.
template <typename V>
struct operands {
    using dense = matrix::Dense<V>;

    operands(const task& task, const std::shared_ptr<const Executor>& exec)
    {
        const std::string name = task.what->name;
        const auto [m, n, k] = task.size;
        if (task.what->num_sizes == 3) {
            a = create(exec, m, n, 1, 0);
            b = create(exec, n, k, 1, 1);
            c = create(exec, m, k, 0, 0);
            terms = n;
        } else if (name == "syrk" || name == "syr2k") {
            a = create(exec, m, n, 0, 1);
            b = create(exec, m, n, 0, 0);
            c = create(exec, m, m, 0, 0);
            terms = n;
            is_lower = true;
        } else {
            const auto cols = name == "symv" ? size_type{1} : n;
            a = create(exec, m, m, 0, 0);
            b = create(exec, m, cols, 1, 1);
            c = create(exec, m, cols, 0, 0);
            terms = m;
        }
        this->set_expected(name);
    }

    static std::shared_ptr<dense> create(const std::shared_ptr<const Executor>& exec, size_type rows, size_type cols,
                                         size_type row_shift, size_type col_shift)
    {
        const auto host = dense::create(exec->get_master(), dim<2>{rows, cols});
        for (size_type i = 0; i < rows; ++i) {
            for (size_type j = 0; j < cols; ++j) {
                host->at(i, j) = static_cast<remove_complex<V>>(factor(i + row_shift) * factor(j + col_shift));
            }
        }
        return clone(exec, host);
    }

    void set_expected(const std::string& name)
    {
        const auto sum = sum_of_factors(terms);
        if (name == "trmm") {
            // The triangle has zeros below a unit diagonal, so that repetitions do not change b.
            a->fill(zero<V>());
            c = b;
            terms = 1;
            expected = [](size_type i, size_type j) { return factor(i + 1) * factor(j + 1); };
        } else if (name == "syrk") {
            double squares{};
            for (size_type j = 0; j < terms; ++j) {
                squares += factor(j + 1) * factor(j + 1);
            }
            expected = [squares](size_type i, size_type j) { return factor(i) * factor(j) * squares; };
        } else if (name == "syr2k") {
            expected = [sum](size_type i, size_type j) { return 2 * factor(i) * factor(j) * sum; };
        } else {
            const auto shift = name == "symv" || name == "symm" ? size_type{0} : size_type{1};
            expected = [sum, shift](size_type i, size_type j) { return factor(i + shift) * factor(j + 1) * sum; };
        }
    }

    /// Returns the largest error of an entry, relative to the entry. All terms are positive, so
    /// rounding explains an error of terms times the machine precision, twice as much for the
    /// operands, and twice as much again for complex products.
    accuracy check() const
    {
        const auto host = clone(c->get_executor()->get_master(), c);
        double worst{};
        for (size_type i = 0; i < host->get_size()[0]; ++i) {
            for (size_type j = 0; j < (is_lower ? i + 1 : host->get_size()[1]); ++j) {
                const auto right = expected(i, j);
                const auto error = std::abs(std::complex<double>(host->at(i, j)) - right) / right;
                worst = error <= worst ? worst : error;  // NaN is kept, in contrast to std::max
            }
        }
        const auto eps = static_cast<double>(std::numeric_limits<remove_complex<V>>::epsilon());
        return {worst, (is_complex<V>() ? 4 : 2) * as_double(terms + 4) * eps};
    }

    std::shared_ptr<dense> a;
    std::shared_ptr<dense> b;
    std::shared_ptr<dense> c;
    size_type terms{};  ///< of the sum that is an entry of the result
    bool is_lower{};    ///< only the lower triangle of the result is computed
    std::function<double(size_type, size_type)> expected;
};

/// Returns the operation by Spruce. Entries of c are overwritten.
template <typename V>
std::function<void()> call_of_spruce(const std::string& name, const std::shared_ptr<const operands<V>>& x)
{
    constexpr auto lower = blas::triangle::lower;
    constexpr auto left = blas::side::left;
    constexpr auto as_is = blas::transposition::none;
    const auto exec = x->a->get_executor();
    const auto scalar = [&](V value) { return share(initialize<matrix::Dense<V>>({value}, exec)); };
    const auto alpha = scalar(one<V>());
    const auto beta = scalar(zero<V>());
    if (name == "apply") {
        return [=] { x->a->apply(x->b, x->c); };
    }
    if (name == "symv") {
        return [=] { blas::symv(lower, alpha, x->a, x->b, beta, x->c); };
    }
    if (name == "symm") {
        return [=] { blas::symm(left, lower, alpha, x->a, x->b, beta, x->c); };
    }
    if (name == "trmm") {
        return [=] { blas::trmm(left, lower, as_is, blas::diagonal::unit, alpha, x->a, x->b); };
    }
    if (name == "syrk") {
        return [=] { blas::syrk(lower, as_is, alpha, x->a, beta, x->c); };
    }
    if (name == "syr2k") {
        return [=] { blas::syr2k(lower, as_is, alpha, x->a, x->b, beta, x->c); };
    }
    const auto which = name == "gemm-own" ? blas::implementation::own : blas::implementation::vendor;
    return [=] { blas::gemm(as_is, as_is, alpha, x->a, x->b, beta, x->c, which); };
}

/// Returns the operation by the vendor's library.
template <typename V>
std::function<void()> call_of_vendor(const std::string& name, const std::shared_ptr<const operands<V>>& x,
                                     const std::shared_ptr<vendor_blas>& vendor)
{
    if (name == "symv") {
        return [=] { vendor->symv(*x->a, *x->b, *x->c); };
    }
    if (name == "symm") {
        return [=] { vendor->symm(*x->a, *x->b, *x->c); };
    }
    if (name == "trmm") {
        return [=] { vendor->trmm(*x->a, *x->b); };
    }
    if (name == "syrk") {
        return [=] { vendor->syrk(*x->a, *x->c); };
    }
    if (name == "syr2k") {
        return [=] { vendor->syr2k(*x->a, *x->b, *x->c); };
    }
    return [=] { vendor->multiply(*x->a, *x->b, *x->c); };
}

/// Sets the entries of the operands that are read once, the result, and the real operations.
template <typename V>
void count(const task& task, timed_operation& op)
{
    const std::string name = task.what->name;
    const auto m = as_double(task.size[0]);
    const auto n = as_double(name == "symv" ? 1 : task.size[1]);
    const auto triangle = m * (m + 1) / 2;
    double entries{};
    double flops{};
    if (task.what->num_sizes == 3) {
        const auto k = as_double(task.size[2]);
        entries = m * n + n * k + m * k;
        flops = 2 * m * n * k;
    } else if (name == "syrk") {
        entries = triangle + m * n;
        flops = 2 * triangle * n;
    } else {
        entries = triangle + 2 * m * n;
        flops = name == "trmm" ? m * m * n : name == "syr2k" || name == "symv" ? 4 * triangle * n : 2 * m * m * n;
    }
    op.bytes = entries * sizeof(V);
    op.flops = (is_complex<V>() ? 4.0 : 1.0) * flops;
}

template <typename V>
void measure(benchmark_run& run, const std::string& text, const blas_options& options,
             const std::shared_ptr<vendor_blas>& vendor)
{
    const auto what = parse_task(text);
    const std::string name = what.what->name;
    std::shared_ptr<const operands<V>> x;
    const auto add = [&](std::vector<benchmark_case>& cases, const std::string& library, const auto& call_of) {
        const nlohmann::ordered_json identity{{"operation", name},
                                              {"size", text.substr(text.find(':') + 1)},
                                              {"value_type", options.value_type},
                                              {"library", library}};
        cases.push_back({identity, [&, call_of] {
                             if (!x) {
                                 x = std::make_shared<operands<V>>(what, run.get_executor());
                             }
                             timed_operation op;
                             op.call = call_of(x);
                             op.check = [x] { return x->check(); };
                             count<V>(what, op);
                             return op;
                         }});
    };
    std::vector<benchmark_case> cases;
    add(cases, "spruce", [&](const auto& x) { return call_of_spruce<V>(name, x); });
    if constexpr (!is_complex<V>()) {
        if (vendor) {
            add(cases, "cublas", [&](const auto& x) { return call_of_vendor<V>(name, x, vendor); });
        }
    }
    run.measure(cases);
}

int run_blas(const CLI::App& command, const blas_options& options)
{
    for (const auto& text : options.cases) {
        parse_task(text);  // reports a malformed task before the measurements
    }
    check_types(options.value_type, "int32");
    benchmark_run run{command, options, {options.cases.size(), 1}};
    const std::shared_ptr<vendor_blas> vendor = create_vendor_blas(run.get_executor());
    for (const auto& text : options.cases) {
        run.measure_part(text, {{"operation", text}}, [&] {
            with_types(options.value_type, "int32",
                       [&](auto types) { measure<typename decltype(types)::value_type>(run, text, options, vendor); });
        });
    }
    return run.finish({});
}

}  // namespace

void add_blas(CLI::App& program, int& exit_code)
{
    const auto options = std::make_shared<blas_options>();
    std::string description{"operation:sizes, or just sizes for apply"};
    for (const auto& one : operations) {
        description += std::string("; ") + one.name + ": " + one.formula;
    }
    const auto command = program.add_subcommand("blas", "measure products of dense matrices and vectors");
    command->add_option("cases", options->cases, description);
    command->add_option("--value-type", options->value_type, "float, double, cfloat or cdouble")->capture_default_str();
    add_executor_options(*command, *options);
    add_measurement_options(*command, *options);
    command->callback([options, command, &exit_code] { exit_code = run_blas(*command, *options); });
}

}  // namespace spruce::bench
