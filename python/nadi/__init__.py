"""nadi: simulate distributed training of machine-learning models, from Python.

    import nadi
    run = nadi.run(workload="step/workload.yml", system="step/system.json", network="step/network.yml")
    run.end_ns                                  # integer nanoseconds
    run.ranks()                                 # a pandas.DataFrame, or a list of dicts without pandas
    run.sql("select cause, sum(duration_ns) as ns from critical_path group by cause")
    run.report("report.html")
    run                                         # in a notebook: the report itself

A thin layer over the C library (include/nadi/*.h), by ctypes: nothing needs to be compiled. The library is found in
the package's folder, by the variable NADI_LIBRARY, or as build/libnadi.so of the checkout. numpy and pandas are used
where they are installed.
"""
from ._library import Error, library_path, version
from .convert import trace_from_text, trace_from_tool, trace_rescale, trace_to_param
from .design import (cost, memory_bench, memory_pool, memory_trusted_attack, memory_trusted_bench,
                     memory_trusted_leak, optimize, optimize_bandwidth, partition, partition_bench, search, sweep,
                     sweep_results)
from .fabric import fabric_check, fabric_count, fabric_route
from .learned import trace_fidelity, trace_learn, trace_privacy, trace_synth
from .noc import noc_sweep
from .published import repro, repro_list, trace_replay
from .results import Run, diff, load, report
from .simulate import check, generate_collective, run
from .systolic import systolic_layers

__all__ = ["Error", "Run", "check", "cost", "diff", "fabric_check", "fabric_count", "fabric_route",
           "generate_collective", "library_path", "load", "memory_bench", "memory_pool", "memory_trusted_attack",
           "memory_trusted_bench", "memory_trusted_leak", "noc_sweep", "optimize", "optimize_bandwidth", "partition",
           "partition_bench", "report", "repro", "repro_list", "run", "search", "sweep", "sweep_results", "systolic_layers", "trace_fidelity",
           "trace_from_text", "trace_from_tool", "trace_learn", "trace_privacy", "trace_replay", "trace_rescale", "trace_synth",
           "trace_to_param", "version"]
__version__ = version()
