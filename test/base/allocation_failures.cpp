// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Makes allocations of executor memory and by operator new fail. Copies, moves, conversions and
// reads must change their target completely or not at all. Sources must not change, no memory may
// leak, and the repeated operation must succeed.
//
// A sample of the combinations runs by default, all of them with SPRUCE_TEST_EVERY_ALLOCATION=1.

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <spruce/spruce.hpp>

#include "test/solver/iterative_solvers.hpp"
#include "test/utils/failing_allocations.hpp"
#include "test/utils/fixture.hpp"

namespace {

using spruce::array;
using spruce::dim;
using spruce::int32;
using spruce::LinOp;
using spruce::share;
using spruce::size_type;
using spruce::span;
using spruce::test::allocation_failure;
using spruce::test::failing_allocator;
using spruce::test::failing_callers;
using data_type = spruce::matrix_data<double, int32>;
using device_data = spruce::device_matrix_data<double, int32>;
using Coo = spruce::matrix::Coo<double, int32>;
using Csr = spruce::matrix::Csr<double, int32>;
using Dense = spruce::matrix::Dense<double>;
using Diagonal = spruce::matrix::Diagonal<double>;
using Ell = spruce::matrix::Ell<double, int32>;
using Fbcsr = spruce::matrix::Fbcsr<double, int32>;
using Hybrid = spruce::matrix::Hybrid<double, int32>;
using Permutation = spruce::matrix::Permutation<int32>;
using Perturbation = spruce::Perturbation<double>;
using ScaledPermutation = spruce::matrix::ScaledPermutation<double, int32>;
using Sellp = spruce::matrix::Sellp<double, int32>;
using SparsityCsr = spruce::matrix::SparsityCsr<double, int32>;

bool tests_everything() { return std::getenv("SPRUCE_TEST_EVERY_ALLOCATION") != nullptr; }

/// Returns the first of three matrices that every format can store. The first two have the same
/// size. All values are one, as in a pattern matrix.
data_type first_data()
{
    data_type data{dim<2>{4, 4}};
    data.nonzeros = {{0, 1, 1.0}, {0, 3, 1.0}, {1, 0, 1.0}, {2, 2, 1.0}, {2, 3, 1.0}};
    return data;
}
data_type same_size_data()
{
    data_type data{dim<2>{4, 4}};
    data.nonzeros = {{0, 0, 1.0}, {3, 1, 1.0}};
    return data;
}
data_type other_size_data()
{
    data_type data{dim<2>{2, 6}};
    data.nonzeros = {{0, 5, 1.0}, {1, 0, 1.0}, {1, 1, 1.0}};
    return data;
}

/// Creates empty matrices of a format in two ways. They differ in strides, block sizes or
/// strategies.
struct format {
    using creator = std::function<std::unique_ptr<LinOp>(std::shared_ptr<const spruce::Executor>)>;

    std::string name;
    creator create;
    creator create_other;
};

const std::vector<format>& formats()
{
    static const std::vector<format> result{
        {"Csr", [](auto exec) { return Csr::create(exec); },
         [](auto exec) { return Csr::create(exec, std::make_shared<Csr::merge_path>()); }},
        {"Coo", [](auto exec) { return Coo::create(exec); }, [](auto exec) { return Coo::create(exec); }},
        {"Ell", [](auto exec) { return Ell::create(exec); },
         [](auto exec) { return Ell::create(exec, dim<2>{}, 0, 7); }},
        {"Sellp", [](auto exec) { return Sellp::create(exec); },
         [](auto exec) { return Sellp::create(exec, dim<2>{}, 2, 3, 0); }},
        {"Hybrid", [](auto exec) { return Hybrid::create(exec, std::make_shared<Hybrid::column_limit>(1)); },
         [](auto exec) { return Hybrid::create(exec, std::make_shared<Hybrid::imbalance_limit>(0.9)); }},
        {"Fbcsr", [](auto exec) { return Fbcsr::create(exec, 2); }, [](auto exec) { return Fbcsr::create(exec, 1); }},
        {"Dense", [](auto exec) { return Dense::create(exec); },
         [](auto exec) { return Dense::create(exec, dim<2>{}, 9); }},
        {"SparsityCsr", [](auto exec) { return SparsityCsr::create(exec); },
         [](auto exec) { return SparsityCsr::create(exec); }}};
    return result;
}

void read(LinOp& matrix, const data_type& data)
{
    dynamic_cast<spruce::ReadableFromMatrixData<double, int32>&>(matrix).read(data);
}

/// Returns the settings that a matrix stores beside its entries, as text.
std::string settings(const LinOp& matrix)
{
    std::ostringstream text;
    if (const auto csr = dynamic_cast<const Csr*>(&matrix)) {
        const auto strategy = csr->get_strategy();
        text << "strategy " << (strategy ? strategy->get_name() : "none") << ", srow " << csr->get_num_srow_elements();
    } else if (const auto dense = dynamic_cast<const Dense*>(&matrix)) {
        text << "stride " << dense->get_stride();
    } else if (const auto ell = dynamic_cast<const Ell*>(&matrix)) {
        text << "stride " << ell->get_stride() << ", width " << ell->get_num_stored_elements_per_row();
    } else if (const auto sellp = dynamic_cast<const Sellp*>(&matrix)) {
        text << "slice size " << sellp->get_slice_size() << ", stride factor " << sellp->get_stride_factor()
             << ", columns " << sellp->get_total_cols();
    } else if (const auto hybrid = dynamic_cast<const Hybrid*>(&matrix)) {
        const auto strategy = hybrid->get_strategy().get();
        text << (strategy ? spruce::name_demangling::get_type_name(typeid(*strategy)) : "no strategy") << ", width "
             << hybrid->get_ell_num_stored_elements_per_row() << ", stride " << hybrid->get_ell_stride()
             << ", Coo part " << hybrid->get_coo_num_stored_elements();
    } else if (const auto fbcsr = dynamic_cast<const Fbcsr*>(&matrix)) {
        text << "block size " << fbcsr->get_block_size() << ", blocks " << fbcsr->get_num_stored_blocks();
    }
    return text.str();
}

/// Returns size, nonzeros and settings of a matrix as text, for comparison.
std::string contents(const LinOp& matrix)
{
    data_type data;
    dynamic_cast<const spruce::WritableToMatrixData<double, int32>&>(matrix).write(data);
    data.remove_zeros();
    std::ostringstream text;
    text << data.size;
    for (const auto& entry : data.nonzeros) {
        text << ", (" << entry.row << ", " << entry.column << ") " << entry.value;
    }
    text << "; " << settings(matrix);
    return text.str();
}

/// Returns the size of an operator and its product with the vector of 1, 2, ... as text.
std::string effect_of(const LinOp& op)
{
    std::ostringstream text;
    text << op.get_size();
    if (op.get_size()) {
        const auto host = spruce::ReferenceExecutor::create();
        const auto b = Dense::create(host, dim<2>{op.get_size()[1], 1});
        const auto x = Dense::create(host, dim<2>{op.get_size()[0], 1});
        for (size_type i = 0; i < b->get_size()[0]; ++i) {
            b->at(i, 0) = static_cast<double>(i + 1);
        }
        x->fill(0.0);
        op.apply(b, x);
        text << ": " << contents(*x);
    }
    return text.str();
}

template <typename T>
std::string contents(const array<T>& values)
{
    std::ostringstream text;
    for (const auto value : values.copy_to_host()) {
        text << value << " ";
    }
    return text.str();
}

std::string contents(const device_data& data)
{
    const auto host = data.copy_to_host();
    const auto csr = Coo::create(spruce::ReferenceExecutor::create());
    csr->read(host);
    return contents(*csr);
}

/// Holds an operation on new objects and a function that describes their contents.
struct attempt {
    std::function<void()> run;
    std::function<std::string()> state;
};

failing_callers failing_callers_of(const spruce::Executor& exec)
{
    return spruce::test::is_device(exec) ? failing_callers::outside_backends : failing_callers::all;
}

class AllocationFailures : public ::testing::Test {
protected:
    AllocationFailures()
    {
        const auto asked = std::getenv("SPRUCE_TEST_EXECUTOR");
        const std::string name = asked ? asked : "reference";
        if (name == "reference") {
            exec = spruce::ReferenceExecutor::create(host_allocator);
        } else if (name == "omp") {
            exec = spruce::OmpExecutor::create(host_allocator);
        } else if (name == "hip") {
            exec = spruce::HipExecutor::create(0, elsewhere, hip_allocator);
        } else {
            exec = spruce::CudaExecutor::create(0, elsewhere, cuda_allocator);
        }
    }

    /// Returns the distance between allocations that fail: 1, or the given one on the simulated
    /// device.
    long get_step(long simulated) const
    {
        return spruce::test::is_simulated(*exec) && !tests_everything() ? simulated : 1;
    }

    void arm(long n) const { allocation_failure::arm(n, failing_callers_of(*exec)); }

    long get_num_live() const
    {
        return host_allocator->get_num_live() + hip_allocator->get_num_live() + cuda_allocator->get_num_live();
    }

    /// Makes each allocation of the operation fail in turn until it succeeds. Expects that a
    /// failure does not change the state and that the repeated operation succeeds.
    void expect_all_or_nothing(const std::function<attempt()>& make, long simulated_step = 5)
    {
        std::string before;
        std::string after;
        {
            const auto succeeding = make();
            before = succeeding.state();
            succeeding.run();
            after = succeeding.state();
        }
        constexpr long enough = 2000;
        long n = 1;
        for (bool was_reached = true; was_reached && n < enough; n += this->get_step(simulated_step)) {
            SCOPED_TRACE("failure of allocation " + std::to_string(n));
            const auto num_live = this->get_num_live();
            {
                const auto tried = make();
                bool has_failed{};
                this->arm(n);
                try {
                    tried.run();
                } catch (const spruce::AllocationError&) {
                    has_failed = true;
                } catch (const spruce::StreamError& error) {
                    has_failed = true;
                    EXPECT_TRUE(reads_files) << error.what();
                } catch (const std::bad_alloc&) {
                    has_failed = true;
                }
                was_reached = allocation_failure::disarm();
                if (has_failed) {
                    ++num_failures;
                    EXPECT_EQ(tried.state(), before);
                    tried.run();
                }
                EXPECT_EQ(tried.state(), after);
            }
            EXPECT_EQ(this->get_num_live(), num_live);
            if (::testing::Test::HasFailure()) {
                return;
            }
        }
        EXPECT_LT(n, enough);
    }

    std::shared_ptr<LinOp> make(const format::creator& create, const data_type& data,
                                std::shared_ptr<const spruce::Executor> where) const
    {
        std::shared_ptr<LinOp> result = create(std::move(where));
        read(*result, data);
        return result;
    }
    template <typename Matrix = Csr>
    std::shared_ptr<Matrix> make(const data_type& data) const
    {
        auto result = share(Matrix::create(exec));
        result->read(data);
        return result;
    }

    /// Copies or moves between formats, from and to matrices with different settings.
    /// @param variant  its bits select: move, source on another executor, target of the same size
    void expect_assignment_is_all_or_nothing(const format& from, const format& to, unsigned variant)
    {
        const bool moves = (variant & 1) != 0;
        const auto source_exec = (variant & 2) != 0 ? elsewhere : exec;
        const auto old = (variant & 4) != 0 ? same_size_data() : other_size_data();
        SCOPED_TRACE(from.name + (moves ? " moved to " : " copied to ") + to.name + ", variant " +
                     std::to_string(variant));
        this->expect_all_or_nothing([&]() -> attempt {
            auto source = this->make(from.create, first_data(), source_exec);
            auto target = this->make(to.create_other, old, exec);
            return {[=] {
                        if (moves) {
                            target->move_from(source);
                        } else {
                            target->copy_from(source);
                        }
                    },
                    [=] { return contents(*target) + " from " + contents(*source); }};
        });
    }

    std::shared_ptr<failing_allocator<spruce::CpuAllocator>> host_allocator =
        std::make_shared<failing_allocator<spruce::CpuAllocator>>();
    std::shared_ptr<failing_allocator<spruce::HipAllocator>> hip_allocator =
        std::make_shared<failing_allocator<spruce::HipAllocator>>();
    std::shared_ptr<failing_allocator<spruce::CudaAllocator>> cuda_allocator =
        std::make_shared<failing_allocator<spruce::CudaAllocator>>();
    std::shared_ptr<spruce::Executor> elsewhere = spruce::ReferenceExecutor::create(host_allocator);
    std::shared_ptr<spruce::Executor> exec;
    long num_failures{};
    bool reads_files{};  ///< true if a StreamError, which names the line of the file, may report failures
};

TEST_F(AllocationFailures, ChangeNothingInCopiesMovesAndConversions)
{
    unsigned pair{};
    for (const auto& from : formats()) {
        for (const auto& to : formats()) {
            constexpr unsigned num_variants = 8;
            ++pair;
            for (unsigned variant = 0; variant < num_variants; ++variant) {
                if (tests_everything() || variant == (3 * pair) % num_variants) {
                    this->expect_assignment_is_all_or_nothing(from, to, variant);
                }
            }
        }
    }
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, ChangeNothingInConversionsOfPrecision)
{
    namespace formats = spruce::matrix;
    // Builds for minimal types support only conversions of float.
    const auto check = [&](const char* name, auto* source_type, auto make_first, auto make_other) {
        using Source = std::remove_pointer_t<decltype(source_type)>;
        using Target = std::decay_t<decltype(*make_first())>;
        const auto contents_of = [&](const Source& source) {
            const auto converted = make_other();
            converted->copy_from(&source);
            return contents(*converted);
        };
        for (const bool moves : {false, true}) {
            SCOPED_TRACE(std::string(name) + (moves ? " moved" : " copied"));
            this->expect_all_or_nothing([&]() -> attempt {
                auto source = share(Source::create(exec));
                source->copy_from(make_first());
                auto target = std::shared_ptr<Target>(make_other());
                return {[=] {
                            if (moves) {
                                target->move_from(source);
                            } else {
                                target->copy_from(source);
                            }
                        },
                        [=] { return contents(*target) + " from " + contents_of(*source); }};
            });
        }
    };
    const auto check_format = [&](const char* name, auto* source_type, auto create_first, auto create_other) {
        const auto make = [](auto matrix, const data_type& data) {
            matrix->read(data);
            return matrix;
        };
        check(
            name, source_type, [=] { return make(create_first(), first_data()); },
            [=] { return make(create_other(), other_size_data()); });
    };

    check_format(
        "Csr", static_cast<formats::Csr<float, int32>*>(nullptr), [&] { return Csr::create(exec); },
        [&] { return Csr::create(exec, std::make_shared<Csr::merge_path>()); });
    check_format(
        "Coo", static_cast<formats::Coo<float, int32>*>(nullptr), [&] { return Coo::create(exec); },
        [&] { return Coo::create(exec); });
    check_format(
        "Ell", static_cast<formats::Ell<float, int32>*>(nullptr), [&] { return Ell::create(exec); },
        [&] { return Ell::create(exec, dim<2>{}, 0, 7); });
    check_format(
        "Sellp", static_cast<formats::Sellp<float, int32>*>(nullptr), [&] { return Sellp::create(exec); },
        [&] { return Sellp::create(exec, dim<2>{}, 2, 3, 0); });
    check_format(
        "Hybrid", static_cast<formats::Hybrid<float, int32>*>(nullptr),
        [&] { return Hybrid::create(exec, std::make_shared<Hybrid::column_limit>(1)); },
        [&] { return Hybrid::create(exec, std::make_shared<Hybrid::imbalance_limit>(0.9)); });
    check_format(
        "Fbcsr", static_cast<formats::Fbcsr<float, int32>*>(nullptr), [&] { return Fbcsr::create(exec, 2); },
        [&] { return Fbcsr::create(exec, 1); });
    check_format(
        "Dense", static_cast<formats::Dense<float>*>(nullptr), [&] { return Dense::create(exec); },
        [&] { return Dense::create(exec, dim<2>{}, 9); });
    check_format(
        "SparsityCsr", static_cast<formats::SparsityCsr<float, int32>*>(nullptr),
        [&] { return SparsityCsr::create(exec); }, [&] { return SparsityCsr::create(exec); });
    check(
        "Diagonal", static_cast<formats::Diagonal<float>*>(nullptr),
        [&] {
            return Diagonal::create(exec, 3, array<double>{exec, {1, 2, 3}});
        },
        [&] {
            return Diagonal::create(exec, 2, array<double>{exec, {4, 5}});
        });

    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, ChangeNothingInReading)
{
    for (const auto& f : formats()) {
        SCOPED_TRACE(f.name);
        const auto check = [&](auto read_into) {
            this->expect_all_or_nothing([&]() -> attempt {
                auto target = this->make(f.create, other_size_data(), exec);
                auto data = std::make_shared<device_data>(device_data::create_from_host(exec, first_data()));
                return {
                    [=] { read_into(dynamic_cast<spruce::ReadableFromMatrixData<double, int32>&>(*target), *data); },
                    [=] { return contents(*target) + " from " + contents(*data); }};
            });
        };
        check([](auto& target, device_data&) { target.read(first_data()); });
        check([](auto& target, device_data& data) { target.read(static_cast<const device_data&>(data)); });
        check([](auto& target, device_data& data) { target.read(std::move(data)); });
    }
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, ChangeNoEntryOfDeviceMatrixData)
{
    // Ordered by rows, with zeros, duplicates and unsorted columns.
    data_type data{dim<2>{300, 4}};
    data.nonzeros = {{2, 3, 1.0}, {2, 3, 0.5}, {299, 1, 0.0}, {1, 0, 2.0}, {0, 1, 4.0}, {2, 3, 8.0}};
    const auto entries_of = [](const data_type& of) {
        std::ostringstream text;
        text << of.size;
        for (const auto& entry : of.nonzeros) {
            text << ", (" << entry.row << ", " << entry.column << ") " << entry.value;
        }
        return text.str();
    };
    const auto check = [&](const char* name, auto operation, auto show) {
        SCOPED_TRACE(name);
        this->expect_all_or_nothing([&]() -> attempt {
            auto triples = std::make_shared<device_data>(device_data::create_from_host(exec, data));
            return {[=] { operation(*triples); }, [=] { return show(triples->copy_to_host()); }};
        });
    };
    const auto show_sorted = [&](data_type of) {
        of.sort_row_major();
        return entries_of(of);
    };

    check(
        "sort_row_major", [](device_data& triples) { triples.sort_row_major(); }, entries_of);
    check(
        "remove_zeros", [](device_data& triples) { triples.remove_zeros(); }, entries_of);
    check(
        "sum_duplicates", [](device_data& triples) { triples.sum_duplicates(); }, show_sorted);
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, LeaveNoPartOfAFile)
{
    std::ostringstream text;
    spruce::write_raw(text, first_data());
    std::ostringstream binary;
    spruce::write_binary_raw(binary, first_data());
    reads_files = true;
    const auto check = [&](const char* name, const std::string& file, auto* type, auto... args) {
        SCOPED_TRACE(name);
        using Matrix = std::remove_pointer_t<decltype(type)>;
        this->expect_all_or_nothing([&]() -> attempt {
            auto stream = std::make_shared<std::istringstream>(file);
            auto result = std::make_shared<std::shared_ptr<Matrix>>();
            return {[=] {
                        stream->clear();
                        stream->seekg(0);
                        *result = spruce::read_generic<Matrix>(*stream, exec, args...);
                    },
                    [=] { return *result ? contents(**result) : "nothing"; }};
        });
    };
    for (const auto& file : {text.str(), binary.str()}) {
        check("Csr", file, static_cast<Csr*>(nullptr));
        check("Coo", file, static_cast<Coo*>(nullptr));
        check("Ell", file, static_cast<Ell*>(nullptr));
        check("Sellp", file, static_cast<Sellp*>(nullptr));
        check("Hybrid", file, static_cast<Hybrid*>(nullptr), std::make_shared<Hybrid::column_limit>(1));
        check("Fbcsr", file, static_cast<Fbcsr*>(nullptr), 2);
#if !SPRUCE_TYPES_MINIMAL  // reads 64-bit indices
        check("Dense", file, static_cast<Dense*>(nullptr));
#endif
        check("SparsityCsr", file, static_cast<SparsityCsr*>(nullptr));
    }
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, LeaveNoPartOfACompressedFile)
{
    const auto path = ::testing::TempDir() + "spruce_allocation_failures_" + std::to_string(::getpid()) + ".mtx.gz";
    reads_files = true;
    for (const bool is_binary : {false, true}) {
        SCOPED_TRACE(is_binary ? "binary" : "text");
        if (is_binary) {
            spruce::write_binary_file(path, first_data());
        } else {
            spruce::write_file(path, first_data());
        }
        this->expect_all_or_nothing([&]() -> attempt {
            auto data = std::make_shared<data_type>(other_size_data());
            return {[=] { *data = spruce::read_file<double, int32>(path); },
                    [=] { return contents(*this->make<Coo>(*data)); }};
        });
        this->expect_all_or_nothing([&]() -> attempt {
            auto result = std::make_shared<std::shared_ptr<Csr>>();
            return {[=] {
                        *result = spruce::read_generic<Csr>(std::ifstream{path, std::ios::binary}, exec);
                    },
                    [=] { return *result ? contents(**result) : "nothing"; }};
        });
    }
    EXPECT_GT(num_failures, 0);
    std::remove(path.c_str());
}

TEST_F(AllocationFailures, ChangeNothingInWritingToMatrixData)
{
    for (const auto& f : formats()) {
        SCOPED_TRACE(f.name);
        const auto source = this->make(f.create, first_data(), exec);
        this->expect_all_or_nothing([&]() -> attempt {
            auto data = std::make_shared<data_type>(other_size_data());
            return {[=] { dynamic_cast<const spruce::WritableToMatrixData<double, int32>&>(*source).write(*data); },
                    [=] { return contents(*this->make<Coo>(*data)); }};
        });
    }
}

TEST_F(AllocationFailures, LeaveOperandsAloneInWhatMakesNewMatrices)
{
    const auto check = [&](const format& f, const char* name, auto operation) {
        SCOPED_TRACE(f.name + ": " + name);
        this->expect_all_or_nothing([&]() -> attempt {
            auto source = this->make(f.create, first_data(), exec);
            return {[=] { operation(*source); }, [=] { return contents(*source); }};
        });
    };
    const array<int32> order{exec, {2, 0, 3, 1}};
    for (const auto& f : formats()) {
        check(f, "clone", [&](LinOp& a) { a.clone(); });
        check(f, "clone elsewhere", [&](LinOp& a) { a.clone(elsewhere); });
        check(f, "transpose", [&](LinOp& a) { dynamic_cast<spruce::Transposable&>(a).transpose(); });
        check(f, "permute", [&](LinOp& a) { dynamic_cast<spruce::Permutable<int32>&>(a).permute(&order); });
        check(f, "inverse_row_permute",
              [&](LinOp& a) { dynamic_cast<spruce::Permutable<int32>&>(a).inverse_row_permute(&order); });
        check(f, "column_permute",
              [&](LinOp& a) { dynamic_cast<spruce::Permutable<int32>&>(a).column_permute(&order); });
        check(f, "extract_diagonal",
              [&](LinOp& a) { dynamic_cast<spruce::DiagonalLinOpExtractable&>(a).extract_diagonal_linop(); });
        check(f, "compute_absolute",
              [&](LinOp& a) { dynamic_cast<spruce::AbsoluteComputable&>(a).compute_absolute_linop(); });
    }
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, LeaveOldOrNewResultsOfProducts)
{
    for (const auto& f : formats()) {
        SCOPED_TRACE(f.name);
        for (const auto& where : {exec, elsewhere}) {
            this->expect_all_or_nothing([&]() -> attempt {
                auto a = this->make(f.create, first_data(), exec);
                auto b = share(spruce::initialize<Dense>({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}, {7.0, 8.0}}, where));
                auto x = share(Dense::create(where, dim<2>{4, 2}));
                x->fill(9.0);
                return {[=] { a->apply(b, x); }, [=] { return contents(*x) + " from " + contents(*b); }};
            });
        }
    }
}

TEST_F(AllocationFailures, ChangeNothingInSumsAndProductsOfSparseMatrices)
{
    const auto check = [&](const char* name, auto operation) {
        SCOPED_TRACE(name);
        this->expect_all_or_nothing([&]() -> attempt {
            auto a = this->make(first_data());
            auto b = this->make(same_size_data());
            auto c = this->make(same_size_data());
            auto two = share(spruce::initialize<Dense>({2.0}, exec));
            return {[=] { operation(*a, *b, *c, *two); },
                    [=] { return contents(*a) + "; " + contents(*b) + "; " + contents(*c); }};
        });
    };
    check("multiply", [](Csr& a, Csr& b, Csr&, Dense&) { a.multiply(&b); });
    check("multiply_reuse", [](Csr& a, Csr& b, Csr&, Dense&) {
        const auto [product, reuse] = a.multiply_reuse(&b);
        reuse.update_values(&a, &b, product);
    });
    check("multiply_add", [](Csr& a, Csr& b, Csr& c, Dense& two) { a.multiply_add(&two, &b, &two, &c); });
    check("scale_add", [](Csr& a, Csr& b, Csr&, Dense& two) { a.scale_add(&two, &two, &b); });
    check("apply", [](Csr& a, Csr& b, Csr& c, Dense&) { a.apply(&b, &c); });
    check("advanced apply", [](Csr& a, Csr& b, Csr& c, Dense& two) { a.apply(&two, &b, &two, &c); });
    check("transpose_reuse", [](Csr& a, Csr&, Csr&, Dense&) { a.transpose_reuse(); });
    check("create_submatrix", [](Csr& a, Csr&, Csr&, Dense&) { a.create_submatrix(span{0, 2}, span{1, 4}); });
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, ChangeNothingInOtherObjects)
{
    const auto check = [&](const char* name, auto make_source, auto make_target, auto show) {
        SCOPED_TRACE(name);
        for (const bool moves : {false, true}) {
            for (const auto& where : {exec, elsewhere}) {
                this->expect_all_or_nothing([&]() -> attempt {
                    auto source = std::shared_ptr(make_source(where));
                    auto target = std::shared_ptr(make_target(exec));
                    return {[=] {
                                if (moves) {
                                    *target = std::move(*source);
                                } else {
                                    *target = *source;
                                }
                            },
                            [=] { return show(*target) + " from " + show(*source); }};
                });
            }
        }
    };
    const auto show = [](const auto& object) { return contents(object); };
    using floats = array<double>;
    check(
        "array",
        [](auto where) {
            return std::make_unique<floats>(where, std::initializer_list<double>{1, 2, 3});
        },
        [](auto where) {
            return std::make_unique<floats>(where, std::initializer_list<double>{4, 5});
        },
        show);
    check(
        "device_matrix_data",
        [](auto where) { return std::make_unique<device_data>(device_data::create_from_host(where, first_data())); },
        [](auto where) {
            return std::make_unique<device_data>(device_data::create_from_host(where, other_size_data()));
        },
        show);
    using index_set = spruce::index_set<int32>;
    check(
        "index_set",
        [](auto where) {
            return std::make_unique<index_set>(where, std::initializer_list<int32>{0, 1, 4});
        },
        [](auto where) { return std::make_unique<index_set>(where, std::initializer_list<int32>{2}); },
        [](const auto& set) { return contents(set.to_global_indices()); });
    check(
        "Diagonal",
        [](auto where) {
            return Diagonal::create(where, 3, floats{where, {1, 2, 3}});
        },
        [](auto where) {
            return Diagonal::create(where, 2, floats{where, {4, 5}});
        },
        show);
    const auto show_permutation = [](const auto& p) {
        const auto exec = p.get_executor();
        return std::to_string(p.get_size()[0]) + ": " +
               contents(array<int32>(spruce::make_const_array_view(exec, p.get_size()[0], p.get_const_permutation())));
    };
    check(
        "Permutation",
        [](auto where) {
            return Permutation::create(where, array<int32>{where, {1, 2, 0}});
        },
        [](auto where) {
            return Permutation::create(where, array<int32>{where, {1, 0}});
        },
        show_permutation);
    check(
        "ScaledPermutation",
        [](auto where) {
            return ScaledPermutation::create(where, floats{where, {1, 2, 3}}, array<int32>{where, {1, 2, 0}});
        },
        [](auto where) {
            return ScaledPermutation::create(where, floats{where, {4, 5}}, array<int32>{where, {1, 0}});
        },
        show_permutation);
    const auto matrix = [](auto where, const data_type& data) {
        auto result = share(Csr::create(where));
        result->read(data);
        return result;
    };
    const auto scalar = [](auto where, double value) { return share(spruce::initialize<Dense>({value}, where)); };
    const auto show_effect = [](const auto& op) { return effect_of(op); };
    check(
        "Composition",
        [&](auto where) {
            return spruce::Composition<double>::create(matrix(where, first_data()), matrix(where, same_size_data()));
        },
        [&](auto where) { return spruce::Composition<double>::create(matrix(where, other_size_data())); }, show_effect);
    check(
        "Combination",
        [&](auto where) {
            return spruce::Combination<double>::create(scalar(where, 2.0), matrix(where, first_data()),
                                                       scalar(where, 3.0), matrix(where, same_size_data()));
        },
        [&](auto where) {
            return spruce::Combination<double>::create(scalar(where, 5.0), matrix(where, other_size_data()));
        },
        show_effect);
    check(
        "Perturbation",
        [&](auto where) {
            return Perturbation::create(scalar(where, 2.0), share(spruce::initialize<Dense>({1.0, 2.0, 3.0}, where)),
                                        share(spruce::initialize<Dense>({{4.0, 5.0, 6.0}}, where)));
        },
        [&](auto where) {
            return Perturbation::create(scalar(where, 7.0), share(spruce::initialize<Dense>({1.0, -1.0}, where)));
        },
        show_effect);
    EXPECT_GT(num_failures, 0);
}

/// Returns a diagonally dominant symmetric matrix.
data_type system_data()
{
    constexpr int32 size = 12;
    data_type data{dim<2>{size, size}};
    for (int32 i = 0; i < size; ++i) {
        data.nonzeros.emplace_back(i, i, 4.0);
        if (i > 0) {
            data.nonzeros.emplace_back(i, i - 1, -1.0);
            data.nonzeros.emplace_back(i - 1, i, -1.0);
        }
    }
    data.sort_row_major();
    return data;
}

/// Generates, applies and copies a solver while allocations fail. Expects correct results
/// afterwards.
template <typename Builder>
void expect_solver_recovers(const char* name, const std::shared_ptr<Csr>& a, Builder builder)
{
    SCOPED_TRACE(name);
    const auto exec = a->get_executor();
    const auto b = Dense::create(exec, dim<2>{a->get_size()[0], 2});
    const auto x = Dense::create(exec, b->get_size());
    const auto one = spruce::initialize<Dense>({1.0}, exec);
    const auto neg_one = spruce::initialize<Dense>({-1.0}, exec);
    b->fill(1.0);
    const auto zeros = b->clone();
    zeros->fill(0.0);
    const auto expect_solved = [&](const LinOp& solver) {
        const auto residual = b->clone();
        x->fill(0.0);
        solver.apply(b, x);
        a->apply(neg_one, x, one, residual);
        EXPECT_MTX_NEAR(residual, zeros, 1e-8);
    };
    const auto step = spruce::test::is_simulated(*exec) && !tests_everything() ? 7 : 1;
    std::shared_ptr<LinOp> solver;
    long num_failures = 0;
    bool was_reached = true;
    for (long n = 1; was_reached && !::testing::Test::HasFailure(); n += step) {
        SCOPED_TRACE("failure of allocation " + std::to_string(n));
        solver = nullptr;
        allocation_failure::arm(n, failing_callers_of(*exec));
        try {
            solver = builder.on(exec)->generate(a);
            x->fill(0.0);
            solver->apply(b, x);
            const auto copy = solver->clone();
            copy->apply(b, x);
        } catch (const spruce::AllocationError&) {
            ++num_failures;
        } catch (const std::bad_alloc&) {
            ++num_failures;
        }
        was_reached = allocation_failure::disarm();
        if (solver) {
            expect_solved(*solver);
        }
    }
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, ChangeNothingInCopiesAndMovesOfSolvers)
{
    const auto data = system_data();
    const auto result = [&](const LinOp& solver) {
        const auto product = dynamic_cast<const spruce::Composition<double>*>(&solver);
        if (product && product->get_operators().empty()) {
            return std::string("an empty product");  // which cannot be applied
        }
        auto x = Dense::create(exec, solver.get_size());
        auto b = Dense::create(exec, solver.get_size());
        b->fill(1.0);
        x->fill(0.0);
        solver.apply(b, x);
        return contents(*x);
    };
    const auto check = [&](const char* name, auto generate) {
        const auto make_solver = [&](std::shared_ptr<const spruce::Executor> where, double diagonal) {
            auto scaled = data;
            for (auto& entry : scaled.nonzeros) {
                entry.value *= diagonal;
            }
            auto matrix = share(Csr::create(where));
            matrix->read(scaled);
            return std::shared_ptr<LinOp>(generate(matrix));
        };
        for (const auto& where : {exec, elsewhere}) {
            for (const bool moves : {false, true}) {
                SCOPED_TRACE(std::string(name) + (moves ? " moved from " : " copied from ") +
                             (where == exec ? "its executor" : "another"));
                this->expect_all_or_nothing(
                    [&]() -> attempt {
                        auto source = make_solver(where, 1.0);
                        auto target = make_solver(exec, 2.0);
                        return {[=] {
                                    if (moves) {
                                        target->move_from(source);
                                    } else {
                                        target->copy_from(source);
                                    }
                                },
                                [=] { return result(*target) + " from " + result(*source); }};
                    },
                    17);
            }
        }
    };
    const auto three_steps = [](auto builder, const std::shared_ptr<Csr>& matrix) {
        return builder.with_criteria(spruce::stop::Iteration::build().with_max_iters(3u))
            .on(matrix->get_executor())
            ->generate(matrix);
    };
    namespace solver = spruce::solver;
    // Solvers allocate in the core, where executors differ little.
    const auto tests_all = tests_everything() || std::dynamic_pointer_cast<spruce::ReferenceExecutor>(exec) != nullptr;
    spruce::test::for_each_iterative_solver<double>([&](auto tag) {
        using Solver = typename decltype(tag)::type;
        if (tests_all || std::is_same_v<Solver, solver::Gmres<double>> || std::is_same_v<Solver, solver::Ir<double>>) {
            check(spruce::name_demangling::get_type_name(typeid(Solver)).c_str(), [&](std::shared_ptr<Csr> matrix) {
                return three_steps(spruce::test::build_for_spectrum<Solver>(1.9, 6.1), matrix);
            });
        }
    });
    check("Cg with a preconditioner", [&](std::shared_ptr<Csr> matrix) {
        return three_steps(solver::Cg<double>::build().with_generated_preconditioner(share(matrix->clone())), matrix);
    });
    check("Ir with an inner solver", [&](std::shared_ptr<Csr> matrix) {
        const auto inner = share(three_steps(solver::Gmres<double>::build(), matrix));
        return three_steps(solver::Ir<double>::build().with_generated_solver(inner), matrix);
    });
    check("LowerTrs", [](std::shared_ptr<Csr> matrix) {
        return solver::LowerTrs<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("UpperTrs", [](std::shared_ptr<Csr> matrix) {
        return solver::UpperTrs<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    for (const unsigned max_block_size : {1, 2}) {
        check("Jacobi", [=](std::shared_ptr<Csr> matrix) {
            return spruce::preconditioner::Jacobi<double, int32>::build()
                .with_max_block_size(max_block_size)
                .on(matrix->get_executor())
                ->generate(matrix);
        });
    }
    check("factorization::Ilu", [](std::shared_ptr<Csr> matrix) {
        return spruce::factorization::Ilu<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("factorization::Ic", [](std::shared_ptr<Csr> matrix) {
        return spruce::factorization::Ic<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("factorization::ParIlu", [](std::shared_ptr<Csr> matrix) {
        return spruce::factorization::ParIlu<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("factorization::ParIc", [](std::shared_ptr<Csr> matrix) {
        return spruce::factorization::ParIc<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("factorization::ParIlut", [](std::shared_ptr<Csr> matrix) {
        return spruce::factorization::ParIlut<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("factorization::ParIct", [](std::shared_ptr<Csr> matrix) {
        return spruce::factorization::ParIct<double, int32>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("preconditioner::Ilu", [](std::shared_ptr<Csr> matrix) {
        return spruce::preconditioner::Ilu<>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("preconditioner::Ic", [](std::shared_ptr<Csr> matrix) {
        return spruce::preconditioner::Ic<>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("preconditioner::LowerIsai", [](std::shared_ptr<Csr> matrix) {
        return spruce::preconditioner::LowerIsai<>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("preconditioner::UpperIsai", [](std::shared_ptr<Csr> matrix) {
        return spruce::preconditioner::UpperIsai<>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("preconditioner::GeneralIsai", [](std::shared_ptr<Csr> matrix) {
        return spruce::preconditioner::GeneralIsai<>::build().on(matrix->get_executor())->generate(matrix);
    });
    check("preconditioner::SpdIsai", [](std::shared_ptr<Csr> matrix) {
        return spruce::preconditioner::SpdIsai<>::build().on(matrix->get_executor())->generate(matrix);
    });
    for (const auto symmetric : {false, true}) {
        check("preconditioner::Sor", [=](std::shared_ptr<Csr> matrix) {
            return spruce::preconditioner::Sor<double, int32>::build()
                .with_symmetric(symmetric)
                .with_multicolor(symmetric)
                .on(matrix->get_executor())
                ->generate(matrix);
        });
    }
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, ChangeNothingInRefreshesOfTriangularSolvers)
{
    const auto a = this->make(system_data());
    const auto doubled = share(a->clone());
    doubled->scale(spruce::initialize<Dense>({2.0}, exec));
    const auto check = [&](const char* name, auto factory) {
        SCOPED_TRACE(name);
        this->expect_all_or_nothing([&]() -> attempt {
            const auto target = share(factory->generate(a));
            const auto copy = share(target->clone());  // shares the analysis, so that refresh() needs another one
            return {[=] { target->refresh(doubled); },
                    [=] {
                        auto x = Dense::create(exec, a->get_size());
                        auto b = Dense::create(exec, a->get_size());
                        b->fill(1.0);
                        x->fill(0.0);
                        target->apply(b, x);
                        return contents(*x) + std::to_string(copy->get_size()[0]);
                    }};
        });
    };
    check("LowerTrs", spruce::solver::LowerTrs<double, int32>::build().on(exec));
    check("UpperTrs", spruce::solver::UpperTrs<double, int32>::build().on(exec));
    EXPECT_GT(num_failures, 0);
}

TEST_F(AllocationFailures, LeaveSolversThatWork)
{
    const auto a = this->make(system_data());
    const auto criteria = [](auto builder) {
        return builder.with_criteria(spruce::stop::Iteration::build().with_max_iters(200u),
                                     spruce::stop::ResidualNorm<double>::build().with_reduction_factor(1e-10));
    };
    namespace solver = spruce::solver;
    // Solvers allocate in the core, where executors differ little.
    const auto tests_all = tests_everything() || std::dynamic_pointer_cast<spruce::ReferenceExecutor>(exec) != nullptr;
    spruce::test::for_each_iterative_solver<double>([&](auto tag) {
        using Solver = typename decltype(tag)::type;
        constexpr auto is_in_sample = std::is_same_v<Solver, solver::Cg<double>> ||
                                      std::is_same_v<Solver, solver::Gmres<double>> ||
                                      std::is_same_v<Solver, solver::Idr<double>>;
        if (is_in_sample || tests_all) {
            expect_solver_recovers(spruce::name_demangling::get_type_name(typeid(Solver)).c_str(), a,
                                   criteria(spruce::test::build_for_spectrum<Solver>(1.9, 6.1)));
        }
    });
}

TEST_F(AllocationFailures, DoNotConcernEmptyArraysViewsAndMoves)
{
    array<double> values{exec, {1.0, 2.0}};

    allocation_failure::arm(1);
    {
        array<double> nothing;
        array<double> empty{exec};
        array<double> of_no_elements{exec, 0};
        array<double> moved{std::move(values)};
        empty = std::move(moved);
        values = std::move(empty);
        values.as_view();
        of_no_elements.clear();
    }

    EXPECT_FALSE(allocation_failure::disarm());
    EXPECT_EQ(values.copy_to_host(), (std::vector<double>{1.0, 2.0}));
}

TEST_F(AllocationFailures, DoNotConcernExecutorMemoryOfCopiesOfTheSameSize)
{
    for (const auto& f : formats()) {
        if (f.name == "Hybrid") {
            continue;  // creates its parts again
        }
        SCOPED_TRACE(f.name);
        const auto source = this->make(f.create, first_data(), exec);
        const auto target = this->make(f.create, first_data(), exec);
        const auto before = exec->get_counters();

        target->copy_from(source);

        // On devices, a strategy of Csr owns data.
        const auto num_for_strategy = f.name == "Csr" && spruce::test::is_device(*exec) ? 1u : 0u;
        EXPECT_EQ((exec->get_counters() - before).allocations, num_for_strategy);
    }
}

}  // namespace
