"""Layer shapes on a systolic array."""
from ctypes import c_int, c_void_p

from ._library import Struct, lib
from .design import _answer

lib.nadi_systolic_layers.restype = c_int
lib.nadi_systolic_layers.argtypes = c_void_p, c_void_p, c_void_p
lib.nadi_systolic_options_init.restype = None
lib.nadi_systolic_options_init.argtypes = (c_void_p,)


def systolic_layers(topology, **options):
    """Cycles, accesses and bytes off the chip of SCALE-sim's layer shapes, as `nadi systolic` does: a dict with "layers" and
    "cycles". options: array="32x32", device=NAME, config=FILE, dataflow="auto", clock_mhz=1000, element_bytes=2,
    workload=FILE, parallelism="data", split=1. Raises Error."""
    return _answer(lib.nadi_systolic_layers, Struct("nadi_systolic_options", **dict(options, topology=topology, form="json")))
