"""What the measured steps say: medians, slopes, tables."""

import dataclasses
import math
import statistics

# Student's t, 95 %, by the number of values; of more, that of the next lower.
T = {2: 12.71, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262, 12: 2.201, 16: 2.131, 24: 2.069, 32: 2.040}


@dataclasses.dataclass(frozen=True)
class Step:
    """Pods that were bound one after another while `before` and more were."""

    nodes: int
    constraint: str
    round: int
    before: int  # Pods bound already
    pods: int
    cpu_ms: float  # of the scheduler, all of it
    seconds: float  # from the first that it saw to the last that is bound
    hosts: int = 4  # of a slice

    @property
    def middle(self) -> float:
        """Pods bound, on the average over the step."""
        return self.before + (self.pods - 1) / 2


@dataclasses.dataclass(frozen=True)
class Line:
    """y = base + slope * x, least squares."""

    base: float
    slope: float

    def at(self, x: float) -> float:
        return self.base + self.slope * x


def fit(points: list) -> Line:
    """Through (x, y); level where there is one x alone."""
    xs, ys = zip(*points)
    if len(set(xs)) < 2:
        return Line(statistics.mean(ys), 0.0)
    slope, base = statistics.linear_regression(xs, ys)
    return Line(base, slope)


class Figures:
    """Of one number of nodes and one constraint."""

    def __init__(self, steps: list):
        self.steps = steps
        self.rounds = sorted({step.round for step in steps})
        befores = sorted({step.before for step in steps})
        at = [[step for step in steps if step.before == before] for before in befores]
        self.cpu = [(one[0].middle, statistics.median(step.cpu_ms / step.pods for step in one)) for one in at]
        self.rate = [(one[0].middle, statistics.median(step.pods / step.seconds for step in one)) for one in at]
        self.line = fit(self.cpu)
        self.pods = max(step.before + step.pods for step in steps)

    def cpu_of(self, number: int) -> float:
        """ms a Pod over all of one round."""
        played = [step for step in self.steps if step.round == number]
        return sum(step.cpu_ms for step in played) / sum(step.pods for step in played)

    def seconds_of(self, number: int) -> float:
        """Until the last Pod of the last slice was bound; the time in which Pods were created is left out."""
        return sum(step.seconds for step in self.steps if step.round == number)

    def median(self, of) -> float:
        return statistics.median(of(number) for number in self.rounds)

    def spread(self, of) -> str:
        values = sorted(of(number) for number in self.rounds)
        return f"{values[0]:.1f}–{values[-1]:.1f}" if len(values) > 1 else ""


def grouped(steps: list) -> dict:
    """(nodes, hosts of a slice) -> constraint -> Figures."""
    out: dict = {}
    for key in sorted({(step.nodes, step.hosts) for step in steps}):
        here = [step for step in steps if (step.nodes, step.hosts) == key]
        names = list(dict.fromkeys(step.constraint for step in here))
        out[key] = {name: Figures([step for step in here if step.constraint == name]) for name in names}
    return out


def ratio(one: Figures, to: Figures) -> str:
    """CPU a Pod by that of another in the same step of the same round: the geometric mean, and its 95 % interval."""
    theirs = {(step.round, step.before): step.cpu_ms / step.pods for step in to.steps}
    return mean_of([step.cpu_ms / step.pods / theirs[at] for step in one.steps if (at := (step.round, step.before)) in theirs])


def mean_of(ratios: list) -> str:
    """The geometric mean, and its 95 % interval by Student's t."""
    logs = [math.log(one) for one in ratios]
    middle = statistics.mean(logs)
    if len(logs) < min(T) or one_value(logs):
        return f"{math.exp(middle):.2f}"
    wide = T[max(count for count in T if count <= len(logs))] * statistics.stdev(logs) / math.sqrt(len(logs))
    return f"{math.exp(middle):.2f} ({math.exp(middle - wide):.2f}–{math.exp(middle + wide):.2f})"


def one_value(values: list) -> bool:
    return max(values) == min(values)


def formula(line: Line) -> str:
    """As the legend has it."""
    return f"{line.base:.1f} ms {'+' if line.slope >= 0 else '−'} {abs(line.slope) * 1000:.1f} µs for each Pod bound"


def beside_table(key: tuple, found: dict, titles: dict, to: str) -> str:
    """In Markdown: Pods without TPUs while members are bound."""
    any_step, (nodes, hosts) = next(iter(found.values())).steps[0], key
    lines = [f"| {any_step.pods} Pods without TPUs; {nodes:,} nodes with TPUs, {any_step.before:,} members bound in slices of {hosts}, of "
             f"| CPU ms a Pod | least–most | of {to} |", "|---|---|---|---|"]
    for name, one in found.items():
        lines.append(f"| {titles.get(name, name)} | {one.median(one.cpu_of):.2f} | {one.spread(one.cpu_of)} | {ratio(one, found[to])} |")
    return "\n".join(lines)


def table(key: tuple, found: dict, titles: dict, to: str) -> str:
    """In Markdown. `key`: nodes, hosts of a slice. `to`: the constraint that the others are compared with."""
    pods, (nodes, hosts) = max(one.pods for one in found.values()), key
    lines = [f"| {nodes:,} nodes, {pods} Pods in slices of {hosts} | CPU ms a Pod | least–most | of {to} | CPU ms a Pod while x are bound "
             f"| last Pod bound after | Pods a second |", "|---|---|---|---|---|---|---|"]
    for name, one in found.items():
        seconds = one.median(one.seconds_of)
        share = ratio(one, found[to]) if to in found else ""
        lines.append(f"| {titles.get(name, name)} | {one.median(one.cpu_of):.1f} | {one.spread(one.cpu_of)} | {share} "
                     f"| {one.line.base:.1f} {'+' if one.line.slope >= 0 else '−'} {abs(one.line.slope):.4f} x | {seconds:.1f} s | {one.pods / seconds:.0f} |")
    return "\n".join(lines)
