// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/environment.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
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

/// Returns what nvidia-smi says about the device. It has the numbers of this program unless
/// CUDA_VISIBLE_DEVICES renames devices.
std::map<std::string, std::string> query_device_state(int device)
{
    const std::vector<std::string> names{"driver_version", "pstate",         "clocks.sm",       "clocks.mem",
                                         "clocks.max.sm",  "clocks.max.mem", "temperature.gpu", "power.draw"};
    std::string query;
    for (const auto& name : names) {
        query += (query.empty() ? "" : ",") + name;
    }
    const auto command =
        "nvidia-smi --query-gpu=" + query + " --format=csv,noheader -i " + std::to_string(device) + " 2>/dev/null";
    const auto pipe = popen(command.c_str(), "r");
    if (!pipe) {
        return {};
    }
    char line[512] = {};
    const auto has_line = std::fgets(line, sizeof(line), pipe) != nullptr;
    if (pclose(pipe) != 0 || !has_line) {
        return {};
    }
    std::map<std::string, std::string> state;
    std::istringstream values(line);
    std::string value;
    for (std::size_t i = 0; i < names.size() && std::getline(values, value, ','); ++i) {
        const auto begin = value.find_first_not_of(" \n");
        if (begin != std::string::npos) {
            state[names[i]] = value.substr(begin, value.find_last_not_of(" \n") + 1 - begin);
        }
    }
    return state;
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
    if (const auto device = std::dynamic_pointer_cast<const detail::GpuExecutor>(exec)) {
        result.device_state = query_device_state(device->get_device_id());
    }
    return result;
}

}  // namespace spruce::bench
