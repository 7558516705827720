"""Measured figures, their medians, and the table of them."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

COLUMNS = ("what", "unit", "median", "min - max", "reference", "min - max", "ratio")


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity, measured several times, beside its reference from the same run."""

    what: str
    unit: str
    samples: Sequence[float]
    #: What the reference is; empty: there is none.
    reference_is: str = ""
    reference: Sequence[float] = field(default=())

    @property
    def ratio(self) -> float | None:
        """Ours divided by the reference, medians of both."""
        return median(self.samples) / median(self.reference) if self.reference else None

    def as_json(self) -> dict[str, Any]:
        """Everything, with what was computed from it."""
        return {**asdict(self), "median": median(self.samples), "ratio": self.ratio}


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` (0 to 1) of all do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def number(value: float) -> str:
    """Three digits that matter, thousands with commas."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def table(figures: Sequence[Figure]) -> str:
    """The figures as a Markdown table, each reference explained below it."""
    rows = [COLUMNS, *map(_row, figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    notes = [f"{f.what}: reference = {f.reference_is}" for f in figures if f.reference_is]
    return "\n".join([*lines, "", *notes])


def _row(figure: Figure) -> tuple[str, ...]:
    ratio = figure.ratio
    return (
        figure.what,
        figure.unit,
        number(median(figure.samples)),
        _span(figure.samples),
        number(median(figure.reference)) if figure.reference else "",
        _span(figure.reference),
        "" if ratio is None else f"{ratio:.2f}",
    )


def _span(samples: Sequence[float]) -> str:
    return f"{number(min(samples))} - {number(max(samples))}" if len(samples) > 1 else ""


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(padded) + " |"
