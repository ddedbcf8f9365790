// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/spmv/measure.hpp"

#include <algorithm>

#include <spruce/base/math.hpp>
#include <spruce/matrix/dense.hpp>

#include "benchmark/executors.hpp"
#include "benchmark/spmv/balance.hpp"
#include "benchmark/spmv/formats.hpp"
#include "benchmark/spmv/reference_result.hpp"

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

/// Holds the operands and the expected result, which all formats have in common.
template <typename V, typename I>
struct operands {
    operands(matrix_input<V, I>& input, size_type num_rhs)
        : a{input.on_executor()},
          b_host{create_vectors<V>(input.on_host()->get_executor(), dim<2>{a->get_size()[1], num_rhs})},
          reference{*input.on_host(), *b_host},
          b{clone(a->get_executor(), b_host)},
          x{matrix::Dense<V>::create(a->get_executor(), dim<2>{a->get_size()[0], num_rhs})}
    {}

    std::shared_ptr<const matrix::Csr<V, I>> a;
    std::unique_ptr<matrix::Dense<V>> b_host;
    reference_result<V, I> reference;
    std::unique_ptr<matrix::Dense<V>> b;
    std::unique_ptr<matrix::Dense<V>> x;
};

template <typename V, typename I>
timed_operation create_operation(const std::string& format, const std::shared_ptr<operands<V, I>>& given,
                                 matrix_input<V, I>& input)
{
    const std::shared_ptr<product<V, I>> matrix = create_product<V, I>(format, given->a);
    const auto size = given->a->get_size();
    const auto num_rhs = given->b->get_size()[1];
    const auto nnz = static_cast<double>(given->a->get_num_stored_elements());
    timed_operation op;
    op.call = [matrix, given] { matrix->apply(*given->b, *given->x); };
    op.bytes = static_cast<double>(matrix->get_storage_bytes() + num_rhs * (size[0] + size[1]) * sizeof(V));
    op.flops = (is_complex<V>() ? 8 : 2) * nnz * static_cast<double>(num_rhs);
    op.check = [given] { return accuracy{given->reference.error_of(*given->x), given->reference.error_bound()}; };
    op.describe = [=, &input] {
        nlohmann::ordered_json facts{{"storage_bytes", matrix->get_storage_bytes()}};
        if (!matrix->get_detail().empty()) {
            facts["strategy"] = matrix->get_detail();
        }
        if (format == "csr" && given->a->get_executor()->get_backend() == backend::omp) {
            facts["imbalance"] = csr_imbalance(input.on_host()->get_const_row_ptrs(), size[0]);
        }
        return facts;
    };
    given->x->fill(nan<V>());
    return op;
}

/// Marks the fastest of the results that are correct.
void mark_best(const std::vector<nlohmann::ordered_json*>& results)
{
    nlohmann::ordered_json* best{};
    for (const auto result : results) {
        if (!result->contains("seconds_median") || !result->value("correct", true)) {
            continue;
        }
        (*result)["facts"]["best"] = false;
        if (!best || (*result)["seconds_median"] < (*best)["seconds_median"]) {
            best = result;
        }
    }
    if (best) {
        (*best)["facts"]["best"] = true;
    }
}

}  // namespace

template <typename ValueType, typename IndexType>
void measure_formats(benchmark_run& run, matrix_source& source, const std::vector<std::string>& formats,
                     const nlohmann::ordered_json& identity)
{
    matrix_input<ValueType, IndexType> input{run, source};
    std::shared_ptr<operands<ValueType, IndexType>> given;
    std::vector<benchmark_case> cases;
    for (const auto& format : formats) {
        auto with_format = identity;
        with_format["format"] = format;
        cases.push_back({with_format, [&, format] {
                             require_format(format, run.get_executor()->get_backend());
                             if (!given) {
                                 given = std::make_shared<operands<ValueType, IndexType>>(
                                     input, identity["num_rhs"].get<size_type>());
                             }
                             return create_operation<ValueType, IndexType>(format, given, input);
                         }});
    }
    mark_best(run.measure(cases));
}

#define SPRUCE_INSTANTIATE_MEASURE_FORMATS(ValueType, IndexType)                                                \
    void measure_formats<ValueType, IndexType>(benchmark_run&, matrix_source&, const std::vector<std::string>&, \
                                               const nlohmann::ordered_json&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_MEASURE_FORMATS);

}  // namespace spruce::bench
