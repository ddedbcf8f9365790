#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of dev_tools/comment_check.py"""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "dev_tools"))
from comment_check import check_file  # noqa: E402

VERBS = {"Computes", "Holds", "Returns"}


class CommentCheck(unittest.TestCase):
    def check(self, text, *messages, documented=None):
        faults, num_documented = check_file("a.hpp", text, VERBS)
        self.assertEqual(len(faults), len(messages), faults)
        for (_, fault), message in zip(faults, messages):
            self.assertIn(message, fault)
        if documented is not None:
            self.assertEqual(num_documented, documented)

    def test_documentation_begins_with_a_verb(self):
        self.check("/// Returns one.\nint one();\n", documented=1)
        self.check("/// One.\nint one();\n", 'begins with "One"', documented=1)
        self.check("/// A matrix.\ntemplate <typename V>\nclass SPRUCE_EXPORT Matrix : public Base {\n", 'begins with "A"', documented=1)
        self.check("/// An enumeration\nenum class kind { a, b };\n", 'begins with "An"', documented=1)

    def test_parameters_alone_document_constructors_only(self):
        self.check("/// @param a  a number\nexplicit Matrix(int a);\n", documented=1)
        self.check("/// @param a  a number\ntemplate <typename A>\nMatrix(A a) : a_{a}\n{\n", documented=1)
        self.check("/// @throws Error  if there is no device\nMatrix();\n", documented=1)
        self.check("/// @return a number\nMatrix();\n", 'begins with "@return', documented=1)
        self.check("/// @param a  a number\nint twice(int a);\n", 'begins with "@param', documented=1)
        self.check("/// @throws Error  if a is negative\ntemplate <typename A>\nvoid require(A a)\n{\n", 'begins with "@throws')

    def test_functions_that_only_throw(self):
        self.check("/// @throws NotCompiled  always: not supported\nstatic std::shared_ptr<Hook> create();\n", documented=1)

    def test_kernels_are_functions(self):
        self.check("/// The product.\ntemplate <typename V>\nSPRUCE_EXPORT inline Kernel<void(const V* a)> spmv{\"spmv\"};\n", 'begins with "The"')

    def test_members_may_be_nouns(self):
        self.check("/// The number of rows.\nsize_type num_rows;\nint a;  ///< a number\n", documented=0)
        self.check("/// Bytes in a line.\nconstexpr int line = 64;\n", documented=0)

    def test_each_comment_stands_alone(self):
        self.check("// The same for columns.\nint a;\n", 'begins with "The same"')
        self.check("// Likewise.\nint a;\n", 'begins with "Likewise"')
        self.check("/// Whether it is empty.\nbool is_empty();\n", 'begins with "Whether"', 'begins with "Whether"')
        self.check("// It is empty if the file is.\n// The same is true of the other.\nint a;\n")

    def test_persons_and_times(self):
        self.check("// so that nobody waits\nint a;\n", "person: nobody")
        self.check("// takes 3.5 ms there\nint a;\n", "states a time")
        self.check("// 64 bytes\nint a;\n")

    def test_length(self):
        self.check("// " + "a" * 97 + "\nint a;\n")
        self.check("// " + "a" * 98 + "\nint a;\n", "101 columns")
        self.check("int a;  // " + "a" * 98 + "\n")


if __name__ == "__main__":
    unittest.main()
