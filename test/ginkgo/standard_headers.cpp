// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Uses the standard headers that the umbrella header includes, and no others.

#include <ginkgo/ginkgo.hpp>

int main()
{
    std::default_random_engine engine;
    const auto draw = std::uniform_real_distribution<>(0.0, 1.0)(engine);
    const std::ifstream file("a file that does not exist");
    std::ostringstream text;
    text << std::setprecision(3) << 0.12345;
    const std::map<std::string, int> numbers{{"one", 1}};
    const std::unordered_map<int, int> squares{{2, 4}};
    const std::set<int> sorted{3, 1, 2};
    char copied[4];
    std::memcpy(copied, "abc", 4);
    std::array<int, 3> counts{};
    std::iota(counts.begin(), counts.end(), 1);
    std::bitset<3> bits;
    bits.set(1);
    const std::optional<int> nothing;
    const std::tuple<int, double> pair{1, 2.0};
    const auto start = std::chrono::steady_clock::now();
    bool is_caught = false;
    try {
        throw std::runtime_error("text");
    } catch (const std::exception& error) {
        is_caught = std::strcmp(error.what(), "text") == 0;
    }

    const bool good = draw >= 0.0 && draw < 1.0 && !file && text.str() == "0.123" && numbers.at("one") == 1 &&
                      squares.at(2) == 4 && *sorted.begin() == 1 && std::string(copied) == "abc" && counts[2] == 3 &&
                      std::accumulate(counts.begin(), counts.end(), 0) == 6 && bits.to_ulong() == 2 && !nothing &&
                      std::get<0>(pair) == 1 && std::chrono::steady_clock::now() >= start && is_caught &&
                      std::max(1, 2) == 2 && std::sqrt(4.0) == 2.0 && std::numeric_limits<int>::digits >= 31;
    std::cout << "draw in [0, 1): " << std::boolalpha << (draw >= 0.0 && draw < 1.0) << "\n"
              << "copied: " << copied << "\n"
              << "counts: " << counts[0] << " " << counts[1] << " " << counts[2] << "\n"
              << "bits: " << bits << "\n"
              << "all as expected: " << good << std::endl;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
