// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <spruce/factorization/ilu.hpp>
#include <spruce/factorization/par_ilu.hpp>

#include "benchmark/preconditioner/measurements.hpp"
#include "benchmark/preconditioner/vendor_ilu.hpp"

namespace spruce::bench {
namespace {

/// Returns the entries of L without its diagonal, and those of U, row by row.
template <typename Factors>
std::vector<double> entries_of(const Factors& factors)
{
    const auto host = factors.get_executor()->get_master();
    const auto l = clone(host, factors.get_l_factor());
    const auto u = clone(host, factors.get_u_factor());
    std::vector<double> result;
    for (size_type row = 0; row < l->get_size()[0]; ++row) {
        result.insert(result.end(), l->get_const_values() + l->get_const_row_ptrs()[row],
                      l->get_const_values() + l->get_const_row_ptrs()[row + 1] - 1);
        result.insert(result.end(), u->get_const_values() + u->get_const_row_ptrs()[row],
                      u->get_const_values() + u->get_const_row_ptrs()[row + 1]);
    }
    return result;
}

/// Returns the largest difference of an entry, divided by the largest entry.
double difference_of(const std::vector<double>& entries, const double* other)
{
    auto largest = 0.0;
    auto difference = 0.0;
    for (const auto entry : entries) {
        largest = std::max(largest, std::abs(entry));
        difference = std::max(difference, std::abs(entry - *other++));
    }
    return difference / largest;
}

/// Holds the matrix that is factorized and its factors by elimination, created when they are first
/// needed.
class factorized_matrix {
public:
    explicit factorized_matrix(preconditioned_matrix& given) : given_{given} {}

    const std::shared_ptr<csr_matrix>& get_matrix()
    {
        if (!a_) {
            a_ = clone(given_.exec, with_diagonal(*given_.input.on_host(), [](int32, int32) { return true; }));
        }
        return a_;
    }
    const std::vector<double>& get_exact()
    {
        if (exact_.empty()) {
            exact_ =
                entries_of(*factorization::Ilu<double, int32>::build().on(given_.exec)->generate(this->get_matrix()));
        }
        return exact_;
    }

private:
    preconditioned_matrix& given_;
    std::shared_ptr<csr_matrix> a_;
    std::vector<double> exact_;
};

/// Describes a way to compute factors.
struct factors_method {
    std::function<void()> generate;                    ///< analyses the matrix and computes the factors
    std::function<void()> refresh;                     ///< computes the factors
    std::function<nlohmann::ordered_json()> describe;  ///< compares them to those by elimination
};

void add_cases(std::vector<benchmark_case>& cases, preconditioned_matrix& given, const std::string& name,
               const std::string& library, const std::function<factors_method()>& create)
{
    const auto method = std::make_shared<factors_method>();
    const auto require = [=] {
        if (!method->generate) {
            auto created = create();
            created.generate();
            *method = std::move(created);
        }
    };
    cases.push_back({given.identity(name, "generate", library), [=] {
                         require();
                         timed_operation op;
                         op.call = [=] { method->generate(); };
                         op.describe = method->describe;
                         return op;
                     }});
    cases.push_back({given.identity(name, "refresh", library), [=] {
                         require();
                         timed_operation op;
                         op.call = [=] { method->refresh(); };
                         op.describe = method->describe;
                         return op;
                     }});
}

template <typename Factory>
factors_method factors_by(const std::shared_ptr<factorized_matrix>& matrix, const Factory& factory)
{
    const auto a = matrix->get_matrix();
    const auto product = std::make_shared<decltype(share(factory->generate(a)))>();
    return {[=] {
                product->reset();
                *product = share(factory->generate(a));
            },
            [=] { (*product)->refresh(a); },
            [=] {
                const auto difference = difference_of(entries_of(**product), matrix->get_exact().data());
                return nlohmann::ordered_json{{"difference", difference}};
            }};
}

factors_method factors_by_vendor(const std::shared_ptr<factorized_matrix>& matrix)
{
    const auto a = matrix->get_matrix();
    const auto combined = share(clone(a));
    const auto compute = std::make_shared<std::function<void()>>();
    return {
        [=] {
            *compute = {};
            *compute = analyze_ilu_by_vendor(a, combined);
            if (!*compute) {
                throw case_skipped("this spruce-bench was built without CUDA");
            }
            (*compute)();
        },
        [=] { (*compute)(); },
        [=] {
            const auto host = clone(a->get_executor()->get_master(), combined);
            return nlohmann::ordered_json{{"difference", difference_of(matrix->get_exact(), host->get_const_values())}};
        }};
}

}  // namespace

std::vector<benchmark_case> factor_cases(preconditioned_matrix& given)
{
    const auto matrix = std::make_shared<factorized_matrix>(given);
    const auto exec = given.exec;
    std::vector<benchmark_case> cases;
    const auto add = [&](const char* name, const std::string& library, const std::function<factors_method()>& create) {
        if (given.options.contain(name)) {
            add_cases(cases, given, name, library, create);
        }
    };
    add(ilu_factors_names[0], "spruce",
        [=] { return factors_by(matrix, share(factorization::Ilu<double, int32>::build().on(exec))); });
    if (exec->get_backend() == backend::cuda) {
        add(ilu_factors_names[0], "cusparse", [=] { return factors_by_vendor(matrix); });
    }
    for (const auto sweeps : {3u, 5u}) {
        add(ilu_factors_names[sweeps == 3 ? 1 : 2], "spruce", [=] {
            return factors_by(matrix,
                              share(factorization::ParIlu<double, int32>::build().with_iterations(sweeps).on(exec)));
        });
    }
    return cases;
}

}  // namespace spruce::bench
