# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures of benchmark/report.py with matplotlib, as SVG for a page of HTML.

Each function that draws returns a Figure, or raises LeftOut with the reason why there are not enough data. Figures are
as wide as the text on a phone, so that their letters keep their size there; a page shows them larger where it has room.
"""

import dataclasses
import html
import io
import math
import re
import statistics
import warnings

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, PercentFormatter

from report_tables import html_table
from result_files import seconds_of, status_of
from result_statistics import ALTERNATIVES, profile_of

# Colours that people with colour blindness can tell apart (Okabe and Ito, 2008), without yellow, which is too light for
# thin lines.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# Of another number than the colours, so that a pair of both repeats late.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")
LINES = ("-", "--", "-.", ":")
SET_UP, SOLVE = COLORS[5], COLORS[0]

MIN_MATRICES = 3  # of different size, for performance over the number of nonzeros
MIN_PROBLEMS = 5  # for a performance profile
MIN_RATIOS = 10  # for a histogram
MAX_SERIES = 12  # in one figure; more are not to be told apart
MAX_PANELS = 8  # histograms in one figure
MAX_OF_ONE_KIND = 12  # figures of single matrices from one document
MAX_LARGE_POINTS = 500  # more have smaller markers
MAX_VECTOR_POINTS = 3000  # more become an image inside the figure, which is smaller

# Sizes in inches.
WIDTH, LEFT, RIGHT, TOP, BELOW_PANEL, LEGEND_ROW = 4.1, 0.68, 0.2, 0.3, 0.48, 0.2
SETTINGS = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "svg.fonttype": "none",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "hatch.linewidth": 0.6,
    # Names of matrices may contain dollar signs.
    "text.parse_math": False
}
matplotlib.rcParams.update(SETTINGS)
# The browser has its own fonts, so a letter that matplotlib's font lacks does not matter.
warnings.filterwarnings("ignore", message="Glyph")


class LeftOut(Exception):
    """Says why there is no figure."""


@dataclasses.dataclass
class Figure:
    kind: str
    title: str
    caption: str
    alt: str
    svg: str
    table: str = ""  # of statistics, in HTML


def count(number, one, many=None):
    """Formats a number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(words, limit=6):
    words = [str(word) for word in words]
    return ", ".join(words[:limit]) + (f" and {len(words) - limit} more" if len(words) > limit else "")


def shortened(text, limit):
    """Returns a text on one line, with an ellipsis for what exceeds a number of letters."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit - 1] + "…"


# --- what all figures share -------------------------------------------------------------------------------------------


class Sheet:
    """Contains panels above each other and a legend under them."""

    def __init__(self, heights, labels=(), left=LEFT):
        self.num_columns = 2 if max(map(len, labels), default=0) <= 24 else 1
        legend = LEGEND_ROW * math.ceil(len(labels) / self.num_columns)
        height = sum(heights) + len(heights) * (TOP + BELOW_PANEL) + legend
        self.canvas = Canvas(figsize=(WIDTH, height))
        FigureCanvasSVG(self.canvas)
        self.panels = []
        bottom = height
        for of_panel in heights:
            bottom -= TOP + of_panel
            self.panels.append(
                self.canvas.add_axes([left / WIDTH, bottom / height, (WIDTH - left - RIGHT) / WIDTH,
                                      of_panel / height]))
            bottom -= BELOW_PANEL

    def add_legend(self, handles):
        for handle in handles:
            # matplotlib leaves labels out that begin with an underscore.
            handle.set_label(re.sub(r"^_", "\u200b_", shortened(handle.get_label(), 40)))
        self.canvas.legend(handles=handles,
                           loc="lower center",
                           ncol=self.num_columns,
                           frameon=False,
                           borderaxespad=0.1,
                           columnspacing=1.2,
                           labelspacing=0.35)

    def to_svg(self, name, alt):
        """Returns the drawing as an element of HTML. All identifiers in it begin with a name."""
        text = io.StringIO()
        with matplotlib.rc_context({"svg.hashsalt": name}):
            self.canvas.savefig(text,
                                format="svg",
                                dpi=200,
                                metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        svg = text.getvalue()
        # A style inside would hold for the whole page, which has it once.
        svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg[svg.index("<svg"):], flags=re.DOTALL)
        # Text does not need the fonts of this machine.
        svg = re.sub(r"font: ([^'\"]*px) [^;\"]*", r"font: \1 sans-serif", svg)
        svg = re.sub(r'\bid="', f'id="{name}-', svg)
        svg = re.sub(r"url\(#", f"url(#{name}-", svg)
        svg = re.sub(r'href="#', f'href="#{name}-', svg)
        width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
        head = f'<svg role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {width} {height}">'
        return re.sub(r"<svg[^>]*>", lambda _: head, svg, count=1)


def style_of(number):
    return {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}


class Styles:
    """Gives each name the same colour and marker in all figures of a page."""

    def __init__(self):
        self.numbers = {}

    def of(self, name):
        return style_of(self.numbers.setdefault(name, len(self.numbers)))


def look_of_points(number):
    """Returns the settings of matplotlib for so many points in one figure."""
    return {
        "linestyle": "",
        "markersize": SETTINGS["lines.markersize"] * (1 if number <= MAX_LARGE_POINTS else 0.6),
        "rasterized": number > MAX_VECTOR_POINTS
    }


def ticks_of_logarithm(axis, low, high):
    """Labels powers of ten, on a short axis some multiples of them, and on a shorter one equal distances."""
    decades = math.log10(high / low)
    if decades > 0.4:
        multiples = [1] if decades > 2.5 else [1, 2, 5] if decades > 0.8 else [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]
        axis.set_major_locator(LogLocator(base=10, subs=multiples, numticks=12))
    else:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axis.set_minor_locator(NullLocator())
    if high < 1e4 and low >= 1e-3:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axis.set_major_formatter(FuncFormatter(lambda value, _: scientific(value)))


def scientific(value):
    """Formats a number as digits times a power of ten, as 5e6."""
    exponent = math.floor(math.log10(value) + 1e-9)
    return f"{value / 10**exponent:.2g}e{exponent}"


def limits_of_logarithm(values, margin=1.15):
    """Returns limits around values, at least a factor of two apart."""
    low, high = min(values) / margin, max(values) * margin
    widening = max(1, 2 / (high / low))**0.5
    return low / widening, high * widening


def set_logarithmic(panel, which, low, high):
    getattr(panel, f"set_{which}scale")("log")
    getattr(panel, f"set_{which}lim")(low, high)
    ticks_of_logarithm(getattr(panel, f"{which}axis"), low, high)


def series_of(group):
    """Returns {label: good results} for each alternative, of at most MAX_SERIES, and a note on those left out."""
    series = {}
    for (_, column), result in group.cells.items():
        if status_of(result) == "good":
            series.setdefault(str(column if group.alternative else group.get_name()), []).append(result)
    kept = sorted(series, key=lambda label: -len(series[label]))[:MAX_SERIES]
    note = f" Shown are the {MAX_SERIES} with the most cases of {len(series)}." if len(series) > MAX_SERIES else ""
    return {label: series[label] for label in series if label in kept}, note


# --- performance ------------------------------------------------------------------------------------------------------


def draw_performance(group, styles, name):
    """Draws GFLOP/s and the fraction of copy over the number of nonzeros, for each format."""
    series, note = series_of(group)
    points = {
        label: [(result["problem"]["nonzeros"], result["gflops"], result.get("fraction_of_copy")) for result in results
                if result.get("problem", {}).get("nonzeros", 0) > 0 and "gflops" in result]
        for label, results in series.items()
    }
    points = {label: values for label, values in points.items() if values}
    sizes = {nonzeros for values in points.values() for nonzeros, _, _ in values}
    if len(sizes) < MIN_MATRICES:
        raise LeftOut(f"{count(len(sizes), 'number', 'numbers')} of nonzeros with GFLOP/s, {MIN_MATRICES} are needed")
    has_copy = any(fraction is not None for values in points.values() for _, _, fraction in values)
    sheet = Sheet([2.0, 1.7] if has_copy else [2.2], points)
    look = look_of_points(sum(map(len, points.values())))
    for label, values in points.items():
        for panel, part, factor in zip(sheet.panels, (1, 2), (1, 100)):
            known = [(value[0], factor * value[part]) for value in values if value[part] is not None]
            panel.plot(*zip(*known) if known else ([], []), **styles.of(label), **look)
    for panel, label in zip(sheet.panels, ("GFLOP/s", "bandwidth / copy (%)")):
        set_logarithmic(panel, "x", *limits_of_logarithm(sizes))
        panel.set_xlabel("stored nonzeros")
        panel.set_ylabel(label)
        panel.set_ylim(0, panel.get_ylim()[1] * 1.03)
    if has_copy:
        sheet.panels[1].axhline(100, color="#666666", linewidth=1, linestyle="--")
    sheet.add_legend([Line2D([], [], linestyle="", label=label, **styles.of(label)) for label in points])
    alt = (f"Scatter plot of {count(len(points), 'series', 'series')} ({listed(points)}): GFLOP/s"
           f"{' and bandwidth divided by that of a copy' if has_copy else ''} over {len(sizes)} numbers of nonzeros.")
    caption = (f"Performance of {group.get_name()} over the number of stored nonzeros, one point for each case" +
               ("; below, the bandwidth of the fewest bytes that must be moved, divided by that of a copy."
                if has_copy else ".") + group.get_conditions() + note)
    return Figure("performance", f"Performance over nonzeros: {group.get_name()}", caption, alt,
                  sheet.to_svg(name, alt))


def draw_roofline(group, copy, styles, name):
    """Draws GFLOP/s over flops per byte, under the line that the bandwidth of a copy permits."""
    if not copy:
        raise LeftOut("the bandwidth of a copy was not measured")
    series, note = series_of(group)
    points = {
        label: [(result["flops"] / result["bytes"], result["gflops"]) for result in results
                if all(result.get(key, 0) > 0 for key in ("flops", "bytes", "gflops"))]
        for label, results in series.items()
    }
    points = {label: values for label, values in points.items() if values}
    num_points = sum(map(len, points.values()))
    if num_points < MIN_MATRICES:
        raise LeftOut(f"{count(num_points, 'case')} with flops and bytes, {MIN_MATRICES} are needed")
    bandwidth = copy["gigabytes_per_second"]
    intensities = [intensity for values in points.values() for intensity, _ in values]
    low, high = limits_of_logarithm(intensities, 1.3)
    sheet = Sheet([2.4], [*points, "flops / bytes x copy"])
    [panel] = sheet.panels
    panel.plot([low, high], [low * bandwidth, high * bandwidth], color="#444444", linewidth=1.2)
    for label, values in points.items():
        panel.plot(*zip(*values), **styles.of(label), **look_of_points(num_points))
    set_logarithmic(panel, "x", low, high)
    rates = [rate for values in points.values() for _, rate in values]
    set_logarithmic(panel, "y", *limits_of_logarithm([*rates, low * bandwidth, high * bandwidth]))
    panel.set_xlabel("flops / byte")
    panel.set_ylabel("GFLOP/s")
    sheet.add_legend([
        Line2D([], [], color="#444444", label="flops / bytes x copy"),
        *(Line2D([], [], linestyle="", label=label, **styles.of(label)) for label in points)
    ])
    fractions = {
        label: sorted(rate / intensity / bandwidth for intensity, rate in values)
        for label, values in points.items()
    }
    rows = [[
        label,
        str(len(values)), *(f"{100 * value:.0f} %" for value in (values[0], statistics.median(values), values[-1]))
    ] for label, values in fractions.items()]
    alt = (
        f"Scatter plot with logarithmic axes: GFLOP/s over flops per byte for {listed(points)}, and the line of the "
        f"bandwidth of a copy. The median fractions of that line are {listed(f'{row[0]} {row[3]}' for row in rows)}.")
    caption = (
        f"Roofline of {group.get_name()}: the line is the bound by bandwidth, flops / bytes x copy bandwidth "
        f"({bandwidth:.0f} GB/s). A point on the line moves the fewest possible bytes as fast as a copy does." +
        group.get_conditions() + note)
    return Figure(
        "roofline", f"Roofline: {group.get_name()}", caption, alt, sheet.to_svg(name, alt),
        html_table(["Fraction of the roofline", "cases", "smallest", "median", "largest"],
                   [[html.escape(cell) for cell in row] for row in rows],
                   label="fraction of the roofline"))


# --- comparisons ------------------------------------------------------------------------------------------------------


def draw_profile(group, styles, name):
    """Draws the performance profiles of the alternatives of a group."""
    if not group.is_comparable:
        raise LeftOut("its cases have no alternatives for the same work")
    ratios, num_problems = profile_of(group)
    if len(ratios) < 2 or num_problems < MIN_PROBLEMS:
        found = f"{count(num_problems, 'case')} with {count(len(ratios), group.alternative)}"
        raise LeftOut(f"{found}, {MIN_PROBLEMS} with 2 are needed")
    labels = sorted(ratios, key=lambda label: -len(ratios[label]))[:MAX_SERIES]
    note = f" Shown are {MAX_SERIES} of {len(ratios)}." if len(ratios) > MAX_SERIES else ""
    largest = max(values[-1] for values in ratios.values())
    end = min(max(1.25, largest * 1.05), 10)
    sheet = Sheet([2.4], [str(label) for label in labels])
    [panel] = sheet.panels
    handles = []
    for number, label in enumerate(labels):
        inside = [ratio for ratio in ratios[label] if ratio <= end]
        shares = [100 * (place + 1) / num_problems for place in range(len(inside))]
        style = {
            **styles.of(str(label)), "linestyle": LINES[number % len(LINES)], "markevery": max(1,
                                                                                               len(inside) // 6)
        }
        # The share before the first ratio is 0, and the last share holds up to the end of the axis.
        panel.plot([1, *inside, end], [0, *shares, shares[-1] if shares else 0],
                   drawstyle="steps-post",
                   label=str(label),
                   **style)
        handles.append(Line2D([], [], label=str(label), **{**style, "markevery": None}))
    set_logarithmic(panel, "x", 1, end)
    panel.set_ylim(0, 103)
    panel.yaxis.set_major_formatter(PercentFormatter(decimals=0))
    panel.set_xlabel("time / shortest time of the case")
    panel.set_ylabel("share of cases")
    sheet.add_legend(handles)
    best = {label: sum(ratio <= 1 for ratio in ratios[label]) / num_problems for label in ratios}
    fastest = max(best, key=best.get)
    alt = (
        f"Performance profiles of {listed(labels)} over {num_problems} cases. {fastest} is the fastest most often, for "
        f"{100 * best[fastest]:.0f} % of them.")
    beyond = f" The axis ends at {end:g}; the largest ratio is {largest:.3g}." if largest > end else ""
    caption = (
        f"Performance profiles of {group.get_name()}: the share of {num_problems} cases in which each "
        f"{group.alternative} takes at most so many times the shortest time of that case "
        f"(Dolan and Moré, Mathematical Programming 91, 2002). At 1 it is the share in which it is the "
        f"fastest; cases that failed or were skipped count as never reached." +
        beyond + group.get_conditions() + note)
    return Figure("profile", f"Performance profile: {group.get_name()}", caption, alt, sheet.to_svg(name, alt))


def bins_of(ratios):
    """Returns the limits of the bins of a histogram of ratios; the range has nearly all of them and 1."""
    ordered = sorted(ratios)
    outside = len(ordered) // 100
    low, high = min(ordered[outside], 0.98), max(ordered[-1 - outside], 1.02)
    num_bins = 30
    if high / low <= 3:
        return [low + (high - low) * place / num_bins for place in range(num_bins + 1)]
    return [low * (high / low)**(place / num_bins) for place in range(num_bins + 1)]


def draw_ratios(panels, what, axis_label, name):
    """Draws histograms of ratios of times. panels: {label: ratios}."""
    panels = {label: ratios for label, ratios in panels.items() if len(ratios) >= MIN_RATIOS}
    shown = dict(list(panels.items())[:MAX_PANELS])
    bins = bins_of([ratio for ratios in shown.values() for ratio in ratios])
    sheet = Sheet([1.25 if len(shown) > 1 else 2.0] * len(shown))
    for panel, (label, ratios) in zip(sheet.panels, shown.items()):
        # What lies outside the range counts in the outermost bins.
        inside = [min(max(ratio, bins[0]), bins[-1]) for ratio in ratios]
        panel.hist(inside, bins=bins, color=COLORS[4], edgecolor="#0a4a70", linewidth=0.5)
        median = statistics.median(ratios)
        panel.axvline(1, color="#444444", linewidth=1.2)
        panel.axvline(min(max(median, bins[0]), bins[-1]), color=COLORS[1], linewidth=1.4, linestyle="--")
        panel.set_title(f"{shortened(label, 30)}: {count(len(ratios), 'case')}, median {median:.3f}", loc="left")
        panel.set_ylabel("cases")
        panel.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        if bins[-1] / bins[0] > 3:
            set_logarithmic(panel, "x", bins[0], bins[-1])
        else:
            panel.xaxis.set_major_locator(MaxNLocator(5))
        panel.set_xlim(bins[0], bins[-1])
    sheet.panels[-1].set_xlabel(axis_label)
    alt = (f"Histograms of ratios of times, {what}: " +
           "; ".join(f"{label}, {len(ratios)} cases, median {statistics.median(ratios):.3f}"
                     for label, ratios in shown.items()) + ".")
    note = f" Shown are the first {MAX_PANELS} of {len(panels)}." if len(panels) > MAX_PANELS else ""
    caption = (
        f"Ratios of times, {what}. The solid line is 1, the dashed line the median; ratios outside the axis count in "
        f"the outermost bins." + note)
    return Figure("ratios", f"Ratios of times: {what}", caption, alt, sheet.to_svg(name, alt))


def format_ratios(group):
    """Returns {"other / base": [(ratio, result of base)]} of the alternatives; the base is csr or the first."""
    base = next((column for column in group.columns if column == "csr"), group.columns[0])
    ratios = {}
    for column in group.columns:
        pairs = [(group.cells.get((row, column)), group.cells.get((row, base))) for row in group.rows]
        good = [(seconds_of(one) / seconds_of(other), other) for one, other in pairs
                if one and other and status_of(one) == status_of(other) == "good"]
        if column != base:
            ratios[f"{column} / {base}"] = good
    return ratios


# --- solvers ----------------------------------------------------------------------------------------------------------


def without_solver(case):
    """Returns what identifies the problem of a solve, without the solver and its preconditioner."""
    return {
        key: value
        for key, value in case.items() if key not in ("operation", "phase", "solver", "preconditioner", "library")
    }


def label_of_problem(case):
    return ", ".join(str(value) for key, value in case.items() if key not in ("value_type", "index_type"))


def draw_convergence(problem, results, name):
    """Draws the norms of the residuals of solves of one problem, over time or, if none was recorded, iterations."""
    varying = [key for key in ALTERNATIVES if len({result["case"].get(key) for result in results}) > 1] or ["solver"]
    has_time = all(
        len(result["facts"].get("seconds_at_iteration", [])) == len(result["facts"]["residual_norms"])
        for result in results)
    labels = [", ".join(str(result["case"].get(key, "none")) for key in varying) for result in results][:MAX_SERIES]
    sheet = Sheet([2.4], labels)
    [panel] = sheet.panels
    handles = []
    for number, (label, result) in enumerate(zip(labels, results)):
        norms = result["facts"]["residual_norms"]
        places = [1e3 * time
                  for time in result["facts"]["seconds_at_iteration"]] if has_time else list(range(len(norms)))
        style = {**style_of(number), "linestyle": LINES[number % len(LINES)]}
        panel.plot(places, norms, markevery=max(1, len(norms) // 8), **style)
        handles.append(Line2D([], [], label=label, **style))
    norms = [norm for result in results[:MAX_SERIES] for norm in result["facts"]["residual_norms"] if norm > 0]
    set_logarithmic(panel, "y", *limits_of_logarithm(norms))
    panel.set_xlim(left=0)
    panel.set_xlabel("time (ms)" if has_time else "iterations")
    panel.set_ylabel("norm of the residual")
    sheet.add_legend(handles)
    where, over = label_of_problem(problem), "time" if has_time else "iterations"
    alt = f"Lines of the norm of the residual over {over} for {listed(labels)} on {where}."
    note = f" Shown are the first {MAX_SERIES} of {len(results)} solves." if len(results) > MAX_SERIES else ""
    caption = f"Convergence on {where}: norm of the residual over {over}." + note
    return Figure("convergence", f"Convergence: {where}", caption, alt, sheet.to_svg(name, alt))


def convergence_histories(document):
    """Returns {problem: results} of the solves that recorded the norms of their residuals."""
    found = {}
    for result in document["results"]:
        norms = result.get("facts", {}).get("residual_norms")
        if norms and len(norms) > 1 and max(norms) > 0:
            found.setdefault(tuple(without_solver(result["case"]).items()), []).append(result)
    return found


def solves_of(document):
    """Returns {problem: {preconditioner: (seconds of set-up, result of the solve)}}."""
    set_ups, solves = {}, {}
    for result in document["results"]:
        case = result["case"]
        if "preconditioner" not in case:
            continue
        problem = tuple(without_solver(case).items())
        if case.get("phase") == "generate" and seconds_of(result):
            set_ups[problem, case["preconditioner"]] = seconds_of(result)
        elif case.get("phase") == "solve":
            solver = case.get("solver", result.get("facts", {}).get("solver"))
            solves.setdefault(problem, {})[case["preconditioner"], solver] = result
    return {
        problem: {label: (set_ups.get((problem, label[0]), 0), result)
                  for label, result in of_problem.items()}
        for problem, of_problem in solves.items() if len({label[0]
                                                          for label in of_problem}) > 1
    }


def draw_time_to_solution(problem, solves, name):
    """Draws bars of the time of set-up and solve for each preconditioner on one problem."""
    good = {label: times for label, times in solves.items() if status_of(times[1]) == "good"}
    if len(good) < 2:
        raise LeftOut(
            f"{count(len(good), 'preconditioner')} converged on {label_of_problem(dict(problem))}, 2 are needed")
    order = sorted(good, key=lambda label: good[label][0] + seconds_of(good[label][1])) + [
        label for label in solves if label not in good
    ]
    solvers = {solver for _, solver in solves}
    names = [str(label[0]) if len(solvers) == 1 else f"{label[0]}, {label[1]}" for label in order]
    texts = [shortened(text, 24) for text in names]
    sheet = Sheet([0.24 * len(order) + 0.1], ["set-up", "solve"], left=min(1.9, 0.25 + 0.068 * max(map(len, texts))))
    [panel] = sheet.panels
    longest = max(set_up + seconds_of(result) for set_up, result in good.values())
    for place, label in enumerate(order):
        set_up, result = solves[label]
        if label not in good:
            panel.text(0.01 * longest, place, status_of(result), va="center", fontsize=8, fontstyle="italic")
            continue
        seconds = seconds_of(result)
        panel.barh(place, 1e3 * set_up, 0.7, color=SET_UP, hatch="////", edgecolor="#5a4000", linewidth=0.4)
        panel.barh(place, 1e3 * seconds, 0.7, left=1e3 * set_up, color=SOLVE, edgecolor="#003a5c", linewidth=0.4)
        iterations = result.get("facts", {}).get("iterations")
        if iterations is not None:
            panel.text(1e3 * (set_up + seconds + 0.012 * longest),
                       place,
                       f"{iterations} it.",
                       va="center",
                       fontsize=7.5)
    panel.set_yticks(range(len(order)), texts)
    panel.set_ylim(len(order) - 0.4, -0.6)
    panel.set_xlim(0, 1e3 * longest * 1.2)
    panel.grid(axis="y", visible=False)
    panel.xaxis.set_major_locator(MaxNLocator(5))
    panel.set_xlabel("time to solution (ms)")
    sheet.add_legend([
        Patch(facecolor=SET_UP, hatch="////", edgecolor="#5a4000", label="set-up"),
        Patch(facecolor=SOLVE, edgecolor="#003a5c", label="solve")
    ])
    where = label_of_problem(dict(problem))
    alt = (
        f"Bars of set-up and solve for {count(len(order), 'preconditioner')} on {where}. The shortest time has "
        f"{names[0]}, {1e3 * (good[order[0]][0] + seconds_of(good[order[0]][1])):.3g} milliseconds.")
    caption = (
        f"Time to solution on {where} with {listed(sorted(filter(None, solvers)))}: set-up of the preconditioner and "
        f"solve; \"it.\" are iterations until convergence.")
    return Figure("time-to-solution", f"Time to solution: {where}", caption, alt, sheet.to_svg(name, alt))
