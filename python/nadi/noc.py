"""Networks of routers under synthetic traffic."""
from ctypes import c_int, c_void_p

from ._library import Struct, lib
from .design import _answer

lib.nadi_noc_sweep.restype = c_int
lib.nadi_noc_sweep.argtypes = c_void_p, c_void_p, c_void_p
lib.nadi_noc_options_init.restype = None
lib.nadi_noc_options_init.argtypes = (c_void_p,)


def noc_sweep(network, rates=None, **options):
    """Latency over load of a network of routers, as `nadi noc sweep` does: a dict with "loads" and, unless
    saturation=False, "saturation". rates: numbers, or "0.01..0.5:0.05". options: traffic="uniform", packet=1, flit=FILE,
    warmup=5000, measured=10000, seed=1, hot=0, hot_share=0.1,
    energy=CATALOGUE (then also "joules", "pj_per_bit" and "watts" of each load). Raises Error."""
    if rates is not None and not isinstance(rates, str):
        rates = ",".join(repr(float(r)) for r in rates)
    return _answer(lib.nadi_noc_sweep, Struct("nadi_noc_options", **dict(options, network=network, rates=rates, form="json")))
