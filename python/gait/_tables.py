"""Tables: the results of an analysis, for data-frame libraries, notebooks and plain Python."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

from gait import _native

WIDTH = 110  # of text in a notebook or an interpreter


class Table:
    """A table of an analysis. Times are in picoseconds, sizes in bytes: `units` says it. Unknown is None.

    It speaks the Arrow C data interface (`__arrow_c_stream__`), so that any data-frame library takes it as it is,
    without a copy.
    """

    def __init__(self, native: _native.Table):
        self._native = native

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def columns(self) -> list[str]:
        return [name for name, _, _, _ in self._native.columns]

    @property
    def units(self) -> dict[str, str]:
        """Of the columns that have one."""
        return {name: unit for name, _, unit, _ in self._native.columns if unit}

    @property
    def about(self) -> dict[str, str]:
        """What the columns mean."""
        return {name: about for name, _, _, about in self._native.columns if about}

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_dicts())

    def __getitem__(self, column: str) -> list[Any]:
        """A column as a list."""
        if column not in self.columns:
            raise KeyError(f"{self.name} has no column {column!r}. It has: {', '.join(self.columns)}")
        return [row[column] for row in self.to_dicts()]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for each row; needs no library."""
        return self._native.dicts()

    def to_arrow(self) -> Any:
        """A pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame. Integers stay integers, as pandas' nullable types: unknown is <NA>."""
        import pandas

        try:
            import pyarrow
        except ImportError:
            return self._to_pandas_from_dicts(pandas)
        nullable = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.uint64(): pandas.UInt64Dtype()}
        return self.to_arrow().to_pandas(types_mapper=nullable.get)

    def _to_pandas_from_dicts(self, pandas: Any) -> Any:
        frame = pandas.DataFrame(self.to_dicts(), columns=self.columns, dtype=object)
        for name, kind, _, _ in self._native.columns:
            if kind == "integer":
                large = any(value is not None and value >= 2**63 for value in frame[name])
                frame[name] = frame[name].astype("UInt64" if large else "Int64")
            elif kind == "number":
                frame[name] = frame[name].astype("float64")
        return frame

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        import polars

        return polars.DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._native.stream()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return self._native.schema(), self._native.array()

    def __arrow_c_schema__(self) -> Any:
        return self._native.schema()

    def __repr__(self) -> str:
        return self._native.text(WIDTH).rstrip() or f"<{self.name}: no rows>"

    def _repr_html_(self) -> str:
        """As people see it in the terminal: columns that are for them, numbers in units that they would say."""
        if self._native.cards:
            return f"<pre>{html.escape(repr(self))}</pre>"
        heads, lines = self._native.grid(MOST_ROWS)
        styles = [
            ' style="text-align: right"' if number else ' style="text-align: left"' for _, number, _ in heads
        ]
        head = "".join(
            f"<th{style}>{html.escape(text)}</th>" for style, (text, _, _) in zip(styles, heads, strict=True)
        )
        rows = []
        for cells, nested in lines:
            row = ""
            for style, (_, _, key), text in zip(styles, heads, cells, strict=True):
                indent = "&emsp;" if nested and key else ""
                row += f"<td{style}>{indent}{html.escape(text)}</td>"
            rows.append(f"<tr>{row}</tr>")
        more = len(self) - len(rows)
        below = f"<p>{more} more rows</p>" if more > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{below}"


MOST_ROWS = 100  # of a table in a notebook


class Report:
    """What a verb of gait says about a run: one sentence, and tables by name."""

    def __init__(self, native: _native.Document):
        self._native = native
        self._tables = {table.name: Table(table) for table in native.tables()}

    @property
    def answer(self) -> str:
        """The one sentence."""
        return self._native.answer

    @property
    def tables(self) -> dict[str, Table]:
        return self._tables

    @property
    def table(self) -> Table:
        """The main one."""
        return self._tables[self._native.main_table]

    @property
    def texts(self) -> dict[str, str]:
        """Parts that are text by nature: a program, say."""
        return dict(self._native.texts)

    @property
    def warnings(self) -> list[str]:
        return self._native.warnings

    @property
    def notes(self) -> list[str]:
        return self._native.notes

    @property
    def losses(self) -> list[dict[str, Any]]:
        """What was dropped, repaired or capped between the program and this report."""
        names = ("kind", "place", "reason", "count")
        return [dict(zip(names, loss, strict=True)) for loss in self._native.losses]

    @property
    def found(self) -> bool:
        """The verb's exit status would be 1: a check failed, or something was found."""
        return self._native.found

    def __getitem__(self, name: str) -> Table:
        if name not in self._tables:
            raise KeyError(f"{self._native.verb} has no table {name!r}. It has: {', '.join(self._tables)}")
        return self._tables[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __getattr__(self, name: str) -> Any:
        """A report stands for its main table where a table is meant: `run.ops().to_pandas()`."""
        if not name.startswith("to_") and not name.startswith("__arrow"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.table, name)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)

    def text(self, width: int = WIDTH) -> str:
        """As the command prints it; 0: never cut."""
        return self._native.text(width)

    def __repr__(self) -> str:
        return self.text().rstrip()

    def _repr_html_(self) -> str:
        parts = [f"<p>{html.escape(self.answer)}</p>"]
        for table in self._tables.values():
            if not table._native.hidden:
                parts.append(f"<h4>{html.escape(table.name)}</h4>{table._repr_html_()}")
        return "".join(parts)
