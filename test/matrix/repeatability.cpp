// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Tests operations that are documented as bitwise reproducible. On the simulated device the threads
// of a block run in different orders. On other executors the operations are repeated.

#include <cstring>
#include <random>

#include <dlfcn.h>
#include <link.h>

#include "test/utils/formats.hpp"

namespace {

using namespace spruce::test;
using spruce::dim;
using spruce::size_type;

/// Returns the name of the HIP backend's library if this process has loaded it.
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

/// Sets the order in which the host platform of HIP runs the threads of a block. Other platforms
/// ignore it.
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
class Repeatability : public formats_test<Types> {
protected:
    using typename kernel_test<Types>::V;
    using typename kernel_test<Types>::I;
    using typename kernel_test<Types>::Csr;
    using typename kernel_test<Types>::Dense;
    using typename formats_test<Types>::Hybrid;

    // Enough rows for several threads, blocks and tiles. The sums of the values are rounded.
    static constexpr size_type num_rows = 5003;
    /// Gives a number for operations that take long, with several blocks and tiles, too.
    const size_type few_rows = is_simulated(*this->exec) ? 1501 : 3001;

    void TearDown() override { set_hip_host_schedule("forward"); }

    host_matrix uneven_matrix(size_type size = num_rows)
    {
        std::vector<size_type> lengths(size, 5);
        lengths[17] = size / 2;  // spans several tiles and the boundary between threads
        lengths[size / 2] = size / 4;
        return random_sparse(this->engine, lengths, size);
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

    /// Expects that compute(x) repeatedly gives x with equal bits.
    template <typename Result, typename Compute>
    void expect_repeats(const std::unique_ptr<Result>& x, Compute compute)
    {
        const auto start = x->clone();
        set_hip_host_schedule("forward");
        compute(x.get());
        const auto expected = bits_of(*x);
        for (const auto schedule : {"reverse", "random:7"}) {
            SCOPED_TRACE(schedule);
            set_hip_host_schedule(schedule);
            x->copy_from(start);
            compute(x.get());
            EXPECT_EQ(bits_of(*x), expected);
        }
    }

    /// Expects that compute() repeatedly gives matrices with equal entries in equal order.
    template <typename Compute>
    void expect_repeats(Compute compute)
    {
        set_hip_host_schedule("forward");
        const auto expected = compute();
        for (const auto schedule : {"reverse", "random:7"}) {
            SCOPED_TRACE(schedule);
            set_hip_host_schedule(schedule);
            EXPECT_MTX_STORED_ALIKE(compute(), expected);
        }
    }

    /// Expects that a b and alpha a b + beta x are reproducible.
    void expect_products_repeat(const spruce::LinOp& a, size_type num_rhs)
    {
        SCOPED_TRACE(std::to_string(num_rhs) + " columns");
        const auto b = this->random_dense(a.get_size()[1], num_rhs);
        const auto factor = this->dense({{V(0.3)}});
        expect_repeats(this->random_dense(a.get_size()[0], num_rhs), [&](Dense* x) { a.apply(b, x); });
        expect_repeats(this->random_dense(a.get_size()[0], num_rhs), [&](Dense* x) { a.apply(factor, b, factor, x); });
    }
    void expect_product_repeats(std::shared_ptr<typename Csr::strategy_type> strategy, size_type num_rhs)
    {
        SCOPED_TRACE(strategy->get_name());
        const auto a = make_csr<V, I>(this->exec, uneven_matrix(), strategy);
        expect_products_repeat(*a, num_rhs);
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
        if (!is_device(*this->exec)) {  // GPUs add by atomics
            this->expect_product_repeats(std::make_shared<typename Csr::load_balance>(), num_rhs);
        }
    }
}

TYPED_TEST(Repeatability, OfCooProductsWhereClaimed)
{
    const auto a = make_coo<typename TestFixture::V, typename TestFixture::I>(this->exec, this->uneven_matrix());
    const auto factor = this->dense({{0.3}});
    for (const size_type num_rhs : {1, 3}) {
        if (is_device(*this->exec) && num_rhs > 1) {
            continue;  // GPUs add parts of rows by atomics
        }
        const auto b = this->random_dense(this->num_rows, num_rhs);
        this->expect_products_repeat(*a, num_rhs);
        this->expect_repeats(this->random_dense(this->num_rows, num_rhs), [&](auto x) { a->apply2(b, x); });
        this->expect_repeats(this->random_dense(this->num_rows, num_rhs), [&](auto x) { a->apply2(factor, b, x); });
    }
}

TYPED_TEST(Repeatability, OfPaddedFormatsBlocksAndPatterns)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto csr = make_csr<V, I>(this->exec, random_sparse(this->engine, 1503, 1503, nnz_per_row(0, 40)));
    const auto check = [&](const char* name, auto a) {
        SCOPED_TRACE(name);
        csr->convert_to(a);
        for (const size_type num_rhs : {1, 3}) {
            this->expect_products_repeat(*a, num_rhs);
        }
    };
    check("Ell", spruce::matrix::Ell<V, I>::create(this->exec));
    check("Sellp", spruce::matrix::Sellp<V, I>::create(this->exec));
    check("Fbcsr", spruce::matrix::Fbcsr<V, I>::create(this->exec, 3));
    check("SparsityCsr", spruce::matrix::SparsityCsr<V, I>::create(this->exec));
}

TYPED_TEST(Repeatability, OfHybridProductsWhereClaimed)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    using column_limit = typename TestFixture::Hybrid::column_limit;
    const auto csr = make_csr<V, I>(this->exec, this->uneven_matrix());
    const auto split = TestFixture::Hybrid::create(this->exec, std::make_shared<column_limit>(4));
    csr->convert_to(split);
    ASSERT_GT(split->get_coo_num_stored_elements(), 0u);
    const auto short_rows = TestFixture::Hybrid::create(this->exec, std::make_shared<column_limit>(9));
    make_csr<V, I>(this->exec, random_sparse(this->engine, this->num_rows, 500, nnz_per_row(0, 9)))
        ->convert_to(short_rows);
    ASSERT_EQ(short_rows->get_coo_num_stored_elements(), 0u);

    for (const size_type num_rhs : {1, 3}) {
        this->expect_products_repeat(*short_rows, num_rhs);
        if (!is_device(*this->exec) || num_rhs == 1) {  // GPUs add the Coo part by atomics
            this->expect_products_repeat(*split, num_rhs);
        }
    }
}

TYPED_TEST(Repeatability, OfDiagonalsAndPermutations)
{
    using V = typename TestFixture::V;
    using I = typename TestFixture::I;
    const auto values = this->random_dense(this->num_rows, 1);
    const spruce::array<V> factors{this->exec,
                                   spruce::array<V>::view(this->exec, this->num_rows, values->get_values())};
    const auto diagonal = spruce::matrix::Diagonal<V>::create(this->exec, this->num_rows, factors);
    const auto order = this->random_order(this->num_rows);
    const auto scaled = spruce::matrix::ScaledPermutation<V, I>::create(this->exec, factors, order);
    const auto gatherer = spruce::matrix::RowGatherer<I>::create(this->exec, dim<2>{this->num_rows}, order);
    const auto wide = this->random_dense(3, this->num_rows);
    const auto tall = this->random_dense(this->num_rows, 3);
    const auto csr = make_csr<V, I>(this->exec, this->uneven_matrix());
    const auto changed = [&](auto change) {
        auto result = clone(csr);
        change(result.get());
        return result;
    };

    this->expect_products_repeat(*diagonal, 3);
    this->expect_products_repeat(*scaled, 3);
    this->expect_products_repeat(*gatherer, 3);
    this->expect_products_repeat(*spruce::matrix::Permutation<I>::create(this->exec, order), 3);
    this->expect_repeats(this->random_dense(3, this->num_rows), [&](auto x) { diagonal->rapply(wide, x); });
    this->expect_repeats(this->random_dense(this->num_rows, 3), [&](auto x) { diagonal->inverse_apply(tall, x); });
    this->expect_repeats([&] { return changed([&](auto x) { diagonal->apply(csr, x); }); });
    this->expect_repeats([&] { return changed([&](auto x) { diagonal->rapply(csr, x); }); });
    this->expect_repeats([&] { return changed([&](auto x) { diagonal->inverse_apply(csr, x); }); });
    this->expect_repeats([&] { return scaled->compose(scaled); });
    this->expect_repeats([&] { return scaled->compute_inverse(); });
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
        this->expect_products_repeat(*a, num_rhs);
    }
    // The products use small and large tiles of GPUs, and the vendor's product if it is available.
    this->expect_products_repeat(*this->random_dense(67, 40), 70);
    this->expect_products_repeat(*this->random_dense(400, 40), 390);
}

TYPED_TEST(Repeatability, OfDenseProductsWithStructure)
{
    namespace blas = spruce::blas;
    const auto alpha = this->dense({{0.3}});
    const auto lower = blas::triangle::lower;
    const auto plain = blas::transposition::none;
    constexpr size_type n = 530;
    const auto a = this->random_dense(n, n);
    const auto b = this->random_dense(n, 20);
    const auto c = this->random_dense(n, 20);
    const auto x = this->random_dense(n, 1);
    const auto expect = [&](size_type num_cols, auto compute) {
        this->expect_repeats(this->random_dense(n, num_cols), compute);
    };

    expect(n, [&](auto y) { blas::gemm(plain, blas::transposition::transpose, alpha, b, c, alpha, y); });
    expect(1, [&](auto y) { blas::symv(lower, alpha, a, x, alpha, y); });
    expect(1, [&](auto y) { blas::hemv(lower, alpha, a, x, alpha, y); });
    expect(20, [&](auto y) { blas::symm(blas::side::left, lower, alpha, a, b, alpha, y); });
    expect(20, [&](auto y) { blas::hemm(blas::side::left, lower, alpha, a, b, alpha, y); });
    expect(n, [&](auto y) { blas::syrk(lower, plain, alpha, b, alpha, y); });
    expect(n, [&](auto y) { blas::syr2k(lower, plain, alpha, b, c, alpha, y); });
    expect(n, [&](auto y) { blas::herk(lower, plain, this->real_dense({{0.3}}), b, this->real_dense({{0.3}}), y); });
    expect(n, [&](auto y) { blas::her2k(lower, plain, alpha, b, c, this->real_dense({{0.3}}), y); });
    expect(20, [&](auto y) { blas::trmm(blas::side::left, lower, plain, blas::diagonal::stored, alpha, a, y); });
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
        this->expect_repeats(scalars(), [&](auto result) { x->compute_mean(result); });
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
    const auto a =
        make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, this->uneven_matrix(this->few_rows));
    const auto factor = this->dense({{0.3}});
    const auto product = a->multiply(a);

    this->expect_repeats([&] { return a->multiply(a); });
    this->expect_repeats([&] { return a->multiply_add(factor, a, factor, product); });
    this->expect_repeats([&] { return a->scale_add(factor, factor, product); });
}

TYPED_TEST(Repeatability, OfUpdatesOfValues)
{
    const auto a = make_csr<typename TestFixture::V, typename TestFixture::I>(this->exec, this->uneven_matrix(1501));
    const auto factor = this->dense({{0.3}});
    const auto permutation =
        spruce::matrix::Permutation<typename TestFixture::I>::create(this->exec, this->random_order(1501));
    const auto expect_update = [&](auto reused, auto update) {
        this->expect_repeats([&] {
            auto result = clone(reused.first);
            result->create_value_view()->fill(spruce::nan<typename TestFixture::V>());
            update(reused.second, result.get());
            return result;
        });
    };

    expect_update(a->multiply_reuse(a), [&](const auto& info, auto x) { info.update_values(a, a, x); });
    expect_update(a->multiply_add_reuse(factor, a, factor, a),
                  [&](const auto& info, auto x) { info.update_values(a, factor, a, factor, a, x); });
    expect_update(a->add_scale_reuse(factor, factor, a),
                  [&](const auto& info, auto x) { info.update_values(factor, a, factor, a, x); });
    expect_update(a->transpose_reuse(), [&](const auto& info, auto x) { info.update_values(a, x); });
    expect_update(a->permute_reuse(permutation), [&](const auto& info, auto x) { info.update_values(a, x); });
}

TYPED_TEST(Repeatability, OfConversions)
{
    const auto csr = make_csr<typename TestFixture::V, typename TestFixture::I>(
        this->exec, with_unsorted_columns(this->engine, random_sparse(this->engine, 150, 150, nnz_per_row(0, 90))));
    for (const auto& first : this->all_formats()) {
        SCOPED_TRACE("Csr -> " + first.name);
        const auto a = first.convert(csr.get());
        this->expect_repeats([&] { return first.convert(csr.get()); });
        this->expect_repeats([&] { return TestFixture::formats().front().convert(a.get()); });
    }
}

TYPED_TEST(Repeatability, OfTransposesPermutationsAndSorting)  // also the order of entries
{
    using I = typename TestFixture::I;
    const auto csr = make_csr<typename TestFixture::V, I>(
        this->exec, with_unsorted_columns(this->engine, random_sparse(this->engine, 150, 150, nnz_per_row(0, 90))));
    const auto uneven = make_csr<typename TestFixture::V, I>(this->exec, this->uneven_matrix(this->few_rows));
    const auto expect_changes = [&](const spruce::LinOp* a) {
        const auto order = this->random_order(a->get_size()[0]);
        const auto transposable = spruce::as<const spruce::Transposable>(a);
        const auto permutable = spruce::as<const spruce::Permutable<I>>(a);
        this->expect_repeats([&] { return transposable->transpose(); });
        this->expect_repeats([&] { return transposable->conj_transpose(); });
        this->expect_repeats([&] { return permutable->permute(&order); });
        this->expect_repeats([&] { return permutable->inverse_row_permute(&order); });
    };
    expect_changes(uneven.get());
    for (const auto& format : this->all_formats()) {
        SCOPED_TRACE(format.name);
        const auto a = format.convert(csr.get());
        expect_changes(a.get());
        if (format.sort) {
            this->expect_repeats([&] {
                auto sorted = a->clone();
                format.sort(sorted.get());
                return sorted;
            });
        }
    }
}

TYPED_TEST(Repeatability, OfAssembly)  // the order in which entries at one position are added
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
