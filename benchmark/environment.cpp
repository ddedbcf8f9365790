// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/environment.hpp"

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <spruce/base/version.hpp>

#include "benchmark/executors.hpp"
#include "benchmark/source_commit.hpp"

namespace spruce::bench {
namespace {

std::vector<std::string> stored_arguments;

std::string compiler_name()
{
#if defined(__clang__)
    return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
    return std::string("g++ ") + __VERSION__;
#else
    return "unknown";
#endif
}

std::string processor_name()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string utc_now()
{
    const auto now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace

void store_arguments(int argc, const char* const* argv) { stored_arguments.assign(argv + 1, argv + argc); }

environment describe_environment(const std::shared_ptr<const Executor>& exec)
{
    std::ostringstream version;
    version << version_info::get().core_version;
    environment result;
    result.arguments = stored_arguments;
    result.version = version.str();
    result.commit = source_commit();
    result.compiler = compiler_name();
    result.executor = to_string(exec->get_backend());
    result.device = exec->get_description();
    result.processor = processor_name();
    result.num_threads = num_threads(*exec);
    result.date = utc_now();
    return result;
}

}  // namespace spruce::bench
