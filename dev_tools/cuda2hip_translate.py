# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Turns the text of a CUDA source into HIP: the work behind dev_tools/cuda2hip.

The text is cut into tokens as the language defines them; what changes is replaced token by token, all else, comments and
spaces included, stays as it was. What cannot be translated is collected in a TranslationError with the line of each fault.
"""

import bisect
import os
import re

import cuda2hip_names as names


class TranslationError(Exception):
    """faults: list of (line, message)."""

    def __init__(self, faults):
        super().__init__("\n".join(f"{line}: {message}" for line, message in faults))
        self.faults = faults


# --- tokens --------------------------------------------------------------------------------------------------------------

SPACE, NEWLINE, COMMENT, STRING, RAW_STRING, NUMBER, NAME, OPERATOR, HEADER = range(9)

_SPLICE = r"\\\r?\n"
_TOKENS = [
    (NEWLINE, r"\n"),
    (SPACE, rf"(?:[ \t\f\v\r]|{_SPLICE})+"),
    (COMMENT, rf"//(?:{_SPLICE}|[^\n])*|/\*(?s:.*?)\*/"),
    (RAW_STRING, r'(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?s:.*?)\)(?P=delimiter)"'),
    (STRING, r'(?:u8|[uUL])?"(?:\\(?s:.)|[^"\\\n])*"' + "|" + r"(?:u8|[uUL])?'(?:\\(?s:.)|[^'\\\n])+'"),
    (NUMBER, r"\.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])*"),
    (NAME, r"[^\W\d]\w*"),
    # A > stands alone: whether several are a shift, the ends of templates or of a launch is seen only later.
    (OPERATOR, r"<<<|<<=|<=>|<=|<<|->\*|->|::|\.\.\.|##|&&|\|\||==|!=|\+\+|--|[-+*/%&|^]=|."),
]
_TOKEN = re.compile("|".join(f"(?P<t{kind}>{pattern})" for kind, pattern in _TOKENS))
_HEADER = re.compile(r'<[^>\n]+>|"[^"\n]+"')
_RAW_PREFIXES = ("R", "u8R", "uR", "UR", "LR")


class Token:
    """before and after: what is put around it; each a string or a function that gives one at the end."""

    __slots__ = ("kind", "text", "start", "directive", "before", "after", "is_hidden")

    def __init__(self, kind, text, start, directive):
        self.kind, self.text, self.start, self.directive = kind, text, start, directive
        self.before, self.after, self.is_hidden = [], [], False

    def is_code(self):
        return self.kind not in (SPACE, NEWLINE, COMMENT)


def tokenize(text, fault):
    """The tokens of a source; token.directive is the number of the preprocessor line that it is part of, 0 outside."""
    tokens = []
    position, directive, num_directives = 0, 0, 0
    last = [None, None, None]  # the last code tokens of this line
    is_line_start = True
    previous_name = None  # of the token before, wherever it stood
    while position < len(text):
        match = None
        in_include = directive and last[2] in ("include", "include_next", "import") and last[1] == "#"
        if in_include or (last[1] == "__has_include" and last[2] == "("):
            match = _HEADER.match(text, position)
            kind = HEADER
        if not match:
            match = _TOKEN.match(text, position)
            kind = int(match.lastgroup[1:]) if match.lastgroup != "delimiter" else RAW_STRING
        token = match.group()
        # The text of a directive such as #error is no code, and may hold an apostrophe.
        if token in ('"', "'") and not directive:
            fault(position, f"{token} is not ended")
        if kind == NAME and token in _RAW_PREFIXES and text.startswith('"', position + len(token)):
            fault(position, f'{token}" is not ended')
        if kind == OPERATOR and token == "/" and text.startswith("/*", position):
            fault(position, "/* is not ended")
            match, token, kind = None, text[position:], COMMENT
        if token == "<<<" and previous_name == "operator":
            token = "<<"
        if kind == OPERATOR and token == "#" and is_line_start:
            num_directives += 1
            directive = num_directives
        tokens.append(Token(kind, token, position, directive))
        position += len(token)
        if kind == NEWLINE:
            directive, is_line_start, last = 0, True, [None, None, None]
        elif kind not in (SPACE, COMMENT):
            is_line_start = False
            last = last[1:] + [token]
            previous_name = token
    return tokens


# --- translation ---------------------------------------------------------------------------------------------------------

_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {")": "(", "]": "[", "}": "{"}
_KEYWORDS = frozenset("""
    return if else for while do switch case default break continue goto new delete throw sizeof alignof const auto void int bool
    char short long float double unsigned signed struct class enum union namespace using static extern inline constexpr
    """.split())
_CASTS = frozenset(["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"])
_BEFORE_STATEMENT = frozenset([";", "{", "}", "else", "do"])
_WITH_CONDITION = frozenset(["if", "constexpr", "for", "while", "switch"])
# What cannot stand in a list of template arguments outside parentheses.
_NO_TEMPLATE_ARGUMENT = frozenset([";", "?", "||", "=", "==", "!=", "<<<", "<=", "+=", "-=", "}", ")", "]"])


class _Translation:
    def __init__(self, text):
        self.text = text
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.faults = []
        self.tokens = tokenize(text, lambda position, message: self.faults.append((self.line_of(position), message)))
        self.code = [token for token in self.tokens if token.is_code()]
        self.indices = {id(token): index for index, token in enumerate(self.tokens)}
        self.literal_macros = set()

    def line_of(self, position):
        return bisect.bisect_right(self.line_starts, position)

    def refuse(self, index, message):
        self.faults.append((self.line_of(self.code[index].start), message))

    def at(self, index):
        """The text of a code token, None beyond the ends."""
        return self.code[index].text if 0 <= index < len(self.code) else None

    def is_name(self, index):
        return 0 <= index < len(self.code) and self.code[index].kind == NAME

    def is_operator(self, index, text):
        return self.at(index) == text and self.code[index].kind == OPERATOR

    # --- brackets

    @staticmethod
    def is_elsewhere(token, directive):
        """Whether what began in this directive cannot go on at the token. Code outside goes on behind a directive."""
        return directive != 0 and token.directive != directive

    def closing(self, index):
        """The bracket that ends the one at index; None if there is none in the same directive."""
        stack = []
        for i in range(index, len(self.code)):
            token = self.code[i]
            if self.is_elsewhere(token, self.code[index].directive):
                return None
            if token.kind != OPERATOR or token.directive != self.code[index].directive:
                continue
            if token.text in _OPENING:
                stack.append(_OPENING[token.text])
            elif token.text in _CLOSING:
                if not stack or stack.pop() != token.text:
                    return None
                if not stack:
                    return i
        return None

    def opening(self, index):
        stack = []
        for i in range(index, -1, -1):
            token = self.code[i]
            if self.is_elsewhere(token, self.code[index].directive):
                return None
            if token.kind != OPERATOR or token.directive != self.code[index].directive:
                continue
            if token.text in _CLOSING:
                stack.append(_CLOSING[token.text])
            elif token.text in _OPENING:
                if not stack or stack.pop() != token.text:
                    return None
                if not stack:
                    return i
        return None

    def template_end(self, index):
        """The > that ends the template arguments which begin with the < at index; None if it is a comparison."""
        if not (self.is_name(index - 1) and self.at(index - 1) not in _KEYWORDS):
            return None
        i = index + 1
        while i < len(self.code):
            text = self.at(i)
            if self.code[i].kind == OPERATOR:
                if text == ">":
                    follower = self.code[i + 1] if i + 1 < len(self.code) else None
                    ends_operand = follower is None or follower.kind == OPERATOR or follower.directive != self.code[i].directive
                    return i if ends_operand else None
                if text in _OPENING:
                    i = self.closing(i)
                    if i is None:
                        return None
                elif text == "<":
                    i = self.template_end(i)
                    if i is None:
                        return None
                elif text in _NO_TEMPLATE_ARGUMENT or (text == "&&" and self.at(i + 1) not in (",", ">", "...")):
                    return None
            i += 1
        return None

    def template_start(self, index):
        """The < of the template arguments that end with the > at index; None if there is none."""
        depth = 0
        i = index
        while i >= 0 and self.code[i].directive == self.code[index].directive:
            text = self.at(i)
            if self.code[i].kind == OPERATOR:
                if text in _CLOSING:
                    i = self.opening(i)
                    if i is None:
                        return None
                elif text == ">":
                    depth += 1
                elif text == "<":
                    depth -= 1
                    if depth == 0:
                        return i if self.is_name(i - 1) else None
                elif text == ";":
                    return None
            i -= 1
        return None

    def split_arguments(self, begin, end):
        """The (begin, end) of each argument between the commas outside brackets of code[begin:end]."""
        arguments, start, i = [], begin, begin
        while i < end:
            if self.code[i].kind == OPERATOR:
                text = self.at(i)
                if text in _OPENING:
                    i = self.closing(i) or end
                elif text == "<":
                    i = self.template_end(i) or i
                elif text == ",":
                    arguments.append((start, i))
                    start = i + 1
            i += 1
        if end > begin:
            arguments.append((start, end))
        return arguments

    def call_arguments(self, index):
        """The arguments of the call of the name at index and the closing parenthesis; None if it is not called."""
        if not self.is_operator(index + 1, "("):
            return None
        end = self.closing(index + 1)
        return None if end is None else (self.split_arguments(index + 2, end), end)

    # --- edits

    def hide(self, begin, end, keep_comments=False):
        """Leaves out code[begin:end] with the spaces between."""
        if begin >= end:
            return
        first, last = self.indices[id(self.code[begin])], self.indices[id(self.code[end - 1])]
        for token in self.tokens[first:last + 1]:
            token.is_hidden = not (keep_comments and token.kind == COMMENT)

    def hide_spaces(self, left, right):
        """Leaves out the spaces and newlines between two neighbours in code, unless a comment is there."""
        between = self.tokens[self.indices[id(self.code[left])] + 1:self.indices[id(self.code[right])]]
        if not any(token.kind == COMMENT for token in between):
            for token in between:
                token.is_hidden = True

    def render(self, begin, end, ignore_hidden=False):
        """The text of code[begin:end] after all edits."""
        if begin >= end:
            return ""
        first, last = self.indices[id(self.code[begin])], self.indices[id(self.code[end - 1])]
        return self.join(self.tokens[first:last + 1], ignore_hidden)

    @staticmethod
    def join(tokens, ignore_hidden=False):
        parts = []
        for token in tokens:
            if token.is_hidden and not ignore_hidden:
                continue
            for part in [*token.before, token.text, *token.after]:
                parts.append(part() if callable(part) else part)
        return "".join(parts)

    # --- launches

    def kernel_start(self, end):
        """The first token of the operand that ends at code[end - 1]: the kernel of a launch. None if that is unclear."""
        i = end - 1
        while True:
            if i < 0:
                return None
            if self.is_operator(i, ">"):
                start = self.template_start(i)
                if start is None or self.template_end(start) != i:
                    return None
                i = start - 1
            elif self.code[i].kind == OPERATOR and self.at(i) in (")", "]"):
                start = self.opening(i)
                if start is None:
                    return None
                before = start - 1
                is_condition = self.at(before) == ")" and self.at((self.opening(before) or 0) - 1) in _WITH_CONDITION
                continues = (self.is_name(before) and self.at(before) not in _KEYWORDS) or self.at(before) in (")", "]", ">")
                if not continues or is_condition:
                    return start if self.at(i) == ")" else None
                i = before
                continue
            if not self.is_name(i) or self.at(i) in _KEYWORDS:
                return None
            before = i - 1
            if self.at(before) == "template":
                before -= 1
            if self.is_operator(before, "::"):
                if (self.is_name(before - 1) and self.at(before - 1) not in _KEYWORDS) or self.at(before - 1) == ">":
                    i = before - 1
                    continue
                return before
            if self.at(before) in (".", "->"):
                i = before - 1
                continue
            return i if before == i - 1 else None

    def is_statement_start(self, index):
        """Whether a statement can begin at code[index]."""
        if index == 0:
            return True
        directive = self.code[index].directive
        if directive:
            start = index
            while start > 0 and self.code[start - 1].directive == directive:
                start -= 1
            if self.at(start + 1) == "define":
                body = start + 3
                name = self.code[start + 2] if start + 2 < len(self.code) else None
                if name and self.is_operator(body, "(") and self.code[body].start == name.start + len(name.text):
                    body = (self.closing(body) or body) + 1
                if index == body:
                    return True
        before = self.at(index - 1)
        if self.code[index - 1].directive != directive or before in _BEFORE_STATEMENT:
            return True
        if before == ")":
            start = self.opening(index - 1)
            return start is not None and self.at(start - 1) in _WITH_CONDITION
        if before == ":":  # of a label, not of a conditional expression
            i = index - 2
            while i >= 0 and self.at(i) not in (";", "{", "}", "?", ":"):
                i -= 1
            return self.at(i) != "?"
        return False

    def launch_end(self, begin):
        """The first > of the >>> that ends a launch's configuration which begins at code[begin], and its commas."""
        i, commas = begin, []
        directive = self.code[begin - 1].directive
        while i < len(self.code) and not self.is_elsewhere(self.code[i], directive):
            text = self.at(i)
            if self.code[i].kind == OPERATOR and self.code[i].directive == directive:
                if text in _OPENING:
                    i = self.closing(i)
                    if i is None:
                        return None
                elif text == "<":
                    end = self.template_end(i)
                    rest = end and self.launch_end_with(end + 1, commas, directive)
                    if rest:
                        return rest
                elif text == ",":
                    commas.append(i)
                elif text == ">" and self.is_launch_end(i):
                    return i, commas
                elif text in (";", "}", ")", "]", "<<<"):
                    return None
            i += 1
        return None

    def launch_end_with(self, begin, commas, directive):
        """launch_end() behind template arguments."""
        if begin >= len(self.code) or self.code[begin].directive != directive:
            return None
        rest = self.launch_end(begin)
        return rest and (rest[0], commas + rest[1])

    def is_launch_end(self, index):
        tokens = self.code[index:index + 3]
        return (len(tokens) == 3 and all(token.text == ">" for token in tokens) and
                tokens[2].start == tokens[0].start + 2 and self.is_operator(index + 3, "("))

    def translate_launch(self, opening):
        """k<<<grid, block, shared, stream>>>(args) becomes hipLaunchKernelGGL(k, grid, block, shared, stream, args)."""
        found = self.launch_end(opening + 1) if opening + 1 < len(self.code) else None
        if not found:
            return self.refuse(opening, "no >>>( ends this launch")
        end, commas = found
        bounds = [opening, *commas, end]
        entries = [(a + 1, b) for a, b in zip(bounds, bounds[1:])]
        if not 2 <= len(entries) <= 4 or any(a >= b for a, b in entries):
            return self.refuse(opening, f"a launch takes grid, block, and perhaps shared memory and stream, not {len(entries)} parts")
        start = self.kernel_start(opening)
        if start is None:
            return self.refuse(opening, "it is not clear where the name of the launched kernel begins; put it into parentheses")
        last = self.closing(end + 3)
        if last is None:
            return self.refuse(opening, "the arguments of this launch are not ended")
        if not self.is_statement_start(start):
            return self.refuse(opening, "a launch becomes a statement in HIP; here it is part of an expression")
        follower = self.code[last + 1] if last + 1 < len(self.code) else None
        if follower and follower.text != ";" and follower.directive == self.code[last].directive:
            return self.refuse(opening, "a launch becomes a statement in HIP; here it is not followed by a semicolon")
        first_token, last_token = self.indices[id(self.code[start])], self.indices[id(self.code[last])]
        if any(token.directive != self.code[start].directive for token in self.tokens[first_token:last_token]):
            return self.refuse(opening, "a preprocessor line inside a launch would be one inside a macro's arguments")
        if any(self.is_operator(i, "<<<") for i in range(opening + 1, last)):
            return self.refuse(opening, "a launch within the arguments of a launch")

        kernel = self.code[start:opening]
        is_template = any(token.kind == OPERATOR and token.text in ("<", ",") for token in kernel)
        kernel[0].before.insert(0, "hipLaunchKernelGGL(" + ("HIP_KERNEL_NAME(" if is_template else ""))
        if is_template:
            kernel[-1].after.append(")")
        self.hide_spaces(opening - 1, opening)
        self.code[opening].text = ", "
        self.hide_spaces(opening, opening + 1)
        for number, (a, b) in enumerate(entries):
            is_braced = self.at(a) == "{"
            if is_braced and number > 1:
                return self.refuse(a, "shared memory and stream in braces")
            if is_braced:
                self.code[a].before.append("dim3")
            # To the preprocessor a comma in template arguments or braces ends a macro's argument.
            if self.has_bare_comma(a, b):
                self.code[a].before.insert(0, "(")
                self.code[b - 1].after.append(")")
        self.code[end - 1].after.append(", 0" * (4 - len(entries)))
        self.hide_spaces(end - 1, end)
        self.hide(end, end + 3)
        self.hide_spaces(end + 2, end + 3)
        if last == end + 4:
            self.code[end + 3].text = ""
            self.hide_spaces(end + 3, last)
        else:
            following = self.tokens[self.indices[id(self.code[end + 3])] + 1]
            self.code[end + 3].text = "," if following.kind in (SPACE, NEWLINE) else ", "
        return None

    def has_bare_comma(self, begin, end):
        i = begin
        while i < end:
            if self.is_operator(i, "("):
                i = self.closing(i)
            elif self.is_operator(i, ","):
                return True
            i += 1
        return False

    # --- the rest

    def translate_shared_memory(self, index):
        """extern __shared__ T name[]; becomes HIP_DYNAMIC_SHARED(T, name);"""
        begin = index
        while begin > 0 and self.at(begin - 1) not in (";", "{", "}", ")", ":") and \
                self.code[begin - 1].directive == self.code[index].directive:
            begin -= 1
        end = index
        while end < len(self.code) and self.at(end) != ";" and self.code[end].directive == self.code[index].directive:
            end += 1
        declaration = [self.at(i) for i in range(begin, end)]
        if "extern" not in declaration:
            return
        is_array = end < len(self.code) and declaration[-2:] == ["[", "]"] and self.is_name(end - 3)
        type_tokens = [i for i in range(begin, end - 3) if self.at(i) not in ("extern", "__shared__")]
        if not is_array or not type_tokens or any(self.is_operator(i, "[") for i in type_tokens):
            self.refuse(index, "dynamic shared memory has to be declared as extern __shared__ T name[];")
            return
        has_comma = self.has_bare_comma(type_tokens[0], end - 3)
        for i in range(begin, end - 3):
            if i not in type_tokens:
                self.code[i].is_hidden = True
                following = self.tokens[self.indices[id(self.code[i])] + 1]
                following.is_hidden = following.kind == SPACE
        self.code[type_tokens[0]].before.insert(0, "HIP_DYNAMIC_SHARED(" + ("HIP_KERNEL_NAME(" if has_comma else ""))
        self.code[type_tokens[-1]].after.append(")," if has_comma else ",")
        self.hide(end - 2, end)
        self.hide_spaces(end - 3, end - 2)
        self.code[end - 3].after.append(")")

    def is_literal(self, begin, end):
        """Whether a mask is made of numbers only, and so counts on the lanes of a warp."""
        return all(not self.is_name(i) or self.at(i) in _KEYWORDS or self.at(i) in self.literal_macros for i in range(begin, end))

    def translate_warp_operation(self, index):
        name = self.at(index)
        call = self.call_arguments(index)
        if call is None or len(call[0]) < 2:
            self.refuse(index, f"{name} is not called with a mask and a value")
            return
        arguments, end = call
        mask_begin, mask_end = arguments[0]
        if self.is_literal(mask_begin, mask_end):
            self.refuse(index, f"the mask of {name} is a literal: it holds for warps of 32 threads only")
            return
        head, _, tail = names.WARP_OPERATIONS[name].partition("{rest}")
        self.code[index].text = head[:-1]
        self.hide(mask_begin, mask_end + 1)  # with the comma
        self.hide_spaces(mask_end, mask_end + 1)
        if "{mask}" in tail:
            self.code[end].text = ""
            front, _, back = tail.partition("{mask}")
            self.code[end].after += [front, lambda: self.render(mask_begin, mask_end, ignore_hidden=True), back]
        elif tail != ")":
            self.code[end].text = tail
        self.code[index + 1].text = "("

    def translate_arguments(self, index):
        position, (before, after) = names.ARGUMENTS[self.at(index)]
        call = self.call_arguments(index)
        if call is None or len(call[0]) <= position:
            self.refuse(index, f"{self.at(index)} is not called with its arguments here")
            return
        begin, end = call[0][position]
        self.code[begin].before.insert(0, before)
        self.code[end - 1].after.append(after)

    def find_literal_macros(self):
        """Names that stand for literals: #define full_mask 0xffffffff, constexpr unsigned full_mask = 0xffffffff;"""
        for i, token in enumerate(self.code):
            if token.text == "define" and self.at(i - 1) == "#" and self.is_name(i + 1):
                end = i + 2
                while end < len(self.code) and self.code[end].directive == token.directive:
                    end += 1
                if end > i + 2 and self.is_literal(i + 2, end):
                    self.literal_macros.add(self.at(i + 1))
            elif token.text == "=" and self.is_name(i - 1):
                end = i + 1
                while end < len(self.code) and self.at(end) not in (";", ","):
                    end += 1
                if end > i + 1 and self.is_literal(i + 1, end):
                    self.literal_macros.add(self.at(i - 1))

    def translate_name(self, index):
        name = self.at(index)
        follower = self.at(index + 1)
        is_member = self.at(index - 1) in (".", "->")
        if name in names.WARP_OPERATIONS:
            self.translate_warp_operation(index)
        elif name in names.REFUSED and not is_member and (name != "cg" or follower == "::"):
            if not (name in ("texture", "surface") and follower != "<"):
                self.refuse(index, f"{name}: {names.REFUSED[name]}")
        elif follower == "##" and name in names.PREFIXES:
            self.code[index].text = names.PREFIXES[name]
        elif name == "__CUDA_ARCH__":
            if self.at(index - 1) in ("ifdef", "ifndef", "defined") or (self.at(index - 1) == "(" and self.at(index - 2) == "defined"):
                self.code[index].text = "__HIP_DEVICE_COMPILE__"
            else:
                self.refuse(index, f"{name}: {names.reason_for(name)}")
        elif name == "__launch_bounds__":
            call = self.call_arguments(index)
            if call and len(call[0]) > 1:
                self.refuse(index, "the second argument of __launch_bounds__ counts blocks in CUDA and warps in HIP")
        elif name == "__shared__":
            self.translate_shared_memory(index)
        elif name == "cuda" and follower == "::" and self.at(index - 1) != "::" and self.at(index + 2) in (
                "std", "atomic", "atomic_ref", "barrier", "pipeline", "memcpy_async", "ptx", "annotated_ptr", "thread_scope"):
            self.refuse(index, "libcu++ is not translated")
        else:
            translated = names.rename(name)
            if translated is None:
                self.refuse(index, f"{name}: {names.reason_for(name)}")
            else:
                if name in names.ARGUMENTS:
                    self.translate_arguments(index)
                self.code[index].text = translated

    def translate_header(self, index):
        text = self.at(index)
        path = text[1:-1]
        if path in names.HEADERS:
            self.code[index].text = f"<{names.HEADERS[path]}>"
        elif path.startswith("cuda/") and text[0] == '"':
            self.code[index].text = f'"{target_path(path)}"'
        elif names.VENDOR_HEADER.match(path):
            self.refuse(index, f"the header {text} is not known; if HIP has it, add it to dev_tools/cuda2hip_names.py")

    def translate_words(self, token):
        """Names within comments and strings; nothing is refused there."""

        def translate(match):
            word = match.group()
            # CUDA alone is prose; what is said of it need not be true of HIP.
            return word if word in ("CUDA", "Cuda") else names.rename(word) or word

        token.text = re.sub(r"[^\W\d]\w*", translate, token.text)

    def add_runtime_header(self):
        """nvcc includes the runtime by itself, hipcc does not."""
        includes = [token for token in self.code if token.kind == HEADER]
        if any(re.search(r"[<\"](hip/)", token.text) for token in includes):
            return
        is_device_code = any(token.text in ("__global__", "__device__", "hipLaunchKernelGGL(") or
                             re.match(r"hip[A-Z]|hipLaunchKernelGGL", token.text + "".join(filter(lambda part: isinstance(part, str), token.before)))
                             for token in self.code if token.kind == NAME)
        if not is_device_code:
            return
        line = "#include <hip/hip_runtime.h>\n"
        for i, token in enumerate(self.code):
            if token.kind == HEADER:
                self.code[i - 2].before.insert(0, line)
                return
            if token.text == "pragma" and self.at(i + 1) == "once":
                end = self.tokens[self.indices[id(self.code[i + 1])] + 1:][:1]
                (end[0] if end else self.code[i + 1]).after.append(line)
                return
        if self.code:
            self.code[0].before.insert(0, line + "\n")

    def run(self):
        self.find_literal_macros()
        for i, token in enumerate(self.code):
            if token.kind == OPERATOR and token.text == "<<<":
                self.translate_launch(i)
        for i, token in enumerate(self.code):
            if token.text == "pragma" and self.at(i - 1) == "#" and re.match(r"nv_|nvcc", self.at(i + 1) or ""):
                self.refuse(i, f"#pragma {self.at(i + 1)} is of nvcc only")
            elif token.kind == NAME:
                self.translate_name(i)
            elif token.kind == HEADER:
                self.translate_header(i)
        for token in self.tokens:
            if token.kind in (COMMENT, STRING):
                self.translate_words(token)
        self.add_runtime_header()
        if self.faults:
            raise TranslationError(sorted(set(self.faults)))
        return self.join(self.tokens)


def translate(text):
    """The HIP source of a CUDA source. @throws TranslationError"""
    return _Translation(text).run()


def target_path(path):
    """cuda/matrix/csr.cu becomes hip/matrix/csr.hip.cpp, .cuh .hip.hpp; other endings stay."""
    folder, file = os.path.split(path)
    parts = folder.split("/")
    if "cuda" in parts:
        parts[parts.index("cuda")] = "hip"
    stem, ending = os.path.splitext(file)
    ending = {".cu": ".hip.cpp", ".cuh": ".hip.hpp"}.get(ending, ending)
    return os.path.join("/".join(parts), (names.rename(stem) or stem) + ending)
