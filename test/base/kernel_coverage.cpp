// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that each backend of this build implements every kernel that core declares, for all types.

#include <algorithm>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <spruce/base/name_demangling.hpp>
#include <sstream>
#include <string>

#include "test/utils/fixture.hpp"

namespace {

using spruce::backend;
using spruce::detail::KernelBase;

/// Returns the names of kernels in core's headers: variables of type Kernel, with their name in
/// braces.
std::set<std::string> declared_kernels()
{
    namespace fs = std::filesystem;
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPRUCE_SOURCE_DIR) / "core")) {
        const auto file = entry.path().filename().string();
        const std::string ending = "_kernels.hpp";
        if (file.size() <= ending.size() || file.compare(file.size() - ending.size(), ending.size(), ending) != 0) {
            continue;
        }
        std::ifstream in(entry.path());
        std::stringstream text;
        text << in.rdbuf();
        const auto content = text.str();
        const std::regex declaration(R"re(\{\s*"(\w+::\w+)"\s*\})re");
        for (std::sregex_iterator found(content.begin(), content.end(), declaration), end; found != end; ++found) {
            names.insert((*found)[1]);
        }
    }
    return names;
}

std::string describe(const KernelBase& kernel)
{
    return std::string(kernel.get_name()) + " with " + spruce::name_demangling::get_type_name(kernel.get_signature());
}

class KernelCoverage : public ::testing::Test {
protected:
    // Creating executors loads their backends.
    std::vector<std::shared_ptr<spruce::Executor>> executors{spruce::test::all_executors()};

    template <typename Function>
    static void for_each_kernel(Function function)
    {
        for (auto kernel = KernelBase::get_first(); kernel; kernel = kernel->get_next()) {
            function(*kernel);
        }
    }
};

TEST_F(KernelCoverage, FindsTheDeclarations)
{
    const auto declared = declared_kernels();

    EXPECT_GE(declared.size(), 35u);
    EXPECT_EQ(declared.count("csr::spmv"), 1u);
    EXPECT_EQ(declared.count("stop::set_all_statuses"), 1u);
}

TEST_F(KernelCoverage, ReferenceHasEveryDeclaredKernelUnderItsName)
{
    std::set<std::string> registered;
    for_each_kernel([&](const KernelBase& kernel) {
        if (kernel.is_set(backend::reference)) {
            registered.insert(kernel.get_name());
        }
    });

    EXPECT_EQ(registered, declared_kernels());
}

TEST_F(KernelCoverage, EveryBackendHasTheKernelsOfEveryOther)
{
    for (const auto& exec : executors) {
        for_each_kernel([&](const KernelBase& kernel) {
            EXPECT_TRUE(kernel.is_set(exec->get_backend()))
                << describe(kernel) << " is not registered by " << to_string(exec->get_backend());
        });
    }
}

#if !SPRUCE_TYPES_MINIMAL
TEST_F(KernelCoverage, EveryKernelHasAllItsTypes)
{
    // Number of registrations. Value types count 4, or 2 if they are norms, which are real. Index
    // types count 2, and both count 8.
    const std::map<std::string, std::size_t> exceptions{
        {"components::fill_array", 8},      // 4 value types, 2 index types, size_type, unsigned char
        {"components::convert_array", 6},   // both directions of precision for real and complex, and of indices
        {"components::absolute_array", 6},  // each type to itself, and complex to real
        {"components::reduce_add", 7},      // 4 value types, 2 index types, size_type
        {"dense::copy", 8},                 // each type to itself and to its other precision
        {"dense::row_gather", 16},          // each type into itself and into its other precision
        {"dense::advanced_row_gather", 16},
        {"stop::set_all_statuses", 1},
    };
    std::map<std::string, std::set<std::string>> signatures;
    std::map<std::string, std::size_t> counts;
    for_each_kernel([&](const KernelBase& kernel) {
        ++counts[kernel.get_name()];
        signatures[kernel.get_name()].insert(spruce::name_demangling::get_type_name(kernel.get_signature()));
    });
    for (const auto& [name, count] : counts) {
        if (const auto found = exceptions.find(name); found != exceptions.end()) {
            EXPECT_EQ(count, found->second) << name;
            continue;
        }
        // The dependence on value types and index types is deduced from the signatures.
        const auto contains = [&](const std::string& text) {
            return std::any_of(signatures[name].begin(), signatures[name].end(),
                               [&](const auto& signature) { return signature.find(text) != std::string::npos; });
        };
        const auto has_values = contains("std::complex<float>");
        const auto has_norms = !has_values && contains("Dense<float>");
        const auto has_indices = contains(", int>") || contains("<int>") || contains("int*") || contains("int const*");
        EXPECT_EQ(count, (has_values ? 4u : has_norms ? 2u : 1u) * (has_indices ? 2u : 1u)) << name;
    }
}
#endif

}  // namespace
