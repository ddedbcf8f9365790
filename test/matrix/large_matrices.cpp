// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests matrices with more than 2^31 entries on hosts. int64 can count them, and int32 reports an
// overflow. The tests are slow, so they run only if the environment variable SPRUCE_TEST_LARGE is
// 1. Arrays of equal elements map the same few megabytes of memory repeatedly, so the tests need
// little memory.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::array;
using spruce::dim;
using spruce::int32;
using spruce::int64;
using spruce::size_type;

/// Maps the same few megabytes of memory repeatedly to num_bytes of addresses.
class repeating_memory {
public:
    explicit repeating_memory(size_type num_bytes) : num_bytes_{(num_bytes + piece - 1) / piece * piece}
    {
        const auto file = memfd_create("spruce_test", 0);
        if (file < 0 || ftruncate(file, piece) != 0) {
            throw std::runtime_error("no memory file");
        }
        begin_ = static_cast<char*>(
            mmap(nullptr, num_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        for (size_type offset = 0; begin_ != MAP_FAILED && offset < num_bytes_; offset += piece) {
            if (mmap(begin_ + offset, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
                throw std::runtime_error("no address space");
            }
        }
        close(file);
        if (begin_ == MAP_FAILED) {
            throw std::runtime_error("no address space");
        }
    }
    repeating_memory(const repeating_memory&) = delete;
    ~repeating_memory() { munmap(begin_, num_bytes_); }

    char* get() const { return begin_; }

    static constexpr size_type piece = size_type{64} << 20;

private:
    size_type num_bytes_;
    char* begin_;
};

/// Sets all elements to the value.
template <typename T>
void fill_repeating(T* elements, T value)
{
    std::fill_n(elements, repeating_memory::piece / sizeof(T), value);
}

/// Holds size elements of the same value, for reading.
template <typename T>
class repeated {
public:
    repeated(size_type size, T value) : size_{size}, memory_{size * sizeof(T)} { fill_repeating(this->data(), value); }

    array<T> view(std::shared_ptr<const spruce::Executor> exec) const
    {
        return array<T>::view(exec, size_, this->data());
    }

private:
    T* data() const { return reinterpret_cast<T*>(memory_.get()); }

    size_type size_;
    repeating_memory memory_;
};

/// Allocates large blocks as repeating memory, for formats that cannot be created from views.
class RepeatingAllocator : public spruce::CpuAllocator {
public:
    void* allocate(size_type num_bytes) override
    {
        if (num_bytes < size_type{1} << 30) {
            return CpuAllocator::allocate(num_bytes);
        }
        auto memory = std::make_unique<repeating_memory>(num_bytes);
        void* const begin = memory->get();
        pieces_[begin] = std::move(memory);
        return begin;
    }
    void deallocate(void* ptr) override
    {
        if (pieces_.erase(ptr) == 0) {
            CpuAllocator::deallocate(ptr);
        }
    }

private:
    std::map<void*, std::unique_ptr<repeating_memory>> pieces_;
};

class LargeMatrices : public ::testing::Test {
protected:
    using V = double;

    void SetUp() override
    {
        const auto asked = std::getenv("SPRUCE_TEST_LARGE");
        if (!asked || std::string(asked) != "1") {
            GTEST_SKIP() << "SPRUCE_TEST_LARGE is not 1";
        }
        if (is_device(*exec)) {
            GTEST_SKIP() << "for hosts only";
        }
    }

    /// Creates an executor of the kind under test whose large allocations are repeating memory.
    std::shared_ptr<spruce::Executor> repeating_executor() const
    {
        const auto allocator = std::make_shared<RepeatingAllocator>();
        if (exec->get_backend() == spruce::backend::omp) {
            return spruce::OmpExecutor::create(allocator);
        }
        return spruce::ReferenceExecutor::create(allocator);
    }

    /// Returns the row pointers of three rows, of which one is empty. All entries are in column 1.
    array<int64> row_ptrs() const { return {exec, {int64{}, first_row, first_row, num_entries}}; }
    /// Expects the products of a, which has ones in rows 0 and 2 according to the row pointers.
    void expect_product(const spruce::LinOp& a) const
    {
        const auto b = spruce::initialize<spruce::matrix::Dense<V>>({7.0, 0.25}, exec);
        const auto x = spruce::initialize<spruce::matrix::Dense<V>>({1.0, 2.0, 3.0}, exec);
        const auto two = spruce::initialize<spruce::matrix::Dense<V>>({2.0}, exec);
        const auto sum = 0.25 * static_cast<double>(first_row);
        const auto last = 0.25 * static_cast<double>(num_entries - first_row);

        a.apply(b, x);
        EXPECT_MTX_NEAR(x, spruce::initialize<spruce::matrix::Dense<V>>({sum, 0.0, last}, exec), 0.0);
        a.apply(two, b, two, x);
        EXPECT_MTX_NEAR(x, spruce::initialize<spruce::matrix::Dense<V>>({4 * sum, 0.0, 4 * last}, exec), 0.0);
    }

    /// Expects that matrix.convert_to(result) throws since int32 cannot count the entries, and does
    /// not change the result.
    template <typename Matrix, typename Result>
    void expect_overflow(const Matrix& matrix, Result result)
    {
        result->copy_from(spruce::initialize<spruce::matrix::Dense<V>>({{1.0, 2.0}, {3.0, 4.0}}, exec));
        EXPECT_THROW(matrix->convert_to(result.get()), spruce::OverflowError);
        EXPECT_EQ(result->get_size(), (dim<2>{2, 2}));
    }

    static constexpr int64 first_row = (int64{1} << 31) + 13;
    static constexpr int64 num_entries = first_row + 5;
    std::shared_ptr<spruce::Executor> exec{test_executor()};
};

/// Tests Fbcsr with so many entries that int32 can count only the blocks.
TEST_F(LargeMatrices, AreMultipliedAsFbcsrWithAnyIndices)
{
    const auto check = [&](auto zero) {
        using I = decltype(zero);
        constexpr size_type blocks_of_first_row = (size_type{1} << 29) + 3;
        constexpr auto num_blocks = blocks_of_first_row + 5;
        const repeated<V> values(4 * num_blocks, 1.0);
        const repeated<I> cols(num_blocks, 0);
        const array<I> row_ptrs{exec, {zero, I{blocks_of_first_row}, I{num_blocks}}};
        const auto a =
            spruce::matrix::Fbcsr<V, I>::create(exec, dim<2>{4, 2}, 2, values.view(exec), cols.view(exec), row_ptrs);
        const auto x = spruce::initialize<spruce::matrix::Dense<V>>({1.0, 2.0, 3.0, 4.0}, exec);

        a->apply(spruce::initialize<spruce::matrix::Dense<V>>({0.5, 0.25}, exec), x);

        const auto sum = 0.75 * static_cast<double>(blocks_of_first_row);
        EXPECT_MTX_NEAR(x, spruce::initialize<spruce::matrix::Dense<V>>({sum, sum, 3.75, 3.75}, exec), 0.0);
    };
    check(int32{});
#if !SPRUCE_TYPES_MINIMAL
    check(int64{});
#endif
}

#if !SPRUCE_TYPES_MINIMAL

TEST_F(LargeMatrices, AreMultipliedAsCsr)
{
    const repeated<V> values(num_entries, 1.0);
    const repeated<int64> cols(num_entries, 1);
    using Csr = spruce::matrix::Csr<V, int64>;
    const auto a = Csr::create(exec, dim<2>{3, 2}, values.view(exec), cols.view(exec), this->row_ptrs());

    this->expect_product(*a);
    EXPECT_EQ(a->compute_max_row_length(), static_cast<size_type>(first_row));
    EXPECT_TRUE(a->is_sorted_by_column_index());
    EXPECT_EQ(a->create_submatrix({1, 3}, {0, 2})->get_num_stored_elements(), 5u);
}

TEST_F(LargeMatrices, AreMultipliedAsSparsityCsr)
{
    const repeated<int64> cols(num_entries, 1);

    this->expect_product(
        *spruce::matrix::SparsityCsr<V, int64>::create(exec, dim<2>{3, 2}, cols.view(exec), this->row_ptrs()));
}

TEST_F(LargeMatrices, AreMultipliedAsCoo)
{
    const repeated<V> values(num_entries, 1.0);
    const repeated<int64> cols(num_entries, 1);
    const repeated<int64> rows(num_entries, 2);
    const auto a =
        spruce::matrix::Coo<V, int64>::create(exec, dim<2>{3, 2}, values.view(exec), cols.view(exec), rows.view(exec));
    const auto x = spruce::initialize<spruce::matrix::Dense<V>>({1.0, 2.0, 3.0}, exec);

    a->apply(spruce::initialize<spruce::matrix::Dense<V>>({7.0, 0.25}, exec), x);

    EXPECT_MTX_NEAR(
        x, spruce::initialize<spruce::matrix::Dense<V>>({0.0, 0.0, 0.25 * static_cast<double>(num_entries)}, exec),
        0.0);
}

TEST_F(LargeMatrices, AreMultipliedAsEll)
{
    constexpr size_type per_row = (size_type{1} << 30) + 3;
    const repeated<V> values(2 * per_row, 1.0);
    const repeated<int64> cols(2 * per_row, 1);
    const auto b = spruce::initialize<spruce::matrix::Dense<V>>({7.0, 0.25}, exec);
    const auto x = spruce::initialize<spruce::matrix::Dense<V>>({1.0, 2.0}, exec);

    spruce::matrix::Ell<V, int64>::create(exec, dim<2>{2, 2}, values.view(exec), cols.view(exec), per_row, 2)
        ->apply(b, x);

    const auto sum = 0.25 * static_cast<double>(per_row);
    EXPECT_MTX_NEAR(x, spruce::initialize<spruce::matrix::Dense<V>>({sum, sum}, exec), 0.0);
}

/// Tests matrices whose entries are all in one row and one column. Every array of every format then
/// contains a repeated number.
TEST_F(LargeMatrices, AreConvertedAndTransposed)
{
    using Csr = spruce::matrix::Csr<V, int64>;
    const auto repeating_exec = this->repeating_executor();
    const repeated<V> values(num_entries, 1.0);
    const repeated<int64> cols(num_entries, 1);
    const array<int64> row_ptrs{repeating_exec, {int64{}, num_entries}};
    const auto a =
        Csr::create(repeating_exec, dim<2>{1, 2}, values.view(repeating_exec), cols.view(repeating_exec), row_ptrs);
    const auto b = spruce::initialize<spruce::matrix::Dense<V>>({7.0, 0.25}, repeating_exec);
    const auto sum = 0.25 * static_cast<double>(num_entries);
    const auto expect_same = [&](const spruce::LinOp& matrix) {
        const auto x = spruce::initialize<spruce::matrix::Dense<V>>({1.0}, repeating_exec);
        ASSERT_EQ(matrix.get_size(), (dim<2>{1, 2}));
        matrix.apply(b, x);
        EXPECT_MTX_NEAR(x, spruce::initialize<spruce::matrix::Dense<V>>({sum}, repeating_exec), 0.0);
    };
    const auto there_and_back = [&](auto other, const char* name) {
        SCOPED_TRACE(name);
        a->convert_to(other);
        expect_same(*other);
        const auto back = Csr::create(repeating_exec);
        other->convert_to(back);
        EXPECT_EQ(back->get_num_stored_elements(), static_cast<size_type>(num_entries));
        expect_same(*back);
    };

    there_and_back(spruce::matrix::Coo<V, int64>::create(repeating_exec), "Coo");
    there_and_back(spruce::matrix::Ell<V, int64>::create(repeating_exec), "Ell");
    there_and_back(spruce::matrix::Sellp<V, int64>::create(repeating_exec, dim<2>{}, 1, 1, 0), "Sellp");
    there_and_back(spruce::matrix::Hybrid<V, int64>::create(repeating_exec), "Hybrid");
    there_and_back(spruce::matrix::SparsityCsr<V, int64>::create(repeating_exec), "SparsityCsr");
    const auto transposed = a->transpose();
    EXPECT_EQ(transposed->get_size(), (dim<2>{2, 1}));
    expect_same(*spruce::as<spruce::Transposable>(transposed.get())->transpose());
}

#endif

TEST_F(LargeMatrices, AreTooLargeForInt32)
{
    using Csr = spruce::matrix::Csr<V, int32>;
    using Ell = spruce::matrix::Ell<V, int32>;
    constexpr size_type per_row = size_type{1} << 30;
    const repeated<V> values(2 * per_row, 1.0);
    const repeated<int32> cols(2 * per_row, 1);
    const auto ell = Ell::create(exec, dim<2>{2, 2}, values.view(exec), cols.view(exec), per_row, 2);
    const auto coo =
        spruce::matrix::Coo<V, int32>::create(exec, dim<2>{2, 2}, values.view(exec), cols.view(exec), cols.view(exec));
    const auto dense = spruce::matrix::Dense<V>::create(exec, dim<2>{2, per_row}, values.view(exec), per_row);

    this->expect_overflow(ell, Csr::create(exec));
    this->expect_overflow(ell, spruce::matrix::Sellp<V, int32>::create(exec));
    this->expect_overflow(coo, Csr::create(exec));
    this->expect_overflow(coo, spruce::matrix::Hybrid<V, int32>::create(exec));
    this->expect_overflow(dense, Csr::create(exec));
    this->expect_overflow(dense, spruce::matrix::Fbcsr<V, int32>::create(exec));
}

TEST_F(LargeMatrices, AreTooLargeForInt32WithSlicesOrInTwoParts)
{
    using Csr = spruce::matrix::Csr<V, int32>;
    using Sellp = spruce::matrix::Sellp<V, int32>;
    using Hybrid = spruce::matrix::Hybrid<V, int32>;
    constexpr size_type too_many = size_type{1} << 31;
    const auto repeating_exec = this->repeating_executor();
    const auto sellp_of_one_slice = [&](size_type num_rows, size_type length) {
        auto result = Sellp::create(repeating_exec, dim<2>{num_rows, 2}, num_rows, 1, length);
        result->get_slice_lengths()[0] = length;
        result->get_slice_sets()[1] = length;
        fill_repeating(result->get_col_idxs(), 1);
        return result;
    };

    for (const size_type num_rows : {1, 2}) {  // a row, or two together
        const auto sellp = sellp_of_one_slice(num_rows, too_many / num_rows);
        this->expect_overflow(sellp, Csr::create(exec));
        this->expect_overflow(sellp, Hybrid::create(exec));
        EXPECT_THROW(sellp->transpose(), spruce::OverflowError);
        EXPECT_THROW(sellp->sort_by_column_index(), spruce::OverflowError);
    }
    {
        const auto hybrid = Hybrid::create(repeating_exec, dim<2>{2, 2}, too_many / 2, 2);
        fill_repeating(hybrid->get_ell_col_idxs(), 1);
        this->expect_overflow(hybrid, Csr::create(exec));
        this->expect_overflow(hybrid, Sellp::create(exec));
        EXPECT_THROW(hybrid->transpose(), spruce::OverflowError);
    }
    const auto hybrid = Hybrid::create(repeating_exec, dim<2>{2, 2}, 1, 2, too_many);
    this->expect_overflow(hybrid, Csr::create(exec));
    EXPECT_THROW(hybrid->sort_by_column_index(), spruce::OverflowError);
}

}  // namespace
