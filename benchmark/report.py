#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes one page of HTML with tables and figures from all JSON results of spruce-bench in a folder.

usage: benchmark/report.py DIR [--output report.html]

The page contains its figures as SVG and needs no network. JSON files that are not results are named on the page and on
stderr; the others are shown nevertheless, and the exit code is 1. doc/report.md says what the figures mean.
Needs matplotlib (Debian: python3-matplotlib).
"""

import argparse
import html
import os
import shlex
import sys

sys.dont_write_bytecode = True

from doc_tables import device_of  # noqa: E402
from report_tables import (element, folded, html_table, paragraph, ratio_rows, ratio_table, reasons_list, times_table)
from result_files import ResultFileError, find_results, read_results, status_of
from result_statistics import common_ratios, groups_of

try:
    import report_figures
    from report_figures import LeftOut
except ImportError as error:
    if error.name != "matplotlib":
        raise
    sys.exit(f"error: {sys.executable} has no matplotlib (Debian: python3-matplotlib, for /usr/bin/python3)")

STYLE = """
:root { color-scheme: light; --line: #c8ccd0; --link: #00558c; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0.75rem; max-width: 78rem; font: 1rem/1.45 system-ui, sans-serif;
    color: #1a1a1a; background: #fff; }
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; padding-top: 0.5rem; border-top: 2px solid var(--line);
    overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 1.25rem 0 0.4rem; }
a { color: var(--link); }
p, li, dd, figcaption, summary { overflow-wrap: anywhere; }
code { font-size: 0.85em; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.15rem 0.75rem;
    margin: 0.5rem 0; font-size: 0.9rem; }
dt { color: #555; }
dd { margin: 0; }
.scroll { overflow-x: auto; width: fit-content; max-width: 100%; margin: 0.4rem 0; border: 1px solid var(--line); }
table { border-collapse: separate; border-spacing: 0; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.55rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #e6e8ea; }
thead th { background: #f1f3f5; vertical-align: bottom; }
th[scope=row] { text-align: left; font-weight: 500; position: sticky; left: 0; background: #fff;
    min-width: 8.5rem; max-width: min(20rem, 45vw); white-space: normal; overflow-wrap: anywhere; }
thead th:first-child { text-align: left; }
td small { color: #555; }
td.best { background: #d9ecf7; }
td.no { color: #8a3b00; font-style: italic; }
.runs th[scope=row] { min-width: 11.5rem; }
.runs td, .runs thead th { text-align: left; white-space: nowrap; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; font-size: 0.9rem; }
.reasons, .index { font-size: 0.9rem; padding-left: 1.2rem; }
.cases { color: #555; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: 1.25rem;
    align-items: start; }
figure { margin: 0; min-width: 0; max-width: 36rem; }
figure.wide { grid-column: 1 / -1; max-width: none; }
@media screen and (min-width: 62rem) {
    figure.wide { display: grid; grid-template: auto 1fr / 26rem minmax(0, 1fr); column-gap: 1.25rem;
        align-items: start; }
    .wide thead th { white-space: normal; }
    figure.wide svg { grid-row: 1 / 3; }
}
figure svg { max-width: 36rem; display: block; width: 100%; height: auto; }
figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
figcaption { font-size: 0.85rem; margin-top: 0.3rem; }
.error { border-left: 4px solid #b00020; padding: 0.2rem 0.75rem; background: #fdf0f1; }
@media print {
    @page { size: A4; margin: 14mm 12mm; }
    body { max-width: none; padding: 0; font-size: 9.5pt; }
    a { color: inherit; text-decoration: none; }
    section { break-before: page; }
    section h2 { border-top: none; margin-top: 0; }
    h2, h3, summary { break-after: avoid; }
    figure, tr { break-inside: avoid; }
    .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 6mm; }
    .scroll { overflow: visible; border: none; }
    table { font-size: 7pt; }
    th, td { padding: 0.5mm 1mm; white-space: normal; }
    th[scope=row] { position: static; min-width: 16mm; overflow-wrap: break-word; }
    .runs th[scope=row] { min-width: 58mm; }
    figure.wide svg { max-width: 90mm; }
    td.best { background: none; text-decoration: underline; }
    figcaption { font-size: 8pt; }
}
"""
HEAD_OF_RUN = (("executor", "executor"), ("version", "version"), ("commit", "commit"), ("date", "date"),
               ("compiler", "compiler"), ("warmup", "warm-ups"), ("repetitions", "repetitions"),
               ("until_relative", "until relative"), ("cold_cache", "cold cache"))


class Page:
    """Collects the figures of a page, with a number for each, and why others were left out."""

    def __init__(self):
        self.styles = report_figures.Styles()
        self.num_figures = 0
        self.index = []  # (anchor of the section, its title, [(anchor of the figure, its title)])

    def draw(self, attempts):
        """Returns the HTML of figures and their places in the index. attempts: (what it is, function that draws it)."""
        figures, places, reasons = [], [], []
        for what, function in attempts:
            name = f"figure-{self.num_figures + 1}"
            try:
                figure = function(name)
            except LeftOut as reason:
                reasons.append(f"{what}: {reason}")
                continue
            self.num_figures += 1
            figures.append(figure_element(figure, name, self.num_figures))
            places.append((name, figure.title))
        text = element("div", "\n".join(figures), class_="figures") if figures else ""
        if reasons:
            items = "".join(element("li", html.escape(reason)) for reason in reasons)
            text += folded(f"Figures left out: {len(reasons)}", element("ul", items, class_="reasons"), False)
        return text, places

    def add_section(self, anchor, title, content, places):
        self.index.append((anchor, title, places))
        return element("section", element("h2", html.escape(title)) + content, id=anchor)


def figure_element(figure, name, number):
    caption = element("figcaption", f"<strong>Figure {number}.</strong> {html.escape(figure.caption)}")
    return element("figure",
                   figure.svg + caption + figure.table,
                   id=name,
                   class_="wide" if figure.kind == "ratios" else None)


# --- one run ----------------------------------------------------------------------------------------------------------


def hardware_of(document):
    """Returns the name of the device or processor, also for a document that does not state all of it."""
    return device_of({"processor": document["device"], "threads": "unknown", **document})


def head_of_run(document):
    facts = [("device", document["device"])]
    if "processor" in document:
        facts.append(("processor", f"{document['processor']}, threads: {document.get('threads', 'unknown')}"))
    facts += [(label, document[key]) for key, label in HEAD_OF_RUN if document.get(key) not in (None, False)]
    if "copy" in document:
        method = f" ({document['copy']['method']})" if "method" in document["copy"] else ""
        facts.append(("copy", f"{document['copy']['gigabytes_per_second']:.1f} GB/s{method}"))
    items = [element("dt", label) + element("dd", html.escape(str(value))) for label, value in facts]
    items.append(
        element("dt", "command line") +
        element("dd", element("code", html.escape(shlex.join(["spruce-bench", *document["arguments"]])))))
    note = paragraph("The run was interrupted: its later cases are missing.",
                     class_="error") if document.get("interrupted") else ""
    return element("dl", "".join(items)) + note


def attempts_of(document, styles):
    """Yields what each possible figure of a document shows, and the function that draws it."""
    for group in groups_of(document):
        if not any(status_of(result) == "good" for result in group.get_results()):
            continue
        what = group.get_name()
        yield f"performance over nonzeros, {what}", lambda name, group=group: report_figures.draw_performance(
            group, styles, name)
        yield f"roofline, {what}", lambda name, group=group: report_figures.draw_roofline(
            group, document.get("copy"), styles, name)
        yield f"performance profile, {what}", lambda name, group=group: report_figures.draw_profile(group, styles, name)
        yield f"ratios of times, {what}", lambda name, group=group: ratios_of_group(group, name)
    histories = report_figures.convergence_histories(document)
    yield from single_problems("convergence", "facts.residual_norms", histories, report_figures.draw_convergence)
    yield from single_problems("time to solution", "a solve with two preconditioners",
                               report_figures.solves_of(document), report_figures.draw_time_to_solution)


def single_problems(what, needed, problems, draw):
    """Yields the figures of single problems, up to a limit."""

    def refuse(reason):
        raise LeftOut(reason)

    limit = report_figures.MAX_OF_ONE_KIND
    if not problems:
        yield what, lambda name: refuse(f"no result has {needed}")
    for problem, results in list(problems.items())[:limit]:
        yield what, lambda name, problem=problem, results=results: draw(dict(problem), results, name)
    if len(problems) > limit:
        yield what, lambda name: refuse(f"{len(problems) - limit} of {len(problems)} problems, after the first {limit}")


def ratios_of_group(group, name):
    """Draws the ratios of the times of formats to that of the first."""
    ratios = report_figures.format_ratios(group) if group.is_comparable else {}
    return draw_pairs(ratios, f"{group.get_name()}, by {group.alternative}", "ratio of times", name)


def draw_pairs(pairs_by_label, what, axis_label, name):
    """Draws histograms of ratios with their statistics. pairs_by_label: {label: [(ratio, result)]}."""
    largest = max(map(len, pairs_by_label.values()), default=0)
    if largest < report_figures.MIN_RATIOS:
        raise LeftOut(f"{report_figures.count(largest, 'common case')}, {report_figures.MIN_RATIOS} are needed")
    ratios = {label: [ratio for ratio, _ in pairs] for label, pairs in pairs_by_label.items()}
    figure = report_figures.draw_ratios(ratios, what, axis_label, name)
    rows = [
        row for label, pairs in pairs_by_label.items() if len(pairs) >= report_figures.MIN_RATIOS
        for row in ratio_rows(label, pairs)
    ]
    figure.table = ratio_table(rows, what)
    return figure


def section_of_run(page, number, name, document):
    tables = "\n".join(times_table(group) for group in groups_of(document))
    figures, places = page.draw(attempts_of(document, page.styles))
    content = head_of_run(document) + element("h3", "Times") + tables + reasons_list(document) + element(
        "h3", "Figures") + figures
    return page.add_section(f"run-{number}", name, content, places)


# --- several runs -----------------------------------------------------------------------------------------------------


def pairs_of_runs(documents):
    """Yields (what, name of one run, name of the other) for runs of the same command on the same device.

    Those are two executors at the same commit; and each run with the earlier run of the same executor that has the most
    cases in common with it, the latest of several.
    """
    order = sorted(documents, key=lambda name: (documents[name]["date"], name))
    for place, name in enumerate(order):
        document = documents[name]
        earlier = [
            other for other in order[:place] if documents[other]["command"] == document["command"]
            and hardware_of(documents[other]) == hardware_of(document)
        ]
        same = [other for other in earlier if documents[other]["executor"] == document["executor"]]
        if same:
            num_common = {other: len(common_ratios(documents[other]["results"], document["results"])) for other in same}
            yield "runs", max(reversed(same), key=num_common.get), name
        for other in earlier:
            if other not in same and documents[other]["commit"] == document["commit"]:
                yield "executors", other, name


def ratios_of_runs(what, first, second, documents, name):
    """Draws the ratios of the times of two runs for their common cases, of all and of each format."""
    before, after = documents[first], documents[second]
    pairs = common_ratios(before["results"], after["results"])
    panels = {"all cases": pairs}
    for ratio, result in pairs:
        label = result["case"].get("format")
        if label is not None:
            panels.setdefault(str(label), []).append((ratio, result))
    if what == "executors":
        both = f"{after['executor']} / {before['executor']}"
        title, axis = f"{both}, {second} / {first}", f"time of {both}"
    else:
        title = f"{second} / {first} (commits {after['commit']} and {before['commit']})"
        axis = "time of the later run / earlier run"
    return draw_pairs(panels, title, axis, name)


def section_of_comparisons(page, documents):
    attempts = [(f"ratios of {what}, {second} / {first}",
                 lambda name, pair=(what, first, second): ratios_of_runs(*pair, documents, name))
                for what, first, second in pairs_of_runs(documents)]
    if not attempts:
        attempts = [("ratios of runs", lambda name: draw_pairs({}, "", "", name))]
    text, places = page.draw(attempts)
    note = paragraph(
        "Runs of the same command on the same device, with the cases that both measured: each run and the earlier "
        "one with the same executor and the most cases in common, and two executors at the same commit.")
    return page.add_section("comparisons", "Comparisons of runs", note + text, places)


# --- the page ---------------------------------------------------------------------------------------------------------


def index_of(page, documents):
    """Returns the table of runs and the list of figures."""
    anchors = {name: f"run-{number}" for number, name in enumerate(documents, 1)}
    rows = []
    for name, document in documents.items():
        statuses = [status_of(result) for result in document["results"]]
        skipped = statuses.count("skipped")
        cells = [
            document["command"], document["executor"],
            hardware_of(document), document["commit"], document["date"][:10],
            str(len(statuses)),
            str(len(statuses) - statuses.count("good") - skipped),
            str(skipped)
        ]
        rows.append([f'<a href="#{anchors[name]}">{html.escape(name)}</a>', *map(html.escape, cells)])
    header = ["run", "command", "executor", "device", "commit", "date", "cases", "failures", "skipped"]
    runs = html_table(header, rows, label="runs").replace('class="scroll"', 'class="scroll runs"', 1)
    items = "\n".join(
        element(
            "li", f'<a href="#{anchor}">{html.escape(title)}</a>' + element(
                "ul", "".join(
                    element("li", f'<a class="figure" href="#{figure}">{html.escape(text)}</a>')
                    for figure, text in places))) for anchor, title, places in page.index if places)
    figures = element("ul", items, class_="index") if items else paragraph("There are not enough data for any figure.")
    return element("nav", element("h2", "Runs") + runs + element("h2", f"Figures: {page.num_figures}") + figures)


def make_page(folder, documents, errors, num_others):
    """Returns the HTML of the page. errors: {name of the file: what is wrong with it}."""
    page = Page()
    sections = [section_of_comparisons(page, documents)] if documents else []
    sections += [
        section_of_run(page, number, name, document) for number, (name, document) in enumerate(documents.items(), 1)
    ]
    title = f"Benchmark results: {os.path.basename(os.path.abspath(folder))}"
    notes = ""
    if errors:
        items = "".join(element("li", f"{html.escape(name)}: {html.escape(text)}") for name, text in errors.items())
        notes = element("div",
                        element("h2", f"Files that are not shown: {len(errors)}") +
                        element("ul", items, class_="reasons"),
                        class_="error")
    if num_others:
        notes += paragraph(f"{num_others} other files in the folder are not JSON and were not read.")
    body = element("header",
                   element("h1", html.escape(title)) + notes) + index_of(page, documents) + element(
                       "main", "\n".join(sections))
    head = ('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(title)}</title><style>{STYLE}</style>")
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def write_file(path, text):
    """Writes a file so that it is never there in part."""
    draft = f"{path}.{os.getpid()}.new"
    try:
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        if os.path.exists(draft):
            os.remove(draft)
        raise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--output", default="report.html")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.folder):
        sys.exit(f"error: {arguments.folder} is not a folder; expected one with JSON results of spruce-bench")
    names, num_others = find_results(arguments.folder)
    if not names:
        sys.exit(
            f"error: {arguments.folder} has no result (and {num_others} other files); expected files of "
            "spruce-bench COMMAND --json FILE.json, here or in folders below")
    documents, errors = {}, {}
    for name in names:
        try:
            documents[name] = read_results(os.path.join(arguments.folder, name))
        except ResultFileError as problem:
            errors[name] = str(problem)
            print(f"error: {name}: {problem}", file=sys.stderr)
    try:
        write_file(arguments.output, make_page(arguments.folder, documents, errors, num_others))
    except OSError as problem:
        sys.exit(f"error: {arguments.output} cannot be written: {problem.strerror}")
    print(f"{arguments.output}: {report_figures.count(len(documents), 'run')}")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
