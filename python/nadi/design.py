"""What a cluster should be."""
import ctypes
import json
import os

from ._library import DONE, Messages, Struct, lib, take_text


def cost(cluster=None, network=None, **options):
    """The bill of materials of a cluster, or of a network alone, as `nadi cost` gives it: a dict with "cost" (capital,
    power, what lacks a price) and "parts". options: members of struct nadi_cost_options (include/nadi/cost.h), like
    ranks=512, catalogue="ours.yaml", years=5. Raises Error."""
    named = {k: v for k, v in (("cluster", cluster), ("network", network)) if v is not None}
    return _answer(lib.nadi_cost, Struct("nadi_cost_options", **dict(options, **named, form="json")))


def optimize_bandwidth(network, workload, **options):
    """Divides an NPU's bandwidth between the dimensions of a network, as `nadi optimize bandwidth` does: a dict with
    "answers", each with its dimensions and steps. workload: a path or several. options: members of struct
    nadi_bandwidth_options (include/nadi/optimize.h), like budget_gbps=500, goal="time-cost", prices="prices.yml".
    Raises Error."""
    tables = workload if isinstance(workload, (str, os.PathLike)) else ",".join(map(os.fspath, workload))
    struct = Struct("nadi_bandwidth_options", **dict(options, network=network, workload=os.fspath(tables), form="json"))
    return _answer(lib.nadi_optimize_bandwidth, struct)


def memory_pool(**options):
    """Times transfers between NPUs and a hierarchical memory pool, as `nadi memory pool` does: a list of rows with the
    closed form, the simulation and the stages. options: members of struct nadi_pool_options (include/nadi/memory.h);
    each may be a list, of which all combinations are computed: memory_pool(groups=256, group_bandwidth=[100, 500]).
    Raises Error."""
    def as_text(value):
        if isinstance(value, (list, tuple)):
            return ",".join(map(as_text, value))
        return value if isinstance(value, str) else repr(value)
    given = {k: v if k == "form_only" else as_text(v) for k, v in options.items()}
    return _answer(lib.nadi_memory_pool, Struct("nadi_pool_options", **dict(given, form="json")))["rows"]


def _answer(function, struct):
    text = ctypes.c_void_p()
    with Messages() as m:
        status = function(struct.room, ctypes.byref(text), m.handle)
        if status != DONE:
            raise m.error(status)
    return json.loads(take_text(text.value))
