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


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def functions_of_units(objdump, library):
    """Unit, name, address and size of each function that is compiled for a vector unit."""
    for line in run(objdump, "-t", "-C", library).splitlines():
        symbol = re.match(r"([0-9a-f]+) .* F \S+\t([0-9a-f]+) (.*)", line)
        if symbol:
            name = symbol.group(3)
            unit = next((unit for unit in UNITS if f"::{unit}<" in name.split("(")[0]), None)
            if unit:
                yield unit, name, int(symbol.group(1), 16), int(symbol.group(2), 16)


def has_vectors(objdump, library, unit, address, size):
    """Whether the function has a fused multiply-add of packed numbers in the registers of the unit."""
    code = run(objdump, "-d", "--no-show-raw-insn", f"--start-address={address}", f"--stop-address={address + size}", library)
    return re.search(r"\svfn?madd\w+pd\s.*%" + UNITS[unit], code) is not None


def main():
    objdump, library = sys.argv[1:]
    functions = list(functions_of_units(objdump, library))
    missing = [(unit, *words) for unit in UNITS for words in PRODUCTS
               if not any(has_vectors(objdump, library, unit, address, size) for of, name, address, size in functions
                          if of == unit and all(word in name for word in words))]
    for words in missing:
        print("no packed multiply-add in", *words)
    sys.exit(1 if missing else 0)


main()
