# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of benchmark/report.py as HTML. All texts are escaped here."""

import html
import statistics

from doc_tables import significant
from result_files import reason_of, seconds_of, status_of
from result_statistics import WITHIN, ratio_statistics, size_class

UNITS = ((1.0, "seconds", 1.0), (1e-3, "milliseconds", 1e3), (0.0, "microseconds", 1e6))
MAX_OPEN_ROWS = 30  # of a table; longer ones are folded
MAX_OPEN_REASONS = 6  # of a list of failures
MAX_NAMED_CASES = 12  # for one reason of failures
MIN_SIZES = 5  # ratios of a size in a table of ratios


def element(name, content, **attributes):
    """Returns an element of HTML around content that is HTML already. An attribute class_ is written as class."""
    text = "".join(f' {key.rstrip("_")}="{html.escape(str(value))}"' for key, value in attributes.items()
                   if value is not None)
    return f"<{name}{text}>{content}</{name}>"


def paragraph(text, **attributes):
    return element("p", html.escape(text), **attributes)


def html_table(header, rows, caption=None, label=None):
    """Returns a table in a box that scrolls. The cells are HTML; the first of each row is its head."""
    head = element("tr", "".join(element("th", cell, scope="col") for cell in header))
    body = "\n".join(
        element(
            "tr",
            element("th", row[0], scope="row") + "".join(cell if cell.startswith("<td") else element("td", cell)
                                                         for cell in row[1:])) for row in rows)
    text = (element("caption", caption) if caption else "") + element("thead", head) + element("tbody", body)
    return element("div",
                   element("table", text),
                   class_="scroll",
                   tabindex="0",
                   role="region",
                   **{"aria-label": label or "table"})


def folded(summary, content, is_open):
    return f"<details{' open' if is_open else ''}>{element('summary', summary)}{content}</details>"


def label_of(row):
    """Returns the text of (key, value) pairs. Texts speak for themselves; numbers need the names of their keys."""
    return ", ".join(
        str(value) if isinstance(value, str) else f"{key.replace('_', ' ')} {value}"
        for key, value in row if value is not None)


def times_table(group):
    """Returns the times of a group and their fractions of copy, with the shortest of the alternatives emphasized."""
    times = [seconds_of(result) for result in group.get_results() if seconds_of(result)]
    if not times:
        return ""
    _, unit, factor = next(one for one in UNITS if statistics.median(times) >= one[0])
    columns = [
        column for column in group.columns if any(seconds_of(group.cells.get((row, column), {})) for row in group.rows)
    ]
    best = {row: group.get_best(row) for row in group.rows}

    def cell(row, column):
        result = group.cells.get((row, column))
        return element("td", "") if result is None else time_cell(result, factor, best[row] == column)

    row_names = [html.escape(label_of(row) or str(group.fixed.get("matrix", group.get_name()))) for row in group.rows]
    # Along the longer side the page scrolls anyway.
    if len(columns) > len(group.rows) + 2:
        header = [group.alternative, *row_names]
        rows = [[html.escape(str(column)), *(cell(row, column) for row in group.rows)] for column in columns]
    else:
        header = ["", *(html.escape(str(column)) for column in columns)]
        rows = [[name, *(cell(row, column) for column in columns)] for name, row in zip(row_names, group.rows)]
    what = f"{group.get_name()}: median time in {unit}"
    text = html_table(header, rows, label=what)
    caption = html.escape(what + notes_on_cells(group) + group.get_conditions())
    return folded(f"{caption} ({len(rows)} rows)", text, len(rows) <= MAX_OPEN_ROWS)


def notes_on_cells(group):
    """Returns what stands beside the times in the table of a group."""
    results = group.get_results()
    notes = ""
    if any("fraction_of_copy" in result for result in results):
        notes += "; %: bandwidth divided by that of a copy"
    if any("iterations" in result.get("facts", {}) for result in results):
        notes += "; it.: iterations"
    if any(result.get("launches") for result in results):
        notes += "; k.: kernels of a call"
    if any(result.get("host_waits") for result in results):
        notes += "; w.: waits of the host in a call"
    if any(group.get_best(row) for row in group.rows):
        notes += "; bold: the shortest"
    return notes + "."


def time_cell(result, factor, is_best):
    status, seconds = status_of(result), seconds_of(result)
    if seconds is None:
        return element("td", status, class_="no", title=reason_of(result))
    notes = []
    if "fraction_of_copy" in result:
        notes.append(f"{100 * result['fraction_of_copy']:.0f} %")
    if "iterations" in result.get("facts", {}):
        notes.append(f"{result['facts']['iterations']} it.")
    notes += [f"{result[key]:.3g} {unit}" for key, unit in (("launches", "k."), ("host_waits", "w.")) if result.get(key)]
    if status != "good":
        notes.append(status)
    interval = result.get("seconds_interval", [])
    title = f"95 % interval of the median: {' to '.join(significant(one * factor, 4) for one in interval)}" if len(
        interval) == 2 else None
    text = significant(seconds * factor) + "".join(f" {element('small', html.escape(note))}" for note in notes)
    return element("td",
                   element("strong", text) if is_best else text,
                   class_="best" if is_best else None if status == "good" else "no",
                   title=title)


def reasons_list(document):
    """Returns the failures and the skipped cases of a document, by their reason."""
    texts = []
    values = {}
    for result in document["results"]:
        for key, value in result["case"].items():
            values.setdefault(key, set()).add(value)

    def label(case):
        varying = [(key, value) for key, value in case.items() if len(values[key]) > 1]
        return label_of(sorted(varying, key=lambda item: item[0] != "matrix")) or str(case["operation"])

    for title, is_wanted in (("Failures", lambda status: status not in
                              ("good", "skipped")), ("Skipped cases", "skipped".__eq__)):
        reasons = {}
        for result in document["results"]:
            if is_wanted(status_of(result)):
                reasons.setdefault(reason_of(result), []).append(label(result["case"]))
        if reasons:
            items = "\n".join(
                element("li", f"{html.escape(reason)}: {named_cases(cases)}") for reason, cases in reasons.items())
            summary = f"{title}: {sum(map(len, reasons.values()))}"
            texts.append(
                folded(summary, element("ul", items, class_="reasons"), title == "Failures"
                       or len(reasons) <= MAX_OPEN_REASONS))
    return "\n".join(texts)


def named_cases(cases):
    rest = len(cases) - MAX_NAMED_CASES
    return element("span",
                   html.escape("; ".join(cases[:MAX_NAMED_CASES]) + (f"; and {rest} more" if rest > 0 else "")),
                   class_="cases")


def ratio_rows(label, pairs):
    """Returns rows of a table of ratios: all pairs (ratio, result), and those of each size where the sizes differ."""
    sizes = {}
    for ratio, result in pairs:
        sizes.setdefault(size_class(result), []).append(ratio)
    rows = [(label, [ratio for ratio, _ in pairs])]
    known = {size: ratios for size, ratios in sizes.items() if size is not None and len(ratios) >= MIN_SIZES}
    if len(known) > 1:
        rows += [(f"{label}, 1e{size} to 1e{size + 1} nonzeros", known[size]) for size in sorted(known)]
    return rows


def ratio_table(rows, label):
    """Returns the statistics of (label, ratios)."""
    shares = [f"within {limit} %" for limit in WITHIN]
    header = ["", "cases", "5 %", "quartile 1", "median", "quartile 3", "95 %", "geometric mean", *shares]
    cells = []
    for name, ratios in rows:
        found = ratio_statistics(ratios)
        cells.append([
            html.escape(name),
            str(found["count"]), *(f"{found[key]:.3f}" for key in header[2:8]),
            *(f"{100 * found[key]:.0f} %" for key in shares)
        ])
    return html_table(header, cells, label=f"statistics of ratios, {label}")
