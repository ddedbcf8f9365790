// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/mtx_io.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <spruce/base/exception.hpp>
#include <spruce/base/validate.hpp>
#include <spruce/matrix/csr.hpp>

namespace {

std::size_t largest_allocation = std::numeric_limits<std::size_t>::max();

/// Limits the size of each allocation by operator new during its lifetime, also in the library.
struct allocation_size_limit {
    explicit allocation_size_limit(std::size_t num_bytes) { largest_allocation = num_bytes; }
    ~allocation_size_limit() { largest_allocation = std::numeric_limits<std::size_t>::max(); }
};

}  // namespace

void* operator new(std::size_t size)
{
    const auto result = size <= largest_allocation ? std::malloc(size > 0 ? size : 1) : nullptr;
    return result ? result : throw std::bad_alloc{};
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return size <= largest_allocation ? std::malloc(size > 0 ? size : 1) : nullptr;
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }

namespace {

using spruce::dim;
using spruce::int32;
using spruce::int64;
using spruce::layout_type;
using spruce::matrix_data;
using c64 = std::complex<double>;

template <typename V = double, typename I = int32>
matrix_data<V, I> read_text(const std::string& text)
{
    std::istringstream is{text};
    return spruce::read_raw<V, I>(is);
}

template <typename V = double, typename I = int32>
matrix_data<V, I> read_any(const std::string& bytes)
{
    std::istringstream is{bytes};
    return spruce::read_generic_raw<V, I>(is);
}

/// Returns the message of the StreamError that the call throws.
template <typename Function>
std::string error_of(Function function)
{
    try {
        function();
    } catch (const spruce::StreamError& error) {
        return error.what();
    }
    return "no StreamError";
}

template <typename V = double, typename I = int32>
std::string text_error(const std::string& text)
{
    return error_of([&] { read_text<V, I>(text); });
}

std::string binary_error(const std::string& bytes)
{
    return error_of([&] {
        std::istringstream is{bytes};
        spruce::read_binary_raw<double, int32>(is);
    });
}

std::string general(const std::string& body) { return "%%MatrixMarket matrix coordinate real general\n" + body; }

bool ends_with(const std::string& text, const std::string& ending)
{
    return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

#define EXPECT_ENDS_WITH(_text, _ending) EXPECT_PRED2(ends_with, _text, std::string{_ending})

/// Expects equal entries and distinguishes 0.0 from -0.0.
template <typename V, typename I>
void expect_same(const matrix_data<V, I>& a, const matrix_data<V, I>& b)
{
    ASSERT_EQ(a.size, b.size);
    ASSERT_EQ(a.nonzeros.size(), b.nonzeros.size());
    for (std::size_t i = 0; i < a.nonzeros.size(); ++i) {
        EXPECT_EQ(a.nonzeros[i].row, b.nonzeros[i].row) << i;
        EXPECT_EQ(a.nonzeros[i].column, b.nonzeros[i].column) << i;
        EXPECT_EQ(std::memcmp(&a.nonzeros[i].value, &b.nonzeros[i].value, sizeof(V)), 0)
            << i << ": " << a.nonzeros[i].value << " and " << b.nonzeros[i].value;
    }
}

std::string compress(const std::string& bytes)
{
    std::string result(bytes.size() + 1000, '\0');
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return result;
}

template <typename V, typename I>
std::string binary(const matrix_data<V, I>& data)
{
    std::ostringstream os;
    spruce::write_binary_raw(os, data);
    return os.str();
}

/// Names a file that is removed at the end of the test.
struct temporary_file {
    explicit temporary_file(const std::string& ending)
        : path{testing::TempDir() + "spruce_mtx_io_" + std::to_string(getpid()) + ending}
    {}
    temporary_file(const std::string& ending, const std::string& content) : temporary_file{ending}
    {
        std::ofstream{path, std::ios_base::binary} << content;
    }
    ~temporary_file() { std::remove(path.c_str()); }

    std::string content() const
    {
        std::ifstream is{path, std::ios_base::binary};
        return {std::istreambuf_iterator<char>{is}, {}};
    }

    std::string path;
};

template <typename Types>
class MtxIo : public testing::Test {};

template <typename V, typename I>
struct types {
    using value_type = V;
    using index_type = I;
};
using AllTypes =
    testing::Types<types<float, int32>, types<double, int32>, types<std::complex<float>, int32>, types<c64, int32>,
                   types<float, int64>, types<double, int64>, types<std::complex<float>, int64>, types<c64, int64>>;
TYPED_TEST_SUITE(MtxIo, AllTypes);

TYPED_TEST(MtxIo, ReadsCoordinateRealGeneral)
{
    const auto data = read_text<typename TypeParam::value_type, typename TypeParam::index_type>(
        general("2 3 4\n2 3 -4\n1 1 1.5\n1 3 +2e1\n2 1 .25\n"));

    expect_same(data, {dim<2>{2, 3}, {{0, 0, 1.5}, {0, 2, 20.0}, {1, 0, 0.25}, {1, 2, -4.0}}});
}

template <typename T>
T random_value(std::mt19937_64& engine, T*)
{
    // All bit patterns are equally likely, which gives many exponents and some denormal numbers.
    while (true) {
        const auto bits = engine();
        T value;
        std::memcpy(&value, &bits, sizeof(value));
        if (std::isfinite(value)) {
            return value;
        }
    }
}

template <typename T>
std::complex<T> random_value(std::mt19937_64& engine, std::complex<T>*)
{
    const auto real = random_value(engine, static_cast<T*>(nullptr));
    return {real, random_value(engine, static_cast<T*>(nullptr))};
}

template <typename V, typename I>
matrix_data<V, I> edge_case_data()
{
    using limits = std::numeric_limits<spruce::remove_complex<V>>;
    matrix_data<V, I> data{dim<2>{31, 17}};
    std::mt19937_64 engine{42};
    for (I row = 0; row < 31; ++row) {
        for (I column = row % 3; column < 17; column += 1 + row % 4) {
            data.nonzeros.emplace_back(row, column, random_value(engine, static_cast<V*>(nullptr)));
        }
    }
    data.nonzeros[0].value = -0.0;
    data.nonzeros[1].value = 0.0;
    data.nonzeros[2].value = limits::denorm_min();
    data.nonzeros[3].value = -limits::max();
    data.nonzeros[4].value = limits::min();
    data.nonzeros[5].value = limits::infinity();
    data.nonzeros[6].value = -limits::infinity();
    data.nonzeros[7].value = limits::quiet_NaN();
    data.nonzeros[8].value = -limits::quiet_NaN();
    if constexpr (spruce::is_complex<V>()) {
        data.nonzeros[9].value = {limits::quiet_NaN(), -limits::infinity()};
        data.nonzeros[10].value = {1, limits::quiet_NaN()};
    }
    return data;
}

TYPED_TEST(MtxIo, RoundTripsBitByBit)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = edge_case_data<V, I>();
    std::stringstream text;
    std::stringstream binary;

    spruce::write_raw(text, data);
    spruce::write_binary_raw(binary, data);

    expect_same(spruce::read_raw<V, I>(text), data);
    expect_same(spruce::read_binary_raw<V, I>(binary), data);
}

TYPED_TEST(MtxIo, RoundTripsThroughFiles)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto data = edge_case_data<V, I>();
    for (const auto ending : {".mtx", ".mtx.gz", ".bin", ".bin.gz"}) {
        const temporary_file file{ending};

        if (std::string{ending}.find("bin") == std::string::npos) {
            spruce::write_file(file.path, data);
        } else {
            spruce::write_binary_file(file.path, data);
        }

        expect_same(spruce::read_file<V, I>(file.path), data);
        EXPECT_EQ(file.content().substr(0, 2) == "\x1f\x8b", std::string{ending}.find(".gz") != std::string::npos);
    }
}

TYPED_TEST(MtxIo, RoundTripsArrayLayoutWithAllEntries)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const matrix_data<V, I> data{dim<2>{2, 2}, {{1, 0, V(-0.0)}, {0, 1, V(0.1f)}}};
    std::stringstream text;

    spruce::write_raw(text, data, layout_type::array);

    expect_same(spruce::read_raw<V, I>(text),
                {dim<2>{2, 2}, {{0, 0, V(0)}, {0, 1, V(0.1f)}, {1, 0, V(-0.0)}, {1, 1, V(0)}}});
}

TEST(MtxRead, ReadsInteger)
{
    expect_same(read_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 -3\n2 2 +4\n"),
                {dim<2>{2, 2}, {{0, 1, -3.0}, {1, 1, 4.0}}});
}

TEST(MtxRead, ReadsPatternAsOnes)
{
    expect_same(read_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n1 2\n"),
                {dim<2>{2, 2}, {{0, 1, 1.0}, {1, 0, 1.0}}});
}

TEST(MtxRead, ReadsPatternSymmetric)
{
    expect_same(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n"),
                {dim<2>{2, 2}, {{0, 1, 1.0}, {1, 0, 1.0}, {1, 1, 1.0}}});
}

TEST(MtxRead, ReadsIntegerSymmetric)
{
    expect_same(read_text("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 7\n2 2 1\n"),
                {dim<2>{2, 2}, {{0, 1, 7.0}, {1, 0, 7.0}, {1, 1, 1.0}}});
}

TEST(MtxRead, ReadsComplexGeneral)
{
    expect_same(read_text<c64>("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3 -4.5\n"),
                {dim<2>{2, 2}, {{0, 1, c64{3, -4.5}}}});
}

TEST(MtxRead, ReadsRealIntoComplex)
{
    expect_same(read_text<c64>(general("2 2 1\n1 2 3\n")), {dim<2>{2, 2}, {{0, 1, c64{3, 0}}}});
}

TEST(MtxRead, ExpandsSymmetricFromEitherTriangle)
{
    expect_same(read_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n2 3 3\n"),
                {dim<2>{3, 3}, {{0, 0, 1.0}, {0, 2, 2.0}, {1, 2, 3.0}, {2, 0, 2.0}, {2, 1, 3.0}}});
}

TEST(MtxRead, ExpandsSkewSymmetric)
{
    expect_same(read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 -3\n"),
                {dim<2>{3, 3}, {{0, 1, -2.0}, {1, 0, 2.0}, {1, 2, 3.0}, {2, 1, -3.0}}});
}

TEST(MtxRead, ExpandsComplexSymmetricAndSkewSymmetric)
{
    expect_same(read_text<c64>("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 2 3\n"),
                {dim<2>{2, 2}, {{0, 1, c64{2, 3}}, {1, 0, c64{2, 3}}}});
    expect_same(read_text<c64>("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 2 3\n"),
                {dim<2>{2, 2}, {{0, 1, c64{-2, -3}}, {1, 0, c64{2, 3}}}});
}

TEST(MtxRead, ExpandsHermitian)
{
    expect_same(read_text<c64>("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 2 3\n"),
                {dim<2>{2, 2}, {{0, 0, c64{4, 0}}, {0, 1, c64{2, -3}}, {1, 0, c64{2, 3}}}});
}

TEST(MtxRead, TakesHermitianAsSymmetricUnlessComplex)
{
    const std::string banner = "%%MatrixMarket matrix ";
    const matrix_data<c64, int32> expected{dim<2>{2, 2}, {{0, 0, 4.0}, {0, 1, 2.0}, {1, 0, 2.0}}};

    expect_same(read_text(banner + "coordinate real hermitian\n2 2 2\n1 1 4\n2 1 2\n"),
                {dim<2>{2, 2}, {{0, 0, 4.0}, {0, 1, 2.0}, {1, 0, 2.0}}});
    expect_same(read_text<c64>(banner + "coordinate real hermitian\n2 2 2\n1 1 4\n2 1 2\n"), expected);
    expect_same(read_text<c64>(banner + "coordinate integer hermitian\n2 2 2\n1 1 4\n2 1 2\n"), expected);
    expect_same(read_text(banner + "coordinate pattern hermitian\n2 2 1\n2 1\n"),
                {dim<2>{2, 2}, {{0, 1, 1.0}, {1, 0, 1.0}}});
    expect_same(read_text(banner + "array real hermitian\n2 2\n1\n2\n3\n"),
                {dim<2>{2, 2}, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 0, 2.0}, {1, 1, 3.0}}});
}

TEST(MtxRead, ReadsStoredZerosOnTheDiagonalOfSkewSymmetric)
{
    expect_same(read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 3\n1 1 0\n2 1 2\n2 2 -0.0\n"),
                {dim<2>{2, 2}, {{0, 0, 0.0}, {0, 1, -2.0}, {1, 0, 2.0}, {1, 1, -0.0}}});
    expect_same(read_text<c64>("%%MatrixMarket matrix coordinate complex skew-symmetric\n1 1 1\n1 1 0 0\n"),
                {dim<2>{1, 1}, {{0, 0, c64{}}}});
    expect_same(read_text("%%MatrixMarket matrix coordinate integer skew-symmetric\n1 1 1\n1 1 0\n"),
                {dim<2>{1, 1}, {{0, 0, 0.0}}});
}

TEST(MtxRead, ReadsCommentsAtTheEndOfLines)
{
    const std::string banner = "%%MatrixMarket matrix ";

    expect_same(read_text(banner + "coordinate real general % a\n2 2 2 % b c 3\n1 1 5%d\n2 2 6\t%\r\n"),
                {dim<2>{2, 2}, {{0, 0, 5.0}, {1, 1, 6.0}}});
    expect_same(read_text<c64>(banner + "coordinate complex general\n1 1 1%\n1 1 5 6%7\n"),
                {dim<2>{1, 1}, {{0, 0, c64{5, 6}}}});
    expect_same(read_text(banner + "coordinate pattern general\n1 1 1\n1 1% 3"), {dim<2>{1, 1}, {{0, 0, 1.0}}});
    expect_same(read_text(banner + "array integer general\n2 1 % sizes\n3 % three\n4%four\n"),
                {dim<2>{2, 1}, {{0, 0, 3.0}, {1, 0, 4.0}}});
}

TEST(MtxRead, ReadsValuesThatAreNotFinite)
{
    constexpr auto infinity = std::numeric_limits<double>::infinity();
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

    expect_same(read_text(general("1 6 6\n1 1 inf\n1 2 -Inf\n1 3 +INFINITY\n1 4 nan\n1 5 NaN\n1 6 -nan\n")),
                {dim<2>{1, 6},
                 {{0, 0, infinity}, {0, 1, -infinity}, {0, 2, infinity}, {0, 3, nan}, {0, 4, nan}, {0, 5, -nan}}});
    expect_same(read_text("%%MatrixMarket matrix array real skew-symmetric\n2 2\ninf\n"),
                {dim<2>{2, 2}, {{0, 1, -infinity}, {1, 0, infinity}}});
    expect_same(
        read_any<float, int32>(binary(matrix_data<double, int64>{dim<2>{1, 2}, {{0, 0, -infinity}, {0, 1, nan}}})),
        {dim<2>{1, 2}, {{0, 0, -std::numeric_limits<float>::infinity()}, {0, 1, static_cast<float>(nan)}}});
}

TEST(MtxRead, ReportsValuesThatAreNotFiniteInValidate)
{
    const auto report = spruce::validate(read_text(general("1 3 3\n1 1 1\n1 2 -inf\n1 3 nan\n")));

    EXPECT_EQ(report.not_finite.num, 2u);
    EXPECT_EQ(report.not_finite.first, 1u);
}

TEST(MtxRead, SkipsByteOrderMarkOfUtf8)
{
    const matrix_data<> expected{dim<2>{1, 1}, {{0, 0, 5.0}}};

    expect_same(read_text("\xef\xbb\xbf" + general("1 1 1\n1 1 5\n")), expected);
    expect_same(read_any("\xef\xbb\xbf" + general("1 1 1\n1 1 5\n")), expected);
    expect_same(read_any(compress("\xef\xbb\xbf" + general("1 1 1\n1 1 5\n"))), expected);
    EXPECT_ENDS_WITH(text_error("\xef\xbb\xbf" + general("1 1 1\n0 1 5\n")),
                     "<stream>:3: row index 0 (indices start at 1)");
}

TEST(MtxRead, TellsHowAFileStoresItsMatrix)
{
    struct storage {
        std::string symmetry;
        std::string entries;
        bool names_symmetry;
        bool has_both_triangles;
    };
    for (const auto& [symmetry, entries, names_symmetry, has_both_triangles] : std::vector<storage>{
             {"general", "2 1 3\n1 2 3\n", false, false},
             {"symmetric", "2 1 3\n2 2 3\n", true, false},
             {"symmetric", "1 2 3\n1 1 3\n", true, false},
             {"symmetric", "2 1 3\n1 2 3\n", true, true},
             {"skew-symmetric", "2 1 3\n1 2 -3\n", true, true},
             {"hermitian", "1 2 3\n2 1 3\n", true, true},
         }) {
        const auto text = "%%MatrixMarket matrix coordinate real " + symmetry + "\n2 2 2\n" + entries;
        const temporary_file file{".mtx", text};
        spruce::mtx_storage found{true, true};

        const auto data = spruce::read_file<double, int32>(file.path, &found);

        EXPECT_EQ(found.names_symmetry, names_symmetry) << text;
        EXPECT_EQ(found.has_both_triangles, has_both_triangles) << text;
        EXPECT_EQ(spruce::validate(data).duplicates.num, has_both_triangles ? 2u : 0u) << text;
    }
}

TEST(MtxRead, ReadsArrayColumnByColumn)
{
    expect_same(read_text("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n0\n6\n"),
                {dim<2>{2, 3}, {{0, 0, 1.0}, {0, 1, 3.0}, {0, 2, 0.0}, {1, 0, 2.0}, {1, 1, 4.0}, {1, 2, 6.0}}});
}

TEST(MtxRead, ReadsArrayInteger)
{
    expect_same(read_text("%%MatrixMarket matrix array integer general\n2 1\n1\n-2\n"),
                {dim<2>{2, 1}, {{0, 0, 1.0}, {1, 0, -2.0}}});
}

TEST(MtxRead, ReadsArrayComplexGeneral)
{
    expect_same(read_text<c64>("%%MatrixMarket matrix array complex general\n1 2\n1 2\n3 4\n"),
                {dim<2>{1, 2}, {{0, 0, c64{1, 2}}, {0, 1, c64{3, 4}}}});
}

TEST(MtxRead, ReadsArraySymmetricAsLowerTriangle)
{
    expect_same(read_text("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
                {dim<2>{2, 2}, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 0, 2.0}, {1, 1, 3.0}}});
}

TEST(MtxRead, ReadsArraySkewSymmetricAsStrictLowerTriangle)
{
    expect_same(read_text("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"),
                {dim<2>{3, 3}, {{0, 1, -1.0}, {0, 2, -2.0}, {1, 0, 1.0}, {1, 2, -3.0}, {2, 0, 2.0}, {2, 1, 3.0}}});
}

TEST(MtxRead, ReadsArrayHermitian)
{
    expect_same(read_text<c64>("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n"),
                {dim<2>{2, 2}, {{0, 0, c64{1, 0}}, {0, 1, c64{2, -3}}, {1, 0, c64{2, 3}}, {1, 1, c64{4, 0}}}});
}

TEST(MtxRead, ToleratesCaseCommentsBlankLinesAndCarriageReturns)
{
    const auto data = read_text(
        "%%matrixMARKET  MATRIX\tCoordinate Real GENERAL \r\n% comment\r\n\r\n  % one more\n \t\n 2\t2  1 \r\n"
        "%\n\n  2 \t 1  5 \r\n\r\n%end");

    expect_same(data, {dim<2>{2, 2}, {{1, 0, 5.0}}});
}

TEST(MtxRead, NeedsNoEndOfLastLine) { expect_same(read_text(general("1 1 1\n1 1 5")), {dim<2>{1, 1}, {{0, 0, 5.0}}}); }

TEST(MtxRead, ReadsEmptyMatrices)
{
    expect_same(read_text(general("0 0 0\n")), matrix_data<>{});
    expect_same(read_text(general("3 0 0\n")), matrix_data<>{dim<2>{3, 0}});
    expect_same(read_text("%%MatrixMarket matrix array real general\n0 2000000000\n"),
                matrix_data<>{dim<2>{0, 2000000000}});
    expect_same(read_text("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), matrix_data<>{dim<2>{1, 1}});
}

TEST(MtxRead, KeepsZerosAndDuplicatesInFileOrder)
{
    expect_same(read_text(general("2 2 4\n2 1 0\n1 1 2\n2 1 -0\n1 1 1\n")),
                {dim<2>{2, 2}, {{0, 0, 2.0}, {0, 0, 1.0}, {1, 0, 0.0}, {1, 0, -0.0}}});
}

TEST(MtxRead, SortsManyEntriesLikeStableSort)
{
    std::mt19937 engine{7};
    matrix_data<double, int32> data{dim<2>{100, 50}};
    for (int i = 0; i < 2000; ++i) {
        data.nonzeros.emplace_back(engine() % 100, engine() % 50, i);
    }
    std::stringstream text;
    spruce::write_raw(text, data);

    const auto read = spruce::read_raw<double, int32>(text);

    data.sort_row_major();
    expect_same(read, data);
}

TEST(MtxRead, ReadsHugeSizesWithoutMemoryForEachRow)
{
    const auto huge = std::numeric_limits<int64>::max();
    const auto size = std::to_string(huge);

    const auto data = read_text<double, int64>(general(size + " " + size + " 2\n" + size + " 1 2\n1 " + size + " 1\n"));

    expect_same(data, {dim<2>{huge, huge}, {{0, huge - 1, 1.0}, {huge - 1, 0, 2.0}}});
}

TEST(MtxRead, RoundsTinyValuesToZero)
{
    expect_same(read_text(general("1 4 4\n1 1 1e-400\n1 2 -0.0001e-99999999999999999999\n1 3 5e-324\n1 4 0e999999\n")),
                {dim<2>{1, 4}, {{0, 0, 0.0}, {0, 1, -0.0}, {0, 2, 5e-324}, {0, 3, 0.0}}});
    expect_same(read_text<float>(general("1 1 1\n1 1 1e-60\n")), {dim<2>{1, 1}, {{0, 0, 0.0f}}});
}

TEST(MtxRead, MarksStreamAsRead)
{
    std::istringstream is{general("1 1 1\n1 1 5\n")};

    spruce::read_raw(is);

    EXPECT_TRUE(is.eof());
    EXPECT_FALSE(is.fail());
}

TEST(MtxRead, ReadsStreamThatThrowsAtItsEnd)
{
    std::istringstream is{general("1 1 1\n1 1 5\n")};
    is.exceptions(std::ios_base::eofbit | std::ios_base::failbit);

    EXPECT_EQ(spruce::read_raw(is).nonzeros.size(), 1);
}

TEST(MtxRead, ReadsAcrossBufferBorders)
{
    std::string body = "30000 1 30000\n";
    for (int i = 1; i <= 30000; ++i) {
        body += std::to_string(i) + " 1 " + std::to_string(i) + ".125\n";
        if (i % 100 == 0) {
            body += "%" + std::string(i % 700, 'x') + "\r\n";
        }
    }

    const auto data = read_text(general(body));

    ASSERT_EQ(data.nonzeros.size(), 30000);
    for (int i = 0; i < 30000; ++i) {
        ASSERT_EQ(data.nonzeros[i], (spruce::matrix_data_entry<>{i, 0, i + 1.125}));
    }
}

struct fault {
    std::string text;
    std::string message;
};

TEST(MtxFaults, NameLineAndFaultOfHeader)
{
    const std::string banner = "%%MatrixMarket matrix ";
    const std::vector<fault> faults{
        {"", "<stream>:1: the input is empty (expected: %%MatrixMarket matrix ...)"},
        {"\n", "<stream>:1: the header has '' as first word (expected: %%matrixmarket)"},
        {"1 1 1\n", "<stream>:1: the header has '1' as first word (expected: %%matrixmarket)"},
        {"%%MatrixMarket vector\n", "<stream>:1: the header has 'vector' as object (expected: matrix)"},
        {banner + "dense\n", "<stream>:1: the header has 'dense' as format (expected: coordinate, array)"},
        {banner + "array double general\n",
         "<stream>:1: the header has 'double' as field (expected: real, integer, complex, pattern)"},
        {banner + "coordinate real\n",
         "<stream>:1: the header has '' as symmetry (expected: general, symmetric, skew-symmetric, hermitian)"},
        {banner + "array real general 3\n", "<stream>:1: the header goes on after the symmetry with '3'"},
        {banner + "coordinate pattern skew-symmetric\n", "<stream>:1: a pattern matrix cannot be skew-symmetric"},
        {banner + "array pattern general\n", "<stream>:1: a pattern matrix cannot have the array format"},
        {banner + "coordinate complex general\n1 1 1\n1 1 1 0\n",
         "<stream>:1: the values are complex, so they cannot be read as float64"},
        {banner + "coordinate complex hermitian\n1 1 1\n1 1 1 0\n",
         "<stream>:1: the values are complex, so they cannot be read as float64"},
        {std::string{"\x1e\x8b\x00", 3} + std::string(50, 'x'),
         "<stream>:1: the header has '\\x1e\\x8b\\x00xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' as first word "
         "(expected: %%matrixmarket)"},
    };
    for (const auto& [text, message] : faults) {
        EXPECT_ENDS_WITH(text_error(text), "read_raw: " + message);
    }
}

TEST(MtxFaults, NameLineAndFaultOfSizes)
{
    const std::string array = "%%MatrixMarket matrix array real general\n";
    const std::string whole = " (expected: a whole number from 0)";
    const std::vector<fault> faults{
        {general(""), ":1: the input ends before the line of sizes"},
        {general("%\n\n"), ":3: the input ends before the line of sizes"},
        {general("2\n"), ":2: the number of columns is missing" + whole},
        {general("2 2\n"), ":2: the number of entries is missing" + whole},
        {general("-2 2 1\n"), ":2: the number of rows is '-2'" + whole},
        {general("2 x 1\n"), ":2: the number of columns is 'x'" + whole},
        {general("2 2.0 1\n"), ":2: the number of columns is '2.0'" + whole},
        {general("2 2 -1\n"), ":2: the number of entries is '-1'" + whole},
        {general("2 2 1 1\n"), ":2: '1' is too much on this line"},
        {array + "2 2 4\n", ":2: '4' is too much on this line"},
        {general("%\n2147483648 2 1\n"), ":3: 2147483648 rows are more than int32 can count"},
        {general("1 3000000000 1\n"), ":2: 3000000000 columns are more than int32 can count"},
        {general("1 99999999999999999999999 1\n"), ":2: 18446744073709551615 columns are more than int32 can count"},
        {general("1 1 9223372036854775808\n"), ":2: 9223372036854775808 entries are more than int64 can count"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", ":2: 2 x 3, but a matrix with symmetry is square"},
    };
    for (const auto& [text, message] : faults) {
        EXPECT_ENDS_WITH(text_error(text), "read_raw: <stream>" + message);
    }
    EXPECT_ENDS_WITH((text_error<double, int64>(general("9223372036854775808 1 0\n"))),
                     "<stream>:2: 9223372036854775808 rows are more than int64 can count");
}

TEST(MtxFaults, NameLineAndFaultOfEntries)
{
    const std::string header = "%%MatrixMarket matrix ";
    const std::vector<fault> faults{
        {general("2 2 2\n1 1 1\n%\n2 0 1\n"), ":5: column index 0 (indices start at 1)"},
        {general("2 2 1\n0 1 1\n"), ":3: row index 0 (indices start at 1)"},
        {general("2 2 1\n-1 1 1\n"), ":3: row index -1 (indices start at 1)"},
        {general("2 2 1\n3 1 1\n"), ":3: row index 3 (the matrix has 2 rows)"},
        {general("2 2 1\n1 3 1\n"), ":3: column index 3 (the matrix has 2 columns)"},
        {general("2 2 1\n1 99999999999999999999999 1\n"),
         ":3: column index 18446744073709551615 (the matrix has 2 columns)"},
        {general("2 2 1\n1.0 1 1\n"), ":3: row index '1.0' is not a whole number"},
        {general("2 2 1\n1 - 1\n"), ":3: column index '-' is not a whole number"},
        {general("2 2 1\n1\n"), ":3: column index missing"},
        {general("2 2 1\n1 1\n"), ":3: the value is missing"},
        {general("2 2 1\n1 1 one\n"), ":3: the value 'one' is not a number"},
        {general("2 2 1\n1 1 1x\n"), ":3: the value '1x' is not a number"},
        {general("2 2 1\n1 1 +-1\n"), ":3: the value '+-1' is not a number"},
        {general("2 2 1\n1 1 +\n"), ":3: the value '+' is not a number"},
        {general("2 2 1\n1 1 1,5\n"), ":3: the value '1,5' is not a number"},
        {general("2 2 1\n1 1 infinit\n"), ":3: the value 'infinit' is not a number"},
        {general("2 2 1\n1 1 nano\n"), ":3: the value 'nano' is not a number"},
        {header + "coordinate integer general\n1 1 1\n1 1 nan\n", ":3: the value 'nan' is not a whole number"},
        {general("2 2 1\n1 1 1e400\n"), ":3: the value '1e400' is too large for float64"},
        {general("2 2 1\n1 1 -" + std::string(400, '1') + "\n"),
         ":3: the value '-" + std::string(39, '1') + "...' is too large for float64"},
        {general("2 2 1\n1 1 0.1e9999999999999999999999\n"),
         ":3: the value '0.1e9999999999999999999999' is too large for float64"},
        {general("2 2 1\n1 1 1 2\n"), ":3: '2' is too much on this line"},
        {general("2 2 1\n1 1 1 2% two\n"), ":3: '2' is too much on this line"},
        {general("2 2 1\n1 1 % one\n"), ":3: the value is missing"},
        {general("2 2 1\n1 % one\n"), ":3: column index missing"},
        {general("2 2 % one\n"), ":2: the number of entries is missing (expected: a whole number from 0)"},
        {general(std::string{"2 2 1\n1 1 1 %\0\n", 15}), ":3: a NUL byte in a comment"},
        {header + "coordinate pattern general\n1 1 1\n1 1 1\n", ":3: '1' is too much on this line"},
        {header + "coordinate integer general\n1 1 1\n1 1 1.5\n", ":3: the value '1.5' is not a whole number"},
        {general("2 2 3\n1 1 1\n2 2 1\n\n"), ":5: the input ends after 2 of 3 entries"},
        {general("2 2 1\n1 1 1\n\n2 2 1\n"), ":5: more entries than the 1 announced"},
        {general("2 2 1\n1 1 1\n2 2 1"), ":4: more entries than the 1 announced"},
        {general("0 0 1\n1 1 1\n"), ":3: row index 1 (the matrix has 0 rows)"},
        {general(std::string{"2 2 1\n1 1 1\0\n", 13}), ":3: the value '1\\x00' is not a number"},
        {general(std::string{"2 2 1\n\0\n1 1 1\n", 14}), ":3: row index '\\x00' is not a whole number"},
        {general(std::string{"%a\0\n2 2 1\n1 1 1\n", 16}), ":2: a NUL byte in a comment"},
        {header + "array real general\n2 2\n1\n2\n3\n", ":5: the input ends before the value of row 2, column 2"},
        {header + "array real general\n2 1\n1\n2\n3\n", ":5: more values than the 2 of a 2 x 1 matrix"},
        {header + "array real symmetric\n2 2\n1\n2\n2\n1\n",
         ":6: more values than the 3 on and below the diagonal of a 2 x 2 matrix (an array with symmetry holds no "
         "others)"},
        {header + "array real general\n2 1\n1 2\n", ":3: '2' is too much on this line"},
        {header + "array real general\n2 1\nx\n", ":3: the value 'x' is not a number"},
        {header + "array real skew-symmetric\n2 2\n0\n1\n-1\n0\n",
         ":4: more values than the 1 below the diagonal of a 2 x 2 matrix (a skew-symmetric array holds no others)"},
        {header + "coordinate real skew-symmetric\n2 2 2\n2 1 1\n2 2 5e-324\n",
         ":4: the diagonal of a skew-symmetric matrix is zero (row 2)"},
        {header + "coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 1 nan\n",
         ":4: the diagonal of a skew-symmetric matrix is zero (row 1)"},
    };
    for (const auto& [text, message] : faults) {
        EXPECT_ENDS_WITH(text_error(text), "read_raw: <stream>" + message);
    }
    EXPECT_ENDS_WITH(text_error<c64>(header + "coordinate complex hermitian\n2 2 1\n2 2 1 1e-9\n"),
                     "<stream>:3: the diagonal of a hermitian matrix is real (row 2)");
    EXPECT_ENDS_WITH(text_error<c64>(header + "coordinate complex general\n2 2 1\n2 2 1\n"),
                     "<stream>:3: the value is missing");
    EXPECT_ENDS_WITH(text_error<float>(general("1 1 1\n1 1 1e39\n")),
                     "<stream>:3: the value '1e39' is too large for float32");
}

/// More than an input of a few entries requires, and far less than large sizes would require.
constexpr std::size_t little_memory = 3 << 20;

TEST(MtxFaults, AllocateNothingForAnnouncedEntries)
{
    const allocation_size_limit limit{little_memory};

    EXPECT_ENDS_WITH(text_error(general("2 2 1000000000000000\n1 1 1\n")),
                     "<stream>:3: the input ends after 1 of 1000000000000000 entries");
    EXPECT_ENDS_WITH(text_error("%%MatrixMarket matrix array real general\n1000000000 1000000000\n1\n"),
                     "<stream>:3: the input ends before the value of row 2, column 1");
    EXPECT_ENDS_WITH(text_error("%%MatrixMarket matrix array real symmetric\n1000000000 1000000000\n1\n"),
                     "<stream>:3: the input ends before the value of row 2, column 1");
}

/// Represents a stream that reports a wrong size of its content.
class wrong_size_buffer : public std::streambuf {
public:
    wrong_size_buffer(std::string content, std::streamsize size) : content_{std::move(content)}, size_{size} {}

protected:
    std::streamsize showmanyc() override { return size_; }
    pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override { return size_; }
    std::streamsize xsgetn(char* bytes, std::streamsize size) override
    {
        const auto count = content_.copy(bytes, static_cast<std::size_t>(size), position_);
        position_ += count;
        return static_cast<std::streamsize>(count);
    }

private:
    std::string content_;
    std::size_t position_{};
    std::streamsize size_;
};

TEST(MtxFaults, TrustNoStreamAboutItsSize)
{
    const matrix_data<double, int32> data{dim<2>{2, 2}, {{0, 0, 1.0}, {1, 1, 2.0}}};
    const auto text = general("2 2 2\n1 1 1\n2 2 2\n");
    const auto too_many = [](std::string text) {
        return text.replace(text.find("2 2 2"), 5, "2 2 4000000000000000000");
    };
    auto many_records = binary(data);
    many_records[31] = '\x10';
    for (const std::streamsize size : {std::numeric_limits<std::streamsize>::max(), std::streamsize{1} << 50,
                                       std::streamsize{1}, std::streamsize{0}, std::streamsize{-1}}) {
        const auto read = [size](const std::string& bytes) {
            wrong_size_buffer buffer{bytes, size};
            std::istream is{&buffer};
            const allocation_size_limit limit{little_memory};
            return spruce::read_generic_raw<double, int32>(is);
        };

        for (const auto& bytes : {text, binary(data), compress(text), compress(binary(data))}) {
            expect_same(read(bytes), data);
        }
        for (const auto& bytes : {too_many(text), compress(too_many(text))}) {
            EXPECT_ENDS_WITH(error_of([&] { read(bytes); }), ": the input ends after 2 of 4000000000000000000 entries");
        }
        for (const auto& bytes : {many_records, compress(many_records)}) {
            EXPECT_ENDS_WITH(error_of([&] { read(bytes); }), ": the input ends after 2 of 1152921504606846978 records");
        }
        EXPECT_ENDS_WITH(
            error_of([&] { read("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n"); }),
            ":3: the input ends before the value of row 2, column 1");
    }
}

TEST(MtxFaults, AllocateNothingForTheHolesOfSparseFiles)
{
    const auto message = [](const std::string& head) {
        const temporary_file file{"_hole.mtx", head};
        EXPECT_EQ(truncate(file.path.c_str(), off_t{4} << 40), 0);  // 4 TiB
        const allocation_size_limit limit{little_memory};
        return error_of([&] { spruce::read_file<double, int32>(file.path); });
    };
    const std::string banner = "%%MatrixMarket matrix ";

    EXPECT_ENDS_WITH(message(general("5 5 1000000000000\n")), ":3: the line is longer than 262144 bytes");
    EXPECT_ENDS_WITH(message(banner + "coordinate pattern symmetric\n5 5 1000000000000\n1 1\n"),
                     ":4: the line is longer than 262144 bytes");
    EXPECT_ENDS_WITH(message(banner + "array real general\n1000000000 1000000000\n"),
                     ":3: the line is longer than 262144 bytes");
    EXPECT_ENDS_WITH(message(""), ":1: the line is longer than 262144 bytes");
    EXPECT_ENDS_WITH(message(compress(general("1 1 1\n1 1 5\n"))), ": more than 64 MiB of zeros follow the gzip data");
}

TEST(MtxFaults, RefuseTheHolesOfBinaryFiles)
{
    matrix_data<double, int32> data{dim<2>{5, 5}};
    auto head = binary(data);
    head[28] = 1;  // announces 2^32 records
    const temporary_file file{"_hole.bin", head};
    ASSERT_EQ(truncate(file.path.c_str(), off_t{4} << 40), 0);
    data.nonzeros.assign(1 << 20, {0, 0, 0.0});

    EXPECT_ENDS_WITH(error_of([&] {
                         const allocation_size_limit limit{1 << 24};
                         spruce::read_file<double, int32>(file.path);
                     }),
                     ": record 1048577: more than 1048576 records in a row consist of zero bytes, as in a file that "
                     "was not written completely");
    EXPECT_EQ(read_any(binary(data)).nonzeros.size(), std::size_t{1} << 20);
}

TEST(MtxFaults, NameCompressionArchiveOrEncodingThatIsNotRead)
{
    const auto utf16 = [](const std::string& text, bool is_little) {
        std::string result;
        for (const auto character : text) {
            result += is_little ? std::string{character, '\0'} : std::string{'\0', character};
        }
        return result;
    };
    const auto text = general("1 1 1\n1 1 5\n");
    const auto compressed = [](const std::string& magic, const std::string& by) {
        return fault{magic + std::string(100, '\x07'), "compressed by " + by + " (decompress it first)"};
    };
    const std::string encoding = " (save it as UTF-8)";
    const std::vector<fault> faults{
        compressed({"\xfd\x37zXZ\0", 6}, "xz"),
        compressed("BZh91AY&SY", "bzip2"),
        compressed("\x28\xb5\x2f\xfd", "zstd"),
        compressed("\x04\x22\x4d\x18", "lz4"),
        compressed("\x1f\x9d\x90", "compress"),
        compressed({"\x5d\0\0\x80\0", 5}, "lzma"),
        compressed("LZIP\x01", "lzip"),
        {"PK\x03\x04" + std::string(100, 'x'), "a zip archive (unpack it first)"},
        {"PK\x05\x06" + std::string(18, '\0'), "a zip archive (unpack it first)"},
        {"7z\xbc\xaf\x27\x1c", "a 7z archive (unpack it first)"},
        {"bus/bus.mtx" + std::string(246, '\0') + "ustar" + std::string(250, '\0') + text,
         "a tar archive (unpack it first)"},
        {"\xff\xfe" + utf16(text, true), "text in UTF-16" + encoding},
        {"\xfe\xff" + utf16(text, false), "text in UTF-16" + encoding},
        {utf16(text, true), "text in UTF-16" + encoding},
        {utf16(text, false), "text in UTF-16" + encoding},
        {std::string{"\xff\xfe\0\0%\0\0\0", 8}, "text in UTF-32" + encoding},
        {std::string{"\0\0\xfe\xff\0\0\0%", 8}, "text in UTF-32" + encoding},
    };
    for (const auto& fault : faults) {
        const auto& bytes = fault.text;
        const auto& message = fault.message;
        const auto end = "<stream>:1: the input is " + message;
        EXPECT_ENDS_WITH(error_of([&] { read_any(bytes); }), "read_generic_raw: " + end);
        EXPECT_ENDS_WITH(error_of([&] { read_any(compress(bytes)); }), "read_generic_raw: " + end);
        EXPECT_ENDS_WITH(text_error(bytes), "read_raw: " + end);
        EXPECT_NE(binary_error(bytes).find("the input is " + message), std::string::npos) << binary_error(bytes);
    }
    const std::string gzip =
        "the input is compressed by gzip (decompress it once, or read it by read_generic or read_file)";
    EXPECT_ENDS_WITH(text_error(compress(text)), gzip);
    EXPECT_ENDS_WITH(binary_error(compress(text)), gzip);
    EXPECT_ENDS_WITH(error_of([&] { read_any(compress(compress(text))); }), gzip);
    EXPECT_ENDS_WITH(text_error(binary(matrix_data<>{})),
                     "the input is a binary matrix file (read it by read_binary or read_generic)");
    EXPECT_ENDS_WITH(text_error("BZ"), "the header has 'BZ' as first word (expected: %%matrixmarket)");
}

TEST(MtxFaults, NameTheLineWhereMemoryEnds)
{
    std::string body = "1 1 1000000\n";
    for (int i = 0; i < 1000000; ++i) {
        body += "1 1 1\n";
    }
    matrix_data<double, int32> data{dim<2>{1, 1}};
    data.nonzeros.assign(1000000, {0, 0, 1.0});
    const auto text = general(body);
    const auto bytes = binary(data);
    const auto message = [](const std::string& bytes) {
        return error_of([&] {
            std::istringstream is{bytes};
            const allocation_size_limit limit{1 << 23};  // not enough for a million entries of 16 bytes
            spruce::read_generic_raw<double, int32>(is);
        });
    };

    EXPECT_ENDS_WITH(message(text), ": there is not enough memory for the entries");
    EXPECT_NE(message(text).find("<stream>:262147: "), std::string::npos) << message(text);
    EXPECT_ENDS_WITH(message(bytes), ": there is not enough memory for the entries");
    EXPECT_NE(message(bytes).find("<stream>: record 262145: "), std::string::npos) << message(bytes);
}

TEST(MtxFaults, RefuseOverlongLines)
{
    EXPECT_ENDS_WITH(text_error(general("2 2 1\n1 1 " + std::string(10000000, '1'))),
                     "<stream>:3: the line is longer than 262144 bytes");
    EXPECT_ENDS_WITH(text_error(std::string(10000000, 'x')), "<stream>:1: the line is longer than 262144 bytes");
}

TEST(MtxFaults, RefuseFailedStream)
{
    std::ifstream is{"/nonexistent/matrix.mtx"};

    EXPECT_ENDS_WITH(error_of([&] { spruce::read_raw(is); }),
                     "read_raw: <stream>: the stream is in a failed state (file not found?)");
}

TEST(MtxFaults, NameFile)
{
    const temporary_file file{"_poisson.mtx", general("2 2 1\n1 0 1\n")};
    const temporary_file zipped{"_poisson.mtx.gz", compress(general("2 2 1\n1 0 1\n"))};

    EXPECT_ENDS_WITH(error_of([&] { spruce::read_file<double, int32>(file.path); }),
                     "read_file: " + file.path + ":3: column index 0 (indices start at 1)");
    EXPECT_ENDS_WITH(error_of([&] { spruce::read_file<double, int32>(zipped.path); }),
                     "read_file: " + zipped.path + ":3: column index 0 (indices start at 1)");
    EXPECT_ENDS_WITH(error_of([&] { spruce::read_file<double, int32>("/nonexistent/a.mtx"); }),
                     "read_file: /nonexistent/a.mtx: cannot be opened: No such file or directory");
    EXPECT_NE(error_of([&] { spruce::read_file<double, int32>("/"); }).find("Is a directory"), std::string::npos);
    EXPECT_NE(error_of([&] { spruce::read_file<double, int32>("/"); }).find("read_file: /:1: cannot be read"),
              std::string::npos);
}

TEST(MtxFaults, RefuseEmptyFile)
{
    const temporary_file file{"_empty.mtx", ""};

    EXPECT_ENDS_WITH(error_of([&] { spruce::read_file<double, int32>(file.path); }),
                     file.path + ":1: the input is empty (expected: %%MatrixMarket matrix ...)");
}

TEST(Gzip, ReadsSeveralMembers)
{
    const auto text = general("2 2 2\n1 1 1\n2 2 2\n");

    const auto data = read_any(compress(text.substr(0, 55)) + compress(text.substr(55)));

    expect_same(data, {dim<2>{2, 2}, {{0, 0, 1.0}, {1, 1, 2.0}}});
}

TEST(Gzip, ReadsZeroPadding)
{
    const auto text = general("2 2 2\n1 1 1\n2 2 2\n");
    const matrix_data<> expected{dim<2>{2, 2}, {{0, 0, 1.0}, {1, 1, 2.0}}};

    for (const std::size_t count : {1, 512, 10240, 1000000}) {
        const std::string zeros(count, '\0');
        expect_same(read_any(compress(text) + zeros), expected);
        expect_same(read_any(compress(text.substr(0, 55)) + zeros + compress(text.substr(55)) + zeros), expected);
        expect_same(read_any(compress(binary(expected)) + zeros), expected);
        EXPECT_ENDS_WITH(error_of([&] { read_any(compress(text) + zeros + "x"); }),
                         ": other bytes follow the gzip data");
    }
}

TEST(Gzip, NamesLineWhereDataIsCutShort)
{
    std::string body = "1 1 20000\n";
    std::mt19937 engine{1};
    for (int i = 0; i < 20000; ++i) {
        body += "1 1 " + std::to_string(engine()) + "\n";
    }
    const auto compressed = compress(general(body));
    for (const auto size : {compressed.size() - 1, compressed.size() - 9, compressed.size() / 2, std::size_t{100},
                            std::size_t{20}, std::size_t{10}, std::size_t{3}}) {
        const auto message = error_of([&] { read_any(compressed.substr(0, size)); });

        EXPECT_ENDS_WITH(message, ": the gzip data is cut short");
        const auto line = std::stol(message.substr(message.find("<stream>:") + 9));
        EXPECT_NEAR(line, 20002.0 * size / compressed.size(), 600);
    }
}

TEST(Gzip, RefusesDamagedData)
{
    const auto text = general("2 2 2\n1 1 1\n2 2 2\n");
    const auto good = compress(text);
    auto bad_checksum = good;
    bad_checksum[good.size() - 6] ^= 1;
    auto bad_header = good;
    bad_header[2] = 99;

    EXPECT_ENDS_WITH(error_of([&] { read_any(bad_checksum); }), "<stream>:5: the gzip data is damaged");
    EXPECT_ENDS_WITH(error_of([&] { read_any(bad_header); }), "<stream>:1: the gzip data is damaged");
    EXPECT_ENDS_WITH(error_of([&] { read_any(good + "x"); }), "<stream>:5: other bytes follow the gzip data");
}

TEST(Gzip, EveryChangedByteIsNoticedOrHarmless)
{
    const auto text = general("3 3 3\n1 1 1\n2 2 2\n3 3 4.5\n");
    const auto good = compress(text);
    for (std::size_t i = 2; i < good.size(); ++i) {
        auto bad = good;
        bad[i] ^= 0x20;
        try {
            expect_same(read_any(bad), read_text(text));  // bytes like the time stamp are ignored
        } catch (const spruce::StreamError&) {
        }
    }
}

TEST(Binary, HasDocumentedLayout)
{
    const auto bytes = binary<float, int32>({dim<2>{2, 3}, {{1, 2, 0.5f}}});

    const spruce::uint64 sizes[]{2, 3, 1};
    const int32 indices[]{1, 2};
    const float value = 0.5f;
    EXPECT_EQ(bytes, "GINKGOSI" + std::string(reinterpret_cast<const char*>(sizes), sizeof(sizes)) +
                         std::string(reinterpret_cast<const char*>(indices), sizeof(indices)) +
                         std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
    EXPECT_EQ((binary(matrix_data<double, int64>{}).substr(0, 8)), "GINKGODL");
    EXPECT_EQ((binary(matrix_data<std::complex<float>, int32>{}).substr(0, 8)), "GINKGOCI");
    EXPECT_EQ((binary(matrix_data<c64, int64>{}).substr(0, 8)), "GINKGOZL");
}

TEST(Binary, ConvertsTypes)
{
    const auto bytes = binary<double, int64>({dim<2>{2, 3}, {{1, 2, 0.5}, {0, 1, -0.0}}});

    expect_same(read_any<float, int32>(bytes), {dim<2>{2, 3}, {{0, 1, -0.0f}, {1, 2, 0.5f}}});
    expect_same(read_any<c64, int32>(bytes), {dim<2>{2, 3}, {{0, 1, c64{-0.0, 0}}, {1, 2, c64{0.5, 0}}}});
    expect_same(read_any<c64, int64>(binary<std::complex<float>, int32>({dim<2>{1, 1}, {{0, 0, {1.5f, 2.5f}}}})),
                {dim<2>{1, 1}, {{0, 0, c64{1.5, 2.5}}}});
    expect_same(read_any<double, int32>(compress(bytes)), {dim<2>{2, 3}, {{0, 1, -0.0}, {1, 2, 0.5}}});
}

TEST(Binary, RefusesFaults)
{
    const auto message = [](const std::string& bytes) {
        return error_of([&] {
            std::istringstream is{bytes};
            spruce::read_binary_raw<float, int32>(is);
        });
    };
    const auto patched = [](std::string bytes, std::size_t position, const std::string& patch) {
        return bytes.replace(position, patch.size(), patch);
    };
    using data = matrix_data<double, int64>;
    const auto good = binary(data{dim<2>{2, 2}, {{0, 0, 1.0}, {1, 1, 2.0}}});

    EXPECT_ENDS_WITH(message(""),
                     "<stream>: record 0: the input does not start with GINKGO, so it is no binary matrix file");
    EXPECT_ENDS_WITH(message(good.substr(0, 31)), "<stream>: record 0: the input ends within the header of 32 bytes");
    EXPECT_ENDS_WITH(message(good.substr(0, 32)), "<stream>: record 1: the input ends after 0 of 2 records");
    EXPECT_ENDS_WITH(message(good.substr(0, 60)), "<stream>: record 2: the input ends after 1 of 2 records");
    EXPECT_ENDS_WITH(message(good + "x"), "<stream>: record 3: more bytes than the 2 records announced");
    EXPECT_ENDS_WITH(message(patched(good, 31, "\x10")),
                     "<stream>: record 3: the input ends after 2 of 1152921504606846978 records");
    EXPECT_ENDS_WITH(message(patched(good, 6, "H")),
                     "<stream>: record 0: the value type is 'H' (expected: S, D, C or Z)");
    EXPECT_ENDS_WITH(message(patched(good, 7, "X")), "<stream>: record 0: the index type is 'X' (expected: I or L)");
    EXPECT_ENDS_WITH(message(patched(good, 6, "Z")),
                     "<stream>: record 0: the values are complex, so they cannot be read as float32");
    EXPECT_ENDS_WITH(message(binary(data{dim<2>{2147483648u, 2}})),
                     "<stream>: record 0: 2147483648 rows are more than int32 can count");
    EXPECT_ENDS_WITH(message(patched(good, 32, "\x02")),
                     "<stream>: record 1: row index 2 (the matrix has 2 rows, counted from 0)");
    EXPECT_ENDS_WITH(message(patched(good, 64, "\xff\xff\xff\xff\xff\xff\xff\xff")),
                     "<stream>: record 2: column index -1 (the matrix has 2 columns, counted from 0)");
    EXPECT_ENDS_WITH(message(binary(data{dim<2>{1, 1}, {{0, 0, 1e300}}})),
                     "<stream>: record 1: the value is too large for float32");
}

TEST(MtxWrite, WritesCoordinateInOrder)
{
    std::ostringstream os;

    spruce::write_raw(os, matrix_data<>{dim<2>{2, 3}, {{1, 2, 0.1}, {0, 0, -3.0}}});

    EXPECT_EQ(os.str(), "%%MatrixMarket matrix coordinate real general\n2 3 2\n2 3 0.1\n1 1 -3\n");
}

TEST(MtxWrite, WritesComplex)
{
    std::ostringstream os;

    spruce::write_raw(os, matrix_data<c64, int64>{dim<2>{1, 1}, {{0, 0, c64{1e30, -0.5}}}});

    EXPECT_EQ(os.str(), "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1e+30 -0.5\n");
}

TEST(MtxWrite, WritesArrayColumnByColumnWithDuplicatesAddedUp)
{
    std::ostringstream os;

    spruce::write_raw(os, matrix_data<>{dim<2>{2, 2}, {{0, 1, 3.0}, {1, 0, 1.0}, {0, 1, 4.0}}}, layout_type::array);

    EXPECT_EQ(os.str(), "%%MatrixMarket matrix array real general\n2 2\n0\n1\n7\n0\n");
}

TEST(MtxWrite, WritesValuesThatAreNotFinite)
{
    using limits = std::numeric_limits<double>;
    std::ostringstream os;

    spruce::write_raw(os, matrix_data<>{dim<2>{1, 2}, {{0, 0, -limits::infinity()}, {0, 1, limits::quiet_NaN()}}});

    EXPECT_EQ(os.str(), general("1 2 2\n1 1 -inf\n1 2 nan\n"));
}

TEST(MtxWrite, RefusesEntriesOutsideBeforeWriting)
{
    const matrix_data<> beyond{dim<2>{2, 2}, {{0, 2, 1.0}}};
    const matrix_data<> negative{dim<2>{2, 2}, {{-1, 1, 1.0}}};
    const temporary_file file{".mtx", "untouched"};
    std::ostringstream os;

    EXPECT_ENDS_WITH(
        error_of([&] { spruce::write_raw(os, beyond); }),
        "write_raw: <stream>: the entry at row 0, column 2 (counted from 0) lies outside of the 2 x 2 matrix");
    EXPECT_ENDS_WITH(error_of([&] { spruce::write_binary_raw(os, negative); }),
                     "the entry at row -1, column 1 (counted from 0) lies outside of the 2 x 2 matrix");
    EXPECT_NE(error_of([&] { spruce::write_file(file.path, beyond); }), "no StreamError");
    EXPECT_EQ(os.str(), "");
    EXPECT_EQ(file.content(), "untouched");
}

TEST(MtxWrite, ReportsFailure)
{
    std::ostringstream os;
    os.setstate(std::ios_base::badbit);
    const auto small = matrix_data<>{dim<2>{2, 2}};

    EXPECT_ENDS_WITH(error_of([&] { spruce::write_raw(os, small); }), "write_raw: <stream>: writing failed");
    EXPECT_ENDS_WITH(error_of([&] { spruce::write_file("/nonexistent/a.mtx", small); }),
                     "write_file: /nonexistent/a.mtx: cannot be opened: No such file or directory");
    EXPECT_ENDS_WITH(error_of([&] { spruce::write_file("/dev/full", small); }),
                     "write_file: /dev/full: writing failed: No space left on device");
}

/// Implements the minimum that the templates require of a matrix type.
template <typename V>
struct stub_matrix {
    using value_type = V;
    using index_type = int64;

    static std::unique_ptr<stub_matrix> create(int tag = 0)
    {
        auto result = std::make_unique<stub_matrix>();
        result->tag = tag;
        return result;
    }
    void read(const matrix_data<V, int64>& data) { content = data; }
    void write(matrix_data<V, int64>& data) const { data = content; }

    matrix_data<V, int64> content;
    int tag{};
};

struct stub_dense : stub_matrix<double> {
    static constexpr layout_type default_layout = layout_type::array;
};

TEST(MtxTemplates, ReadIntoCreatedMatrix)
{
    const auto text = general("1 2 1\n1 2 3\n");
    const matrix_data<double, int64> expected{dim<2>{1, 2}, {{0, 1, 3.0}}};
    std::istringstream again{text};

    const auto from_text = spruce::read<stub_matrix<double>>(std::istringstream{text}, 7);
    const auto from_any = spruce::read_generic<stub_matrix<double>>(again);
    const auto from_binary = spruce::read_binary<stub_matrix<double>>(std::istringstream{binary(expected)}, 8);

    EXPECT_EQ(from_text->tag, 7);
    EXPECT_EQ(from_binary->tag, 8);
    expect_same(from_text->content, expected);
    expect_same(from_any->content, expected);
    expect_same(from_binary->content, expected);
}

TEST(MtxTemplates, WriteInLayoutOfMatrixType)
{
    stub_dense dense;
    dense.content = {dim<2>{1, 1}, {{0, 0, 5.0}}};
    const auto sparse = stub_matrix<double>::create();
    sparse->content = dense.content;
    const stub_dense* const constant = &dense;
    std::ostringstream as_array;
    std::ostringstream as_coordinate;
    std::ostringstream as_asked;
    std::ostringstream as_binary;

    spruce::write(as_array, constant);
    spruce::write(as_coordinate, sparse);
    spruce::write(as_asked, sparse.get(), layout_type::array);
    spruce::write_binary(as_binary, sparse);

    EXPECT_EQ(as_array.str(), "%%MatrixMarket matrix array real general\n1 1\n5\n");
    EXPECT_EQ(as_coordinate.str(), general("1 1 1\n1 1 5\n"));
    EXPECT_EQ(as_asked.str(), as_array.str());
    EXPECT_EQ(as_binary.str(), binary(sparse->content));
}

TEST(MtxTemplates, FailedReadingCreatesNothing)
{
    std::unique_ptr<stub_matrix<double>> target = stub_matrix<double>::create(5);

    EXPECT_THROW(target = spruce::read<stub_matrix<double>>(std::istringstream{"x"}), spruce::StreamError);

    EXPECT_EQ(target->tag, 5);
}

using Csr = spruce::matrix::Csr<double, int32>;

/// Represents host memory in which every allocation fails.
struct no_memory : spruce::CpuAllocatorBase {
    void* allocate(spruce::size_type num_bytes) override
    {
        throw spruce::AllocationError(__FILE__, __LINE__, "test", num_bytes);
    }
    void deallocate(void*) override {}
};

TEST(MtxTemplates, NameTheLineOfASizeThatMemoryDoesNotHold)
{
    const std::shared_ptr<spruce::Executor> exec = spruce::ReferenceExecutor::create(std::make_shared<no_memory>());
    std::unique_ptr<Csr> target;

    const auto error =
        error_of([&] { target = spruce::read<Csr>(std::istringstream{general("3 2 1\n1 1 1\n")}, exec); });

    EXPECT_NE(error.find("<stream>:2: no such matrix can be made of 3 x 2 with 1 entries: "), std::string::npos)
        << error;
    EXPECT_NE(error.find("test: could not allocate 4 bytes"), std::string::npos) << error;
    EXPECT_EQ(target, nullptr);
}

/// Throws in read().
struct stub_throwing : stub_matrix<double> {
    static std::unique_ptr<stub_throwing> create(std::function<void()> fail)
    {
        auto result = std::make_unique<stub_throwing>();
        result->fail = std::move(fail);
        return result;
    }
    void read(const matrix_data<double, int64>&) const { fail(); }

    std::function<void()> fail;
};

TEST(MtxTemplates, TakeOnlyFailuresOfMemoryAndSizesForFaultsOfTheInput)
{
    const auto read_and_fail = [](std::function<void()> fail) {
        spruce::read<stub_throwing>(std::istringstream{general("1 1 0\n")}, std::move(fail));
    };

    EXPECT_THROW(read_and_fail([] { throw std::bad_alloc{}; }), spruce::StreamError);
    EXPECT_THROW(read_and_fail([] { throw std::length_error{"too long"}; }), spruce::StreamError);
    EXPECT_THROW(read_and_fail([] { throw spruce::OverflowError(__FILE__, __LINE__, "int"); }), spruce::StreamError);
    EXPECT_THROW(read_and_fail([] { throw spruce::NotSupported(__FILE__, __LINE__, "this", "that"); }),
                 spruce::NotSupported);
}

}  // namespace
