#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Shows which GPU kernels the AMD code objects inside a library hold.

usage: hip_kernels.py LIBRARY TARGET...

Fails unless the code objects for each TARGET (gfx906, ...) hold exactly the kernels that the host code of LIBRARY can
launch: those with a launch stub (__device_stub__) in its symbol table.
"""

import re
import struct
import sys

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


class Elf:
    """The sections of a 64-bit little-endian ELF file."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.data = data
        offset, = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        # name, type, flags, address, offset, size, link, info, alignment, entry size
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        self.names = self.content(self.headers[names])

    def content(self, header):
        return self.data[header[4]:header[4] + header[5]]

    @staticmethod
    def string(table, position):
        return table[position:table.index(b"\0", position)].decode()

    def section(self, name):
        for header in self.headers:
            if self.string(self.names, header[0]) == name:
                return self.content(header)
        return b""

    def symbols(self):
        """The names of all defined symbols."""
        result = set()
        for header in self.headers:
            if header[1] in (2, 11):  # SHT_SYMTAB, SHT_DYNSYM
                strings = self.content(self.headers[header[6]])
                for name, _, _, section, _, _ in struct.iter_unpack("<IBBHQQ", self.content(header)):
                    if section != 0:
                        result.add(self.string(strings, name))
        return result


def code_objects(fat_binary):
    """(target, ELF bytes) of each code object in a section of bundles."""
    start = fat_binary.find(MAGIC)
    while start >= 0:
        count, = struct.unpack_from("<Q", fat_binary, start + len(MAGIC))
        position = start + len(MAGIC) + 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", fat_binary, position)
            triple = fat_binary[position + 24:position + 24 + length].decode()
            position += 24 + length
            if size > 0:
                yield triple.rsplit("--", 1)[-1], fat_binary[start + offset:start + offset + size]
        start = fat_binary.find(MAGIC, start + 1)


def launched_kernels(symbols):
    """Mangled kernel names from those of their stubs: 17__device_stub__k1 stands for 2k1."""
    prefix = "__device_stub__"
    stub = re.compile(r"(\d+)" + prefix)
    return {stub.sub(lambda m: str(int(m.group(1)) - len(prefix)), name).replace(prefix, "")
            for name in symbols if prefix in name}


def main(path, targets):
    with open(path, "rb") as file:
        library = Elf(file.read())
    expected = launched_kernels(library.symbols())
    if not expected:
        sys.exit(f"{path}: no kernel is launched (is it stripped?)")
    found = {target: set() for target in targets}
    for target, content in code_objects(library.section(".hip_fatbin")):
        kernels = {name[:-3] for name in Elf(content).symbols() if name.endswith(".kd")}
        found.setdefault(target, set()).update(kernels)
    print(f"{path}: {len(expected)} kernels are launched")
    good = True
    for target, kernels in sorted(found.items()):
        missing, extra = expected - kernels, kernels - expected
        print(f"  {target:<10} {len(kernels):6} kernels, {len(missing)} missing, {len(extra)} never launched")
        for name in sorted(missing)[:20]:
            print(f"    missing: {name}")
        good = good and not missing and not extra and target in targets
        if target not in targets:
            print(f"    {target} was not requested")
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
