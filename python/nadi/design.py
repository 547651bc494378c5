"""What a cluster should be."""
import ctypes
import json
import os

from ._library import DONE, STOPPING, Messages, Struct, lib, take_text


def _sweep(space, vary, run, options):
    texts = [f"{k}={v if isinstance(v, str) else ','.join(map(str, v))}" for k, v in (vary or {}).items()]
    words = [f"{k}={os.fspath(v)}" for k, v in (run or {}).items()]
    return Struct("nadi_sweep_options", **dict(options, space=space, vary=texts, run=words))


def sweep(space=None, store=None, vary=None, run=None, **options):
    """Runs all points of a space, as `nadi sweep` does, into the SQLite file `store`; returns what became of them as text.
    vary: values by key, {"tp": [1, 2, 4], "dp": "8 / tp"}; run: words of `run`, {"model": "llama3-8b", "cluster": "dgx-h100"};
    both replace those of the space. options: resume=True, threads=2. Raises Error."""
    for name, value in (("vary", vary), ("run", run)):
        if value is not None and not hasattr(value, "items"):
            raise TypeError(f"{name} wants a dict, found {type(value).__name__}")
    struct = _sweep(space, vary, run, dict(options, store=store))
    text = ctypes.c_void_p()
    with Messages() as m:
        status = m.call(lib.nadi_sweep, struct.room, STOPPING, ctypes.byref(text))
        if status != DONE:
            raise m.error(status)
    return take_text(text.value)


def sweep_results(store):
    """The rows of a store of `nadi sweep` by point: a list of dicts. Raises Error."""
    if not os.path.exists(store):
        raise FileNotFoundError(f"{os.fspath(store)}: `nadi sweep` writes it")
    with Messages() as m:
        query = b"select * from points order by point"
        text = m.call(lib.nadi_query, os.fspath(store).encode(), query, b"json")
        if not text:
            raise m.error(3)
    return json.loads(take_text(text))


def cost(cluster=None, network=None, **options):
    """The bill of materials of a cluster, or of a network alone, as `nadi cost` gives it: a dict with "cost" (capital,
    power, what lacks a price) and "parts". options: members of struct nadi_cost_options (include/nadi/cost.h), like
    ranks=512, catalogue="ours.yaml", years=5. Raises Error."""
    named = {k: v for k, v in (("cluster", cluster), ("network", network)) if v is not None}
    return _answer(lib.nadi_cost, Struct("nadi_cost_options", **dict(options, **named, form="json")))


def optimize_bandwidth(network, workload=None, **options):
    """Divides an NPU's bandwidth between the dimensions of a network, as `nadi optimize bandwidth` does: a dict with
    "answers", each with its dimensions and steps. workload: a path or several, or None with model="gpt3-175b". options:
    members of struct nadi_bandwidth_options (include/nadi/optimize.h), like budget_gbps=500, goal="time-cost",
    prices="prices.yml". Raises Error."""
    given = dict(options, network=network, form="json")
    if workload is not None:
        tables = workload if isinstance(workload, (str, os.PathLike)) else ",".join(map(os.fspath, workload))
        given["workload"] = os.fspath(tables)
    struct = Struct("nadi_bandwidth_options", **given)
    return _answer(lib.nadi_optimize_bandwidth, struct)


def optimize(space, **options):
    """The best cluster of a space for several workloads, as `nadi optimize` finds it: a dict with "best", "proved",
    "gap" and "designs". options: members of struct nadi_design_options (include/nadi/optimize.h), like simulate=100,
    out="answer". Raises Error."""
    struct = Struct("nadi_design_options", **dict(options, space=space, form="json"))
    return _answer(lib.nadi_optimize, struct)


def partition(model, **options):
    """Takes a trained network apart for workers that should hardly talk, as `nadi partition` does: a dict with "methods"
    (the partition first, then its baselines), "layers", "workers_load". options: members of struct
    nadi_partition_options (include/nadi/partition.h), like workers=8, data="samples.npz", accuracy_loss=0.005, out="parts".
    Raises Error."""
    given = {k: os.fspath(v) if k in ("description", "data", "out") else v for k, v in options.items()}
    struct = Struct("nadi_partition_options", **dict(given, model=os.fspath(model), form="json"))
    return _answer(lib.nadi_partition, struct)


def partition_bench(**options):
    """Trains small networks and takes them apart, as `nadi partition bench` does: a list of rows. options: members of
    struct nadi_partition_bench_options (include/nadi/partition.h), like nets="block", workers="2,4". Raises Error."""
    return _answer(lib.nadi_partition_bench, Struct("nadi_partition_bench_options", **dict(options, form="json")))["rows"]


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


def memory_bench(memory, npus=(1,), **options):
    """One request of remote memory on each of some NPUs at once, over sizes, as `nadi memory bench` does: a list of rows
    with times and bandwidths. memory: a memory file; npus: how many ask, one number or several; options: members of
    struct nadi_memory_bench_options (include/nadi/memory.h), like first_bytes=4096, direction="store". Raises Error."""
    counts = (npus,) if isinstance(npus, int) else npus
    struct = Struct("nadi_memory_bench_options", **dict(options, memory=os.fspath(memory), npus=",".join(map(str, counts)),
                                                        form="json"))
    return _answer(lib.nadi_memory_bench, struct)["rows"]


def memory_trusted_bench(**options):
    """Times accesses to a trusted memory pool, as `nadi memory trusted bench` does: a dict with "mean_ns", "p99_ns",
    "useful_gbps", "parts_ns", "counts" and more. options: members of struct nadi_trusted_bench_options
    (include/nadi/memory.h), like pages=2**18, oblivious="path-oram", threads=16. Raises Error."""
    return _answer(lib.nadi_memory_trusted_bench, Struct("nadi_trusted_bench_options", **dict(options, form="json")))


def memory_trusted_attack(**options):
    """Attacks a trusted pool's engines, as `nadi memory trusted attack` does: a list of attacks, each with "expected",
    "observed", "without" the defence, "held". options: attacks="replay-page,forge", seed=1. Raises Error."""
    return _tested(lib.nadi_memory_trusted_attack, options)["attacks"]


def memory_trusted_leak(**options):
    """Tests whether a trusted pool's link shows which pages are used, as `nadi memory trusted leak` does: a dict with
    "tests" and their p-values, and "as_documented". options: oblivious="shuffle", trials=1000. Raises Error."""
    return _tested(lib.nadi_memory_trusted_leak, options)


def _tested(function, options):
    failed = ctypes.c_int()
    return _answer(function, Struct("nadi_trusted_test_options", **dict(options, form="json")), ctypes.byref(failed))


def _answer(function, struct, *more):
    text = ctypes.c_void_p()
    with Messages() as m:
        status = m.call(function, struct.room, ctypes.byref(text), *more)
        if status != DONE:
            raise m.error(status)
    return json.loads(take_text(text.value))


def search(model, cluster, **options):
    """The best strategies of a model on a cluster, as `nadi model search` finds them: a dict with "rows", best first.
    options: members of struct nadi_model_search (include/nadi/search.h), like ranks=64, batch=256, tries="tp=4,8",
    settings="sequence=4096". Raises Error."""
    struct = Struct("nadi_model_search", **dict(options, model=model, cluster=cluster, form="json"))
    text = ctypes.c_void_p()
    with Messages() as m:
        status = m.call(lib.nadi_model_search_run, struct.room, ctypes.byref(text))
        if status != DONE:
            raise m.error(status)
    return json.loads(take_text(text.value))
