// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "benchmark/compare/document.hpp"
#include "benchmark/compare/ranks.hpp"

namespace spruce::bench {

/// Lists the results of comparing a case of the second document, B, with that of the first one, A.
enum class verdict { fast, slow, same, undecided };

/// Returns "FAST", "SLOW", "SAME" or "UNDECIDED".
std::string to_string(verdict value);

/// Holds the limits of a decision.
struct decision_limits {
    double threshold{0.02};     ///< ratios up to 1 + threshold, and their inverses, count as equal
    double significance{0.05};  ///< probability of a wrong FAST or SLOW among all cases, at most
};

/// Holds the comparison of one case.
struct case_comparison {
    nlohmann::ordered_json identity;
    nlohmann::ordered_json problem;
    double median_first{};   ///< seconds
    double median_second{};  ///< seconds
    size_type num_first{};   ///< samples
    size_type num_second{};  ///< samples
    double ratio{};          ///< median_second / median_first
    /// Ratio of the times by estimate_shift() of their logarithms, or empty if a sample is not
    /// positive.
    std::optional<estimate> shift;
    rank_test test;
    double adjusted_p{1};  ///< by Holm's method over all cases
    verdict decision{verdict::undecided};

    /// Returns the number of nonzeros, if it is known.
    std::optional<double> num_nonzeros() const;
};

/// Represents a case that was not measured in both documents.
struct missing_case {
    nlohmann::ordered_json identity;
    std::string document;  ///< "A" or "B", in which it was not measured
    std::string reason;
};

/// Holds the comparison of two documents.
struct comparison {
    std::vector<case_comparison> cases;
    std::vector<nlohmann::ordered_json> only_in_first;
    std::vector<nlohmann::ordered_json> only_in_second;
    std::vector<missing_case> not_measured;
    size_type num_new_failures{};  ///< cases that were measured in A and failed in B

    size_type count(verdict value) const;
};

/// Compares the results of two prepared documents whose cases are equal.
///
/// A case is FAST or SLOW if the rank test, adjusted by Holm's method, is significant and the ratio
/// of the medians is beyond the threshold. Otherwise it is SAME if the confidence interval of the
/// ratio is within the threshold, and UNDECIDED if it is not.
comparison compare_documents(const stored_document& first, const stored_document& second,
                             const decision_limits& limits);

/// Holds statistics of ratios.
struct ratio_statistics {
    size_type count{};
    double percentile_5{};
    double quartile_1{};
    double median{};
    double quartile_3{};
    double percentile_95{};
    double geometric_mean{};
    double share_within_3{};   ///< share of ratios that differ from 1 by at most 3 %
    double share_within_5{};   ///< share of ratios that differ from 1 by at most 5 %
    double share_within_10{};  ///< share of ratios that differ from 1 by at most 10 %
};

/// Computes the statistics of ratios, of which there may be none.
ratio_statistics describe_ratios(std::vector<double> ratios);

/// Holds the statistics of the cases whose numbers of nonzeros are in a range.
struct size_class {
    std::string name;
    ratio_statistics ratios;
};

/// Returns the statistics of all cases and of the cases in each decade of the number of nonzeros.
/// The first class contains all cases. Other classes without a case are omitted.
std::vector<size_class> describe_by_size(const std::vector<case_comparison>& cases);

/// Returns the cases whose ratios are furthest from 1, beginning with the furthest one.
std::vector<const case_comparison*> find_outliers(const std::vector<case_comparison>& cases, size_type max_count);

}  // namespace spruce::bench
