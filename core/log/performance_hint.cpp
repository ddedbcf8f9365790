// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/performance_hint.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <spruce/base/executor.hpp>

namespace spruce::log {
namespace {

constexpr size_type smallest_repetition = 10;

bool is_worth_a_hint(size_type count)
{
    while (count > smallest_repetition && count % 10 == 0) {
        count /= 10;
    }
    return count == smallest_repetition;
}

/// Describes a repeated event. Messages identify executors by address.
struct pattern {
    enum kind_type { allocation, tiny_allocation, copy_from_address, copy_to_address, tiny_copy };
    kind_type kind;
    const Executor* exec;
    const Executor* other;
    uintptr address_or_size;

    friend bool operator<(const pattern& a, const pattern& b)
    {
        const auto tie = [](const pattern& p) { return std::tie(p.kind, p.exec, p.other, p.address_or_size); };
        return tie(a) < tie(b);
    }
};

std::string message_of(const pattern& what, size_type count)
{
    const auto name = [](const Executor* exec) {
        std::ostringstream os;
        os << to_string(exec->get_backend()) << " executor " << static_cast<const void*>(exec);
        return os.str();
    };
    const auto address = reinterpret_cast<const void*>(what.address_or_size);
    std::ostringstream os;
    os << "[PERFORMANCE] >>> ";
    switch (what.kind) {
    case pattern::allocation:
        os << count << " times memory of " << what.address_or_size << " bytes was allocated and freed again on "
           << name(what.exec) << ": consider keeping a buffer";
        break;
    case pattern::tiny_allocation:
        os << count << " tiny allocations on " << name(what.exec) << ": consider keeping a buffer for scalars";
        break;
    case pattern::copy_from_address:
        os << count << " copies from " << address << " on " << name(what.exec) << " to " << name(what.other)
           << ": consider keeping the data there";
        break;
    case pattern::copy_to_address:
        os << count << " copies to " << address << " on " << name(what.other) << " from " << name(what.exec)
           << ": consider computing the data there";
        break;
    case pattern::tiny_copy:
        os << count << " tiny copies from " << name(what.exec) << " to " << name(what.other)
           << ": each waits for the device; consider leaving scalars where they are, or fewer, larger copies";
        break;
    }
    os << '\n';
    return os.str();
}

}  // namespace

struct PerformanceHint::histograms {
    std::mutex mutex;
    size_type max_size;
    std::map<pattern, size_type> counts;
    std::unordered_map<uintptr, size_type> living;  ///< size of the memory at a location
    bool is_copying{};

    void count(const pattern& what, std::ostream& os)
    {
        const auto count = ++counts[what];
        if (is_worth_a_hint(count)) {
            os << message_of(what, count);
        }
        if (counts.size() > max_size) {
            this->drop_least_frequent();
        }
    }

    /// Removes the less frequent half.
    void drop_least_frequent()
    {
        std::vector<size_type> sorted;
        for (const auto& [what, count] : counts) {
            sorted.push_back(count);
        }
        const auto middle = sorted.begin() + sorted.size() / 2;
        std::nth_element(sorted.begin(), middle, sorted.end());
        auto to_forget = sorted.size() - max_size / 2;
        for (auto it = counts.begin(); it != counts.end() && to_forget > 0;) {
            if (it->second <= *middle) {
                it = counts.erase(it);
                --to_forget;
            } else {
                ++it;
            }
        }
    }
};

PerformanceHint::PerformanceHint(std::ostream& os, size_type allocation_size_limit, size_type copy_size_limit,
                                 size_type histogram_max_size)
    : Logger{allocation_completed_mask | free_completed_mask | copy_started_mask | copy_completed_mask},
      os_{os},
      allocation_size_limit_{allocation_size_limit},
      copy_size_limit_{copy_size_limit},
      histograms_{std::make_unique<histograms>()}
{
    histograms_->max_size = histogram_max_size;
}

PerformanceHint::~PerformanceHint() = default;

std::unique_ptr<PerformanceHint> PerformanceHint::create() { return create(std::cerr); }

std::unique_ptr<PerformanceHint> PerformanceHint::create(std::ostream& os, size_type allocation_size_limit,
                                                         size_type copy_size_limit, size_type histogram_max_size)
{
    return std::unique_ptr<PerformanceHint>(
        new PerformanceHint(os, allocation_size_limit, copy_size_limit, histogram_max_size));
}

void PerformanceHint::on_allocation_completed(const Executor* exec, const size_type& num_bytes,
                                              const uintptr& location) const
{
    const std::lock_guard<std::mutex> lock{histograms_->mutex};
    if (num_bytes < allocation_size_limit_) {
        histograms_->count({pattern::tiny_allocation, exec, nullptr, 0}, os_);
    } else {
        histograms_->living[location] = num_bytes;
    }
}

void PerformanceHint::on_free_completed(const Executor* exec, const uintptr& location) const
{
    const std::lock_guard<std::mutex> lock{histograms_->mutex};
    auto& living = histograms_->living;
    if (const auto found = living.find(location); found != living.end()) {
        const auto num_bytes = found->second;
        living.erase(found);
        histograms_->count({pattern::allocation, exec, nullptr, num_bytes}, os_);
    }
}

void PerformanceHint::on_copy_started(const Executor*, const Executor*, const uintptr&, const uintptr&,
                                      const size_type&) const
{
    const std::lock_guard<std::mutex> lock{histograms_->mutex};
    histograms_->is_copying = true;
}

void PerformanceHint::on_copy_completed(const Executor* from, const Executor* to, const uintptr& location_from,
                                        const uintptr& location_to, const size_type& num_bytes) const
{
    const std::lock_guard<std::mutex> lock{histograms_->mutex};
    // Both executors notify loggers of a copy. A logger of both receives two start events and then
    // two end events.
    const auto is_told_first = std::exchange(histograms_->is_copying, false);
    if (from == to || !is_told_first) {
        return;
    }
    if (num_bytes < copy_size_limit_) {
        histograms_->count({pattern::tiny_copy, from, to, 0}, os_);
    } else {
        histograms_->count({pattern::copy_from_address, from, to, location_from}, os_);
        histograms_->count({pattern::copy_to_address, from, to, location_to}, os_);
    }
}

void PerformanceHint::print_status() const
{
    const std::lock_guard<std::mutex> lock{histograms_->mutex};
    std::vector<std::pair<size_type, pattern>> frequent;
    for (const auto& [what, count] : histograms_->counts) {
        if (count >= smallest_repetition) {
            frequent.emplace_back(count, what);
        }
    }
    std::stable_sort(frequent.begin(), frequent.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [count, what] : frequent) {
        os_ << message_of(what, count);
    }
}

}  // namespace spruce::log
