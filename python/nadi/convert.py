"""Traces of other tools, and jobs at other scales."""
import ctypes
from ctypes import c_int, c_void_p

from ._library import DONE, Messages, Struct, lib, names_of, take_text
from .design import _answer

for _name in "from_text", "from_tool", "rescale", "to_param":
    getattr(lib, f"nadi_trace_{_name}").restype = c_int
    getattr(lib, f"nadi_trace_{_name}").argtypes = c_void_p, c_void_p, c_void_p
    getattr(lib, f"nadi_trace_{_name}_init").restype = None
    getattr(lib, f"nadi_trace_{_name}_init").argtypes = (c_void_p,)


def _text(function, struct, from_here=False):
    """from_here: called in this thread, which some libraries need, and not interrupted."""
    text = c_void_p()
    with Messages() as m:
        status = function(struct.room, ctypes.byref(text), m.handle) if from_here else m.call(function, struct.room, ctypes.byref(text))
        if status != DONE:
            raise m.error(status)
    return take_text(text.value)


def trace_from_text(path, output, **options):
    """Writes a text workload of ASTRA-sim 1.0 or SimAI as traces, as `nadi trace from-text` does: its report, a text.
    options: unit="ns", topology="4x2", network=FILE, ranks=8, loop=FILE, passes=1, header=LINE, dialect="auto". Raises
    Error."""
    return _text(lib.nadi_trace_from_text, Struct("nadi_trace_from_text", **dict(options, input=path, output=output)))


def trace_from_tool(files, output, **options):
    """Writes files of other tools (StableHLO, HLO, profiles of XLA and Nsight, FlexFlow, DUMPI, PARAM) as traces, as
    `nadi trace from-tool` does: its report, a text. options: form="hlo", ranks=8. Raises Error."""
    return _text(lib.nadi_trace_from_tool, Struct("nadi_trace_from_tool", **{**options, "inputs.names": names_of(files),
                                                                               "output": output}))


def trace_rescale(manifest, output, to, **options):
    """Writes a job at another scale, to="dp=16 batch=64", as `nadi trace rescale` does: a dict of figures. options:
    from_="layers=32", roles="group0=tp", attention="*qkv", attention_share=0.1. Raises Error."""
    if "from_" in options:
        options["from"] = options.pop("from_")
    return _answer(lib.nadi_trace_rescale,
                   Struct("nadi_trace_rescale", **{**options, "edit.inputs.names": [manifest], "edit.output": output,
                                                   "edit.json": True, "to": to}))


def trace_to_param(traces, output, groups=None):
    """Writes a job's communication for PARAM's replay, as `nadi trace to-param` does: its report, a text. Raises Error."""
    return _text(lib.nadi_trace_to_param,
                 Struct("nadi_trace_to_param", **{"inputs.names": [traces], "output": output, "groups": groups}))
