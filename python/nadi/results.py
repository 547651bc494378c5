"""What a run left behind: its database as tables, its report."""
import base64
import ctypes
import html
import json
import os
import sqlite3
import tempfile
import urllib.parse

from ._library import DONE, Interruptible, Messages, encoded, lib, names_of, take_text

PIECE = 200000  # rows that become a frame at once: between two Python runs its handlers of signals
LOOK = 100000  # steps of SQLite's machine between two looks at a signal: some milliseconds


def _frame(names, rows):
    """A pandas.DataFrame where pandas is installed, else a list of dicts."""
    try:
        import pandas
    except ImportError:
        return [dict(zip(names, row)) for row in rows]
    pieces = [pandas.DataFrame.from_records(rows[i:i + PIECE], columns=names) for i in range(0, max(len(rows), 1), PIECE)]
    if len(pieces) == 1:
        return pieces[0]
    whole = pandas.concat(pieces, ignore_index=True)
    for i, name in enumerate(names):  # a piece without any value of a column does not know its type
        if len({piece.dtypes.iloc[i] for piece in pieces}) > 1:
            whole.isetitem(i, whole.iloc[:, i].infer_objects())
    return whole


class Run:
    """A finished run: the folder of `nadi run --out`, or what nadi.run returned."""

    def __init__(self, folder, messages=(), keep=None):
        self.folder, self.messages, self._keep = os.fspath(folder), list(messages), keep
        self._file = os.path.join(self.folder, "run.db") if os.path.isdir(self.folder) else self.folder
        if not os.path.exists(self._file):
            raise FileNotFoundError(f"{self._file}: `nadi run --out DIR` writes it")
        with Messages() as m:
            status = m.call(lib.nadi_run_check_folder, encoded(self.folder))
            if status != DONE:
                raise m.error(status)
        file = urllib.parse.quote(os.path.abspath(self._file))
        self._db = sqlite3.connect(f"file://{file}?immutable=1", uri=True)  # no journal beside it is played in
        names, rows = self._rows("select * from runs")
        self.info = dict(zip(names, rows[0]))
        self.summary = json.loads(self.info.pop("summary"))

    def _rows(self, query, parameters=()):
        with Interruptible() as i:
            self._db.set_progress_handler(lambda: i.stop.value, LOOK)  # in it Python runs its handlers of signals
            try:
                cursor = self._db.execute(query, parameters)
                return [c[0] for c in cursor.description], cursor.fetchall()
            except sqlite3.OperationalError:
                if not i.raised:
                    raise
            finally:
                self._db.set_progress_handler(None, 0)

    def sql(self, query, parameters=()):
        """The rows of a select on the database (docs/guide/database.md)."""
        return _frame(*self._rows(query, parameters))

    def array(self, query, parameters=()):
        """The rows of a select of numbers as a numpy array, one column an array column."""
        import numpy
        return numpy.array(self._rows(query, parameters)[1])

    def table(self, name):
        if name not in [row[0] for row in self._rows("select name from sqlite_master")[1]]:
            raise KeyError(f"no table '{name}'")
        return self.sql(f"select * from {name}")

    end_ns = property(lambda self: self.info["end_ns"])
    rank_count = property(lambda self: self.info["ranks"])

    def ranks(self):
        return self.table("ranks")

    def collectives(self):
        return self.table("collectives")

    def links(self):
        return self.table("links")

    def timeline(self):
        return self.table("timeline")

    def critical_path(self):
        return self.table("critical_path")

    def sensitivities(self):
        return self.table("sensitivities")

    def bounds(self):
        return self.table("bounds")

    def causes(self):
        """{cause: ns} of the critical path, the largest first; they add up to end_ns."""
        return dict(self._rows("select cause, sum(duration_ns) from critical_path group by 1 order by 2 desc")[1])

    def report(self, path):
        """Writes the HTML page and returns its path."""
        return report([self], path)

    def text(self):
        """What `nadi report --text` prints."""
        with Messages() as m:
            text = take_text(m.call(lib.nadi_report_summary, encoded(self._file), 0))
            if text is None:
                raise m.error()
            return text

    def __repr__(self):
        i = self.info
        return f"<nadi.Run {self.folder}: {i['end_ns']} ns, {i['ranks']} ranks, {i['outcome']}>"

    def _repr_html_(self):
        with tempfile.TemporaryDirectory() as work:
            with open(self.report(os.path.join(work, "report.html")), "rb") as f:
                page = base64.b64encode(f.read()).decode()
        title = html.escape(repr(self))
        return (f'<iframe title="{title}" style="width:100%;height:640px;border:1px solid #ccc" '
                f'src="data:text/html;base64,{page}"></iframe>')

    def close(self):
        self._db.close()
        if self._keep:
            self._keep.cleanup()
            self._keep = None


def load(folder):
    """The run of a folder that `nadi run --out` wrote. Raises Error where the folder is not one whole run."""
    return Run(folder)


def report(runs, path):
    """One HTML page about a run, or several, compared; returns its path."""
    runs = [runs] if isinstance(runs, Run) else names_of(runs)
    files = (ctypes.c_char_p * len(runs))(*[encoded(r._file if isinstance(r, Run) else r) for r in runs])
    with Messages() as m:
        status = m.call(lib.nadi_report_page, files, len(runs), encoded(path))
        if status != DONE:
            raise m.error(status)
    return os.fspath(path)


def diff(first, second):
    """What two runs differ in, as `nadi diff` prints it."""
    with Messages() as m:
        a, b = (encoded(r._file if isinstance(r, Run) else r) for r in (first, second))
        text = take_text(m.call(lib.nadi_report_diff, a, b, 0))
        if text is None:
            raise m.error()
        return text
