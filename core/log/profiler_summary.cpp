// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/log/profiler_hook.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include <spruce/base/exception.hpp>

namespace spruce::log {

using std::chrono::nanoseconds;

ProfilerHook::SummaryWriter::~SummaryWriter() = default;
ProfilerHook::NestedSummaryWriter::~NestedSummaryWriter() = default;

namespace {

/// Describes a range within its parent, with the sum of all its occurrences there.
struct node {
    std::string name;
    node* parent;
    nanoseconds elapsed{};
    int64 count{};
    std::vector<std::unique_ptr<node>> children{};

    node* child(const std::string& child_name)
    {
        for (const auto& known : children) {
            if (known->name == child_name) {
                return known.get();
            }
        }
        children.push_back(std::make_unique<node>(node{child_name, this}));
        return children.back().get();
    }
};

/// Builds the tree of ranges. Time points in the stream of a device are read later in groups, which
/// avoids synchronization at each of them.
class profile {
public:
    profile(std::shared_ptr<Timer> timer, bool check_nesting) : timer_{std::move(timer)}, check_nesting_{check_nesting}
    {
        start_ = timer_->create_time_point();
        timer_->record(start_);
    }

    void begin(const char* name)
    {
        const overhead_scope scope{*this};
        auto& stack = stacks_[std::this_thread::get_id()];
        const auto where = (stack.empty() ? &root_ : stack.back().where)->child(name);
        stack.push_back({where, this->now()});
    }

    void end(const char* name)
    {
        const overhead_scope scope{*this};
        auto& stack = stacks_[std::this_thread::get_id()];
        const auto match =
            std::find_if(stack.rbegin(), stack.rend(), [&](const auto& range) { return range.where->name == name; });
        if (match == stack.rend()) {  // the range was open when the profile began
            ++num_mismatched_;
            return;
        }
        num_mismatched_ += match - stack.rbegin();
        const auto new_size = static_cast<size_type>(stack.rend() - match) - 1;
        while (stack.size() > new_size) {
            this->close(std::move(stack.back()));
            stack.pop_back();
        }
    }

    /// Ends all ranges and returns the root of the tree.
    const node& finish()
    {
        const std::lock_guard<std::mutex> lock{mutex_};
        for (auto& [thread, stack] : stacks_) {
            for (; !stack.empty(); stack.pop_back()) {
                this->close(std::move(stack.back()));
            }
        }
        this->close({&root_, std::move(start_)});
        this->evaluate();
        if (check_nesting_ && num_mismatched_ > 0) {
            root_.child("mismatched ranges")->count = num_mismatched_;
        }
        return root_;
    }

    nanoseconds get_overhead() const { return overhead_; }

private:
    struct open_range {
        node* where;
        time_point start;
    };
    struct closed_range {
        node* where;
        time_point start;
        time_point stop;
    };

    class overhead_scope {
    public:
        explicit overhead_scope(profile& parent)
            : parent_{parent}, start_{std::chrono::steady_clock::now()}, lock_{parent.mutex_}
        {}
        ~overhead_scope() { parent_.overhead_ += std::chrono::steady_clock::now() - start_; }

    private:
        profile& parent_;
        std::chrono::steady_clock::time_point start_;
        std::lock_guard<std::mutex> lock_;
    };

    time_point now()
    {
        auto time = [&] {
            if (unused_.empty()) {
                return timer_->create_time_point();
            }
            auto last = std::move(unused_.back());
            unused_.pop_back();
            return last;
        }();
        timer_->record(time);
        return time;
    }

    void close(open_range range)
    {
        closed_.push_back({range.where, std::move(range.start), this->now()});
        constexpr size_type many = 1024;
        if (closed_.size() >= many) {
            this->evaluate();
        }
    }

    void evaluate()
    {
        for (auto& range : closed_) {
            range.where->elapsed += timer_->difference(range.start, range.stop);
            ++range.where->count;
            unused_.push_back(std::move(range.start));
            unused_.push_back(std::move(range.stop));
        }
        closed_.clear();
    }

    std::mutex mutex_;
    std::shared_ptr<Timer> timer_;
    bool check_nesting_;
    time_point start_;
    node root_{"total", nullptr};
    std::map<std::thread::id, std::vector<open_range>> stacks_;
    std::vector<closed_range> closed_;
    std::vector<time_point> unused_;
    int64 num_mismatched_{};
    nanoseconds overhead_{};
};

bool is_within_same_name(const node& range)
{
    for (auto outer = range.parent; outer; outer = outer->parent) {
        if (outer->name == range.name) {
            return true;
        }
    }
    return false;
}

void add_to_summary(const node& range, std::map<std::string, ProfilerHook::summary_entry>& entries)
{
    auto& entry = entries[range.name];
    entry.name = range.name;
    entry.count += range.count;
    entry.exclusive += range.elapsed;
    if (!is_within_same_name(range)) {
        entry.inclusive += range.elapsed;
    }
    for (const auto& child : range.children) {
        entry.exclusive -= child->elapsed;
    }
    for (const auto& child : range.children) {
        add_to_summary(*child, entries);
    }
}

std::vector<ProfilerHook::summary_entry> to_summary(const node& root)
{
    std::map<std::string, ProfilerHook::summary_entry> by_name;
    add_to_summary(root, by_name);
    std::vector<ProfilerHook::summary_entry> entries;
    for (auto& [name, entry] : by_name) {
        entries.push_back(std::move(entry));
    }
    return entries;
}

ProfilerHook::nested_summary_entry to_nested(const node& range)
{
    ProfilerHook::nested_summary_entry entry{range.name, range.elapsed, range.count, {}};
    for (const auto& child : range.children) {
        entry.children.push_back(to_nested(*child));
    }
    return entry;
}

/// Creates a hook for a profile. The hook is the last owner of the profile, and calls write(root,
/// overhead) at its end.
template <typename Write>
std::shared_ptr<ProfilerHook> create_hook(std::shared_ptr<Timer> timer, bool check_nesting, Write write)
{
    const auto at_end = [write = std::move(write)](profile* ended) {
        try {
            const auto& root = ended->finish();
            write(root, ended->get_overhead());
        } catch (...) {
            // An exception cannot be reported at the end of the program.
        }
        delete ended;
    };
    const std::shared_ptr<profile> shared(new profile(std::move(timer), check_nesting), at_end);
    return ProfilerHook::create_custom([shared](const char* name, profile_event_category) { shared->begin(name); },
                                       [shared](const char* name, profile_event_category) { shared->end(name); });
}

}  // namespace

std::shared_ptr<ProfilerHook> ProfilerHook::create_summary(std::shared_ptr<Timer> timer,
                                                           std::unique_ptr<SummaryWriter> writer, bool check_nesting)
{
    detail::require_pointers("ProfilerHook::create_summary", timer, writer);
    return create_hook(std::move(timer), check_nesting,
                       [writer = std::shared_ptr<SummaryWriter>(std::move(writer))](const node& root, auto overhead) {
                           writer->write(to_summary(root), overhead);
                       });
}

std::shared_ptr<ProfilerHook> ProfilerHook::create_nested_summary(std::shared_ptr<Timer> timer,
                                                                  std::unique_ptr<NestedSummaryWriter> writer,
                                                                  bool check_nesting)
{
    detail::require_pointers("ProfilerHook::create_nested_summary", timer, writer);
    return create_hook(std::move(timer), check_nesting,
                       [writer = std::shared_ptr<NestedSummaryWriter>(std::move(writer))](
                           const node& root, auto overhead) { writer->write_nested(to_nested(root), overhead); });
}

namespace {

using row = std::vector<std::string>;

std::string format(nanoseconds time)
{
    struct unit {
        const char* name;
        double length;
    };
    constexpr unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1.0}};
    const auto count = static_cast<double>(time.count());
    const auto fitting = std::find_if(std::begin(units), std::end(units) - 1,
                                      [&](const unit& u) { return std::abs(count) >= u.length; });
    std::ostringstream os;
    os << std::fixed << std::setprecision(1) << count / fitting->length << ' ' << fitting->name;
    return os.str();
}

nanoseconds average(nanoseconds total, int64 count) { return count > 0 ? total / count : nanoseconds{}; }

std::string format_share(nanoseconds part, nanoseconds whole)
{
    if (whole.count() == 0) {
        return "";
    }
    std::ostringstream os;
    os << std::fixed << std::setprecision(1)
       << 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count()) << " %";
    return os.str();
}

/// Prints a table with columns of minimal width. The first column contains text, the others contain
/// numbers.
void print_table(std::ostream& os, const std::vector<row>& table)
{
    std::vector<size_type> widths(table.front().size());
    for (const auto& line : table) {
        for (size_type col = 0; col < line.size(); ++col) {
            widths[col] = std::max(widths[col], line[col].size());
        }
    }
    const auto print_line = [&](const row& line) {
        for (size_type col = 0; col < line.size(); ++col) {
            const std::string padding(widths[col] - line[col].size(), ' ');
            os << "| " << (col == 0 ? line[col] + padding : padding + line[col]) << ' ';
        }
        os << "|\n";
    };
    print_line(table.front());
    for (size_type col = 0; col < widths.size(); ++col) {
        os << '|' << (col == 0 ? ':' : '-') << std::string(widths[col], '-') << (col == 0 ? '-' : ':');
    }
    os << "|\n";
    std::for_each(table.begin() + 1, table.end(), print_line);
}

void add_nested_rows(const ProfilerHook::nested_summary_entry& entry, nanoseconds parent,
                     const std::string& indentation, std::vector<row>& table)
{
    table.push_back({indentation + entry.name, format(entry.elapsed), format_share(entry.elapsed, parent),
                     std::to_string(entry.count), format(average(entry.elapsed, entry.count))});
    auto children = entry.children;
    if (children.empty()) {
        return;
    }
    auto self = entry.elapsed;
    for (const auto& child : children) {
        self -= child.elapsed;
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const auto& a, const auto& b) { return a.elapsed > b.elapsed; });
    for (const auto& child : children) {
        add_nested_rows(child, entry.elapsed, indentation + "  ", table);
    }
    table.push_back({indentation + "  (self)", format(self), format_share(self, entry.elapsed),
                     std::to_string(entry.count), format(average(self, entry.count))});
}

}  // namespace

ProfilerHook::TableSummaryWriter::TableSummaryWriter() : TableSummaryWriter{std::cerr} {}

ProfilerHook::TableSummaryWriter::TableSummaryWriter(std::ostream& output, std::string header)
    : output_{output}, header_{std::move(header)}
{}

void ProfilerHook::TableSummaryWriter::write(const std::vector<summary_entry>& entries, nanoseconds overhead)
{
    auto sorted = entries;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.inclusive > b.inclusive; });
    std::vector<row> table{{"name", "total", "total (self)", "count", "average", "average (self)"}};
    for (const auto& entry : sorted) {
        table.push_back({entry.name, format(entry.inclusive), format(entry.exclusive), std::to_string(entry.count),
                         format(average(entry.inclusive, entry.count)), format(average(entry.exclusive, entry.count))});
    }
    output_ << header_ << "\nOverhead of the profiler: " << format(overhead) << '\n';
    print_table(output_, table);
}

void ProfilerHook::TableSummaryWriter::write_nested(const nested_summary_entry& root, nanoseconds overhead)
{
    std::vector<row> table{{"name", "total", "fraction", "count", "average"}};
    add_nested_rows(root, root.elapsed, "", table);
    output_ << header_ << "\nOverhead of the profiler: " << format(overhead) << '\n';
    print_table(output_, table);
}

}  // namespace spruce::log
