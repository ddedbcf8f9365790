// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <typeinfo>

#include <spruce/base/types.hpp>

namespace spruce::name_demangling {

/// The type's name as one would write it.
SPRUCE_EXPORT std::string get_type_name(const std::type_info& type);

}  // namespace spruce::name_demangling
