// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// What the documentation calls bitwise repeatable gives the same bits every time, in whatever order threads run.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include <dlfcn.h>
#include <link.h>

#include "test/utils/fixture.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

/// The name of the HIP backend's library, if there is one in this process.
std::string hip_library()
{
    std::string name;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            if (info->dlpi_name && std::strstr(info->dlpi_name, "libspruce_hip")) {
                *static_cast<std::string*>(result) = info->dlpi_name;
            }
            return 0;
        },
        &name);
    return name;
}

/// In which order the host platform of HIP runs the threads of a block; nothing on other platforms.
void set_hip_host_schedule(const char* schedule)
{
    const auto library = dlopen(hip_library().c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (!library) {
        return;
    }
    if (const auto set = reinterpret_cast<bool (*)(const char*)>(dlsym(library, "_ZN8hip_host12set_scheduleEPKc"))) {
        EXPECT_TRUE(set(schedule));
    }
    dlclose(library);
}

template <typename Types>
class Repeatability : public kernel_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;

    // Enough for several threads, blocks and tiles; values that do not add up exactly.
    static constexpr size_type num_rows = 5003;

    void TearDown() override { set_hip_host_schedule("forward"); }

    host_matrix uneven_matrix()
    {
        std::vector<size_type> lengths(num_rows, 5);
        lengths[17] = 2500;  // goes over several tiles, and over the border between threads
        lengths[num_rows / 2] = 1200;
        return random_sparse(this->engine, lengths, num_rows);
    }

    template <typename Value>
    static std::vector<unsigned char> bits_of(const spruce::matrix::Dense<Value>& x)
    {
        const auto exec = x.get_executor();
        std::vector<unsigned char> result(x.get_num_stored_elements() * sizeof(Value));
        exec->get_master()->copy_from(exec, result.size(), reinterpret_cast<const unsigned char*>(x.get_const_values()),
                                      result.data());
        return result;
    }

    /// compute(x) gives the same bits in x each time.
    template <typename Result, typename Compute>
    void expect_repeats(const std::unique_ptr<Result>& x, Compute compute)
    {
        const auto start = x->clone();
        compute(x.get());
        const auto expected = bits_of(*x);
        for (const auto schedule : {"forward", "reverse", "random:7", "random:8"}) {
            SCOPED_TRACE(schedule);
            set_hip_host_schedule(schedule);
            x->copy_from(start);
            compute(x.get());
            EXPECT_EQ(bits_of(*x), expected);
        }
    }

    void expect_product_repeats(std::shared_ptr<typename Csr::strategy_type> strategy, size_type num_rhs)
    {
        SCOPED_TRACE(strategy->get_name() + ", " + std::to_string(num_rhs) + " columns");
        const auto a = make_csr<V, I>(this->exec, uneven_matrix(), strategy);
        const auto b = this->random_dense(num_rows, num_rhs);
        const auto factor = this->dense({{V(0.3)}});
        expect_repeats(this->random_dense(num_rows, num_rhs), [&](Dense* x) { a->apply(b, x); });
        expect_repeats(this->random_dense(num_rows, num_rhs), [&](Dense* x) { a->apply(factor, b, factor, x); });
    }
};
TYPED_TEST_SUITE(Repeatability, one_of_each_type, type_names);

TYPED_TEST(Repeatability, OfCsrProductsWhereClaimed)
{
    using Csr = typename TestFixture::Csr;
    for (const size_type num_rhs : {1, 3}) {
        this->expect_product_repeats(std::make_shared<typename Csr::classical>(), num_rhs);
        this->expect_product_repeats(std::make_shared<typename Csr::merge_path>(), num_rhs);
        this->expect_product_repeats(std::make_shared<typename Csr::automatical>(), num_rhs);
        if (!is_device(*this->exec)) {  // GPUs add atomically
            this->expect_product_repeats(std::make_shared<typename Csr::load_balance>(), num_rhs);
        }
    }
}

TYPED_TEST(Repeatability, OfCooProductsWhereClaimed)
{
    const auto a = make_coo<typename TestFixture::V, typename TestFixture::I>(this->exec, this->uneven_matrix());
    for (const size_type num_rhs : {1, 3}) {
        if (is_device(*this->exec) && num_rhs > 1) {
            continue;  // GPUs add parts of rows atomically
        }
        const auto b = this->random_dense(this->num_rows, num_rhs);
        this->expect_repeats(this->random_dense(this->num_rows, num_rhs), [&](auto x) { a->apply(b, x); });
        this->expect_repeats(this->random_dense(this->num_rows, num_rhs), [&](auto x) { a->apply2(b, x); });
    }
}

TYPED_TEST(Repeatability, OfPaddedFormats)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto csr =
        make_csr<V, I>(this->exec, random_sparse(this->engine, this->num_rows, this->num_rows, nnz_per_row(0, 40)));
    const auto check = [&](auto a, size_type num_rhs) {
        csr->convert_to(a);
        const auto b = this->random_dense(this->num_rows, num_rhs);
        this->expect_repeats(this->random_dense(this->num_rows, num_rhs), [&](auto x) { a->apply(b, x); });
    };
    for (const size_type num_rhs : {1, 3}) {
        check(spruce::matrix::Ell<V, I>::create(this->exec), num_rhs);
        check(spruce::matrix::Sellp<V, I>::create(this->exec), num_rhs);
    }
    check(spruce::matrix::Hybrid<V, I>::create(this->exec), 1);
}

TYPED_TEST(Repeatability, OfProductsWithBlocksAndPatterns)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto csr = make_csr<V, I>(this->exec, random_sparse(this->engine, 5001, 5001, nnz_per_row(0, 40)));
    const auto check = [&](auto a) {
        csr->convert_to(a);
        for (const size_type num_rhs : {1, 3}) {
            const auto b = this->random_dense(5001, num_rhs);
            const auto factor = this->dense({{V(0.3)}});
            this->expect_repeats(this->random_dense(5001, num_rhs), [&](auto x) { a->apply(b, x); });
            this->expect_repeats(this->random_dense(5001, num_rhs), [&](auto x) { a->apply(factor, b, factor, x); });
        }
    };
    check(spruce::matrix::Fbcsr<V, I>::create(this->exec, 3));
    check(spruce::matrix::SparsityCsr<V, I>::create(this->exec));
}

TYPED_TEST(Repeatability, OfProductsWithDot)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto csr = make_csr<V, I>(this->exec, this->uneven_matrix());
    const auto b = this->random_dense(this->num_rows, 3);
    const auto x = this->random_dense(this->num_rows, 3);
    spruce::array<char> tmp{this->exec};
    const auto check = [&](auto a) {
        csr->convert_to(a);
        this->expect_repeats(this->dense_of_nan(1, 3),
                             [&](auto dot) { a->apply_with_dot(b.get(), x.get(), dot, tmp); });
    };
    check(spruce::matrix::Ell<V, I>::create(this->exec));
    check(spruce::matrix::Sellp<V, I>::create(this->exec));
}

TYPED_TEST(Repeatability, OfDenseProducts)
{
    const auto a = this->random_dense(67, 1500);
    for (const size_type num_rhs : {1, 5}) {
        const auto b = this->random_dense(1500, num_rhs);
        this->expect_repeats(this->random_dense(67, num_rhs), [&](auto x) { a->apply(b, x); });
    }
}

TYPED_TEST(Repeatability, OfReductions)
{
    using V = typename TestFixture::V;
    using RealDense = typename TestFixture::RealDense;
    for (const size_type num_cols : {1, 3}) {
        const auto x = this->random_dense(20011, num_cols);
        const auto y = this->random_dense(20011, num_cols);
        const auto scalars = [&] { return this->dense_of_nan(1, num_cols); };
        const auto norms = [&] {
            auto result = RealDense::create(this->exec, dim<2>{1, num_cols});
            result->fill(0);
            return result;
        };
        this->expect_repeats(scalars(), [&](auto result) { x->compute_dot(y, result); });
        this->expect_repeats(scalars(), [&](auto result) { x->compute_conj_dot(y, result); });
        this->expect_repeats(norms(), [&](auto result) { x->compute_norm2(result); });
        this->expect_repeats(norms(), [&](auto result) { x->compute_norm1(result); });
        this->expect_repeats(norms(), [&](auto result) { x->compute_squared_norm2(result); });
    }
    const auto values = this->random_dense(20011, 1);
    const auto all = spruce::array<V>::view(this->exec, 20011, values->get_values());
    const auto sum = reduce_add(all);
    set_hip_host_schedule("random:9");
    EXPECT_EQ(reduce_add(all), sum);
}

TYPED_TEST(Repeatability, OfSparseProductsAndSums)
{
    const auto a = make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, this->uneven_matrix());
    const auto factor = this->dense({{0.3}});
    const auto product = a->multiply(a);
    const auto sum = a->multiply_add(factor, a, factor, product);
    for (const auto schedule : {"reverse", "random:7"}) {
        SCOPED_TRACE(schedule);
        set_hip_host_schedule(schedule);
        EXPECT_MTX_STORED_ALIKE(a->multiply(a), product);
        EXPECT_MTX_STORED_ALIKE(a->multiply_add(factor, a, factor, product), sum);
        EXPECT_MTX_STORED_ALIKE(a->scale_add(factor, factor, product), product->scale_add(factor, factor, a));
    }
}

TYPED_TEST(Repeatability, OfTransposes)  // the order of entries, too
{
    using Csr = typename TestFixture::Csr;
    const auto a = make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, this->uneven_matrix());
    const auto expected = a->transpose();
    for (const auto schedule : {"reverse", "random:7"}) {
        set_hip_host_schedule(schedule);
        EXPECT_MTX_STORED_ALIKE(spruce::as<Csr>(a->transpose().get()), spruce::as<Csr>(expected.get()));
    }
}

TYPED_TEST(Repeatability, OfSortingAndPermutations)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using Permutation = spruce::matrix::Permutation<I>;
    const auto a = make_csr<V, I>(this->exec, this->uneven_matrix());
    spruce::array<I> order{this->ref, this->num_rows};
    std::iota(order.get_data(), order.get_data() + this->num_rows, I{});
    std::shuffle(order.get_data(), order.get_data() + this->num_rows, this->engine);
    const auto permutation = Permutation::create(this->exec, order);
    const auto rearrange = [&] {
        auto result = a->permute(permutation);  // leaves the columns of a row unsorted
        auto sorted = clone(result);
        sorted->sort_by_column_index();
        return std::make_pair(std::move(result), std::move(sorted));
    };
    const auto expected = rearrange();
    for (const auto schedule : {"reverse", "random:7"}) {
        SCOPED_TRACE(schedule);
        set_hip_host_schedule(schedule);
        const auto again = rearrange();
        EXPECT_MTX_STORED_ALIKE(again.first, expected.first);
        EXPECT_MTX_STORED_ALIKE(again.second, expected.second);
    }
    const auto x = this->random_dense(this->num_rows, 3);
    this->expect_repeats(this->random_dense(this->num_rows, 3), [&](auto result) { permutation->apply(x, result); });
}

TYPED_TEST(Repeatability, OfAssembly)  // in which order entries of the same place are added up
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    spruce::matrix_data<V, I> data{dim<2>{200, 200}};
    std::uniform_int_distribution<I> place{0, 199};
    std::uniform_real_distribution<double> value{-1.0, 1.0};
    for (int i = 0; i < 100000; ++i) {
        data.nonzeros.emplace_back(place(this->engine), place(this->engine), V(value(this->engine)));
    }
    const auto assemble = [&] {
        auto entries = spruce::device_matrix_data<V, I>::create_from_host(this->exec, data);
        entries.sum_duplicates();
        return entries.copy_to_host();
    };
    const auto expected = assemble();
    for (const auto schedule : {"reverse", "random:7"}) {
        SCOPED_TRACE(schedule);
        set_hip_host_schedule(schedule);
        EXPECT_TRUE(assemble().nonzeros == expected.nonzeros);
    }
}

}  // namespace
