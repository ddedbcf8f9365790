// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/matrix_source.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

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

bool is_family(const std::string& name)
{
    const auto names = family_names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the entries of a file of --suite, without comments and empty lines.
std::vector<std::string> read_suite(const std::string& path)
{
    std::ifstream file(path);
    if (!file) {
        throw usage_error("the suite " + path + " cannot be read");
    }
    std::vector<std::string> entries;
    for (std::string line; std::getline(file, line);) {
        line.resize(std::min(line.find('#'), line.size()));
        const auto begin = line.find_first_not_of(" \t\r");
        if (begin != std::string::npos) {
            entries.push_back(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin));
        }
    }
    if (file.bad() || entries.empty()) {
        throw usage_error("the suite " + path + (file.bad() ? " cannot be read" : " names no matrix"));
    }
    return entries;
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

std::vector<matrix_source> collect_sources(const matrix_run_options& options, const std::string& command)
{
    std::vector<matrix_source> sources;
    for (const auto& spec : options.families) {
        sources.push_back(matrix_source::family(spec));
    }
    for (const auto& path : options.files) {
        sources.push_back(matrix_source::file(path));
    }
    if (!options.suite.empty()) {
        for (const auto& entry : read_suite(options.suite)) {
            sources.push_back(matrix_source::in_suite(entry, options.suite_folder));
        }
    }
    if (sources.empty()) {
        throw usage_error("no matrix is given: name files or use --gen or --suite (see spruce-bench " + command +
                          " --help)");
    }
    std::map<std::string, int> num_of_name;
    for (const auto& source : sources) {
        ++num_of_name[source.get_name()];
    }
    for (auto& source : sources) {
        if (num_of_name[source.get_name()] > 1) {
            source.use_path_as_name();
        }
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
    return {spec, spec, true};
}

matrix_source matrix_source::file(const std::string& path)
{
    auto name = path.substr(path.find_last_of('/') + 1);
    for (const std::string ending : {".gz", ".mtx", ".bin"}) {
        if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
            name.resize(name.size() - ending.size());
        }
    }
    return {path, name, false};
}

matrix_source matrix_source::in_suite(const std::string& entry, const std::string& folder)
{
    if (std::filesystem::is_regular_file(entry)) {
        return file(entry);
    }
    if (is_family(entry.substr(0, entry.find(':')))) {
        return family(entry);
    }
    const auto base = folder + '/' + entry;
    const auto name = entry.substr(entry.find_last_of('/') + 1);
    for (const auto& path :
         {base + ".mtx", base + ".mtx.gz", base + '/' + name + ".mtx", base + '/' + name + ".mtx.gz"}) {
        if (std::filesystem::is_regular_file(path)) {
            return {path, entry, false};
        }
    }
    matrix_source missing{entry, entry, false};
    missing.missing_ =
        "there is no file " + entry + ", and no " + base + ".mtx, " + base + ".mtx.gz or " + base + '/' + name + ".mtx";
    return missing;
}

void matrix_source::open()
{
    if (!missing_.empty()) {
        throw std::runtime_error(missing_);
    }
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
