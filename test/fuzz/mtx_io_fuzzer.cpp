// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Fuzzes reading. Build with clang++ -fsanitize=fuzzer,address,undefined together with
// core/base/mtx_io*.cpp and exception.cpp, and start with the seeds in test/fuzz/corpus. Malformed
// input must cause a StreamError. Data that was read must not change when it is written and read
// again.

#include <spruce/base/mtx_io.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include <spruce/base/exception.hpp>

namespace {

template <typename T>
bool has_same_bits(const T& x, const T& y)
{
    return std::memcmp(&x, &y, sizeof(x)) == 0;
}

/// Returns true if y may be x after a conversion to text, which keeps the sign of a NaN but not its
/// other bits.
template <typename T>
bool survives_text(const T& x, const T& y)
{
    return std::isnan(x) ? std::isnan(y) && std::signbit(x) == std::signbit(y) : has_same_bits(x, y);
}
template <typename T>
bool survives_text(const std::complex<T>& x, const std::complex<T>& y)
{
    return survives_text(x.real(), y.real()) && survives_text(x.imag(), y.imag());
}

template <typename Data, typename SameValue>
void require_same(const Data& a, const Data& b, SameValue same_value)
{
    const auto same_entry = [&](const auto& x, const auto& y) {
        return x.row == y.row && x.column == y.column && same_value(x.value, y.value);
    };
    if (a.size != b.size ||
        !std::equal(a.nonzeros.begin(), a.nonzeros.end(), b.nonzeros.begin(), b.nonzeros.end(), same_entry)) {
        std::abort();
    }
}

template <typename ValueType, typename IndexType>
void run(const std::string& bytes)
{
    using data_type = spruce::matrix_data<ValueType, IndexType>;
    data_type data;
    try {
        std::istringstream is{bytes};
        data = spruce::read_generic_raw<ValueType, IndexType>(is);
    } catch (const spruce::StreamError&) {
        return;
    }
    if (!std::is_sorted(data.nonzeros.begin(), data.nonzeros.end())) {
        std::abort();
    }
    std::stringstream text;
    spruce::write_raw(text, data);
    require_same(data, spruce::read_raw<ValueType, IndexType>(text),
                 [](const auto& x, const auto& y) { return survives_text(x, y); });
    std::stringstream binary;
    spruce::write_binary_raw(binary, data);
    require_same(data, spruce::read_binary_raw<ValueType, IndexType>(binary),
                 [](const auto& x, const auto& y) { return has_same_bits(x, y); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size)
{
    const std::string input{reinterpret_cast<const char*>(bytes), size};
    run<double, spruce::int32>(input);
    run<std::complex<float>, spruce::int64>(input);
    return 0;
}
