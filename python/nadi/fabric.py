"""Switches that add up and copy on the way: Fred."""
import ctypes
from ctypes import c_int, c_void_p

from ._library import Struct, lib
from .design import _answer

for _part in ("route_flows", "check_strategies", "count_switches"):
    getattr(lib, "nadi_fabric_" + _part).restype = c_int
    getattr(lib, "nadi_fabric_" + _part).argtypes = c_void_p, c_void_p, c_void_p
for _part in ("route", "check", "count"):
    getattr(lib, "nadi_fabric_%s_options_init" % _part).restype = None
    getattr(lib, "nadi_fabric_%s_options_init" % _part).argtypes = (ctypes.c_void_p,)


def _list(values):
    return str(values) if isinstance(values, (int, str)) else ",".join(map(str, values))


def fabric_route(ports, flows, **options):
    """Routes flows through a Fred switch, all at once, as `nadi fabric route` does: a dict with "verdict" and "rounds".
    flows: "0,1>0,1; 3-5>3-5". options: middle=3, on_conflict="serialise". Raises Error."""
    return _answer(lib.nadi_fabric_route_flows,
                   Struct("nadi_fabric_route_options", **dict(options, ports=ports, flows=flows, form="json")))


def fabric_check(ports, middle=3, **options):
    """Conflicts of every phase of every strategy MP x PP x DP, as `nadi fabric check` does: a list of dicts, one for each
    number of ports and of middle networks. options: placement="mp,pp,dp". Raises Error."""
    given = dict(options, ports=_list(ports), middle=_list(middle), form="json")
    return _answer(lib.nadi_fabric_check_strategies, Struct("nadi_fabric_check_options", **given))["checks"]


def fabric_count(ports, middle=3):
    """Micro-switches of Fred switches, as `nadi fabric count` does: a list of dicts. Raises Error."""
    given = {"ports": _list(ports), "middle": _list(middle), "form": "json"}
    return _answer(lib.nadi_fabric_count_switches, Struct("nadi_fabric_count_options", **given))["counts"]
