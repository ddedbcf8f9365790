// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#include "internal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#if SPRUCE_HIP_HOST_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if SPRUCE_HIP_HOST_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace hip_host {
namespace detail {

State state{};

namespace {

namespace context = boost::context;

constexpr lane_mask bit(unsigned lane) { return lane_mask{1} << lane; }

bool operator==(const Operation& a, const Operation& b)
{
    return a.kind == b.kind && a.members == b.members && a.width == b.width && a.size == b.size &&
           a.site.line == b.site.line && (a.site.file == b.site.file || std::strcmp(a.site.file, b.site.file) == 0);
}

std::string to_string(const uint3& i)
{
    return "(" + std::to_string(i.x) + ", " + std::to_string(i.y) + ", " + std::to_string(i.z) + ")";
}

std::string to_string(const Site& site)
{
    const auto* const slash = std::strrchr(site.file, '/');
    return (slash ? slash + 1 : site.file) + (":" + std::to_string(site.line));
}

std::string to_string(const Operation& op)
{
    static const char* const names[] = {"__syncthreads", "sync",   "shfl", "shfl_xor", "shfl_up",
                                        "shfl_down",     "ballot", "any",  "all"};
    std::string result = names[static_cast<unsigned>(op.kind)];
    if (op.width != 0) {
        result += " of width " + std::to_string(op.width);
    }
    if (op.kind != Kind::barrier) {
        char mask[24];
        std::snprintf(mask, sizeof(mask), "0x%llx", op.members & full_warp);
        result += std::string{" among lanes "} + mask;
    }
    return result + " (" + to_string(op.site) + ")";
}

bool is_shuffle(Kind kind) { return kind >= Kind::shfl && kind < Kind::ballot; }

/// Copies a shuffled value. The usual sizes are constants, for which no function is called.
void copy_value(void* to, const void* from, unsigned size)
{
    switch (size) {
    case 1:
        std::memcpy(to, from, 1);
        break;
    case 4:
        std::memcpy(to, from, 4);
        break;
    case 8:
        std::memcpy(to, from, 8);
        break;
    case 16:
        std::memcpy(to, from, 16);
        break;
    default:
        std::memcpy(to, from, size);
    }
}

/// Stops a kernel after a failure: it is thrown to unwind the kernel's stack.
struct Abort {};

/// Informs the thread sanitizer about the threads of a block: the running stack and the events for
/// which threads wait. Without the sanitizer, the functions do nothing.
namespace race {

constexpr bool is_checked = SPRUCE_HIP_HOST_TSAN != 0;

#if SPRUCE_HIP_HOST_TSAN
void* new_stack() { return __tsan_create_fiber(0); }
void* this_stack() { return __tsan_get_current_fiber(); }
void switch_to(void* stack) { __tsan_switch_to_fiber(stack, __tsan_switch_to_fiber_no_sync); }
/// Orders the operations before release(tag) before those after a later acquire(tag).
void release(void* tag) { __tsan_release(tag); }
void acquire(void* tag) { __tsan_acquire(tag); }

/// Hides the scheduler's own accesses from the sanitizer. Threads make them in turns.
struct ignored_scope {
    ignored_scope()
    {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
    ~ignored_scope()
    {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
    ignored_scope(const ignored_scope&) = delete;
    ignored_scope& operator=(const ignored_scope&) = delete;
};
#else
void* new_stack() { return nullptr; }
void* this_stack() { return nullptr; }
void switch_to(void*) {}
void release(void*) {}
void acquire(void*) {}

struct ignored_scope {
    ignored_scope() {}
};
#endif

/// Provides tags for consecutive rendezvous at one place, in turns. A thread that leaves one
/// rendezvous late does not acquire the tag of the next one.
struct Tags {
    void* now() { return &tags[number % num_tags]; }
    void next() { ++number; }

    static constexpr unsigned num_tags = 8;
    char tags[num_tags];
    unsigned number;
};

}  // namespace race

enum class Status : unsigned char { unstarted, running, waiting, exited };

struct Fibre;

/// Represents one GPU thread of the current block.
struct Thread {
    uint3 index;
    unsigned lane;
    unsigned warp;
    Status status;
    Fibre* fibre;
    // Polls since the last rendezvous, the address during a poll, and the thread of the same warp
    // that stored to it then:
    unsigned num_polls;
    const void* polled;
    const Thread* waker;
    // The rendezvous at which the thread waits:
    Operation operation;
    unsigned source;
    alignas(16) unsigned char value[16];
    alignas(16) unsigned char result[16];
};

/// Holds a stack that runs one GPU thread after another; `thread` is null while it is idle. The
/// host thread's own stack is also a fibre.
struct Fibre {
    context::fiber handle;  // continuation; empty while the fibre runs
    Thread* thread{};
    const void* stack_bottom{};
    std::size_t stack_size{};
    void* fake_stack{};  // ASan's
    void* race_stack{};
};

/// Holds the lanes that wait at one operation.
struct Group {
    Operation operation;
    lane_mask arrived;  // of a warp
    unsigned count;     // at a barrier
};

struct Warp {
    lane_mask live;  // not exited; includes those that have not started
    std::vector<Group> groups;
    race::Tags tags[64];  // of groups, by their lowest lane
};

enum class Order { forward, reverse, random };

/// Runs the threads of a block in fibres, which switch directly from one to the next.
///
/// A thread runs until it exits or waits. A fibre whose thread has exited runs the next thread.
/// Therefore a block whose threads never wait runs in one fibre without a single switch. If no
/// thread can continue, the waiting threads disagree: this is reported and all fibres are unwound.
/// Nothing is ever destroyed: fibres stay for the next launch.
class Scheduler {
public:
    Scheduler()
    {
        const auto* const schedule = std::getenv("SPRUCE_HIP_HOST_SCHEDULE");
        if (schedule == nullptr || !set_schedule(schedule)) {
            set_schedule("forward");
        }
    }

    bool set_schedule(const char* schedule)
    {
        const std::string s{schedule};
        if (s == "forward" || s == "reverse") {
            order_ = s == "forward" ? Order::forward : Order::reverse;
        } else if (s == "random" || s.compare(0, 7, "random:") == 0) {
            order_ = Order::random;
            random_.seed(s.size() > 7 ? std::strtoul(s.c_str() + 7, nullptr, 10) : 1);
        } else {
            return false;
        }
        schedule_ = s;
        return true;
    }

    std::string run_grid(const Launch& launch, const std::function<void()>& body)
    {
        body_ = &body;
        failure_.clear();
        failed_ = false;
        uncaught_at_launch_ = std::uncaught_exceptions();
        main_.race_stack = race::this_stack();
        state.block_dim = launch.block;
        state.grid_dim = launch.grid;
        create_threads(launch.block);
        void* shared = nullptr;
        if (launch.shared_bytes > 0 && posix_memalign(&shared, 256, launch.shared_bytes) != 0) {
            return "out of host memory for dynamic shared memory";
        }
        state.dynamic_shared = shared;
        auto& block = state.block_idx;
        for (block.z = 0; block.z < launch.grid.z && !failed_; ++block.z) {
            for (block.y = 0; block.y < launch.grid.y && !failed_; ++block.y) {
                for (block.x = 0; block.x < launch.grid.x && !failed_; ++block.x) {
                    if (shared != nullptr) {
                        std::memset(shared, uninitialized_byte, launch.shared_bytes);
                    }
                    begin_block_shared(launch.shared_bytes);
                    run_block();
                }
            }
        }
        state.dynamic_shared = nullptr;
        std::free(shared);
        return failed_ ? kernel_name(launch) + failure_ : std::string{};
    }

    bool in_kernel() const { return current_ != &main_; }
    std::size_t get_num_shuffles() const { return num_shuffles_; }

    lane_mask live_lanes() { return warps_[self().warp].live; }

    void exchange(const Operation& operation, const void* value, unsigned source, void* result)
    {
        if (failed_) {
            if (std::uncaught_exceptions() > uncaught_at_launch_) {
                return;  // called by a destructor while the kernel is unwound
            }
            throw Abort{};
        }
        const race::ignored_scope ignored;
        auto& thread = self();
        void* const tag = tag_of(thread, operation);
        if (tag != nullptr) {
            race::release(tag);
        }
        thread.num_polls = 0;
        thread.waker = nullptr;
        thread.operation = operation;
        thread.source = source;
        thread.status = Status::waiting;
        if (operation.size > 0) {
            copy_value(thread.value, value, operation.size);
        }
        if (operation.kind == Kind::barrier) {
            auto& group = find_group(barriers_, operation);
            if (++group.count == num_live_) {
                complete_barrier(group);
            }
        } else {
            auto& warp = warps_[thread.warp];
            if (source >= static_cast<unsigned>(warpSize) || !(operation.members & bit(thread.lane))) {
                hip_host::fail(
                    ("names no lane of the warp, or calling lane is no member: " + to_string(operation)).c_str());
            }
            auto& group = find_group(warp.groups, operation);
            group.arrived |= bit(thread.lane);
            if (is_complete(warp, group)) {
                complete(warp, group);
            }
        }
        wait();
        if (tag != nullptr) {
            race::acquire(tag);
        }
        if (operation.kind >= Kind::ballot) {
            std::memcpy(result, thread.result, sizeof(lane_mask));
        } else if (operation.kind >= Kind::shfl) {
            copy_value(result, thread.result, operation.size);
        }
    }

    void yield()
    {
        if (failed_ || !in_kernel()) {
            return;
        }
        check_progress();
        push_ready(self());
        prefer_start_ = true;  // what it waits for may be the work of a thread that has not started
        wait();
    }

    void poll(const void* address, const Site& site)
    {
        if (failed_ || !in_kernel()) {
            return;
        }
        // A warp that reads a long row before its next store lets the others poll many times.
        constexpr unsigned long max_polls = 4'000'000;
        auto& thread = self();
        if (++num_polls_ > max_polls) {
            fail("polls, and no thread of the block stores: " + to_string(site));
        }
        ++thread.num_polls;
        thread.polled = address;
        ++num_polling_;
        push_ready(thread);
        prefer_start_ = true;
        wait();
        --num_polling_;
        thread.polled = nullptr;
    }

    void stored(const void* address)
    {
        if (failed_ || !in_kernel()) {
            return;
        }
        num_polls_ = 0;
        yields_ = 0;
        const auto& thread = self();
        require_no_wait_in_branch(thread);
        if (num_polling_ == 0) {
            return;
        }
        const auto first = thread.warp * static_cast<std::size_t>(warpSize);
        const auto end = std::min(first + warpSize, threads_.size());
        for (auto i = first; i < end; ++i) {
            auto& other = threads_[i];
            if (other.polled == address) {
                other.waker = &thread;
                if (other.num_polls > 1) {
                    require_no_wait_in_branch(other);
                }
            }
        }
    }

    [[noreturn]] void fail(const std::string& message)
    {
        report("thread " + to_string(self().index) + " " + message);
        throw Abort{};
    }

private:
    Thread& self()
    {
        if (!in_kernel()) {
            throw std::logic_error{"a device function was called outside of a kernel"};
        }
        return *current_->thread;
    }

    /// Reports a thread that was woken by a lane of its own warp and continues without meeting it.
    void require_no_wait_in_branch(const Thread& thread)
    {
        if (thread.waker != nullptr) {
            report("thread " + to_string(thread.index) + " polls in a branch for a value that thread " +
                   to_string(thread.waker->index) +
                   " of its own warp stores; lanes that wait for each other have to meet between polls");
            throw Abort{};
        }
    }

    /// Returns the tag of an operation, or null. Barriers of blocks and warps order memory
    /// accesses; shuffles and votes do not.
    void* tag_of(const Thread& thread, const Operation& operation)
    {
        if (operation.kind == Kind::barrier) {
            return barrier_tags_.now();
        }
        return operation.kind == Kind::sync ? tags_of(warps_[thread.warp], operation).now() : nullptr;
    }
    static race::Tags& tags_of(Warp& warp, const Operation& operation)
    {
        return warp.tags[__builtin_ctzll(operation.members)];
    }

    void create_threads(const dim3& block)
    {
        threads_.resize(block.x * block.y * block.z);
        starting_order_.resize(threads_.size());
        uint3 index{0, 0, 0};
        for (unsigned i = 0; i < threads_.size(); ++i) {
            threads_[i].index = index;
            threads_[i].lane = i % warpSize;
            threads_[i].warp = i / warpSize;
            starting_order_[i] = order_ == Order::reverse ? static_cast<unsigned>(threads_.size()) - 1 - i : i;
            if (++index.x == block.x) {
                index.x = 0;
                if (++index.y == block.y) {
                    index.y = 0;
                    ++index.z;
                }
            }
        }
        warps_.resize((threads_.size() + warpSize - 1) / warpSize);
        // A new stack inherits the history of the thread that creates it. Therefore the host thread
        // creates all stacks.
        while (race::is_checked && fibres_.size() < threads_.size()) {
            idle_.push_back(&new_fibre());
        }
    }

    void run_block()
    {
        ++state.block_serial;
        if (order_ == Order::random) {
            std::shuffle(starting_order_.begin(), starting_order_.end(), random_);
        }
        num_live_ = static_cast<unsigned>(threads_.size());
        num_started_ = 0;
        first_ready_ = 0;
        num_ready_ = 0;
        yields_ = 0;
        num_polls_ = 0;
        num_polling_ = 0;
        for (auto& thread : threads_) {
            thread.status = Status::unstarted;
            thread.num_polls = 0;
            thread.polled = nullptr;
            thread.waker = nullptr;
        }
        for (std::size_t w = 0; w < warps_.size(); ++w) {
            warps_[w].live = full_warp;
            warps_[w].groups.clear();
        }
        if (const auto rest = threads_.size() % warpSize) {
            warps_.back().live = bit(static_cast<unsigned>(rest)) - 1;
        }
        barriers_.clear();

        race::release(&begin_tag_);
        switch_to(next(nullptr));

        if (failed_) {
            for (auto& fibre : fibres_) {
                if (fibre->thread != nullptr) {
                    switch_to(*fibre);  // wait() in that fibre throws
                }
            }
        }
        race::acquire(&end_tag_);
        idle_.insert(idle_.end(), used_.begin(), used_.end());
        used_.clear();
    }

    // ---- switching

    void switch_to(Fibre& target)
    {
        auto& from = *current_;
        previous_ = &from;
        current_ = &target;
#if SPRUCE_HIP_HOST_ASAN
        __sanitizer_start_switch_fiber(&from.fake_stack, target.stack_bottom, target.stack_size);
#endif
        race::switch_to(target.race_stack);
        arrive(from, std::move(target.handle).resume());
    }

    /// Begins the execution of `fibre` after a switch: it stores the continuation of the previous
    /// fibre.
    void arrive(Fibre& fibre, context::fiber&& came_from)
    {
#if SPRUCE_HIP_HOST_ASAN
        // This call also returns the bounds of the previous stack. Those of the host thread's stack
        // are known only from here.
        __sanitizer_finish_switch_fiber(fibre.fake_stack, &previous_->stack_bottom, &previous_->stack_size);
#endif
        previous_->handle = std::move(came_from);
        if (fibre.thread != nullptr) {
            enter(*fibre.thread);
        }
    }

    void enter(const Thread& thread)
    {
        state.thread_idx = thread.index;
        state.lane = thread.lane;
        state.warp = thread.warp;
    }

    Fibre& idle_fibre()
    {
        if (idle_.empty()) {
            return new_fibre();
        }
        auto& fibre = *idle_.back();
        idle_.pop_back();
        return fibre;
    }

    Fibre& new_fibre()
    {
        fibres_.push_back(std::make_unique<Fibre>());
        auto* const fibre = fibres_.back().get();
        // Unoptimised and instrumented code needs much stack. Pages that are never touched cost
        // nothing.
        context::protected_fixedsize_stack allocator{SPRUCE_HIP_HOST_ASAN ? 512 * 1024 : 128 * 1024};
        const auto stack = allocator.allocate();
        // Stacks that start at equal offsets within a page would compete for the same cache lines.
        const auto colour = fibres_.size() % 32 * 128;
        auto* const top = static_cast<char*>(stack.sp) - colour;
        const auto size = stack.size - colour;
        fibre->race_stack = race::new_stack();
        fibre->stack_bottom = top - size;
        fibre->stack_size = size;
        fibre->handle = context::fiber{std::allocator_arg, context::preallocated{top, size, stack}, allocator,
                                       [this, fibre](context::fiber&& came_from) {
                                           arrive(*fibre, std::move(came_from));
                                           work(*fibre);
                                           return context::fiber{};
                                       }};
        return *fibre;
    }

    /// Runs GPU threads one after another in a fibre.
    void work(Fibre& fibre)
    {
        for (;;) {
            run(*fibre.thread);
            const race::ignored_scope ignored;
            fibre.thread = nullptr;
            // The race detector identifies threads by their stacks. Each thread has its own stack,
            // and the next block reuses them.
            auto& target = next(race::is_checked ? nullptr : &fibre);
            if (&target == &fibre) {
                enter(*fibre.thread);
            } else {
                (race::is_checked ? used_ : idle_).push_back(&fibre);
                switch_to(target);
            }
        }
    }

    void run(Thread& thread)
    {
        thread.status = Status::running;
        race::acquire(&begin_tag_);
        try {
            (*body_)();
            require_no_wait_in_branch(thread);
        } catch (const Abort&) {
        } catch (const std::exception& error) {
            report("thread " + to_string(thread.index) + " let an exception escape: " + error.what());
        } catch (...) {
            report("thread " + to_string(thread.index) + " let an exception escape");
        }
        race::release(&end_tag_);
        const race::ignored_scope ignored;
        thread.status = Status::exited;
        yields_ = 0;
        num_polls_ = 0;
        --num_live_;
        auto& warp = warps_[thread.warp];
        warp.live &= ~bit(thread.lane);
        // Groups and barriers do not wait for exited lanes.
        for (std::size_t i = 0; i < warp.groups.size() && !failed_;) {
            if (is_complete(warp, warp.groups[i])) {
                complete(warp, warp.groups[i]);
            } else {
                ++i;
            }
        }
        if (!barriers_.empty() && barriers_.front().count == num_live_ && !failed_) {
            complete_barrier(barriers_.front());
        }
    }

    /// Returns the fibre that runs next. It is a thread that can continue, or else a thread that
    /// has not started (in `idle`, if given). It is the host thread if the block is done or has
    /// failed.
    Fibre& next(Fibre* idle)
    {
        const bool prefer_start = std::exchange(prefer_start_, false);
        if (failed_) {
            return main_;
        }
        const bool can_start = num_started_ < threads_.size();
        const bool random = order_ == Order::random;
        if (num_ready_ > 0 && !(can_start && (prefer_start || (random && random_() % 2 == 0)))) {
            if (random) {
                std::swap(ready_[first_ready_], ready_[(first_ready_ + random_() % num_ready_) % max_block_size]);
            }
            auto& thread = *ready_[first_ready_];
            first_ready_ = (first_ready_ + 1) % max_block_size;
            --num_ready_;
            return *thread.fibre;
        }
        if (can_start) {
            auto& fibre = idle != nullptr ? *idle : idle_fibre();
            auto& thread = threads_[starting_order_[num_started_++]];
            yields_ = 0;
            num_polls_ = 0;
            thread.fibre = &fibre;
            fibre.thread = &thread;
            return fibre;
        }
        if (num_live_ > 0) {
            report_deadlock();
        }
        return main_;
    }

    /// Runs other threads until this thread is ready again.
    void wait()
    {
        auto& target = next(nullptr);
        if (&target != current_) {
            switch_to(target);
        }
        if (failed_) {
            throw Abort{};
        }
        self().status = Status::running;
    }

    void push_ready(Thread& thread)
    {
        thread.status = Status::running;
        ready_[(first_ready_ + num_ready_++) % max_block_size] = &thread;
    }

    // ---- rendezvous

    static Group& find_group(std::vector<Group>& groups, const Operation& operation)
    {
        for (auto& group : groups) {
            if (group.operation == operation) {
                return group;
            }
        }
        groups.push_back({operation, 0, 0});
        return groups.back();
    }

    static bool is_complete(const Warp& warp, const Group& group)
    {
        return (group.operation.members & warp.live & ~group.arrived) == 0;
    }

    /// Computes the results of all members, makes the members ready, and removes the group.
    void complete(Warp& warp, Group& group)
    {
        auto* const lanes = &threads_[(&warp - warps_.data()) * static_cast<std::size_t>(warpSize)];
        const auto& operation = group.operation;
        num_shuffles_ += is_shuffle(operation.kind) ? 1 : 0;
        lane_mask votes{};
        if (operation.kind >= Kind::ballot) {
            for (auto rest = group.arrived; rest != 0; rest &= rest - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
                votes |= lanes[lane].value[0] ? bit(lane) : 0;
            }
        }
        for (auto rest = group.arrived; rest != 0;) {
            const auto lane =
                static_cast<unsigned>(order_ == Order::reverse ? 63 - __builtin_clzll(rest) : __builtin_ctzll(rest));
            rest &= ~bit(lane);
            auto& thread = lanes[lane];
            if (operation.kind >= Kind::ballot) {
                std::memcpy(thread.result, &votes, sizeof(votes));
            } else if (operation.kind >= Kind::shfl) {
                if ((group.arrived & bit(thread.source)) == 0) {
                    report("thread " + to_string(thread.index) + " reads lane " + std::to_string(thread.source) +
                           ", which " + (operation.members & bit(thread.source) ? "has exited" : "is no member") +
                           ", by " + to_string(operation));
                    return;
                }
                std::memcpy(thread.result, lanes[thread.source].value, sizeof(thread.result));
            }
            push_ready(thread);
        }
        tags_of(warp, operation).next();
        std::swap(group, warp.groups.back());
        warp.groups.pop_back();
    }

    void complete_barrier(Group& group)
    {
        for (const auto i : starting_order_) {
            if (threads_[i].status == Status::waiting) {
                push_ready(threads_[i]);
            }
        }
        yields_ = 0;
        barrier_tags_.next();
        std::swap(group, barriers_.back());
        barriers_.pop_back();
    }

    // ---- failures

    void report(const std::string& message)
    {
        if (failed_) {
            return;
        }
        failed_ = true;
        failure_ = ", block " + to_string(state.block_idx) + ": " + message;
        if (order_ != Order::forward) {
            failure_ += "; schedule " + schedule_;
        }
    }

    void report_deadlock()
    {
        std::string message = "threads wait for each other and none can go on: ";
        std::vector<Operation> seen;
        for (const auto& thread : threads_) {
            const auto& operation = thread.operation;
            if (thread.status != Status::waiting ||
                std::any_of(seen.begin(), seen.end(), [&](const auto& o) { return o == operation; })) {
                continue;
            }
            seen.push_back(operation);
            if (seen.size() > 6) {
                message += "others elsewhere; ";
                break;
            }
            std::string who;
            unsigned count = 0;
            for (const auto& other : threads_) {
                if (other.status == Status::waiting && other.operation == operation && ++count <= 3) {
                    who += (count > 1 ? " " : "") + to_string(other.index);
                }
            }
            if (count > 3) {
                who += " and " + std::to_string(count - 3) + " more";
            }
            message += (count > 1 ? "threads " : "thread ") + who + " at " + to_string(operation) + "; ";
        }
        message += std::to_string(threads_.size() - num_live_) + " of " + std::to_string(threads_.size()) +
                   " threads have exited";
        report(message);
    }

    /// Stops a thread that spins without progress, so that it does not hang the tests.
    void check_progress()
    {
        constexpr unsigned long limit = 20'000'000;  // bounds the time of a hanging test
        if (++yields_ > limit) {
            fail("and others spin without progress");
        }
    }

    Order order_{};
    std::string schedule_;
    std::minstd_rand random_;

    const std::function<void()>* body_{};
    bool failed_{};
    int uncaught_at_launch_{};
    std::string failure_;

    std::vector<Thread> threads_;
    std::vector<unsigned> starting_order_;
    std::vector<Warp> warps_;
    std::vector<Group> barriers_;
    unsigned num_live_{};
    unsigned num_started_{};
    unsigned long yields_{};      // since something happened; not counted: meetings of warps
    unsigned long num_polls_{};   // since a store
    unsigned num_polling_{};      // threads in poll()
    std::size_t num_shuffles_{};  // of all kernels
    bool prefer_start_{};
    Thread* ready_[max_block_size]{};  // ring: a thread is in it at most once
    unsigned first_ready_{};
    unsigned num_ready_{};
    char begin_tag_{};  // of blocks
    char end_tag_{};
    race::Tags barrier_tags_{};

    std::vector<std::unique_ptr<Fibre>> fibres_;
    std::vector<Fibre*> idle_;
    std::vector<Fibre*> used_;  // by threads of this block; not to be used by other threads
    Fibre main_;
    Fibre* current_{&main_};
    Fibre* previous_{};
};

/// Returns the scheduler. It is never destroyed: fibres stay suspended forever, and static objects
/// of users may still launch kernels at exit.
Scheduler& scheduler()
{
    static auto& instance = *new Scheduler;
    return instance;
}

}  // namespace

std::string run_grid(const Launch& launch, const std::function<void()>& body)
{
    return scheduler().run_grid(launch, body);
}

std::size_t num_shuffles() { return scheduler().get_num_shuffles(); }

bool in_kernel() { return scheduler().in_kernel(); }

void exchange(const Operation& operation, const void* value, unsigned source, void* result)
{
    scheduler().exchange(operation, value, source, result);
}

lane_mask live_lanes() { return scheduler().live_lanes(); }

}  // namespace detail

void fail(const char* message) { detail::scheduler().fail(message); }

void yield() { detail::scheduler().yield(); }

void poll(const void* address, Site at) { detail::scheduler().poll(address, at); }

void stored(const void* address) { detail::scheduler().stored(address); }

bool set_schedule(const char* schedule)
{
    const std::lock_guard<std::recursive_mutex> lock{detail::platform_mutex()};
    return detail::scheduler().set_schedule(schedule);
}

}  // namespace hip_host
