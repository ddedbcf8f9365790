// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "benchmark/quantile.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

std::vector<double> logarithms_of(std::vector<double> values)
{
    std::transform(values.begin(), values.end(), values.begin(), [](double value) { return std::log(value); });
    return values;
}

bool are_positive(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

case_comparison compare_samples(const measured_result& first, const measured_result& second, double confidence)
{
    case_comparison result;
    result.identity = first.identity;
    result.problem = first.problem.is_null() ? second.problem : first.problem;
    result.median_first = median(first.seconds);
    result.median_second = median(second.seconds);
    result.num_first = first.seconds.size();
    result.num_second = second.seconds.size();
    result.ratio = result.median_second / result.median_first;
    result.test = compare_ranks(first.seconds, second.seconds);
    if (are_positive(first.seconds) && are_positive(second.seconds)) {
        const auto shift = estimate_shift(logarithms_of(first.seconds), logarithms_of(second.seconds), confidence);
        result.shift = estimate{std::exp(shift.value), std::exp(shift.low), std::exp(shift.high)};
    }
    return result;
}

verdict decide(const case_comparison& result, const decision_limits& limits)
{
    const auto limit = 1 + limits.threshold;
    if (result.adjusted_p <= limits.significance) {
        if (result.ratio > limit) {
            return verdict::slow;
        }
        if (result.ratio < 1 / limit) {
            return verdict::fast;
        }
    }
    const auto is_within = result.shift && result.shift->low >= 1 / limit && result.shift->high <= limit;
    return is_within ? verdict::same : verdict::undecided;
}

/// Returns the reason why the times of a result cannot be compared, or an empty text.
std::string find_fault(const measured_result& result)
{
    if (result.seconds.empty()) {
        return result.reason;
    }
    return median(result.seconds) > 0 ? "" : "the median of the times is not positive";
}

/// Adds a case that both documents contain.
void add_common_case(const measured_result& first, const measured_result& second, double confidence, comparison& result)
{
    const auto fault_of_first = find_fault(first);
    const auto fault_of_second = find_fault(second);
    if (!fault_of_first.empty()) {
        result.not_measured.push_back({first.identity, "A", fault_of_first});
    }
    if (!fault_of_second.empty()) {
        result.not_measured.push_back({first.identity, "B", fault_of_second});
        result.num_new_failures += fault_of_first.empty() && second.has_failed;
    }
    if (fault_of_first.empty() && fault_of_second.empty()) {
        result.cases.push_back(compare_samples(first, second, confidence));
    }
}

double share_within(const std::vector<double>& ratios, double distance)
{
    // The tolerance covers the rounding of a decimal number such as 1.03.
    const auto is_within = [&](double ratio) { return std::abs(ratio - 1) <= distance + 1e-12; };
    const auto count = std::count_if(ratios.begin(), ratios.end(), is_within);
    return static_cast<double>(count) / static_cast<double>(ratios.size());
}

struct size_limits {
    const char* name;
    double low;
    double high;
};

std::vector<double> ratios_in(const std::vector<case_comparison>& cases, const size_limits& limits)
{
    std::vector<double> ratios;
    for (const auto& one : cases) {
        const auto num_nonzeros = one.num_nonzeros();
        if (num_nonzeros && *num_nonzeros >= limits.low && *num_nonzeros < limits.high) {
            ratios.push_back(one.ratio);
        }
    }
    return ratios;
}

}  // namespace

std::string to_string(verdict value)
{
    static const std::map<verdict, std::string> names{
        {verdict::fast, "FAST"}, {verdict::slow, "SLOW"}, {verdict::same, "SAME"}, {verdict::undecided, "UNDECIDED"}};
    return names.at(value);
}

std::optional<double> case_comparison::num_nonzeros() const
{
    const auto found = problem.is_object() ? problem.find("nonzeros") : problem.end();
    return found != problem.end() && found->is_number() ? std::optional<double>{found->get<double>()} : std::nullopt;
}

size_type comparison::count(verdict value) const
{
    return std::count_if(cases.begin(), cases.end(), [&](const case_comparison& one) { return one.decision == value; });
}

comparison compare_documents(const stored_document& first, const stored_document& second, const decision_limits& limits)
{
    comparison result;
    std::map<std::string, const measured_result*> others;
    for (const auto& other : second.results) {
        others[identify(other.identity)] = &other;
    }
    for (const auto& one : first.results) {
        const auto found = others.find(identify(one.identity));
        if (found == others.end()) {
            result.only_in_first.push_back(one.identity);
        } else {
            add_common_case(one, *found->second, 1 - limits.significance, result);
            others.erase(found);
        }
    }
    for (const auto& other : second.results) {
        if (others.count(identify(other.identity)) > 0) {
            result.only_in_second.push_back(other.identity);
        }
    }
    std::vector<double> p_values;
    for (const auto& one : result.cases) {
        p_values.push_back(one.test.p);
    }
    const auto adjusted = adjust_by_holm(p_values);
    for (size_type i = 0; i < result.cases.size(); ++i) {
        result.cases[i].adjusted_p = adjusted[i];
        result.cases[i].decision = decide(result.cases[i], limits);
    }
    return result;
}

ratio_statistics describe_ratios(std::vector<double> ratios)
{
    ratio_statistics result;
    result.count = ratios.size();
    if (ratios.empty()) {
        return result;
    }
    std::sort(ratios.begin(), ratios.end());
    const auto at = [&](double share) {
        return quantile(ratios.size(), share, [&](size_type rank) { return ratios[rank]; });
    };
    result.percentile_5 = at(0.05);
    result.quartile_1 = at(0.25);
    result.median = at(0.5);
    result.quartile_3 = at(0.75);
    result.percentile_95 = at(0.95);
    double sum{};
    for (const auto ratio : ratios) {
        sum += std::log(ratio);
    }
    result.geometric_mean = std::exp(sum / static_cast<double>(ratios.size()));
    result.share_within_3 = share_within(ratios, 0.03);
    result.share_within_5 = share_within(ratios, 0.05);
    result.share_within_10 = share_within(ratios, 0.1);
    return result;
}

std::vector<size_class> describe_by_size(const std::vector<case_comparison>& cases)
{
    const size_limits limits[] = {{"below 1e4", 0, 1e4},
                                  {"1e4 to 1e5", 1e4, 1e5},
                                  {"1e5 to 1e6", 1e5, 1e6},
                                  {"1e6 to 1e7", 1e6, 1e7},
                                  {"above 1e7", 1e7, std::numeric_limits<double>::infinity()}};
    std::vector<double> all;
    for (const auto& one : cases) {
        all.push_back(one.ratio);
    }
    std::vector<size_class> classes{{"all", describe_ratios(std::move(all))}};
    for (const auto& range : limits) {
        const auto ratios = ratios_in(cases, range);
        if (!ratios.empty()) {
            classes.push_back({range.name, describe_ratios(ratios)});
        }
    }
    return classes;
}

std::vector<const case_comparison*> find_outliers(const std::vector<case_comparison>& cases, size_type max_count)
{
    std::vector<const case_comparison*> result;
    for (const auto& one : cases) {
        result.push_back(&one);
    }
    std::stable_sort(result.begin(), result.end(), [](const auto a, const auto b) {
        return std::abs(std::log(a->ratio)) > std::abs(std::log(b->ratio));
    });
    result.resize(std::min(result.size(), max_count));
    return result;
}

}  // namespace spruce::bench
