// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests a backend whose library is missing although it was built. The program runs itself once more
// with a copy of the core in a separate directory.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/build_config.hpp"
#include "test/utils/fixture.hpp"
#include "test/utils/sanitizers.hpp"

namespace {

namespace fs = std::filesystem;
using Dense = spruce::matrix::Dense<double>;

constexpr auto marker = "SPRUCE_TEST_CORE_ALONE";

bool is_alone() { return std::getenv(marker) != nullptr; }

/// Returns the file that contains the core: a shared library or this program.
fs::path core_file()
{
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(static_cast<int (*)()>(&spruce::OmpExecutor::get_num_omp_threads)), &info);
    return fs::canonical(info.dli_fname);
}

constexpr auto can_preload = !has_address_sanitizer;  // its runtime has to be loaded first

template <typename Exec>
void expect_names_what_was_tried(const std::string& library)
{
    const auto ref = spruce::ReferenceExecutor::create();
    const std::string folder = std::getenv("SPRUCE_BACKEND_PATH");

    EXPECT_EQ(Exec::get_num_devices(), 0);
    EXPECT_THROW_WITH(Exec::create(0, ref), spruce::NotCompiled, library);
    EXPECT_THROW_WITH(Exec::create(0, ref), spruce::NotCompiled, folder);  // the second call reports the same
    EXPECT_THROW_WITH(Exec::create(0, ref), spruce::NotCompiled, core_file().parent_path().string());
    EXPECT_THROW_WITH(Exec::create(0, ref), spruce::NotCompiled, "set SPRUCE_BACKEND_PATH");
    EXPECT_EQ(Exec::get_num_devices(), 0);
}

TEST(AbsentBackend, SaysWhereItWasLookedFor)
{
    if (!is_alone()) {
        return;  // the other test runs this one
    }
#if SPRUCE_WITH_CUDA
    expect_names_what_was_tried<spruce::CudaExecutor>("libspruce_cuda.so");
    EXPECT_THROW(spruce::CudaAllocator().allocate(8), spruce::NotCompiled);
    EXPECT_THROW(spruce::cuda_stream(0), spruce::NotCompiled);
#endif
#if SPRUCE_WITH_HIP
    expect_names_what_was_tried<spruce::HipExecutor>("libspruce_hip");
    EXPECT_THROW(spruce::HipAllocator().allocate(8), spruce::NotCompiled);
    EXPECT_THROW(spruce::hip_stream(0), spruce::NotCompiled);
#endif
    for (const auto& exec : spruce::test::all_executors()) {
        const auto x = spruce::initialize<Dense>({3.0, 4.0}, exec);
        const auto norm = Dense::create(exec, spruce::dim<2>{1, 1});
        x->compute_norm2(norm);
        EXPECT_MTX_NEAR(norm, spruce::initialize<Dense>({5.0}, exec), 1e-15);
    }
}

TEST(AbsentBackend, LeavesTheRestOfTheProgramAlone)
{
    const auto core = core_file();
    if (is_alone() || core == fs::canonical("/proc/self/exe")) {
        return;  // a static build contains its backends
    }
    if (!can_preload) {
        GTEST_SKIP() << "a sanitizer's runtime forbids to preload the core";
    }
    const auto folder = fs::temp_directory_path() / ("spruce_core_alone_" + std::to_string(getpid()));
    fs::create_directories(folder / "empty");
    // The copy has the name that the program loads.
    fs::path copy = folder / core.filename();
    fs::copy_file(core, copy, fs::copy_options::overwrite_existing);
    const auto self = fs::canonical("/proc/self/exe");

    const auto command = std::string(marker) + "=1 SPRUCE_BACKEND_PATH='" + (folder / "empty").string() +
                         "' LD_PRELOAD='" + copy.string() + "' '" + self.string() +
                         "' --gtest_filter=AbsentBackend.SaysWhereItWasLookedFor 2>&1";
    const auto pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    char buffer[256];
    while (std::fgets(buffer, sizeof(buffer), pipe)) {
        output += buffer;
    }
    const auto status = pclose(pipe);
    fs::remove_all(folder);

    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << output;
    EXPECT_NE(output.find("[  PASSED  ] 1 test"), std::string::npos) << output;
}

TEST(AbsentBackend, OfAWidthThatWasNotBuiltIsNamed)
{
#if SPRUCE_WITH_HIP && !SPRUCE_STATIC
    const auto self = fs::canonical("/proc/self/exe");
    if (const auto asked = std::getenv("SPRUCE_HIP_WARP_SIZE"); asked && std::string(asked) == "48") {
        EXPECT_EQ(spruce::HipExecutor::get_num_devices(), 0);
        EXPECT_THROW_WITH(spruce::HipExecutor::create(0, spruce::ReferenceExecutor::create()), spruce::NotCompiled,
                          "SPRUCE_HIP_WARP_SIZE asks for width 48");
        return;
    }
    const auto command = "SPRUCE_HIP_WARP_SIZE=48 '" + self.string() +
                         "' --gtest_filter=AbsentBackend.OfAWidthThatWasNotBuiltIsNamed > /dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
#endif
}

}  // namespace
