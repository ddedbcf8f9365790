#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the page of results with benchmark/report.py and opens it in Chromium without a window, as wide as a phone and
# as a screen. Fails if a figure of its index is missing or empty, a text in a figure is outside it, too small or upon
# another, the page is wider than the window, the console has a message, or the page refers to something outside itself.
#
# usage: dev_tools/report_check.sh [--results DIR] [--output DIR]
#   --results   folder with JSON results (default: benchmark/results)
#   --output    where the page, its screenshots and the print as PDF go (default: build/report in the checkout)

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

results=$spruce_root/benchmark/results
output=$spruce_root/build/report
while [ $# -gt 0 ]; do
    case $1 in
    --results) results=$(realpath -m -- "${2:?"--results needs a folder"}") && shift ;;
    --output) output=$(realpath -m -- "${2:?"--output needs a folder"}") && shift ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown argument $1 (see --help)" ;;
    esac
    shift
done

missing=()
have chromium || missing+=(chromium)
python_with_matplotlib >/dev/null || missing+=(python3-matplotlib)
ensure_packages required "the check of the page of results" "${missing[@]}"
python=$(python_with_matplotlib)

# browse WIDTH HEIGHT [arguments...]: opens the page. The log of the browser, with the messages of the console, goes to
# stderr.
browse() {
    local -r width=$1 height=$2
    shift 2
    local -a as_root=()
    [ "$(id -u)" != 0 ] || as_root=(--no-sandbox)
    timeout 300 chromium --headless "${as_root[@]}" --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --enable-logging=stderr --user-data-dir="$output/profile" --window-size="$width,$height" "$@"
}

# The page with a script that writes what is wrong into an element of its own, and the height of the page.
add_check() {
    cat "$output/report.html"
    cat <<'EOF'
<pre id="check"></pre><script>
const faults = [], windowWidth = document.documentElement.clientWidth, smallestLetters = 8;
const links = [...document.querySelectorAll("a.figure")];

function overlap(a, b) {
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
}

function checkTexts(name, svg) {
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map(one => ({content: one.textContent.trim(),
        box: one.getBoundingClientRect(),
        size: parseFloat(getComputedStyle(one).fontSize) * box.width / svg.viewBox.baseVal.width}));
    texts.forEach((text, place) => {
        const isInside = text.box.left > box.left - 1 && text.box.right < box.right + 1 &&
            text.box.top > box.top - 1 && text.box.bottom < box.bottom + 1;
        if (!isInside) faults.push(`${name}: the text "${text.content}" is outside`);
        if (text.size < smallestLetters) faults.push(`${name}: "${text.content}" has ${text.size.toFixed(1)} pixels`);
        for (const other of texts.slice(place + 1).filter(other => overlap(text.box, other.box)))
            faults.push(`${name}: the texts "${text.content}" and "${other.content}" overlap`);
    });
}

for (const link of links) {
    const name = link.getAttribute("href").slice(1);
    const svg = document.querySelector(`figure[id="${name}"] > svg`);
    const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
    if (box.width < 100 || box.height < 50) {
        faults.push(`${name} is missing or empty`);
        continue;
    }
    if (!svg.getAttribute("aria-label")) faults.push(`${name} has no alternative text`);
    if (!svg.parentElement.querySelector("figcaption")) faults.push(`${name} has no caption`);
    checkTexts(name, svg);
}
if (document.querySelectorAll("figure").length !== links.length) faults.push("the index does not have all figures");
const width = document.documentElement.scrollWidth, height = document.documentElement.scrollHeight;
if (width > windowWidth) faults.push(`the page is ${width} pixels wide, the window ${windowWidth}`);
document.getElementById("check").textContent = [`${links.length} figures, ${height} pixels high`,
    ...faults.map(one => "fault: " + one), "end"].join("\n");
</script>
EOF
}

rm -rf "$output"
mkdir -p "$output"
heading "Making the page of $results"
"$python" "$spruce_root/benchmark/report.py" "$results" --output "$output/report.html"
! grep -oE '(src|href|url\()[="'\'' ]*(https?:)?//[^"'\'' >]*' "$output/report.html" ||
    fail "the page refers to something outside itself"
add_check >"$output/check.html"

num_faults=0
for width in 390 1280; do
    heading "In a window of $width pixels"
    browse "$width" 900 --dump-dom "file://$output/check.html" \
        >"$output/dom-$width.html" 2>"$output/browser-$width.log" ||
        { tail -n 5 "$output/browser-$width.log" && fail "chromium failed"; }
    sed -n '/<pre id="check">/,/^end/p' "$output/dom-$width.html" | sed 's/.*<pre id="check">//; /^end/d' \
        >"$output/found-$width.txt"
    grep -E '^[0-9]+ figures' "$output/found-$width.txt" || fail "the script of the check did not run"
    grep -hE '^fault: |CONSOLE' "$output/found-$width.txt" "$output/browser-$width.log" \
        >"$output/faults-$width.txt" || true
    cat "$output/faults-$width.txt"
    num_faults=$((num_faults + $(wc -l <"$output/faults-$width.txt")))
    # Chromium draws at most 16384 pixels.
    height=$(sed -nE '1 s/.* ([0-9]+) pixels high.*/\1/p' "$output/found-$width.txt")
    browse "$width" $((height < 16000 ? height : 16000)) --screenshot="$output/width-$width.png" \
        "file://$output/report.html" 2>/dev/null
done
heading "In print"
browse 1280 900 --no-pdf-header-footer --print-to-pdf="$output/report.pdf" "file://$output/report.html" 2>/dev/null
for file in width-390.png width-1280.png report.pdf; do
    [ -s "$output/$file" ] || fail "chromium did not write $output/$file"
done
rm -rf "$output/profile"
[ "$num_faults" -eq 0 ] || fail "$num_faults faults; see $output"
echo "no faults; screenshots and print are in $output"
