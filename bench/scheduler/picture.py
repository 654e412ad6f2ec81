"""Curves as SVG, for light and dark pages: no library."""

import html
import math

from . import figures

WIDTH, PLOT, TOP, LEFT, BETWEEN, ROW = 900, (350, 230), 78, 56, 84, 20
# Told apart by those who do not see red and green, and on both grounds.
COLOURS = {"none": ("#6e7781", "#8b949e"), "selector": ("#0072b2", "#58a6ff"), "jobset": ("#b35900", "#e69f00"),
           "kuberay": ("#a0468a", "#d78ac4"), "ours": ("#00795a", "#2fbf96")}
SPARE = (("#953800", "#ffa657"), ("#5a32a3", "#b392f0"), ("#1b7c83", "#76e3ea"), ("#86181d", "#f97583"))


def draw(nodes: int, found: dict, titles: dict, said: str) -> str:
    """Two panels, CPU a Pod and Pods a second over the Pods bound already, and a legend with slopes."""
    names = list(found)
    height = TOP + PLOT[1] + 58 + ROW * len(names) + 12
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
           f"<title>What placement costs the scheduler: {nodes:,} nodes</title>", _style(names),
           f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
           _text(LEFT - 40, 22, f"What placement costs the scheduler: {nodes:,} nodes, slices of 4 Pods", "title"),
           _text(LEFT - 40, 40, said, "small")]
    panels = (("CPU of kube-scheduler, ms a Pod", lambda one: one.cpu), ("Pods bound a second", lambda one: one.rate))
    for place, (title, points) in enumerate(panels):
        curves = {name: points(one) for name, one in found.items()}
        out += _panel(LEFT + place * (PLOT[0] + BETWEEN), title, curves)
    for place, (name, one) in enumerate(found.items()):
        y = TOP + PLOT[1] + 66 + ROW * place
        out += [f'<path class="curve c{names.index(name)}" d="M{LEFT - 40} {y - 4}h26"/>',
                _text(LEFT - 6, y, titles.get(name, name), "bold" if name == "ours" else ""),
                _text(LEFT + 300, y, figures.formula(one.line)),
                _text(WIDTH - 60, y, f"on average {one.median(one.cpu_of):.1f} ms, {one.pods / one.median(one.seconds_of):.0f} Pods a second", "end")]
    return "\n".join([*out, "</svg>"]) + "\n"


def _style(names: list) -> str:
    light, dark = [], []
    for place, name in enumerate(names):
        pair = COLOURS.get(name) or SPARE[place % len(SPARE)]
        for sheet, colour in zip((light, dark), pair):
            sheet.append(f".c{place} {{ stroke: {colour} }} .d{place} {{ fill: {colour} }}")
    return f"""<style>
  text {{ font: 12px system-ui, sans-serif; fill: #1f2328 }} .title {{ font-size: 15px; font-weight: 600 }}
  .bold {{ font-weight: 600 }} .small {{ fill: #59636e }} .end {{ text-anchor: end }} .mid {{ text-anchor: middle }}
  .ground {{ fill: #ffffff }} .grid {{ stroke: #d1d9e0; fill: none }} .curve {{ fill: none; stroke-width: 2 }}
  {" ".join(light)}
  @media (prefers-color-scheme: dark) {{
    text {{ fill: #e6edf3 }} .small {{ fill: #9198a1 }} .ground {{ fill: #0d1117 }} .grid {{ stroke: #3d444d }}
    {" ".join(dark)}
  }}
</style>"""


def _panel(left: int, title: str, curves: dict) -> list:
    wide, high = PLOT
    most_x = max(x for points in curves.values() for x, _ in points)
    steps = scale(max(y for points in curves.values() for _, y in points))
    across = scale(most_x)

    def at(x: float, y: float) -> tuple:
        return left + wide * x / across[-1], TOP + high - high * y / steps[-1]

    out = [_text(left, TOP - 8, title, "bold")]
    for y in steps:
        _, place = at(0, y)
        out += [f'<path class="grid" d="M{left} {place:.1f}h{wide}"/>', _text(left - 6, place + 4, f"{y:g}", "small end")]
    for x in across:
        place, _ = at(x, 0)
        out.append(_text(place, TOP + high + 16, f"{x:g}", "small mid"))
    out.append(_text(left + wide / 2, TOP + high + 32, "Pods bound already", "small mid"))
    for number, points in enumerate(curves.values()):
        places = [at(x, y) for x, y in points]
        out.append(f'<path class="curve c{number}" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in places) + '"/>')
        out += [f'<circle class="d{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
    return out


def scale(most: float) -> list:
    """Round numbers from 0 to `most` or a little more."""
    rough = most / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= rough)
    return [round(step * number, 10) for number in range(math.ceil(most / step) + 1)]


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{html.escape(text)}</text>'
