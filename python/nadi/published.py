"""Published results, and a job's communication on a machine."""
import ctypes
import json
from ctypes import c_char_p, c_int, c_void_p

from ._library import DONE, Messages, Struct, encoded, lib, take_text
from .convert import _text

lib.nadi_repro_list.restype = c_void_p
lib.nadi_repro_list.argtypes = ()
lib.nadi_repro_page.restype = c_int
lib.nadi_repro_page.argtypes = c_char_p, c_char_p, c_int, c_char_p, c_void_p, c_void_p, c_void_p
lib.nadi_trace_replay.restype = c_int
lib.nadi_trace_replay.argtypes = c_void_p, c_void_p, c_void_p
lib.nadi_trace_replay_init.restype = None
lib.nadi_trace_replay_init.argtypes = (c_void_p,)


def repro_list():
    """The studies of published results that `nadi repro` has: a text."""
    return take_text(lib.nadi_repro_list())


def repro(name, inputs=None, page=None):
    """Reproduces published results, as `nadi repro NAME` does: a dict with "studies", each with its rows, and how many
    figures are as published ("passed") or not ("failed"). inputs: a folder of published files that some studies read;
    page: an HTML page to write. Raises Error."""
    text, failed = c_void_p(), c_int()
    with Messages() as m:
        status = m.call(lib.nadi_repro_page, encoded(name, path=False), encoded(inputs), 1, encoded(page), ctypes.byref(text),
                        ctypes.byref(failed))
        answer = take_text(text.value) if text.value else None
        if status != DONE or answer is None:
            raise m.error(status)
    return json.loads(answer)


def trace_replay(traces, groups=None, **options):
    """Replays a job's communication in the processes of mpirun, one a rank, as `nadi trace replay` does: its report, a
    text (empty but for rank 0). options: simulated="out/collectives.csv", output="times.csv", repeats=10, compute=True.
    Raises Error, also where nadi was built without Open MPI."""
    return _text(lib.nadi_trace_replay,
                 Struct("nadi_trace_replay", **{"inputs.names": [traces], "groups": groups, **options}), from_here=True)
