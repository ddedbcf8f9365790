// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <functional>
#include <limits>

#include <spruce/solver/triangular.hpp>

#include "benchmark/preconditioner/measurements.hpp"
#include "benchmark/preconditioner/vendor_triangular.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

std::string triangle_name(bool upper) { return upper ? "upper-triangle" : "lower-triangle"; }

/// Returns the lower or upper triangle of a matrix on a host executor. Where its diagonal entry is
/// missing or zero, a row gets one that exceeds the sum of its other entries.
std::unique_ptr<csr_matrix> triangle_of(const csr_matrix& a, bool upper)
{
    matrix_data<double, int32> data{a.get_size()};
    for (int32 row = 0; row < static_cast<int32>(a.get_size()[0]); ++row) {
        auto sum = 1.0;
        auto diagonal = 0.0;
        for (auto nz = a.get_const_row_ptrs()[row]; nz < a.get_const_row_ptrs()[row + 1]; ++nz) {
            const auto col = a.get_const_col_idxs()[nz];
            const auto value = a.get_const_values()[nz];
            if (col == row) {
                diagonal += value;
            } else if ((col > row) == upper) {
                sum += std::abs(value);
                data.nonzeros.emplace_back(row, col, value);
            }
        }
        data.nonzeros.emplace_back(row, row, diagonal == 0.0 ? sum : diagonal);
    }
    data.sort_row_major();
    auto result = csr_matrix::create(a.get_executor());
    result->read(data);
    return result;
}

struct measurement {
    double generate{};  ///< seconds
    double apply{};     ///< seconds
    double residual{};  ///< norm of b - triangle x, divided by the norm of b
};

/// Measures a solver of triangle x = b.
/// @param generate  returns a function that solves, which is empty if there is no such solver
measurement measure(const csr_matrix& triangle, const vector& b, vector& x, int repetitions,
                    const std::function<std::function<void()>()>& generate)
{
    measurement result;
    const auto exec = triangle.get_executor();
    stopwatch watch{exec};
    std::function<void()> solve;
    std::vector<double> seconds;
    for (int i = 0; i <= repetitions; ++i) {
        const auto elapsed = watch.measure(1, [&] { solve = generate(); });
        if (i > 0) {  // the first call loads the library
            seconds.push_back(elapsed);
        }
    }
    result.generate = median(seconds);
    x.fill(std::numeric_limits<double>::quiet_NaN());
    const auto num_calls = watch.calls_per_measurement(solve);
    seconds.clear();
    for (int i = 0; i < repetitions; ++i) {
        seconds.push_back(watch.measure(num_calls, solve));
    }
    result.apply = median(seconds);
    const auto residual = clone(&b);
    const auto one = initialize<vector>({1.0}, exec);
    const auto minus_one = initialize<vector>({-1.0}, exec);
    triangle.apply(minus_one, &x, one, residual);
    const auto norm = vector::create(exec, dim<2>{1, 1});
    residual->compute_norm2(norm);
    result.residual = exec->copy_val_to_host(norm->get_const_values());
    b.compute_norm2(norm);
    result.residual /= exec->copy_val_to_host(norm->get_const_values());
    return result;
}

}  // namespace

preconditioner_report report_of_triangles(nlohmann::ordered_json& results)
{
    using align = table::align;
    return {table{{{"matrix", align::left},
                   {"operator", align::left},
                   {"by", align::left},
                   {"levels", align::right},
                   {"generate", align::right},
                   {"apply", align::right},
                   {"of copy", align::right},
                   {"generate + 20 apply", align::right},
                   {"residual", align::right}}},
            results};
}

void measure_triangles(const std::string& name, const csr_matrix& host, const std::shared_ptr<const Executor>& exec,
                       const preconditioner_options& options, const copy_bandwidth& copy, preconditioner_report& report)
{
    auto shown_name = name;
    for (const auto upper : {false, true}) {
        if (!options.contain(triangle_name(upper))) {
            continue;
        }
        const auto triangle = share(clone(exec, triangle_of(host, upper)));
        const auto size = triangle->get_size()[0];
        const auto b = vector::create(exec, dim<2>{size, 1});
        const auto x = vector::create(exec, dim<2>{size, 1});
        b->fill(1.0);
        // Reads entries without the diagonal, its inverse, offsets and b; writes x.
        const auto bytes = static_cast<double>(triangle->get_num_stored_elements()) * (sizeof(double) + sizeof(int32)) +
                           static_cast<double>(size) * (sizeof(int32) + 2 * sizeof(double));
        const auto add = [&](const std::string& by, size_type num_levels, const measurement& result) {
            const auto fraction = bytes / result.apply / copy.bytes_per_second;
            report.rows.add_row({shown_name, triangle_name(upper), by,
                                 num_levels == 0 ? "" : std::to_string(num_levels), time_text(result.generate),
                                 time_text(result.apply), to_text(fraction, 3),
                                 time_text(result.generate + 20 * result.apply), scientific_text(result.residual)});
            report.results.push_back({{"matrix", name},
                                      {"operator", triangle_name(upper)},
                                      {"by", by},
                                      {"rows", size},
                                      {"entries", triangle->get_num_stored_elements()},
                                      {"levels", num_levels},
                                      {"generate_seconds", result.generate},
                                      {"apply_seconds", result.apply},
                                      {"copy_fraction", fraction},
                                      {"residual", result.residual}});
            shown_name.clear();
        };
        size_type num_levels{};
        const auto by_spruce = [&](auto factory) {
            return measure(*triangle, *b, *x, options.repetitions, [&] {
                const auto solver = share(factory->generate(triangle));
                num_levels = solver->get_num_levels();
                return [&, solver] { solver->apply(b, x); };
            });
        };
        const auto result = upper ? by_spruce(share(solver::UpperTrs<double, int32>::build().on(exec)))
                                  : by_spruce(share(solver::LowerTrs<double, int32>::build().on(exec)));
        add("Spruce", num_levels, result);
        if (analyze_by_vendor(*triangle, upper, *b, *x)) {
            add("cuSPARSE", 0, measure(*triangle, *b, *x, options.repetitions, [&] {
                    return analyze_by_vendor(*triangle, upper, *b, *x);
                }));
        }
    }
}

}  // namespace spruce::bench
