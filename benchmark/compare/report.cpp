// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/compare/report.hpp"

#include <cmath>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "benchmark/errors.hpp"
#include "benchmark/table.hpp"

namespace spruce::bench {
namespace {

using json = nlohmann::ordered_json;
using align = table::align;

constexpr verdict all_verdicts[] = {verdict::fast, verdict::slow, verdict::same, verdict::undecided};

/// Lists the facts about a run that its results may depend on.
constexpr const char* facts_of_run[] = {"commit",  "version", "device",      "executor",   "processor",
                                        "threads", "warmup",  "repetitions", "cold_cache", "compiler"};

std::string ratio_text(double ratio) { return to_text(ratio, ratio < 1 ? 3 : 4); }

std::string p_text(double p) { return p < 0.001 ? scientific_text(p) : to_text(p, p < 0.01 ? 1 : 2); }

std::string percent_text(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string interval_text(const case_comparison& one)
{
    if (!one.shift || !std::isfinite(one.shift->high)) {
        return "-";
    }
    return ratio_text(one.shift->low) + " to " + ratio_text(one.shift->high);
}

std::string nonzeros_text(const case_comparison& one)
{
    const auto num_nonzeros = one.num_nonzeros();
    return num_nonzeros ? to_text(*num_nonzeros, 1) : "-";
}

std::string fact_text(const json& head, const std::string& name)
{
    const auto found = head.find(name);
    return found == head.end() ? "-" : text_of(*found);
}

/// Returns the value types of all cases.
std::string value_types_of(const stored_document& document)
{
    std::set<std::string> names;
    for (const auto& result : document.results) {
        if (!result.value_type.empty()) {
            names.insert(result.value_type);
        }
    }
    return names.empty() ? "-" : join({names.begin(), names.end()});
}

void print_head(std::ostream& os, const compare_report& report)
{
    table head{{{"", align::left}, {"A", align::left}, {"B", align::left}}};
    head.add_row({"file", report.first.path, report.second.path});
    std::vector<std::string> equal;
    const auto add = [&](const std::string& name, const std::string& first, const std::string& second) {
        if (first != second) {
            head.add_row({name, first, second});
        } else if (first != "-") {
            equal.push_back(name);
        }
    };
    for (const auto name : {"command", "date"}) {
        head.add_row({name, fact_text(report.first.head, name), fact_text(report.second.head, name)});
    }
    for (const auto name : facts_of_run) {
        add(name, fact_text(report.first.head, name), fact_text(report.second.head, name));
    }
    add("value types", value_types_of(report.first), value_types_of(report.second));
    head.print(os);
    if (!equal.empty()) {
        os << "Equal in both: " << join(equal) << '\n';
    }
    for (const auto document : {&report.first, &report.second}) {
        if (document->head.value("interrupted", false)) {
            os << document->path << " was interrupted and may be incomplete\n";
        }
    }
    os << '\n';
}

/// Describes cases by the values that differ between them.
class case_names {
public:
    explicit case_names(const std::vector<case_comparison>& cases) : common_(cases.front().identity)
    {
        common_.erase("matrix");
        for (const auto& one : cases) {
            const auto candidates = common_;
            for (const auto& item : candidates.items()) {
                if (one.identity.value(item.key(), json{}) != item.value()) {
                    common_.erase(item.key());
                }
            }
        }
    }

    std::string name_of(const json& key) const
    {
        auto rest = key;
        for (const auto& item : common_.items()) {
            if (rest.value(item.key(), json{}) == item.value()) {
                rest.erase(item.key());
            }
        }
        return describe_values(rest);
    }
    std::string get_common_part() const { return describe_values(common_); }

private:
    static std::string describe_values(const json& key)
    {
        std::string text;
        for (const auto& item : key.items()) {
            const auto& value = item.value();
            text += (text.empty() ? "" : " ") + (value.is_string() ? "" : item.key() + "=") + text_of(value);
        }
        return text;
    }

    json common_;  ///< keys that have one value in all cases, other than "matrix"
};

void print_cases(std::ostream& os, const compare_report& report, const case_names& names)
{
    const auto& cases = report.result.cases;
    os << "All cases: " << names.get_common_part() << "\n\n";
    table rows{{{"case", align::left},
                {"nonzeros", align::right},
                {"A", align::right},
                {"B", align::right},
                {"B / A", align::right},
                {"interval", align::right},
                {"adjusted p", align::right},
                {"", align::left}}};
    for (const auto& one : cases) {
        rows.add_row({names.name_of(one.identity), nonzeros_text(one), time_text(one.median_first),
                      time_text(one.median_second), ratio_text(one.ratio), interval_text(one), p_text(one.adjusted_p),
                      to_string(one.decision)});
    }
    rows.print(os);
    os << '\n';
}

void print_statistics(std::ostream& os, const std::vector<case_comparison>& cases)
{
    table rows{{{"nonzeros", align::left},
                {"count", align::right},
                {"5 %", align::right},
                {"quartile 1", align::right},
                {"median", align::right},
                {"quartile 3", align::right},
                {"95 %", align::right},
                {"geometric mean", align::right},
                {"within 3 %", align::right},
                {"5 %", align::right},
                {"10 % of 1", align::right}}};
    os << "Ratios B / A of the medians\n\n";
    for (const auto& [name, ratios] : describe_by_size(cases)) {
        rows.add_row({name, std::to_string(ratios.count), ratio_text(ratios.percentile_5),
                      ratio_text(ratios.quartile_1), ratio_text(ratios.median), ratio_text(ratios.quartile_3),
                      ratio_text(ratios.percentile_95), ratio_text(ratios.geometric_mean),
                      percent_text(ratios.share_within_3), percent_text(ratios.share_within_5),
                      percent_text(ratios.share_within_10)});
    }
    rows.print(os);
    os << '\n';
}

void print_outliers(std::ostream& os, const compare_report& report, const case_names& names)
{
    table rows{
        {{"furthest from 1", align::left}, {"nonzeros", align::right}, {"B / A", align::right}, {"", align::left}}};
    const auto outliers = find_outliers(report.result.cases, report.options.worst);
    for (const auto one : outliers) {
        rows.add_row(
            {names.name_of(one->identity), nonzeros_text(*one), ratio_text(one->ratio), to_string(one->decision)});
    }
    if (!outliers.empty()) {
        rows.print(os);
        os << '\n';
    }
}

void print_missing(std::ostream& os, const comparison& result, const case_names& names)
{
    table rows{{{"not compared", align::left}, {"", align::left}}};
    for (const auto& identity : result.only_in_first) {
        rows.add_row({names.name_of(identity), "only in A"});
    }
    for (const auto& identity : result.only_in_second) {
        rows.add_row({names.name_of(identity), "only in B"});
    }
    for (const auto& one : result.not_measured) {
        rows.add_row({names.name_of(one.identity), one.document + ": " + one.reason});
    }
    if (!result.only_in_first.empty() || !result.only_in_second.empty() || !result.not_measured.empty()) {
        rows.print(os);
        os << '\n';
    }
}

/// Reports that samples are too small if even samples without any overlap could not be significant.
void print_hint(std::ostream& os, const compare_report& report)
{
    size_type num_too_small{};
    const auto& cases = report.result.cases;
    for (const auto& one : cases) {
        const auto least = static_cast<double>(cases.size()) * one.test.least_p;
        num_too_small += one.decision == verdict::undecided && least > report.limits.significance;
    }
    if (num_too_small > 0) {
        os << num_too_small << " of the undecided cases have too few samples for a significance of "
           << report.limits.significance << " among " << cases.size() << " cases: take more repetitions\n";
    }
}

void print_summary(std::ostream& os, const compare_report& report)
{
    const auto& result = report.result;
    os << result.cases.size() << " cases:";
    for (const auto value : all_verdicts) {
        os << ' ' << result.count(value) << ' ' << to_string(value) << (value == verdict::undecided ? ";" : ",");
    }
    os << ' ' << result.only_in_first.size() << " only in A, " << result.only_in_second.size() << " only in B, "
       << result.not_measured.size() << " not measured\n";
    if (result.num_new_failures > 0) {
        os << result.num_new_failures << " cases were measured in A and failed in B\n";
    }
    print_hint(os, report);
}

json to_json(const ratio_statistics& ratios)
{
    return {{"count", ratios.count},
            {"percentile_5", ratios.percentile_5},
            {"quartile_1", ratios.quartile_1},
            {"median", ratios.median},
            {"quartile_3", ratios.quartile_3},
            {"percentile_95", ratios.percentile_95},
            {"geometric_mean", ratios.geometric_mean},
            {"share_within_3_percent", ratios.share_within_3},
            {"share_within_5_percent", ratios.share_within_5},
            {"share_within_10_percent", ratios.share_within_10}};
}

json to_json(const case_comparison& one)
{
    json facts{{"verdict", to_string(one.decision)},
               {"ratio", one.ratio},
               {"p", one.test.p},
               {"p_adjusted", one.adjusted_p},
               {"p_is_exact", one.test.is_exact},
               {"seconds_median_a", one.median_first},
               {"seconds_median_b", one.median_second},
               {"samples_a", one.num_first},
               {"samples_b", one.num_second}};
    if (one.shift) {
        facts["shift_ratio"] = one.shift->value;
        if (std::isfinite(one.shift->high)) {
            facts["shift_ratio_interval"] = {one.shift->low, one.shift->high};
        }
    }
    json result{{"case", one.identity}};
    if (!one.problem.is_null()) {
        result["problem"] = one.problem;
    }
    result["facts"] = std::move(facts);
    return result;
}

json describe(const stored_document& document)
{
    json facts{{"file", document.path}};
    for (const auto name : {"command", "date"}) {
        facts[name] = document.head.value(name, json{});
    }
    for (const auto name : facts_of_run) {
        if (document.head.contains(name)) {
            facts[name] = document.head[name];
        }
    }
    return facts;
}

}  // namespace

void print_report(std::ostream& os, const compare_report& report)
{
    const auto& cases = report.result.cases;
    const case_names names{cases};
    print_head(os, report);
    print_cases(os, report, names);
    print_statistics(os, cases);
    print_outliers(os, report, names);
    print_missing(os, report.result, names);
    print_summary(os, report);
}

void add_comparison(nlohmann::ordered_json& document, const compare_report& report)
{
    const auto& result = report.result;
    document["a"] = describe(report.first);
    document["b"] = describe(report.second);
    document["threshold"] = report.limits.threshold;
    document["significance"] = report.limits.significance;
    for (const auto value : all_verdicts) {
        document["counts"][to_string(value)] = result.count(value);
    }
    for (const auto& [name, ratios] : describe_by_size(result.cases)) {
        document["ratios"][name] = to_json(ratios);
    }
    document["only_in_a"] = result.only_in_first;
    document["only_in_b"] = result.only_in_second;
    document["not_measured"] = json::array();
    for (const auto& one : result.not_measured) {
        document["not_measured"].push_back(
            {{"case", one.identity}, {"document", one.document}, {"reason", one.reason}});
    }
    document["results"] = json::array();
    for (const auto& one : result.cases) {
        document["results"].push_back(to_json(one));
    }
}

}  // namespace spruce::bench
