// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests that small files for large matrices are rejected before memory is allocated, in every
// format and on every executor.

#include <functional>
#include <sstream>
#include <string>

#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::Executor;
using spruce::LinOp;
using spruce::size_type;
using spruce::StreamError;

/// Entries of a Dense are read with 64-bit indices, which builds for minimal types do not support.
constexpr bool reads_dense = !SPRUCE_TYPES_MINIMAL;

constexpr size_type limit = 64 << 20;  // for few entries; see mtx_io.hpp

template <typename Types>
class ReadingInProportion : public formats_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Coo;
    using typename kernel_test<Types>::Dense;
    using typename formats_test<Types>::Ell;
    using typename formats_test<Types>::Sellp;
    using typename formats_test<Types>::Hybrid;
    using typename formats_test<Types>::Fbcsr;
    using typename formats_test<Types>::SparsityCsr;
    using data_type = spruce::matrix_data<V, I>;

    struct reader {
        std::string name;
        std::function<std::unique_ptr<LinOp>(std::istream&, std::shared_ptr<const Executor>)> read;
        std::function<std::unique_ptr<LinOp>(std::istream&, std::shared_ptr<const Executor>)> read_generic;
        std::function<std::unique_ptr<LinOp>(std::istream&, std::shared_ptr<const Executor>)> read_binary;
        std::function<std::unique_ptr<LinOp>(const data_type&, std::shared_ptr<const Executor>)> read_data;
    };

    template <typename Matrix, typename... Args>
    static reader make_reader(std::string name, Args... args)
    {
        return {std::move(name), [=](std::istream& is, auto exec) { return spruce::read<Matrix>(is, exec, args...); },
                [=](std::istream& is, auto exec) { return spruce::read_generic<Matrix>(is, exec, args...); },
                [=](std::istream& is, auto exec) { return spruce::read_binary<Matrix>(is, exec, args...); },
                [=](const data_type& data, auto exec) {
                    auto matrix = Matrix::create(exec, args...);
                    matrix->read(data);
                    return matrix;
                }};
    }

    static reader of_csr() { return make_reader<Csr>("Csr"); }
    static reader of_coo() { return make_reader<Coo>("Coo"); }
    static reader of_sparsity_csr() { return make_reader<SparsityCsr>("SparsityCsr"); }
    static reader of_dense() { return make_reader<Dense>("Dense"); }
    static reader of_ell() { return make_reader<Ell>("Ell"); }
    static reader of_sellp(size_type slice_size)
    {
        return make_reader<Sellp>("Sellp, slices of " + std::to_string(slice_size), dim<2>{}, slice_size, size_type{1},
                                  size_type{});
    }
    static reader of_hybrid(size_type num_columns)
    {
        return make_reader<Hybrid>("Hybrid, " + std::to_string(num_columns) + " columns",
                                   std::make_shared<typename Hybrid::column_limit>(num_columns));
    }
    static reader of_fbcsr(int block_size)
    {
        return make_reader<Fbcsr>("Fbcsr, blocks of " + std::to_string(block_size), block_size);
    }

    void expect_refused(const reader& reader, const data_type& data) const
    {
        SCOPED_TRACE(reader.name);
        std::stringstream text;
        std::stringstream any;
        std::stringstream binary;
        write_raw(text, data);
        write_binary_raw(any, data);
        write_binary_raw(binary, data);

        this->expect_refused(data, [&] { reader.read(text, this->exec); });
        this->expect_refused(data, [&] { reader.read_generic(any, this->exec); });
        this->expect_refused(data, [&] { reader.read_binary(binary, this->exec); });
    }

    void expect_read(const reader& reader, const data_type& data) const
    {
        SCOPED_TRACE(reader.name);
        std::stringstream text;
        write_raw(text, data);

        const auto matrix = reader.read(text, this->exec);

        EXPECT_EQ(matrix->get_size(), data.size);
    }

    /// Returns a matrix whose entries are all in the first row.
    static data_type one_full_row(size_type num_rows, size_type num_cols)
    {
        data_type data{dim<2>{num_rows, num_cols}};
        for (size_type column = 0; column < num_cols; ++column) {
            data.nonzeros.emplace_back(0, static_cast<I>(column), V{1});
        }
        return data;
    }

private:
    template <typename Read>
    void expect_refused(const data_type& data, Read read) const
    {
        const auto before = this->exec->get_counters();
        const auto master_before = this->exec->get_master()->get_counters();
        const auto shape = std::to_string(data.size[0]) + " x " + std::to_string(data.size[1]) + " with " +
                           std::to_string(data.nonzeros.size()) + " entries takes at least ";

        try {
            read();
            ADD_FAILURE() << shape << "too much, but was read";
        } catch (const StreamError& error) {
            const std::string message = error.what();
            EXPECT_NE(message.find("<stream>:"), std::string::npos) << message;
            EXPECT_NE(message.find(shape), std::string::npos) << message;
            EXPECT_NE(message.find(" MiB in this format, out of all proportion to its entries (a Coo takes memory for "
                                   "the entries only, a Csr also for the rows; if this format is what is meant, read "
                                   "matrix_data and give it to the matrix)"),
                      std::string::npos)
                << message;
        }

        EXPECT_LE((this->exec->get_counters() - before).allocated_bytes, limit);
        EXPECT_LE((this->exec->get_master()->get_counters() - master_before).allocated_bytes, limit);
    }
};
TYPED_TEST_SUITE(ReadingInProportion, one_of_each_type, type_names);

TYPED_TEST(ReadingInProportion, RefusesRowsThatArePaddedToALongOne)
{
    const auto data = this->one_full_row(300000, 600);

    this->expect_refused(this->of_ell(), data);
    this->expect_refused(this->of_sellp(1 << 20), data);
    this->expect_refused(this->of_hybrid(600), data);
    if (reads_dense) {
        this->expect_refused(this->of_dense(), data);
    }
    this->expect_read(this->of_coo(), data);
    this->expect_read(this->of_csr(), data);
    this->expect_read(this->of_sparsity_csr(), data);
    this->expect_read(this->of_sellp(64), data);
    this->expect_read(this->of_hybrid(1), data);
    this->expect_read(this->of_fbcsr(4), data);
}

TYPED_TEST(ReadingInProportion, RefusesBlocksOfFewEntries)
{
    typename TestFixture::data_type data{dim<2>{100000, 100000}};
    for (int i = 0; i < 100; ++i) {
        data.nonzeros.emplace_back(1000 * i, 1000 * i, 1);
    }

    this->expect_refused(this->of_fbcsr(1000), data);
    this->expect_read(this->of_fbcsr(10), data);
}

TYPED_TEST(ReadingInProportion, RefusesAGreatManyEmptyRows)
{
    constexpr auto num_rows = static_cast<size_type>(std::numeric_limits<spruce::int32>::max()) - 1;
    const typename TestFixture::data_type without_entries{dim<2>{num_rows, 1}};
    const typename TestFixture::data_type with_entry{dim<2>{num_rows, num_rows}, {{5, 7, 1}}};

    for (const auto& data : {without_entries, with_entry}) {
        this->expect_refused(this->of_csr(), data);
        this->expect_refused(this->of_sparsity_csr(), data);
        this->expect_refused(this->of_ell(), data);
        this->expect_refused(this->of_sellp(64), data);
        this->expect_refused(this->of_hybrid(1), data);
        this->expect_refused(this->of_fbcsr(1), data);
        this->expect_read(this->of_coo(), data);
    }
    if (reads_dense) {
        this->expect_refused(this->of_dense(), without_entries);
    }
}

TYPED_TEST(ReadingInProportion, ReadsMatricesOfSomeMegabytesWhateverTheirEntries)
{
    const typename TestFixture::data_type many_rows{dim<2>{1000000, 1000000}, {{1, 2, 1}, {999999, 3, 1}}};
    const typename TestFixture::data_type square{dim<2>{1000, 1000}, {{500, 500, 1}}};

    for (const auto& reader : {this->of_coo(), this->of_csr(), this->of_sparsity_csr(), this->of_ell(),
                               this->of_sellp(64), this->of_hybrid(1), this->of_fbcsr(1)}) {
        this->expect_read(reader, many_rows);
    }
    this->expect_read(this->of_fbcsr(1000), square);
    if (reads_dense) {
        this->expect_read(this->of_dense(), square);
    }
    this->expect_read(this->of_csr(), {dim<2>{1, 2147483646}, {{0, 2147483645, 1}}});
}

TYPED_TEST(ReadingInProportion, ReadsLargeMatricesOfEnoughEntries)
{
    const auto data = this->one_full_row(40, 250000);

    this->expect_read(this->of_ell(), data);
    if (reads_dense) {
        this->expect_read(this->of_dense(), data);
    }
}

TYPED_TEST(ReadingInProportion, LeavesMatrixDataAsTheWayToReadWhatIsMeantSo)
{
    const auto data = this->one_full_row(15000, 600);  // a Dense takes 69 MiB in double precision
    const auto dense = this->of_dense();
    const auto ell = this->of_ell();

    this->expect_refused(ell, data);

    EXPECT_EQ(ell.read_data(data, this->exec)->get_size(), data.size);
    EXPECT_EQ(dense.read_data(data, this->exec)->get_size(), data.size);
}

}  // namespace
