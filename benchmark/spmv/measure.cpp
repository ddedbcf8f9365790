// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/spmv/measure.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include <spruce/base/math.hpp>
#include <spruce/matrix/dense.hpp>

#include "benchmark/errors.hpp"
#include "benchmark/executors.hpp"
#include "benchmark/interrupt.hpp"
#include "benchmark/spmv/balance.hpp"
#include "benchmark/spmv/formats.hpp"
#include "benchmark/spmv/reference_result.hpp"
#include "benchmark/stopwatch.hpp"

namespace spruce::bench {
namespace {

/// Creates vectors with numbers in (-1, 1), which are identical on all machines.
template <typename V>
std::unique_ptr<matrix::Dense<V>> create_vectors(std::shared_ptr<const Executor> host, const dim<2>& size)
{
    auto result = matrix::Dense<V>::create(host, size);
    uint64 state = 42;
    const auto next = [&state] {
        state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
        constexpr auto scale = 1.0 / (uint64{1} << 52);
        return static_cast<remove_complex<V>>(static_cast<double>(state >> 11) * scale - 1.0);
    };
    for (size_type i = 0; i < size[0] * size[1]; ++i) {
        auto& value = result->get_values()[i];
        if constexpr (is_complex<V>()) {
            const auto real_part = next();
            value = {real_part, next()};
        } else {
            value = next();
        }
    }
    return result;
}

/// Runs the function. The message of an exception becomes the reason why the format failed.
/// @return false if the format failed
template <typename Function>
bool attempt(format_result& result, Function function)
{
    try {
        function();
    } catch (const std::bad_alloc&) {
        result.failure = "out of memory";
    } catch (const std::exception& error) {
        result.failure = message_of(error);
    }
    return result.failure.empty();
}

template <typename V, typename I>
struct candidate {
    std::unique_ptr<product<V, I>> matrix;
    format_result result;
};

template <typename V, typename I>
format_result describe(const std::string& format, const matrix::Csr<V, I>& host, const spmv_options& options,
                       const Executor& exec)
{
    const auto nnz = static_cast<double>(host.get_num_stored_elements());
    format_result result;
    result.format = format;
    result.flops = (is_complex<V>() ? 8 : 2) * nnz * static_cast<double>(options.num_rhs);
    if (format == "csr" && exec.get_backend() == backend::omp) {
        result.imbalance = csr_imbalance(host.get_const_row_ptrs(), host.get_size()[0]);
    }
    return result;
}

}  // namespace

size_type steps_per_matrix(size_type num_formats, int repetitions)
{
    return num_formats * (1 + static_cast<size_type>(repetitions)) + 1;
}

template <typename ValueType, typename IndexType>
void measure_formats(const std::vector<std::string>& formats, const spmv_options& options,
                     std::shared_ptr<const Executor> exec, std::shared_ptr<const matrix::Csr<ValueType, IndexType>> a,
                     progress& bar, matrix_result& result)
{
    using dense = matrix::Dense<ValueType>;
    const auto size = a->get_size();
    const auto b_host = create_vectors<ValueType>(a->get_executor(), dim<2>{size[1], options.num_rhs});
    const reference_result<ValueType, IndexType> reference{*a, *b_host};
    result.longest_row = reference.get_longest_row();

    const auto b = spruce::clone(exec, b_host);
    const auto x = dense::create(exec, dim<2>{size[0], options.num_rhs});
    std::shared_ptr<const matrix::Csr<ValueType, IndexType>> on_exec = a;
    if (is_device(*exec)) {
        on_exec = spruce::clone(exec, a);
    }
    stopwatch watch{exec};
    bar.advance();

    std::vector<candidate<ValueType, IndexType>> candidates;
    for (const auto& format : formats) {
        if (was_interrupted()) {
            break;
        }
        bar.set_label(result.name + ": " + format);
        candidate<ValueType, IndexType> next{nullptr, describe(format, *a, options, *exec)};
        attempt(next.result, [&] {
            next.matrix = create_product<ValueType, IndexType>(format, on_exec);
            next.result.detail = next.matrix->get_detail();
            next.result.storage_bytes = next.matrix->get_storage_bytes();
            next.result.moved_bytes = static_cast<double>(next.result.storage_bytes +
                                                          options.num_rhs * (size[0] + size[1]) * sizeof(ValueType));
            x->fill(nan<ValueType>());
            next.matrix->apply(*b, *x);
            next.result.error = reference.error_of(*x);
            next.result.error_bound = reference.error_bound();
            const auto multiply = [&] { next.matrix->apply(*b, *x); };
            watch.measure(options.warmup, multiply);
            next.result.products_per_repetition = watch.calls_per_measurement(multiply);
        });
        candidates.push_back(std::move(next));
        bar.advance();
    }

    bar.set_label(result.name + ": measuring");
    for (int repetition = 0; repetition < options.repetitions; ++repetition) {
        for (auto& next : candidates) {
            if (!was_interrupted() && next.result.failure.empty()) {
                attempt(next.result, [&] {
                    next.result.seconds.push_back(
                        watch.measure(next.result.products_per_repetition, [&] { next.matrix->apply(*b, *x); }));
                });
            }
            bar.advance();
        }
    }
    for (auto& next : candidates) {
        result.formats.push_back(std::move(next.result));
    }
}

#define SPRUCE_INSTANTIATE_MEASURE_FORMATS(ValueType, IndexType)                               \
    void measure_formats<ValueType, IndexType>(                                                \
        const std::vector<std::string>&, const spmv_options&, std::shared_ptr<const Executor>, \
        std::shared_ptr<const matrix::Csr<ValueType, IndexType>>, progress&, matrix_result&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_MEASURE_FORMATS);

}  // namespace spruce::bench
