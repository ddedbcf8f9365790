# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

"""vector_units.py OBJDUMP LIBRARY: the products that are compiled for vector units (omp/components/vector_unit.hpp) do multiply and
add with whole registers of them. A compiler that finds a reason not to vectorise a loop says nothing."""

import re
import subprocess
import sys

PRODUCTS = (("spmv_merge", "column_sums<double, int, double const*>"),
            ("padded_rows::product", "::multiply_column()", "matrix::Ell<double, int>"),
            ("padded_rows::product", "::multiply_column()", "matrix::Sellp<double, int>"))
UNITS = {"on_avx2": "ymm", "on_avx512": "zmm"}


def functions_with_vectors(objdump, library):
    """Pairs of unit and name for functions that have a fused multiply-add of packed numbers in their unit's registers."""
    process = subprocess.Popen([objdump, "-d", "-C", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True)
    found, unit, name = set(), None, None
    for line in process.stdout:
        start = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if start:
            name = start.group(1)
            unit = next((unit for unit in UNITS if f"::{unit}<" in name.split("(")[0]), None)
        elif unit and re.search(r"\svfn?madd\w+pd\s.*%" + UNITS[unit], line):
            found.add((unit, name))
    if process.wait() != 0:
        sys.exit(f"{objdump} {library} failed")
    return found


def main():
    found = functions_with_vectors(sys.argv[1], sys.argv[2])
    missing = [(unit, *words) for unit in UNITS for words in PRODUCTS
               if not any(unit == has and all(word in name for word in words) for has, name in found)]
    for words in missing:
        print("no packed multiply-add in", *words)
    sys.exit(1 if missing else 0)


main()
