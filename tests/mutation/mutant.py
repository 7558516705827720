"""One small, deliberate fault."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Mutant:
    """A change to one file, or to the database when `sql` says so."""

    path: str
    line: int
    #: The line that it changes, as it is written.
    source: str
    #: Function or class that it lies in, and what was done to it.
    place: str
    change: str
    #: The whole file with the fault in it.
    text: str = ""
    #: What does it to a database that has the true schema.
    sql: str = ""
    #: It lies within a function, so that a loaded module can be given it.
    within: bool = False
    #: Tells apart those that read alike.
    number: int = 1

    @property
    def name(self) -> str:
        """Stays the same while other lines of the file change."""
        again = f" ({self.number})" if self.number > 1 else ""
        return f"{self.path} {self.place}: {self.change}{again}"


def numbered(mutants: Iterable[Mutant]) -> list[Mutant]:
    """The same, with those that read alike numbered in their order."""
    seen: Counter[str] = Counter()
    result = []
    for mutant in mutants:
        seen[mutant.name] += 1
        result.append(replace(mutant, number=seen[mutant.name]))
    return result
