// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <spruce/solver/triangular.hpp>

#include "benchmark/preconditioner/measurements.hpp"
#include "benchmark/preconditioner/vendor_triangular.hpp"

namespace spruce::bench {
namespace {

/// Holds a triangle of a matrix and the vectors of a solve, created when they are first needed.
class triangular_system {
public:
    triangular_system(preconditioned_matrix& given, bool upper) : given_{given}, upper_{upper} {}

    std::string get_name() const { return upper_ ? "upper-triangle" : "lower-triangle"; }
    const std::shared_ptr<csr_matrix>& get_triangle()
    {
        if (!triangle_) {
            const auto keep = [upper = upper_](int32 row, int32 col) { return (col > row) == upper; };
            triangle_ = clone(given_.exec, with_diagonal(*given_.input.on_host(), keep));
            const dim<2> size{triangle_->get_size()[0], 1};
            b_ = vector::create(given_.exec, size);
            b_->fill(1.0);
            x_ = vector::create(given_.exec, size);
        }
        return triangle_;
    }

    /// Returns a function that solves by Spruce.
    std::function<void()> generate()
    {
        count_levels_ = {};
        const auto solve_by = [&](auto factory) {
            const auto solver = share(factory->generate(this->get_triangle()));
            count_levels_ = [solver] { return solver->get_num_levels(); };
            return [this, solver] { solver->apply(b_, x_); };
        };
        return upper_
                   ? std::function<void()>{solve_by(share(solver::UpperTrs<double, int32>::build().on(given_.exec)))}
                   : std::function<void()>{solve_by(share(solver::LowerTrs<double, int32>::build().on(given_.exec)))};
    }
    /// Returns a function that solves by the vendor's library.
    std::function<void()> generate_by_vendor()
    {
        auto solve = analyze_by_vendor(*this->get_triangle(), upper_, *b_, *x_);
        if (!solve) {
            throw case_skipped("this spruce-bench was built without CUDA");
        }
        return solve;
    }

    /// Returns the entries without the diagonal, its inverse, offsets and b, which are read, and x,
    /// which is written.
    double get_bytes() const
    {
        return static_cast<double>(triangle_->get_num_stored_elements()) * (sizeof(double) + sizeof(int32)) +
               static_cast<double>(triangle_->get_size()[0]) * (sizeof(int32) + 2 * sizeof(double));
    }

    void forget_solution() { x_->fill(std::numeric_limits<double>::quiet_NaN()); }

    /// Returns the norm of b - T x divided by that of |T| |x|. A substitution in any order has at
    /// most about n eps |T| |x| for n entries in a row (Higham 2002, theorem 8.5), and the inverse
    /// of the diagonal adds a rounding error.
    accuracy check() const
    {
        const auto magnitudes = vector::create(given_.exec, x_->get_size());
        triangle_->compute_absolute()->apply(x_->compute_absolute(), magnitudes);
        const auto exec = given_.exec;
        const auto norm = vector::create(exec, dim<2>{1, 1});
        magnitudes->compute_norm2(norm);
        const auto scale = exec->copy_val_to_host(norm->get_const_values());
        b_->compute_norm2(norm);
        const auto residual =
            relative_residual(*triangle_, *x_, *b_) * exec->copy_val_to_host(norm->get_const_values());
        const auto terms = static_cast<double>(triangle_->compute_max_row_length() + 4);
        return {residual / scale, 4 * terms * std::numeric_limits<double>::epsilon()};
    }

    nlohmann::ordered_json describe() const
    {
        nlohmann::ordered_json facts{{"entries", triangle_->get_num_stored_elements()},
                                     {"relative_residual", relative_residual(*triangle_, *x_, *b_)}};
        return facts;
    }
    size_type get_num_levels() const { return count_levels_(); }

private:
    preconditioned_matrix& given_;
    bool upper_;
    std::shared_ptr<csr_matrix> triangle_;
    std::shared_ptr<vector> b_;
    std::shared_ptr<vector> x_;
    std::function<size_type()> count_levels_;  // of the last solver that was generated
};

/// Adds the analysis of a triangle and the solves by one library.
void add_cases(std::vector<benchmark_case>& cases, preconditioned_matrix& given,
               const std::shared_ptr<triangular_system>& system, const std::string& library)
{
    const auto solve = std::make_shared<std::function<void()>>();
    const auto generate = [=] {
        system->get_triangle();
        *solve = {};
        *solve = library == "spruce" ? system->generate() : system->generate_by_vendor();
    };
    const auto levels = [=] {
        return library == "spruce" ? nlohmann::ordered_json{{"levels", system->get_num_levels()}}
                                   : nlohmann::ordered_json::object();
    };
    cases.push_back({given.identity(system->get_name(), "generate", library), [=] {
                         timed_operation op;
                         op.call = generate;
                         op.describe = levels;
                         return op;
                     }});
    cases.push_back({given.identity(system->get_name(), "apply", library), [=] {
                         if (!*solve) {
                             generate();
                         }
                         system->forget_solution();
                         timed_operation op;
                         op.call = [=] { (*solve)(); };
                         op.bytes = system->get_bytes();
                         op.check = [=] { return system->check(); };
                         op.describe = [=] {
                             auto facts = system->describe();
                             facts.update(levels());
                             return facts;
                         };
                         return op;
                     }});
}

}  // namespace

std::unique_ptr<csr_matrix> with_diagonal(const csr_matrix& a, const std::function<bool(int32, int32)>& keep)
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
            } else if (keep(row, col)) {
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

std::vector<benchmark_case> triangle_cases(preconditioned_matrix& given)
{
    std::vector<benchmark_case> cases;
    for (const auto upper : {false, true}) {
        const auto system = std::make_shared<triangular_system>(given, upper);
        if (given.options.contain(system->get_name())) {
            add_cases(cases, given, system, "spruce");
            if (given.exec->get_backend() == backend::cuda) {
                add_cases(cases, given, system, "cusparse");
            }
        }
    }
    return cases;
}

}  // namespace spruce::bench
