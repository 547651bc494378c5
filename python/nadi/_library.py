"""The C library: where it is, its structs, its messages."""
import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

DONE, INPUT, DEADLOCK, LIMIT = 0, 3, 4, 5


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


class Setup(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("workload", c_char_p), ("system", c_char_p), ("network", c_char_p),
                ("memory", c_char_p), ("groups", c_char_p), ("network_model", c_char_p), ("executor", c_char_p),
                ("queues_per_dim", c_uint32), ("injection_scale", c_double), ("compute_scale", c_double),
                ("comm_scale", c_double), ("rendezvous", c_int), ("lenient", c_int), ("compat", c_int),
                ("max_sim_ns", c_uint64), ("max_wall_ms", c_uint64)]


class Output(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("folder", c_char_p), ("ops", c_int), ("five_column", c_int), ("timeline", c_int),
                ("timeline_first_rank", c_uint32), ("timeline_last_rank", c_uint32), ("timeline_from_ns", c_uint64),
                ("timeline_to_ns", c_uint64), ("ranks", c_char_p), ("link_usage", c_int), ("why", c_int),
                ("sensitivity", c_int), ("claim", c_void_p)]


class CollectiveTraces(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("ranks", c_uint32), ("bytes", c_uint64), ("repeat", c_uint32),
                ("compute_before_us", c_uint64), ("compute_after_us", c_uint64), ("group", c_char_p),
                ("compression", c_char_p), ("manifest", c_int)]


def initialised(kind, init):
    """A struct as the library initialises it. The library may know members beyond ours: there is room for them."""
    room = ctypes.create_string_buffer(4096)
    init(ctypes.cast(room, c_void_p))
    struct = ctypes.cast(room, POINTER(kind)).contents
    if struct.size > len(room) or struct.size < ctypes.sizeof(kind) - 7:
        raise ImportError(f"{library_path()} is of another version than this package")
    struct._room = room
    return struct


def _load():
    lib = ctypes.CDLL(library_path())

    def declare(name, result, *arguments):
        f = getattr(lib, name)
        f.restype, f.argtypes = result, arguments

    for name in ("nadi_setup_init", "nadi_output_init", "nadi_collective_traces_init", "nadi_free", "nadi_job_destroy",
                 "nadi_claim_destroy", "nadi_job_keep_ops", "nadi_job_keep_usage", "nadi_messages_destroy"):
        declare(name, None, c_void_p)
    declare("nadi_version", c_char_p)
    declare("nadi_messages_create", c_void_p)
    declare("nadi_messages_count", c_size_t, c_void_p)
    declare("nadi_messages_get", Message, c_void_p, c_size_t)
    declare("nadi_message_format", c_void_p, c_void_p, c_size_t)
    declare("nadi_job_create", c_void_p, c_void_p)
    declare("nadi_job_messages", c_void_p, c_void_p)
    declare("nadi_job_load", c_int, c_void_p)
    declare("nadi_job_check", c_int, c_void_p)
    declare("nadi_job_run", c_int, c_void_p, c_void_p)
    declare("nadi_job_write", c_int, c_void_p, c_void_p)
    declare("nadi_claim_create", c_void_p, c_char_p, c_void_p)
    declare("nadi_job_text", c_void_p, c_void_p, c_int)
    declare("nadi_job_node_count", c_uint64, c_void_p)
    declare("nadi_job_end_ns", c_uint64, c_void_p)
    declare("nadi_generate_collective", c_int, c_void_p, c_char_p, c_void_p)
    declare("nadi_run_check_folder", c_int, c_char_p, c_void_p)
    declare("nadi_query", c_void_p, c_char_p, c_char_p, c_char_p, c_void_p)
    declare("nadi_report_page", c_int, POINTER(c_char_p), c_size_t, c_char_p, c_void_p)
    declare("nadi_report_summary", c_void_p, c_char_p, c_int, c_void_p)
    declare("nadi_report_diff", c_void_p, c_char_p, c_char_p, c_int, c_void_p)
    return lib


lib = _load()


def version():
    return lib.nadi_version().decode()


def take_text(pointer):
    """A text that the library gave to us; None for NULL."""
    if not pointer:
        return None
    text = ctypes.cast(pointer, c_char_p).value.decode("utf-8", "replace")
    lib.nadi_free(pointer)
    return text


def messages_of(handle):
    """[(level, code, whole text)] of a list of messages."""
    levels = {1: "note", 2: "warning", 3: "error"}
    out = []
    for i in range(lib.nadi_messages_count(handle)):
        m = lib.nadi_messages_get(handle, i)
        out.append((levels.get(m.level, "note"), m.code.decode(), take_text(lib.nadi_message_format(handle, i)).rstrip()))
    return out


class Error(RuntimeError):
    """What is wrong, as the program says it: .messages is [(level, code, text)], .status its exit code."""

    def __init__(self, messages, status=INPUT):
        errors = [text for level, _, text in messages if level == "error"]
        super().__init__("\n".join(errors) or f"status {status}")
        self.messages, self.status = messages, status


class Messages:
    """A list for functions that want one."""

    def __enter__(self):
        self.handle = lib.nadi_messages_create()
        return self

    def __exit__(self, *_):
        lib.nadi_messages_destroy(self.handle)

    def error(self, status=INPUT):
        return Error(messages_of(self.handle), status)


def encoded(value):
    return None if value is None else os.fspath(value).encode() if hasattr(value, "__fspath__") else str(value).encode()
