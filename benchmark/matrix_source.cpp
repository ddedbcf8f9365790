// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/matrix_source.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <sstream>

#include <zlib.h>

#include <spruce/base/math.hpp>
#include <spruce/base/mtx_io.hpp>
#include <spruce/base/validate.hpp>

#include "benchmark/errors.hpp"

namespace spruce::bench {
namespace {

/// Returns true if the first bytes of a matrix file announce complex values. Errors in the file are
/// reported by the function that reads it.
bool announces_complex(const std::string& path)
{
    const auto file = gzopen(path.c_str(), "rb");  // reads uncompressed files, too
    if (!file) {
        return false;
    }
    char head[128] = {};
    const auto length = std::max(gzread(file, head, sizeof(head) - 1), 0);
    gzclose(file);
    std::string line(head, static_cast<std::size_t>(length));
    constexpr auto binary_mark = "GINKGO";
    if (line.compare(0, 6, binary_mark) == 0) {
        return line.size() > 6 && (line[6] == 'C' || line[6] == 'Z');
    }
    line.resize(std::min(line.find('\n'), line.size()));
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    // A byte order mark may precede the banner.
    return line.find("%%matrixmarket") != std::string::npos && line.find(" complex") != std::string::npos;
}

/// Describes the faults of a matrix. Missing and zero entries of the diagonal are omitted, because
/// they matter only to some solvers.
std::string describe_faults(const std::string& path, const matrix_report& report, const mtx_storage& storage)
{
    if (report.is_valid()) {
        return {};
    }
    std::ostringstream text;
    text << path << ": " << report;
    if (report.duplicates && storage.has_both_triangles) {
        text << "; the header names a symmetry, but both triangles are stored, so entries off the diagonal count twice "
                "(store one triangle, or write general)";
    }
    return text.str();
}

template <typename ValueType>
ValueType make_value(const generated_matrix& generated, std::size_t nz)
{
    using real_type = remove_complex<ValueType>;
    if constexpr (is_complex<ValueType>()) {
        const auto imag = generated.imag.empty() ? 0.0 : generated.imag[nz];
        return {static_cast<real_type>(generated.values[nz]), static_cast<real_type>(imag)};
    } else {
        return static_cast<real_type>(generated.values[nz]);
    }
}

}  // namespace

std::vector<matrix_source> collect_sources(const std::vector<std::string>& families,
                                           const std::vector<std::string>& files, const std::string& command)
{
    std::vector<matrix_source> sources;
    for (const auto& spec : families) {
        sources.push_back(matrix_source::family(spec));
    }
    for (const auto& path : files) {
        sources.push_back(matrix_source::file(path));
    }
    if (sources.empty()) {
        throw usage_error("no matrix is given: name files or use --gen (see spruce-bench " + command + " --help)");
    }
    return sources;
}

std::vector<std::string> family_names()
{
    std::vector<std::string> names;
    for (const auto& family : families()) {
        names.push_back(family.name);
    }
    return names;
}

matrix_source matrix_source::family(std::string spec)
{
    check_name("family", spec.substr(0, spec.find(':')), family_names());
    return {std::move(spec), true};
}

std::string matrix_source::get_name() const
{
    if (is_family_) {
        return text_;
    }
    auto name = text_.substr(text_.find_last_of('/') + 1);
    for (const std::string ending : {".gz", ".mtx"}) {
        if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
            name.resize(name.size() - ending.size());
        }
    }
    return name;
}

void matrix_source::open()
{
    if (is_family_) {
        generated_ = generate(text_);
        is_complex_ = !generated_->imag.empty();
    } else {
        is_complex_ = announces_complex(text_);
    }
}

template <typename ValueType, typename IndexType>
std::unique_ptr<matrix::Csr<ValueType, IndexType>> matrix_source::read(std::shared_ptr<const Executor> host)
{
    using csr = matrix::Csr<ValueType, IndexType>;
    if (!is_family_) {
        auto result = csr::create(host);
        mtx_storage storage;
        const auto data = read_file<ValueType, IndexType>(text_, &storage);
        faults_ = describe_faults(text_, validate(data), storage);
        result->read(data);
        return result;
    }
    const auto num_entries = generated_->values.size();
    if (num_entries > static_cast<std::size_t>(std::numeric_limits<IndexType>::max())) {
        throw OverflowError(__FILE__, __LINE__, "int32: " + std::to_string(num_entries) + " entries (use int64)");
    }
    array<IndexType> row_ptrs(host, generated_->row_ptrs.size());
    array<IndexType> col_idxs(host, num_entries);
    array<ValueType> values(host, num_entries);
    std::transform(generated_->row_ptrs.begin(), generated_->row_ptrs.end(), row_ptrs.get_data(),
                   [](int64 nz) { return static_cast<IndexType>(nz); });
    std::copy(generated_->col_idxs.begin(), generated_->col_idxs.end(), col_idxs.get_data());
    for (std::size_t nz = 0; nz < num_entries; ++nz) {
        values.get_data()[nz] = make_value<ValueType>(*generated_, nz);
    }
    const dim<2> size{static_cast<size_type>(generated_->rows), static_cast<size_type>(generated_->cols)};
    return csr::create(host, size, std::move(values), std::move(col_idxs), std::move(row_ptrs));
}

#define SPRUCE_INSTANTIATE_READ(ValueType, IndexType)                                             \
    std::unique_ptr<matrix::Csr<ValueType, IndexType>> matrix_source::read<ValueType, IndexType>( \
        std::shared_ptr<const Executor> host)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(SPRUCE_INSTANTIATE_READ);

}  // namespace spruce::bench
