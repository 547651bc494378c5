"""What tools/mutate knows of the tests: how each is run, how long it takes, which lines of src/ it
reaches. The library notes which blocks of its code run (tests/support/reach_hook.c), and its debug
information says which lines they are of. What is found is kept in a file: a test runs again when it,
what it reached or a header has changed; or, where what is known is carried over, only when it has
changed itself: lines of a source that are as they were are reached as they were, changed ones as
those in whose place they stand."""
import bisect
import collections
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

KINDS = ("unit", "property", "fuzz", "cli")  # labels of the tests that are used, and scripts
# Arguments with which a test draws a part of its cases, the first ones: what these notice all do.
SHARES = {
    f"property.{name}": [str(cases)]
    for name, cases in {
        "abreast": 2000, "beyond": 1000, "executors": 1200, "flit_fast_forward": 400, "flow": 20,
        "learned": 2, "lower_bound": 150, "packet_fast_forward_jobs": 110,
    }.items()
}  # fmt: skip
MEMORY_BYTES = 6 << 30
FILE_BYTES = 1 << 28
SKIPPED = 77 << 8
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
ROW = re.compile(r"(\S+)\s+(\d+|-)\s+(0x[0-9a-f]+|0)\b.*")  # of a table of lines: file, line, address
FORM = 2  # of the file in which what is found is kept, and of how it is found
CALL_BYTES = 5  # of a call instruction


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(part if isinstance(part, bytes) else part.encode())
        h.update(b"\0")
    return h.hexdigest()[:24]


def digest_of(paths):
    return digest(*(x for p in sorted(paths) for x in (str(p.name), p.read_bytes())))


class Texts:
    """Digests of C files with all that they include of src/ and tests/."""

    def __init__(self, tree):
        self.tree, self.known, self.includes = tree, {}, {}

    def included(self, path):
        """The path and what it includes, directly or not."""
        found, open_ = set(), [path]
        while open_:
            at = open_.pop()
            if at in found:
                continue
            found.add(at)
            if at not in self.includes:
                names = INCLUDE.findall(at.read_bytes().decode(errors="replace"))
                paths = (self.tree / below / n for n in names for below in ("src", "tests"))
                self.includes[at] = [p for p in paths if p.is_file()]
            open_ += self.includes[at]
        return found

    def digest(self, path):
        parts = []
        for p in sorted(self.included(path)):
            if p not in self.known:
                self.known[p] = digest_of([p])
            parts.append(self.known[p])
        return digest(*parts)


class Test:
    """key: a digest of all that it is made of; own: of itself, without headers and what tests share;
    beside: the folder in which it expects to run, or None."""

    def __init__(self, name, command, key, own, beside):
        self.name, self.command, self.key, self.own, self.beside = name, command, key, own, beside
        self.folder = name.replace(":", ".")  # a PATH cannot have a colon within a name


def files_below(folder):
    return [p for p in folder.rglob("*") if p.is_file()]


def scripts(tree):
    """name of a script -> its parts: (name, command, what it reads). Each ends in a few seconds: the
    pages of docs-commands and the parts of those of answers one by one, of Python what needs no installation."""
    tools = tree / "tests/tools"
    one = lambda name, *reads: [(f"tools.{name}", [str(tools / name)], reads)]
    pages = [p for p in [*tree.glob("*/README.md"), *tree.glob("docs/**/*.md"), tree / "README.md"]
             if p.exists() and "\n```sh" in p.read_text()]  # fmt: skip
    commands = str(tools / "docs-commands")
    python = 'NADI_LIBRARY="$PWD/libnadi.so" PYTHONPATH="$0" PYTHONDONTWRITEBYTECODE=1 exec python3 "$0/tests/test_nadi.py"'
    return {
        "tools.docs": one("docs", "README.md", "docs"),
        "tools.docs-commands": [
            (f"tools.docs-commands:{'.'.join(p.relative_to(tree).parts)}", [commands, str(p.relative_to(tree))],
             (str(p.relative_to(tree)), "examples")) for p in sorted(pages)
        ],
        "tools.python": [
            ("tools.python", ["sh", "-c", python, str(tree / "python")], ("python",))
        ],
        "tools.answers": [
            (f"tools.answers:{p.stem}:{k}", [str(tools / "answers"), f"{p.stem}:{k}"],
             (f"tests/golden/answers/{p.name}", "examples"))
            for p in sorted(tree.glob("tests/golden/answers/*.txt"))
            for k in range(1 + p.read_text().count("\n## "))
        ],
        "tools.results": one("results", "tests/golden", "examples"),
        "tools.captures": one("captures", "tests/golden/captures.csv"),
        **{f"tools.{name}": one(name)
           for name in ("packet-flow", "rescale", "sweep-cache")},
    }  # fmt: skip


def find_tests(tree, build, texts):
    """The tests that CTest knows, with a digest of what each is made of."""
    listed = subprocess.run(
        ["ctest", "--test-dir", build, "-N", "--show-only=json-v1"], capture_output=True, check=True
    )
    tests = tree / "tests"
    support = sorted(tests.glob("support/*.c"))
    common = files_below(tests / "cli/common") if (tests / "cli/common").exists() else []
    found, known = [], scripts(tree)
    for row in json.loads(listed.stdout)["tests"]:
        labels = [p["value"] for p in row.get("properties", []) if p["name"] == "LABELS"]
        kind = [label for label in sum(labels, []) if label in KINDS]
        for name, command, reads in known.get(row["name"], []):
            paths = [pathlib.Path(row["command"][0]), *(tree / p for p in reads)]
            made = [digest_of(files_below(p) if p.is_dir() else [p]) for p in paths]
            found.append(Test(name, command, digest(*command, *made), digest(*command, *made), build))
        if not kind or not row.get("command"):
            continue
        share = SHARES.get(row["name"], [])
        command = row["command"] + share
        made = [*share]
        if kind[0] == "cli":
            case = pathlib.Path(command[-1])
            made.append(digest_of([*files_below(case), *common, pathlib.Path(command[0])]))
            own = made
        else:
            name = row["name"].split(".")
            sources = {"unit": f"unit/{name[1]}/test_{name[-1]}.c", "fuzz": f"fuzz/fuzz_{name[-1]}.c"}
            source = tests / sources.get(kind[0], f"{kind[0]}/{name[-1]}.c")
            made += [texts.digest(p) for p in [source, *support]]
            given = [pathlib.Path(p) for p in command[1:] if os.path.exists(p)]
            data = [digest_of(files_below(p) if p.is_dir() else [p]) for p in given]
            own = [*share, digest_of([source]), *data]
            made += data
        found.append(Test(row["name"], command, digest(*made), digest(*own), None))
    return found


# ---- running --------------------------------------------------------------------------------------


def end_session(leader):
    """Kills what a test has left, wherever it put itself within its session."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader:
                os.kill(int(stat.parent.name), signal.SIGKILL)
        except (OSError, ValueError):
            pass


def run(test, scratch, environment, cpu_seconds, wall_seconds):
    """Its exit status, or None when it took too long, and the CPU seconds that it took. It runs in a
    folder of its own, with links to what it expects there."""

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "tmp").mkdir(parents=True)
    for path in test.beside.iterdir() if test.beside else []:
        (scratch / path.name).symlink_to(path)
    if test.beside and not (scratch / "libnadi.so").exists():
        folder = environment.get("LD_LIBRARY_PATH", test.beside / "src")
        (scratch / "libnadi.so").symlink_to(pathlib.Path(folder) / "libnadi.so")
    whole = {**os.environ, **environment, "TMPDIR": str(scratch / "tmp"), "HOME": str(scratch)}
    whole["MALLOC_PERTURB_"] = "165"  # nothing allocated or freed is zero by chance
    process = subprocess.Popen(
        test.command, cwd=scratch, env=whole, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits,
    )  # fmt: skip
    late = []
    timer = threading.Timer(wall_seconds, lambda: (late.append(1), end_session(process.pid)))
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
        process.returncode = 0
        end_session(process.pid)
    return None if late else status, usage.ru_utime + usage.ru_stime


# ---- coverage -------------------------------------------------------------------------------------


def output(*words, **how):
    return subprocess.run(words, capture_output=True, check=True, text=True, **how).stdout


class Blocks:
    """The blocks of a library's code: where each begins, right behind a call of the hook, and which
    lines of which sources it is of."""

    def __init__(self, tree, library, sources):
        self.size = library.stat().st_size
        self.starts = self.calls(library)
        self.lines = collections.defaultdict(list)  # start of a block -> (source, line)
        self.code = dict.fromkeys(sources, 0)  # source -> a bit for each line with code
        rows = self.rows(library, tree)
        for (path, line, at), (_, _, end) in zip(rows, rows[1:]):
            if path in self.code and line:
                self.code[path] |= 1 << line
                for start in self.between(at, max(at + 1, end)):
                    self.lines[start].append((path, line))

    def calls(self, library):
        """Where calls of the hook return to."""
        hook = re.search(r"(\w+) t __sanitizer_cov_trace_pc$", output("nm", library), re.M)
        hook = int(hook[1], 16)
        data, found = library.read_bytes(), []
        for call in re.finditer(b"\xe8", data):
            end = call.start() + CALL_BYTES
            if end + int.from_bytes(data[end - 4 : end], "little", signed=True) == hook:
                found.append(end)
        return found

    def between(self, at, end):
        """The blocks with code at `at` or behind it, before `end`."""
        i = max(0, bisect.bisect_right(self.starts, at) - 1)
        if i + 1 < len(self.starts) and self.starts[i + 1] - CALL_BYTES <= at:
            i += 1
        j = max(i + 1, bisect.bisect_left(self.starts, end))
        return self.starts[i:j]

    def rows(self, library, tree):
        """(source below the tree or None, line, address), in the order of the addresses. The first
        file of a unit is told without its folder: the address says what it is."""
        heads, found, head, path = {}, [], None, None
        for text in output("objdump", "--dwarf=decodedline", library).splitlines():
            row = ROW.fullmatch(text)
            if row:
                line = int(row[2]) if row[2] != "-" else 0
                if head and line:
                    heads[row[3]] = path = row[3]
                    head = None
                found.append((path if line else None, line, int(row[3], 16)))
            elif text.endswith(":"):
                head, path = "/" not in text, text[:-1]
        names = output("addr2line", "-e", library, input="\n".join(heads)).splitlines()
        for at, name in zip(list(heads), names):
            heads[at] = name.rpartition(":")[0]
        known = {path: path and self.below(tree, heads.get(path, path)) for path in {row[0] for row in found}}
        return sorted(
            ((known[path], line, at) for path, line, at in found), key=lambda r: (r[2], r[1] > 0)
        )

    def below(self, tree, path):
        """A path in debug information as one below the tree. A compiler's cache gives objects that were
        made in another checkout, or names without their folder: then the part from src/ on tells."""
        own = os.path.relpath(os.path.join(tree, path), tree)
        at = path.rfind("/src/")
        return own if own in self.code or at < 0 else path[at + 1 :]

    def reached(self, path):
        """source -> a bit for each line reached, of the file that the hook wrote."""
        found = collections.defaultdict(int)
        for byte in re.finditer(b"\1", path.read_bytes()):
            for source, line in self.lines.get(byte.start(), ()):
                found[source] |= 1 << line
        return found


class Reach:
    def __init__(self, work, tree, build, jobs, slowest, say, fresh):
        self.work, self.tree, self.build = work, tree, build
        self.jobs, self.slowest, self.say, self.fresh = jobs, slowest, say, fresh
        texts = Texts(tree)
        self.tests = find_tests(tree, build, texts)
        self.path = work / "reach.json"
        self.kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        if self.kept.get("form") != FORM:
            self.kept = {"form": FORM}
        self.sources = {
            str(p.relative_to(tree)): texts.digest(p) for p in (tree / "src").rglob("*.c")
        }
        self.texts = {  # digests of each source alone
            str(p.relative_to(tree)): digest(p.read_bytes()) for p in (tree / "src").rglob("*.c")
        }
        self.all = digest(*(f"{path} {key}" for path, key in sorted(self.sources.items())))
        self.blocks = Blocks(tree, next(build.rglob("libnadi.so")), self.sources)
        self.code = self.blocks.code
        self.users = {}  # file without code -> files with code that use its tables
        self.moves = {}  # (file, digest of its text then) -> what became of its lines
        self.carried, self.sound, self.left_out = set(), {}, set()

    # A set of lines is a number with their bits set, in hex.

    def leave_out(self, beginnings):
        """Those that have not run yet."""
        known = self.kept.get("tests", {})
        self.left_out = {
            t.name
            for t in self.tests
            if beginnings and t.name.startswith(beginnings) and t.name not in known
        }
        self.tests = [t for t in self.tests if t.name not in self.left_out]

    def current(self, test):
        row = self.kept.get("tests", {}).get(test.name)
        if row and row["key"] == test.key and row["status"] != 0:
            return row.get("failed_with") == self.all  # it would fail again
        return (
            row
            and row["key"] == test.key
            and all(self.sources.get(f) == kept for f, (kept, _) in row["files"].items())
        )

    # ---- what is carried over ---------------------------------------------------------------------

    def stamp(self, row, test):
        row["own"] = test.own
        row["texts"] = {f: self.texts[f] for f in row["files"] if f in self.texts}

    def keep_texts(self):
        folder = self.work / "texts"
        folder.mkdir(exist_ok=True)
        for f, name in self.texts.items():
            if not (folder / name).exists():
                shutil.copy(self.tree / f, folder / name)

    def moved(self, path, then, lines):
        """A set of lines of the text with that digest, as lines of the text now; None: it is lost."""
        now = self.texts.get(path)
        if now == then:
            return lines
        if (path, then) not in self.moves:
            old, blocks = self.work / "texts" / (then or "-"), None
            if now and old.exists():
                before, after = (p.read_text().splitlines() for p in (old, self.tree / path))
                found = difflib.SequenceMatcher(None, before, after, False).get_opcodes()
                blocks = [(what, *span) for what, *span in found if what != "delete"]
            self.moves[path, then] = blocks
        blocks = self.moves[path, then]
        if blocks is None:
            return None
        whole = 0
        for what, i, i_end, j, j_end in blocks:
            if what == "equal":
                part = (lines & bits(i + 1, i_end)) >> i
                whole |= part << j
            elif lines & (bits(i + 1, i_end) if what == "replace" else bits(max(i, 1), max(i, 1))):
                whole |= bits(j + 1, j_end)
        return whole

    def carry(self, test):
        """The row of a test that has not changed itself, for the sources as they are; or None."""
        row = self.kept.get("tests", {}).get(test.name)
        if not row or row.get("own") != test.own or row["status"] != 0:
            return None
        files = {}
        for f, (_, lines) in row["files"].items():
            if f in self.texts:
                new = self.moved(f, row["texts"].get(f), int(lines, 16))
                if new is None:
                    return None
                files[f] = [self.sources[f], f"{new:x}"]
        return {**row, "files": files}

    def is_sound(self, test, scratch):
        """Whether a test of which only is known what it did passes as things are."""
        if test.name not in self.carried:
            return True
        if test.name not in self.sound:
            status, _ = run(test, scratch, {}, 120, 600)
            self.sound[test.name] = status == 0
            if status:
                self.say(f"{test.name} fails unchanged and is not used")
        return self.sound[test.name]

    # ---- all of them ------------------------------------------------------------------------------

    def measure(self, test):
        """How long it takes unchanged and what it reaches; a test that fails or is slow reaches
        nothing."""
        folder = self.work / "scratch" / test.folder
        folder.mkdir(parents=True, exist_ok=True)
        hits = folder / "hits"
        with hits.open("wb") as f:
            f.truncate(self.blocks.size)
        limit = int(self.slowest) + 1
        for _ in range(2):  # one that fails may have waited too long on a busy machine
            status, seconds = run(test, folder / "run", {"NADI_REACH_FILE": str(hits)}, limit, 20 * limit)
            if status in (0, SKIPPED) or seconds > self.slowest / 2:
                break
        row = {"key": test.key, "seconds": seconds, "status": status, "files": {}}
        if status != 0:
            row["failed_with"] = self.all
        if status == 0 and seconds <= self.slowest:
            reached = self.blocks.reached(hits)
            row["files"] = {f: [self.sources[f], f"{lines:x}"] for f, lines in reached.items()}
        shutil.rmtree(folder, ignore_errors=True)
        return test, row

    def update(self):
        rows = self.kept.setdefault("tests", {})
        current = {t.name for t in self.tests if self.current(t)}
        for t in self.tests:
            if t.name in current:
                self.stamp(rows[t.name], t)
        carried = {}
        if not self.fresh:
            carried = {t.name: self.carry(t) for t in self.tests if t.name not in current}
            carried = {name: row for name, row in carried.items() if row}
        self.carried = set(carried)
        if carried:
            self.say(f"{len(carried)} tests are taken to reach what they did; --fresh runs them again")
        old = [t for t in self.tests if t.name not in current and t.name not in carried]
        # What is known is kept each minute: those that take long come last.
        old.sort(key=lambda t: t.name.startswith("property."))
        if old:
            self.say(f"running {len(old)} of {len(self.tests)} tests to see which lines they reach")
        saved = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for test, row in pool.map(self.measure, old):
                rows[test.name] = row
                self.stamp(row, test)
                if time.monotonic() - saved > 60:
                    self.save()
                    saved = time.monotonic()
        names = {t.name for t in self.tests} | self.left_out
        for name in [n for n in rows if n not in names]:
            del rows[name]
        self.save()
        rows = {**rows, **carried}
        for text, found in (
            ("failed unchanged and are not used",
             lambda r: r["status"] not in (0, SKIPPED) and r["seconds"] <= self.slowest),
            (f"take more than {self.slowest} s and are not used", lambda r: r["seconds"] > self.slowest),
        ):  # fmt: skip
            names = [t.name for t in self.tests if found(rows[t.name])]
            if names:
                self.say(f"{len(names)} tests {text}: {' '.join(names)}")
        self.seconds = {t.name: rows[t.name]["seconds"] for t in self.tests}
        self.reached = {}
        for t in self.tests:
            for f, (_, lines) in rows[t.name]["files"].items():
                self.reached.setdefault(f, []).append((t, int(lines, 16)))

    def save(self):
        self.keep_texts()
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(self.kept))
        temporary.rename(self.path)

    def users_of(self, path, seen):
        """Files with code that name a table of a file that has none."""
        if self.code.get(path) or path in seen:
            return {path} if self.code.get(path) else set()
        seen.add(path)
        tables = re.findall(r"\b(nadi_\w+)(?:\[[^]]*\])* = {", (self.tree / path).read_text())
        if not tables:
            return set()
        name = re.compile(r"\b(" + "|".join(tables) + r")\b")
        users = [f for f in self.sources if f != path and name.search((self.tree / f).read_text())]
        return set().union(*(self.users_of(f, seen) for f in users))

    def tests_of(self, path, line, span, body):
        """Tests that reach the line, or where it has no code of its own what is around it: the last
        line with code before it in its statement, the statement, its function, its file, the files
        that use its tables."""
        code = self.code.get(path, 0)
        if not code and body:
            return []
        if not code:
            if path not in self.users:
                self.users[path] = self.users_of(path, set())
            users = self.users[path]
            names = {t.name for f in users for t, _ in self.reached.get(f, [])}
            return [t for t in self.tests if t.name in names]
        before = code & bits(span[0], line)
        for lines in (
            before and 1 << before.bit_length() - 1,
            code & bits(*span),
            code & bits(*body) if body else 0,
            code,
        ):
            if lines:
                return [t for t, reached in self.reached.get(path, []) if reached & lines]
        return []


def bits(first, last):
    return (1 << last + 1) - (1 << first)

