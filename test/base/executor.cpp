// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/executor.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>

#include "core/base/build_config.hpp"
#include "core/base/topology.hpp"
#include "test/utils/fixture.hpp"

// An application defines a kernel for each backend in the namespaces of SPRUCE_REGISTER_OPERATION.
// The kernel writes value + offset to executor memory and returns the backend that ran.
namespace spruce::kernels {

template <typename ExecutorType>
void write_sum(const ExecutorType& exec, int value, const int& offset, int* result)
{
    const auto sum = value + offset;
    exec.copy_from(exec.get_master(), 1, &sum, result);
}

namespace reference::own {
void add(std::shared_ptr<const ReferenceExecutor> exec, int value, const int& offset, int* result, std::string& ran)
{
    ran = "reference";
    write_sum(*exec, value, offset, result);
}
}  // namespace reference::own
namespace omp::own {
void add(std::shared_ptr<const OmpExecutor> exec, int value, const int& offset, int* result, std::string& ran)
{
    ran = "omp";
    write_sum(*exec, value, offset, result);
}
}  // namespace omp::own
namespace cuda::own {
void add(std::shared_ptr<const CudaExecutor> exec, int value, const int& offset, int* result, std::string& ran)
{
    ran = "cuda";
    write_sum(*exec, value, offset, result);
}
}  // namespace cuda::own
namespace hip::own {
void add(std::shared_ptr<const HipExecutor> exec, int value, const int& offset, int* result, std::string& ran)
{
    ran = "hip";
    write_sum(*exec, value, offset, result);
}
}  // namespace hip::own
}  // namespace spruce::kernels

namespace {

using namespace spruce::test;
using spruce::backend;
using spruce::size_type;

class Executor : public ::testing::Test {
protected:
    static constexpr auto terabyte = size_type{1} << 40;

    std::shared_ptr<spruce::Executor> ref{spruce::ReferenceExecutor::create()};
    std::shared_ptr<spruce::Executor> exec{test_executor()};
};

TEST_F(Executor, IsOfTheKindThatWasAskedFor)
{
    const auto is_reference = dynamic_cast<spruce::ReferenceExecutor*>(exec.get()) != nullptr;
    const auto is_omp = dynamic_cast<spruce::OmpExecutor*>(exec.get()) != nullptr;

    EXPECT_EQ(is_reference, exec->get_backend() == backend::reference);
    EXPECT_EQ(is_omp, is_reference || exec->get_backend() == backend::omp);  // reference derives from omp
    EXPECT_EQ(dynamic_cast<spruce::CudaExecutor*>(exec.get()) != nullptr, exec->get_backend() == backend::cuda);
    EXPECT_EQ(dynamic_cast<spruce::HipExecutor*>(exec.get()) != nullptr, exec->get_backend() == backend::hip);
    EXPECT_NE(exec->get_description(), "");
}

TEST_F(Executor, HasAMasterOnTheHost)
{
    EXPECT_EQ(ref->get_master(), ref);
    if (is_device(*exec)) {
        EXPECT_FALSE(is_device(*exec->get_master()));
    } else {
        EXPECT_EQ(exec->get_master(), exec);
    }
    EXPECT_EQ(
        std::shared_ptr<const spruce::Executor> { exec } -> get_master(), exec->get_master());
}

TEST_F(Executor, CopiesToAndFromTheHost)
{
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 0);
    std::vector<int> back(1000, -1);
    const auto first = exec->alloc<int>(1000);
    const auto second = exec->alloc<int>(1000);

    exec->copy_from(ref, 1000, values.data(), first);
    exec->copy(1000, first, second);
    EXPECT_EQ(exec->copy_val_to_host(second + 77), 77);
    ref->copy_from(exec, 1000, second, back.data());

    EXPECT_EQ(back, values);
    exec->free(first);
    exec->free(second);
}

TEST_F(Executor, CopiesBetweenAnyTwoExecutors)
{
    const std::vector<double> values{1.5, -2.5, 3.5};
    for (const auto& from : all_executors()) {
        for (const auto& to : all_executors()) {
            SCOPED_TRACE(from->get_description() + " to " + to->get_description());
            const auto source = from->alloc<double>(3);
            const auto target = to->alloc<double>(3);
            std::vector<double> result(3);

            from->copy_from(ref, 3, values.data(), source);
            to->copy_from(from, 3, source, target);
            ref->copy_from(to, 3, target, result.data());

            EXPECT_EQ(result, values);
            from->free(source);
            to->free(target);
        }
    }
}

TEST_F(Executor, AllocatesNothingForNothing)
{
    const auto before = exec->get_counters();

    EXPECT_EQ(exec->alloc<double>(0), nullptr);
    exec->free(nullptr);
    exec->copy<double>(0, nullptr, nullptr);

    const auto did = exec->get_counters() - before;
    EXPECT_EQ(did.allocations, 0u);
    EXPECT_EQ(did.frees, 0u);
    EXPECT_EQ(did.copies, 0u);
}

TEST_F(Executor, SaysWhenMemoryRunsOutAndGoesOn)
{
    // Some systems overcommit host memory. This size exceeds the address space.
    const auto too_much = is_device(*exec) ? terabyte : 1024 * terabyte;
    EXPECT_THROW(exec->alloc<char>(too_much), spruce::AllocationError);

    const auto ptr = exec->alloc<char>(100);
    EXPECT_NE(ptr, nullptr);
    exec->free(ptr);
}

TEST_F(Executor, OnTheHostNeedsAnAllocator)
{
    EXPECT_THROW_WITH(spruce::OmpExecutor::create(nullptr), spruce::NotSupported, "the allocator");
    EXPECT_THROW_WITH(spruce::ReferenceExecutor::create(nullptr), spruce::NotSupported, "the allocator");
}

TEST_F(Executor, SaysWhenANumberOfBytesOverflows)
{
    EXPECT_THROW(exec->alloc<double>(static_cast<size_type>(-1) / 4), spruce::OverflowError);
}

TEST_F(Executor, CountsWhatItDoes)
{
    const auto before = exec->get_counters();

    const auto ptr = exec->alloc<double>(100);
    const double value = 1;
    exec->copy_from(ref, 1, &value, ptr);
    exec->copy(1, ptr, ptr + 1);
    exec->free(ptr);
    exec->run(
        "nothing", [] {}, [] {}, [] {}, [] {}, [] {});

    const auto did = exec->get_counters() - before;
    EXPECT_EQ(did.allocations, 1u);
    EXPECT_EQ(did.allocated_bytes, 800u);
    EXPECT_EQ(did.frees, 1u);
    EXPECT_EQ(did.copies, 2u);
    EXPECT_EQ(did.copied_bytes, 16u);
    EXPECT_EQ(did.kernels, 1u);
}

TEST_F(Executor, CountsLaunchesOnDevicesOnly)
{
    const auto x = spruce::matrix::Dense<double>::create(exec, spruce::dim<2>{10, 1});
    const auto before = exec->get_counters();

    x->fill(1.0);

    const auto did = exec->get_counters() - before;
    EXPECT_EQ(did.kernels, 1u);
    EXPECT_EQ(did.launches, is_device(*exec) ? 1u : 0u);
    EXPECT_EQ(did.waits, 0u);
    exec->synchronize();
    EXPECT_EQ((exec->get_counters() - before).waits, is_device(*exec) ? 1u : 0u);
}

TEST_F(Executor, KnowsWhoseMemoryItCanUse)
{
    const std::shared_ptr<spruce::Executor> omp = spruce::OmpExecutor::create();

    EXPECT_TRUE(exec->memory_accessible(exec));
    EXPECT_TRUE(exec->memory_accessible(test_executor()));
    EXPECT_TRUE(exec->is_equivalent_to(test_executor().get()));
    EXPECT_FALSE(exec->memory_accessible(nullptr));
    EXPECT_FALSE(exec->is_equivalent_to(nullptr));
    EXPECT_FALSE(ref->memory_accessible(omp));
    EXPECT_FALSE(omp->memory_accessible(ref));
    if (is_device(*exec)) {
        EXPECT_FALSE(exec->memory_accessible(ref));
        EXPECT_FALSE(ref->memory_accessible(exec));
    }
}

TEST_F(Executor, RunsTheClosureForItsKind)
{
    std::string ran;
    exec->run(
        "mine", [&] { ran = "reference"; }, [&] { ran = "omp"; }, [&] { ran = "cuda"; }, [&] { ran = "hip"; }, [] {});
    EXPECT_EQ(ran, to_string(exec->get_backend()));

    exec->run([&] { ran = "omp, old"; }, [&] { ran = "cuda, old"; }, [&] { ran = "hip, old"; }, [] {});
    const std::string kind = exec->get_backend() == backend::reference ? "omp" : to_string(exec->get_backend());
    EXPECT_EQ(ran, kind + ", old");
}

struct OnlyOmp : spruce::Operation {
    void run(std::shared_ptr<const spruce::OmpExecutor>) const override { ++num_runs; }
    using Operation::run;
    mutable int num_runs{};
};

struct Everywhere : spruce::Operation {
    void run(std::shared_ptr<const spruce::OmpExecutor>) const override { ran_on = backend::omp; }
    void run(std::shared_ptr<const spruce::ReferenceExecutor>) const override { ran_on = backend::reference; }
    void run(std::shared_ptr<const spruce::CudaExecutor>) const override { ran_on = backend::cuda; }
    void run(std::shared_ptr<const spruce::HipExecutor>) const override { ran_on = backend::hip; }
    const char* get_name() const noexcept override { return "everywhere"; }
    mutable backend ran_on{};
};

TEST_F(Executor, RunsTheFormOfAnOperationForItsKind)
{
    const Everywhere operation;

    exec->run(operation);

    EXPECT_EQ(operation.ran_on, exec->get_backend());
}

TEST_F(Executor, FallsBackToOmpOnReferenceAndSaysWhatIsMissingElsewhere)
{
    const OnlyOmp operation;

    if (is_device(*exec)) {
        EXPECT_THROW_WITH(exec->run(operation), spruce::NotImplemented, "OnlyOmp");
        EXPECT_EQ(operation.num_runs, 0);
    } else {
        exec->run(operation);
        EXPECT_EQ(operation.num_runs, 1);
    }
    EXPECT_NE(std::string(operation.get_name()).find("OnlyOmp"), std::string::npos);
}

SPRUCE_REGISTER_OPERATION(addition, own::add);

void count(const std::string& what, int& counter) { counter += what.empty() ? 0 : 1; }
SPRUCE_REGISTER_HOST_OPERATION(counting, count);

TEST_F(Executor, RunsTheRegisteredKernelForItsKind)
{
    spruce::array<int> target{exec, 1};
    auto offset = 3;
    std::string ran;
    const auto operation = make_addition(4, offset, target.get_data(), ran);

    exec->run(operation);
    EXPECT_EQ(ran, to_string(exec->get_backend()));
    EXPECT_EQ(target.copy_to_host(), (std::vector<int>{7}));
    EXPECT_STREQ(operation.get_name(), "own::add");

    offset = 5;  // passed by reference; 4 was copied
    exec->run(operation);
    EXPECT_EQ(target.copy_to_host(), (std::vector<int>{9}));
}

TEST_F(Executor, RunsARegisteredHostFunctionOnEveryKind)
{
    auto counter = 0;

    exec->run(make_counting("something", counter));
    exec->run(make_counting(std::string(), counter));

    EXPECT_EQ(counter, 1);
    EXPECT_STREQ(make_counting("", counter).get_name(), "count");
}

struct event_log : spruce::log::Logger {
    void on_operation_launched(const spruce::Executor*, const spruce::Operation* op) const override
    {
        text += std::string("launched ") + op->get_name() + "; ";
    }
    void on_operation_completed(const spruce::Executor*, const spruce::Operation* op) const override
    {
        text += std::string("completed ") + op->get_name() + "; ";
    }
    void on_allocation_started(const spruce::Executor*, const size_type& bytes) const override
    {
        text += "allocate " + std::to_string(bytes) + "; ";
    }
    void on_allocation_completed(const spruce::Executor*, const size_type&, const spruce::uintptr& at) const override
    {
        text += "allocated; ";
        location = at;
    }
    void on_free_started(const spruce::Executor*, const spruce::uintptr& at) const override
    {
        text += at == location ? "free; " : "free something else; ";
    }
    void on_free_completed(const spruce::Executor*, const spruce::uintptr&) const override { text += "freed; "; }
    void on_copy_started(const spruce::Executor*, const spruce::Executor*, const spruce::uintptr&,
                         const spruce::uintptr&, const size_type& bytes) const override
    {
        text += "copy " + std::to_string(bytes) + "; ";
    }
    void on_copy_completed(const spruce::Executor*, const spruce::Executor*, const spruce::uintptr&,
                           const spruce::uintptr&, const size_type&) const override
    {
        text += "copied; ";
    }
    mutable std::string text;
    mutable spruce::uintptr location{};
};

TEST_F(Executor, TellsItsLoggersWhatHappens)
{
    const auto log = std::make_shared<event_log>();
    exec->add_logger(log);

    exec->run(Everywhere{});
    const auto ptr = exec->alloc<int>(2);
    exec->copy(1, ptr, ptr + 1);
    exec->free(ptr);

    EXPECT_EQ(log->text,
              "launched everywhere; completed everywhere; allocate 8; allocated; copy 4; copied; free; freed; ");
    exec->remove_logger(log);
    log->text.clear();
    exec->run(Everywhere{});
    EXPECT_EQ(log->text, "");
    EXPECT_THROW(exec->remove_logger(log), spruce::OutOfBoundsError);
}

TEST_F(Executor, TellsItsLoggersTheNamesOfRegisteredOperations)
{
    const auto log = std::make_shared<event_log>();
    spruce::array<int> result{exec, 1};
    std::string ran;
    auto counter = 0;
    exec->add_logger(log);

    exec->run(make_counting("something", counter));
    exec->run(make_addition(4, 3, result.get_data(), ran));

    EXPECT_EQ(log->text, "launched count; completed count; launched own::add; copy 4; copied; completed own::add; ");
    exec->clear_loggers();
}

TEST_F(Executor, TellsBothSidesOfACopy)
{
    const auto from = spruce::ReferenceExecutor::create();
    const auto log = std::make_shared<event_log>();
    const auto from_log = std::make_shared<event_log>();
    exec->add_logger(log);
    from->add_logger(from_log);
    const int value = 3;
    const auto ptr = exec->alloc<int>(1);
    log->text.clear();

    exec->copy_from(from, 1, &value, ptr);

    EXPECT_EQ(log->text, "copy 4; copied; ");
    EXPECT_EQ(from_log->text, "copy 4; copied; ");
    exec->clear_loggers();
    exec->free(ptr);
}

TEST_F(Executor, FinishesAnOperationThatThrows)
{
    const auto log = std::make_shared<event_log>();
    exec->add_logger(log);
    const auto fail = [] { throw std::runtime_error("on purpose"); };

    EXPECT_THROW(exec->run("failing", fail, fail, fail, fail, [] {}), std::runtime_error);

    EXPECT_EQ(log->text, "launched failing; completed failing; ");
    exec->clear_loggers();
}

TEST_F(Executor, OutlivesNothingThatNeedsIt)
{
    std::weak_ptr<spruce::Executor> watch;
    {
        auto mine = test_executor();
        watch = mine;
        auto x = spruce::matrix::Dense<double>::create(mine, spruce::dim<2>{3, 1});
        mine.reset();
        x->fill(1.0);
        EXPECT_FALSE(watch.expired());
        EXPECT_EQ(x->get_executor()->copy_val_to_host(x->get_const_values()), 1.0);
    }
    EXPECT_TRUE(watch.expired());
}

TEST_F(Executor, ExecutorDeleterFreesThroughTheExecutor)
{
    const auto before = exec->get_counters();
    {
        std::unique_ptr<int[], spruce::executor_deleter<int[]>> ptr(exec->alloc<int>(3),
                                                                    spruce::executor_deleter<int[]>(exec));
    }
    EXPECT_EQ((exec->get_counters() - before).frees, 1u);
}

TEST_F(Executor, GivesPropertiesOfItsDevice)
{
    const auto gpu = dynamic_cast<const spruce::detail::GpuExecutor*>(exec.get());
    if (!gpu) {
        return;
    }
    EXPECT_EQ(gpu->get_device_id(), 0);
    EXPECT_TRUE(gpu->get_warp_size() == 32 || gpu->get_warp_size() == 64);
    if (const auto asked = std::getenv("SPRUCE_HIP_WARP_SIZE"); asked && exec->get_backend() == backend::hip) {
        EXPECT_EQ(std::to_string(gpu->get_warp_size()), asked);
    }
    EXPECT_GT(gpu->get_num_multiprocessor(), 0);
    EXPECT_GT(gpu->get_num_warps_per_sm(), 0);
    EXPECT_EQ(gpu->get_num_warps(), gpu->get_num_warps_per_sm() * gpu->get_num_multiprocessor());
    EXPECT_GT(gpu->get_gpu_properties().shared_memory_per_block, 16000);
    EXPECT_GE(gpu->get_closest_numa(), -1);
    EXPECT_TRUE(gpu->get_closest_numa() >= 0 || gpu->get_closest_pus().empty());
}

TEST(Topology, UnderstandsListsOfProcessingUnits)
{
    using spruce::detail::parse_cpu_list;
    using list = std::vector<int>;

    EXPECT_EQ(parse_cpu_list("0-2,8,10-11\n"), (list{0, 1, 2, 8, 10, 11}));
    EXPECT_EQ(parse_cpu_list("7"), (list{7}));
    for (const auto empty : {"", "\n", "none", "-1", "3000000000", "0-3000000000", "5-"}) {
        EXPECT_EQ(parse_cpu_list(empty), list{}) << empty;
    }
    EXPECT_EQ(parse_cpu_list("1,x"), (list{1}));
    EXPECT_EQ(spruce::detail::processing_units_of_numa_node(-1), list{});
    EXPECT_EQ(spruce::detail::numa_node_of_pci_device(0xfffe, 0xfe, 0x1f), -1);
}

TEST(Topology, CountsCoresByTheThreadsThatShareThem)
{
    const auto count = [](std::vector<int> cores) {
        const auto counts = spruce::detail::count_cores(std::move(cores));
        return std::pair{counts.num_cores, counts.num_threads_per_core};
    };

    EXPECT_EQ(count({0, 1, 2, 3}), std::pair(4, 1));
    EXPECT_EQ(count({0, 1, 2, 0, 1, 2}), std::pair(3, 2));  // siblings far apart, as in the numbering of Linux
    EXPECT_EQ(count({0, 0, 2, 2, 4, 5}), std::pair(4, 2));  // two large and two small cores
    EXPECT_EQ(count({7}), std::pair(1, 1));
}

TEST_F(Executor, CanBeAskedForItsDeviceGuard)
{
    const auto guard = exec->get_scoped_device_id_guard();
    EXPECT_NO_THROW(exec->synchronize());
}

template <typename Exec, typename Exception>
void expect_no_such_device()
{
    const auto num_devices = Exec::get_num_devices();
    if (num_devices > 0) {
        EXPECT_THROW_WITH(
            Exec::create(num_devices, spruce::ReferenceExecutor::create()), Exception,
            "device " + std::to_string(num_devices) + " was asked for, but there are " + std::to_string(num_devices));
        EXPECT_THROW(Exec::create(-1, spruce::ReferenceExecutor::create()), Exception);
        EXPECT_THROW(Exec::create(0, nullptr), spruce::NotSupported);
        EXPECT_NO_THROW(Exec::create(0, spruce::ReferenceExecutor::create()));
    } else {
        EXPECT_THROW(Exec::create(0, spruce::ReferenceExecutor::create()), spruce::Error);
    }
}

TEST(DeviceExecutors, SayThatThereIsNoSuchDevice)
{
    expect_no_such_device<spruce::CudaExecutor, spruce::CudaError>();
    expect_no_such_device<spruce::HipExecutor, spruce::HipError>();
}

TEST(DeviceExecutors, SayWhyTheirBackendIsMissing)
{
#if !SPRUCE_WITH_CUDA
    EXPECT_EQ(spruce::CudaExecutor::get_num_devices(), 0);
    EXPECT_THROW_WITH(spruce::CudaExecutor::create(0, spruce::ReferenceExecutor::create()), spruce::NotCompiled,
                      "SPRUCE_BUILD_CUDA");
#endif
#if !SPRUCE_WITH_HIP
    EXPECT_EQ(spruce::HipExecutor::get_num_devices(), 0);
    EXPECT_THROW_WITH(spruce::HipExecutor::create(0, spruce::ReferenceExecutor::create()), spruce::NotCompiled,
                      "SPRUCE_BUILD_HIP");
#endif
}

TEST(DeviceExecutors, ForSyclDoNotExist)
{
    struct OmpAlone : spruce::Operation {
        void run(std::shared_ptr<const spruce::OmpExecutor>) const override {}
    };
    const auto ref = spruce::ReferenceExecutor::create();

    for (const auto type : {"all", "gpu", "cpu", "no such type"}) {
        EXPECT_EQ(spruce::DpcppExecutor::get_num_devices(type), 0);
        EXPECT_THROW_WITH(spruce::DpcppExecutor::create(0, ref, type), spruce::NotCompiled, "dpcpp is not available");
    }
    EXPECT_THROW(spruce::DpcppExecutor::create(-1, nullptr), spruce::NotCompiled);
    static_assert(std::is_abstract_v<spruce::DpcppExecutor>);
    const spruce::Operation& op = OmpAlone{};
    EXPECT_THROW_WITH(op.run(std::shared_ptr<const spruce::DpcppExecutor>{}), spruce::NotImplemented, "DpcppExecutor");
}

TEST(HostExecutors, UseTheAllocatorTheyAreGiven)
{
    const auto allocator = std::make_shared<counting_allocator>();
    for (const std::shared_ptr<spruce::Executor>& exec : std::initializer_list<std::shared_ptr<spruce::Executor>>{
             spruce::ReferenceExecutor::create(allocator), spruce::OmpExecutor::create(allocator)}) {
        const auto before = allocator->get_num_allocations();
        {
            const spruce::array<int> values{exec, 100};
            EXPECT_EQ(allocator->get_num_allocations(), before + 1);
            EXPECT_EQ(allocator->get_num_live(), 1);
        }
        EXPECT_EQ(allocator->get_num_live(), 0);
    }
}

TEST(HostExecutors, AlignMemoryToCacheLines)
{
    spruce::CpuAllocator allocator;
    for (const size_type bytes : {1, 63, 64, 65, 1000}) {
        const auto ptr = allocator.allocate(bytes);
        EXPECT_EQ(reinterpret_cast<spruce::uintptr>(ptr) % 64, 0u);
        allocator.deallocate(ptr);
    }
    EXPECT_THROW(allocator.allocate(static_cast<size_type>(-1)), spruce::AllocationError);
}

#ifdef __linux__
/// Returns the line of flags, two letters each, that the kernel reports for the mapping of an
/// address. Returns an empty string if it does not report them.
std::string flags_of_mapping(const void* address)
{
    std::ifstream mappings{"/proc/self/smaps"};
    auto is_wanted = false;
    for (std::string line; std::getline(mappings, line);) {
        spruce::uintptr begin{};
        spruce::uintptr end{};
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2) {
            const auto requested = reinterpret_cast<spruce::uintptr>(address);
            is_wanted = begin <= requested && requested < end;
        } else if (is_wanted && line.rfind("VmFlags:", 0) == 0) {
            return line;
        }
    }
    return {};
}

TEST(HostExecutors, AskForHugePagesWhereMuchIsAllocated)
{
    if (!std::ifstream{"/sys/kernel/mm/transparent_hugepage/enabled"}) {
        GTEST_SKIP() << "this system has no huge pages to ask for";
    }
    constexpr size_type much = 4 << 20;
    spruce::CpuAllocator allocator;
    const auto ptr = allocator.allocate(much);
    std::fill_n(static_cast<char*>(ptr), much, 'x');

    EXPECT_EQ(reinterpret_cast<spruce::uintptr>(ptr) % (2 << 20), 0u);
    EXPECT_NE(flags_of_mapping(ptr).find(" hg"), std::string::npos) << flags_of_mapping(ptr);

    allocator.deallocate(ptr);
}
#endif

TEST(HostExecutors, SayHowManyCoresThereAre)
{
    const auto omp = spruce::OmpExecutor::create();

    EXPECT_GE(omp->get_num_cores(), 1);
    EXPECT_GE(omp->get_num_threads_per_core(), 1);
    EXPECT_GE(omp->get_num_cores() * omp->get_num_threads_per_core(),
              static_cast<int>(std::thread::hardware_concurrency()));
    EXPECT_GE(spruce::OmpExecutor::get_num_omp_threads(), 1);
}

void use_memory_of(std::shared_ptr<spruce::Executor> exec)
{
    const auto before = exec->get_counters();
    {
        const spruce::array<int> values{exec, {1, 2, 3}};
        EXPECT_EQ(values.copy_to_host(), (std::vector<int>{1, 2, 3}));
    }
    EXPECT_EQ((exec->get_counters() - before).frees, (exec->get_counters() - before).allocations);
}

TEST(DeviceExecutors, UseTheAllocatorTheyAreGiven)
{
    const auto ref = spruce::ReferenceExecutor::create();
    if (spruce::HipExecutor::get_num_devices() > 0) {
        using namespace spruce;
        use_memory_of(HipExecutor::create(0, ref, std::make_shared<HipAllocator>()));
        use_memory_of(HipExecutor::create(0, ref, std::make_shared<HipAsyncAllocator>(nullptr)));
        use_memory_of(HipExecutor::create(0, ref, std::make_shared<HipUnifiedAllocator>(0)));
        use_memory_of(HipExecutor::create(0, ref, std::make_shared<HipUnifiedAllocator>(0, 1u)));
        use_memory_of(HipExecutor::create(0, ref, std::make_shared<HipHostAllocator>(0)));
        use_memory_of(HipExecutor::create(0, ref, false, allocation_mode::unified_global));
    }
    if (spruce::CudaExecutor::get_num_devices() > 0) {
        using namespace spruce;
        use_memory_of(CudaExecutor::create(0, ref, std::make_shared<CudaAllocator>()));
        use_memory_of(CudaExecutor::create(0, ref, std::make_shared<CudaAsyncAllocator>(nullptr)));
        use_memory_of(CudaExecutor::create(0, ref, std::make_shared<CudaUnifiedAllocator>(0)));
        use_memory_of(CudaExecutor::create(0, ref, std::make_shared<CudaUnifiedAllocator>(0, 1u)));
        use_memory_of(CudaExecutor::create(0, ref, std::make_shared<CudaHostAllocator>(0)));
        use_memory_of(CudaExecutor::create(0, ref, false, allocation_mode::unified_host));
    }
}

TEST(DeviceExecutors, RefuseAnAllocatorForAnotherStream)
{
    const auto ref = spruce::ReferenceExecutor::create();
    if (spruce::HipExecutor::get_num_devices() > 0) {
        const spruce::hip_stream stream;
        EXPECT_THROW(spruce::HipExecutor::create(0, ref, std::make_shared<spruce::HipAsyncAllocator>(stream.get())),
                     spruce::InvalidStateError);
    }
    if (spruce::CudaExecutor::get_num_devices() > 0) {
        const spruce::cuda_stream stream;
        EXPECT_THROW(spruce::CudaExecutor::create(0, ref, std::make_shared<spruce::CudaAsyncAllocator>(stream.get())),
                     spruce::InvalidStateError);
    }
}

template <typename DeviceExecutor, typename Stream>
void expect_two_streams_share_memory_but_are_not_equivalent()
{
    if (DeviceExecutor::get_num_devices() == 0) {
        return;
    }
    const auto ref = spruce::ReferenceExecutor::create();
    const Stream stream;
    const std::shared_ptr<spruce::Executor> first = DeviceExecutor::create(0, ref);
    const std::shared_ptr<spruce::Executor> second = DeviceExecutor::create(0, ref, nullptr, stream.get());

    EXPECT_TRUE(first->memory_accessible(second));
    EXPECT_FALSE(first->is_equivalent_to(second.get()));
    const spruce::array<int> values{first, {1, 2, 3}};
    const auto first_before = first->get_counters();
    const auto second_before = second->get_counters();
    const spruce::array<int> copy{second, values};
    // The first stream may still be writing the source, and the source may be freed after the copy.
    EXPECT_EQ((first->get_counters() - first_before).waits, 1u);
    EXPECT_EQ((second->get_counters() - second_before).waits, 1u);
    EXPECT_EQ(copy.copy_to_host(), (std::vector<int>{1, 2, 3}));
}

TEST(DeviceExecutors, OnTwoStreamsShareMemoryButAreNotEquivalent)
{
    expect_two_streams_share_memory_but_are_not_equivalent<spruce::HipExecutor, spruce::hip_stream>();
    expect_two_streams_share_memory_but_are_not_equivalent<spruce::CudaExecutor, spruce::cuda_stream>();
}

}  // namespace
