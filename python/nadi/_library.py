"""The C library: where it is, its structs, its messages."""
import ctypes
import math
import operator
import os
import signal
import threading
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

DONE, INPUT, DEADLOCK, LIMIT, BUG = 0, 3, 4, 5, 70


def library_path():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("NADI_LIBRARY"), os.path.join(here, "libnadi.so"),
              os.path.join(here, "..", "..", "build", "libnadi.so")]
    for place in places:
        if place and os.path.exists(place):
            return os.path.realpath(place)
    raise ImportError("libnadi.so is not there: build it with `./dev build`, or set NADI_LIBRARY to its path")


class Message(ctypes.Structure):
    _fields_ = [("level", c_int), ("code", c_char_p), ("file", c_char_p), ("line", c_uint32), ("column", c_uint32),
                ("offset", c_uint64), ("rank", c_uint32), ("node", c_char_p), ("text", c_char_p), ("hint", c_char_p)]


class Field(ctypes.Structure):
    """What can be set in a struct, as the library says it."""
    _fields_ = [("name", c_char_p), ("kind", c_int), ("needed", c_int), ("offset", c_size_t), ("count_offset", c_size_t),
                ("least", c_uint64), ("most", c_uint64), ("least_real", c_double), ("most_real", c_double),
                ("of", c_void_p), ("words", c_void_p)]


TEXT, PATH, TEXTS, PATHS, U32, U64, DOUBLE, FLAG, HANDLE = range(1, 10)


def _load():
    lib = ctypes.CDLL(library_path())

    def declare(name, result, *arguments):
        f = getattr(lib, name)
        f.restype, f.argtypes = result, arguments

    for name in ("nadi_setup_init", "nadi_output_init", "nadi_bandwidth_options_init", "nadi_cost_options_init", "nadi_design_options_init",
                 "nadi_pool_options_init", "nadi_partition_options_init", "nadi_partition_bench_options_init", "nadi_sweep_options_init",
                 "nadi_memory_bench_options_init", "nadi_model_search_init",
                 "nadi_collective_traces_init",
                 "nadi_free", "nadi_watch_init", "nadi_job_destroy", "nadi_job_keep_ops", "nadi_job_keep_usage", "nadi_messages_destroy", "nadi_claim_destroy"):
        declare(name, None, c_void_p)
    declare("nadi_version", c_char_p)
    declare("nadi_struct_fields", POINTER(Field), c_char_p, POINTER(c_size_t), POINTER(c_size_t))
    declare("nadi_messages_create", c_void_p)
    declare("nadi_messages_count", c_size_t, c_void_p)
    declare("nadi_messages_stop", None, c_void_p, c_void_p)
    declare("nadi_messages_get", Message, c_void_p, c_size_t)
    declare("nadi_message_format", c_void_p, c_void_p, c_size_t)
    declare("nadi_job_create", c_void_p, c_void_p)
    declare("nadi_job_messages", c_void_p, c_void_p)
    declare("nadi_job_stop", None, c_void_p, c_void_p)
    declare("nadi_job_set", c_int, c_void_p, c_char_p, c_char_p)
    declare("nadi_job_load", c_int, c_void_p)
    declare("nadi_job_check", c_int, c_void_p)
    declare("nadi_job_run", c_int, c_void_p, c_void_p)
    declare("nadi_job_write", c_int, c_void_p, c_void_p)
    declare("nadi_job_text", c_void_p, c_void_p, c_int)
    declare("nadi_job_json", c_void_p, c_void_p)
    declare("nadi_job_has_results", c_int, c_void_p)
    declare("nadi_job_node_count", c_uint64, c_void_p)
    declare("nadi_job_end_ns", c_uint64, c_void_p)
    declare("nadi_claim_create", c_void_p, c_char_p, c_void_p)
    declare("nadi_run_check_folder", c_int, c_char_p, c_void_p)
    declare("nadi_generate_collective", c_int, c_void_p, c_char_p, c_void_p)
    declare("nadi_cost", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_optimize", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_partition", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_partition_bench", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_sweep", c_int, c_void_p, c_void_p, c_void_p, c_void_p)
    declare("nadi_optimize_bandwidth", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_memory_pool", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_memory_trusted_bench", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_memory_trusted_attack", c_int, c_void_p, c_void_p, c_void_p, c_void_p)
    declare("nadi_memory_trusted_leak", c_int, c_void_p, c_void_p, c_void_p, c_void_p)
    declare("nadi_model_search_run", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_memory_bench", c_int, c_void_p, c_void_p, c_void_p)
    declare("nadi_query", c_void_p, c_char_p, c_char_p, c_char_p, c_void_p)
    declare("nadi_report_page", c_int, POINTER(c_char_p), c_size_t, c_char_p, c_void_p)
    declare("nadi_report_summary", c_void_p, c_char_p, c_int, c_void_p)
    declare("nadi_report_diff", c_void_p, c_char_p, c_char_p, c_int, c_void_p)
    return lib


lib = _load()


class Watch(ctypes.Structure):
    """struct nadi_watch."""
    _fields_ = [("size", c_size_t), ("progress", ctypes.CFUNCTYPE(None, c_void_p, c_uint64, c_uint64, c_uint64)), ("context", c_void_p),
                ("stop", POINTER(c_int))]


STOPPING = object()  # of the arguments of Messages.call: the struct nadi_watch whose `stop` is set


class Interruptible:
    """While the library works, Python's handler of SIGINT runs: what it raises sets `stop`, which ends the work soon, and is
    raised then. Only in the main thread, where Python runs handlers."""

    def __enter__(self):
        self.stop, self.raised, self.previous = c_int(0), None, None
        self.stopping = Watch()
        lib.nadi_watch_init(ctypes.byref(self.stopping))
        self.stopping.stop = ctypes.pointer(self.stop)
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def _handle(self, number, frame):
        try:
            self.previous(number, frame)
        except BaseException as e:  # raised here it would be lost in the library
            self.raised, self.stop.value = e, 1

    def call(self, function):
        """function() in another thread: this one could not run a handler meanwhile."""
        if not self.previous:
            return function()
        outcome = []

        def work():
            try:
                outcome.append((function(), None))
            except BaseException as e:
                outcome.append((None, e))
            done.set()
        done = threading.Event()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        done.wait()
        thread.join()
        value, problem = outcome[0]
        if problem:
            raise problem
        return value

    def __exit__(self, *_):
        if self.previous:
            signal.signal(signal.SIGINT, self.previous)
        if self.raised:
            raise self.raised


def version():
    return lib.nadi_version().decode()


def take_text(pointer):
    """A text that the library gave to us; None for NULL."""
    if not pointer:
        return None
    text = ctypes.cast(pointer, c_char_p).value.decode("utf-8", "replace")
    lib.nadi_free(pointer)
    return text


def names_of(given):
    """A list of names; a single name is a list of one, and not of its letters."""
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def text_of(value):
    return (value or b"").decode("utf-8", "replace")


def messages_of(handle):
    """[(level, code, whole text)] of a list of messages."""
    levels = {1: "note", 2: "warning", 3: "error"}
    out = []
    for i in range(lib.nadi_messages_count(handle)):
        m = lib.nadi_messages_get(handle, i)
        whole = take_text(lib.nadi_message_format(handle, i))
        text = text_of(m.text) if whole is None else whole.rstrip()  # None: there is no memory for more
        out.append((levels.get(m.level, "note"), text_of(m.code), text))
    return out


class Error(RuntimeError):
    """What is wrong, as the program says it: .messages is [(level, code, text)], .status its exit code."""

    def __init__(self, messages, status=INPUT):
        errors = [text for level, _, text in messages if level == "error"]
        super().__init__("\n".join(errors) or f"status {status}")
        self.messages, self.status = messages, status


class MemoryIsOut(Error, MemoryError):
    """Also a MemoryError. What could not be done is undone; the process may go on."""


def error_of(messages, status=INPUT):
    out = any(code == "limit/memory" for _, code, _ in messages)
    return (MemoryIsOut if out else Error)(messages, LIMIT if out else status)


class Messages:
    """A list for functions that want one."""

    def __enter__(self):
        self.handle = lib.nadi_messages_create()
        if not self.handle:
            raise MemoryError("no memory for a list of messages")
        return self

    def __exit__(self, *_):
        lib.nadi_messages_destroy(self.handle)

    def call(self, function, *arguments):
        """function(*arguments, this list). In the main thread, where Python runs handlers of signals, what that of SIGINT
        raises ends it soon, and is raised then."""
        with Interruptible() as i:
            given = [ctypes.byref(i.stopping) if a is STOPPING else a for a in arguments]
            if STOPPING not in arguments:
                lib.nadi_messages_stop(self.handle, ctypes.byref(i.stop))
            try:
                return i.call(lambda: function(*given, self.handle))
            finally:
                lib.nadi_messages_stop(self.handle, None)

    def error(self, status=INPUT):
        return error_of(messages_of(self.handle), status)


def encoded(value, name="path", path=True):
    """A text, or a path of any bytes, as the library takes it; None stays None."""
    if value is None:
        return None
    if path:
        try:
            data = os.fsencode(value)
        except TypeError:
            raise TypeError(f"{name} is {value!r}; a path is wanted") from None
        except UnicodeError:
            raise ValueError(f"{name} is {value!r}, which can be no path here") from None
    elif isinstance(value, (str, bytes)):
        try:
            data = value.encode() if isinstance(value, str) else value
            data.decode()
        except UnicodeError:
            raise ValueError(f"{name} is {value!r}, which is not UTF-8") from None
    else:
        raise TypeError(f"{name} is {value!r}; a text is wanted")
    if b"\0" in data:
        raise ValueError(f"{name} is {value!r}; there is a NUL character in it")
    return data


def _whole(f, name, value):
    try:
        number = operator.index(value if not isinstance(value, bool) else None)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; a whole number is wanted") from None
    if not f.least <= number <= f.most:
        raise ValueError(f"{name} is {number}; allowed are whole numbers from {f.least} to {f.most}")
    return number


def _real(f, name, value):
    try:
        number = float(value if not isinstance(value, (bool, str, bytes)) else None)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}; a number is wanted") from None
    except OverflowError:
        number = math.inf
    if not f.least_real <= number <= f.most_real:  # nor NaN
        raise ValueError(f"{name} is {value}; allowed are numbers from {f.least_real:g} to {f.most_real:g}")
    return number


def _flag(name, value):
    if isinstance(value, (str, bytes, float)) or value not in (0, 1):
        raise TypeError(f"{name} is {value!r}; True or False is wanted")
    return int(value)


class Struct:
    """A struct of the library with its defaults. What can be set, where and within which range the library says."""

    def __init__(self, name, **values):
        size, count = c_size_t(), c_size_t()
        fields = lib.nadi_struct_fields(name.encode(), size, count)
        if not fields:
            raise ImportError(f"{library_path()} is of another version than this package: it has no {name}")
        self.fields = {fields[i].name.decode(): fields[i] for i in range(count.value)}
        self.room = ctypes.create_string_buffer(size.value)
        self._kept = {}
        getattr(lib, f"{name}_init")(ctypes.cast(self.room, c_void_p))
        for key, value in values.items():
            self.set(key, value)

    def set(self, name, value):
        """Sets a member; None leaves its default. Raises TypeError or ValueError with the name and what is allowed."""
        f = self.fields.get(name)
        if f is None:
            raise TypeError(f"no '{name}'; there are {', '.join(self.fields)}")
        if value is None:
            return
        if f.kind in (TEXT, PATH):
            self._kept[name] = encoded(value, name, f.kind == PATH)
            self._put(c_char_p, f, self._kept[name])
        elif f.kind in (U32, U64):
            self._put(c_uint32 if f.kind == U32 else c_uint64, f, _whole(f, name, value))
        elif f.kind == DOUBLE:
            self._put(c_double, f, _real(f, name, value))
        elif f.kind == FLAG:
            self._put(c_int, f, _flag(name, value))
        elif f.kind == HANDLE:
            self._put(c_void_p, f, value)
        else:
            items = [encoded(v, name, f.kind == PATHS) for v in value]
            self._kept[name] = (c_char_p * len(items))(*items)
            c_void_p.from_buffer(self.room, f.offset).value = ctypes.addressof(self._kept[name]) if items else None
            c_size_t.from_buffer(self.room, f.count_offset).value = len(items)

    def _put(self, kind, f, value):
        kind.from_buffer(self.room, f.offset).value = value
