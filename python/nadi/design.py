"""What a cluster should be."""
import ctypes
import json
import os

from ._library import DONE, Messages, Struct, lib, take_text


def optimize_bandwidth(network, workload, **options):
    """Divides an NPU's bandwidth between the dimensions of a network, as `nadi optimize bandwidth` does: a dict with
    "answers", each with its dimensions and steps. workload: a path or several. options: members of struct
    nadi_bandwidth_options (include/nadi/optimize.h), like budget_gbps=500, goal="time-cost", prices="prices.yml".
    Raises Error."""
    tables = workload if isinstance(workload, (str, os.PathLike)) else ",".join(map(os.fspath, workload))
    struct = Struct("nadi_bandwidth_options", **dict(options, network=network, workload=os.fspath(tables), form="json"))
    text = ctypes.c_void_p()
    with Messages() as m:
        status = lib.nadi_optimize_bandwidth(struct.room, ctypes.byref(text), m.handle)
        if status != DONE:
            raise m.error(status)
    return json.loads(take_text(text.value))
