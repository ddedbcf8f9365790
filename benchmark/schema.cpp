// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/schema.hpp"

#include <nlohmann/json.hpp>

#include "benchmark/json_file.hpp"

namespace spruce::bench {

nlohmann::ordered_json start_document(const environment& where)
{
    nlohmann::ordered_json document{{"schema", json_schema}};
    document.update(to_json(where));
    return document;
}

}  // namespace spruce::bench
