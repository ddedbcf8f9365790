// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>

#include "core/base/build_config.hpp"
#include "core/base/device_runtime.hpp"
#include "core/base/kernel.hpp"

#include "test/utils/fixture.hpp"

namespace {

using spruce::backend;

// Kernels of this test only.
template <typename T>
inline spruce::Kernel<void(const T& in, T& out)> twice{"test::twice"};
inline spruce::Kernel<void(const std::vector<int>&)> empty{"test::empty"};
inline spruce::Kernel<void(int)> failing{"test::failing"};

template <typename T>
void twice_on_reference(const spruce::ReferenceExecutor&, const T& in, T& out)
{
    out = 2 * in;
}

class KernelTable : public ::testing::Test {
protected:
    void SetUp() override
    {
        twice<int>.set<spruce::ReferenceExecutor>(&twice_on_reference<int>);
        failing.set<spruce::ReferenceExecutor>(
            +[](const spruce::ReferenceExecutor&, int) { throw std::runtime_error("on purpose"); });
    }

    std::shared_ptr<spruce::Executor> ref{spruce::ReferenceExecutor::create()};
};

TEST_F(KernelTable, CallsTheFunctionOfTheExecutorsBackend)
{
    int result = 0;

    twice<int>(*ref, 21, result);

    EXPECT_EQ(result, 42);
}

TEST_F(KernelTable, KnowsItsNameAndWhatIsSet)
{
    EXPECT_STREQ(twice<int>.get_name(), "test::twice");
    EXPECT_TRUE(twice<int>.is_set(backend::reference));
    EXPECT_FALSE(twice<int>.is_set(backend::omp));
    EXPECT_FALSE(twice<double>.is_set(backend::reference));  // each type has its own slots
    EXPECT_EQ(twice<double>.get_signature(), typeid(void(const double&, double&)));
}

TEST_F(KernelTable, EmptySlotSaysWhatIsMissing)
{
    double result = 0;

    EXPECT_THROW_WITH(empty(*ref, {}), spruce::NotImplemented,
                      "test::empty for reference with void (std::vector<int, std::allocator<int> > const&) is not "
                      "implemented");
    EXPECT_THROW_WITH(twice<double>(*ref, 1.0, result), spruce::NotImplemented, "(double const&, double&)");
}

TEST_F(KernelTable, ListsWhatSomeBackendHasSet)
{
    const auto is_listed = [](const spruce::detail::KernelBase& expected) {
        int count = 0;
        for (auto kernel = spruce::detail::KernelBase::get_first(); kernel; kernel = kernel->get_next()) {
            count += kernel == &expected;
        }
        return count;
    };

    EXPECT_EQ(is_listed(twice<int>), 1);
    EXPECT_EQ(is_listed(empty), 0);
    SetUp();  // listed once although set twice
    EXPECT_EQ(is_listed(twice<int>), 1);
}

struct name_log : spruce::log::Logger {
    void on_operation_launched(const spruce::Executor* exec, const spruce::Operation* op) const override
    {
        text += std::string(to_string(exec->get_backend())) + " runs " + op->get_name() + "; ";
    }
    void on_operation_completed(const spruce::Executor*, const spruce::Operation*) const override { text += "done; "; }
    mutable std::string text;
};

TEST_F(KernelTable, CallsAreLoggedAndCounted)
{
    const auto log = std::make_shared<name_log>();
    ref->add_logger(log);
    const auto before = ref->get_counters();
    int result = 0;

    twice<int>(*ref, 21, result);

    EXPECT_EQ(log->text, "reference runs test::twice; done; ");
    EXPECT_EQ((ref->get_counters() - before).kernels, 1u);
}

TEST_F(KernelTable, LogsTheEndOfACallThatThrows)
{
    const auto log = std::make_shared<name_log>();
    ref->add_logger(log);

    EXPECT_THROW(failing(*ref, 1), std::runtime_error);

    EXPECT_EQ(log->text, "reference runs test::failing; done; ");
}

TEST_F(KernelTable, EmptySlotIsNotLogged)
{
    const auto log = std::make_shared<name_log>();
    ref->add_logger(log);

    EXPECT_THROW(empty(*ref, {}), spruce::NotImplemented);

    EXPECT_EQ(log->text, "");
}

#if SPRUCE_WITH_OMP
TEST_F(KernelTable, BackendsDoNotFallBackToOneAnother)
{
    int result = 0;

    EXPECT_THROW_WITH(twice<int>(*spruce::OmpExecutor::create(), 21, result), spruce::NotImplemented,
                      "test::twice for omp");
    EXPECT_EQ(result, 0);
}
#endif

/// Counts the functions of a backend's runtime, by which versions of a library are distinguished.
/// In the Itanium C++ ABI, a pointer to a virtual member function begins with one plus its offset
/// in the table.
TEST(DeviceRuntime, CountsItsFunctions)
{
    const auto last = &spruce::detail::DeviceRuntime::destroy_graph;
    std::ptrdiff_t offset{};
    std::memcpy(&offset, &last, sizeof(offset));

    EXPECT_EQ(spruce::detail::DeviceRuntime::num_functions, (offset - 1) / sizeof(void*) + 1);
}

}  // namespace
