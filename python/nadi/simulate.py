"""Run a simulation, check its inputs, write traces to try things on."""
import os
import tempfile
import warnings

from ._library import DONE, CollectiveTraces, Error, Messages, Output, Setup, encoded, initialised, lib, messages_of
from .results import Run

_TEXTS = ("workload", "system", "network", "memory", "groups", "network_model", "executor")
_NUMBERS = ("queues_per_dim", "injection_scale", "compute_scale", "comm_scale", "rendezvous", "lenient", "max_sim_ns",
            "max_wall_ms")
MOST_NODES = 1000000  # spans and the critical path are kept up to so many nodes, as the program does


class _Job:
    def __init__(self, inputs):
        setup = initialised(Setup, lib.nadi_setup_init)
        for key, value in inputs.items():
            if key not in _TEXTS + _NUMBERS:
                raise TypeError(f"no input '{key}'; there are {', '.join(_TEXTS + _NUMBERS)}")
            if value is not None:
                setattr(setup, key, encoded(value) if key in _TEXTS else value)
        self.job = lib.nadi_job_create(setup._room)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.nadi_job_destroy(self.job)

    def messages(self):
        return messages_of(lib.nadi_job_messages(self.job))

    def must(self, status):
        if status != DONE:
            raise Error(self.messages(), status)

    def warn(self):
        for level, _, text in self.messages():
            if level == "warning":
                warnings.warn(text, stacklevel=4)


class _Claim:
    """The sole right to write into a folder; of None a temporary one."""

    def __init__(self, folder):
        self.keep = tempfile.TemporaryDirectory(prefix="nadi-") if folder is None else None
        self.folder = self.keep.name if self.keep else folder

    def __enter__(self):
        with Messages() as m:
            self.handle = lib.nadi_claim_create(encoded(self.folder), m.handle)
            if not self.handle:
                raise m.error()
        return self

    def __exit__(self, *_):
        lib.nadi_claim_destroy(self.handle)


def run(workload, system, network, *, out=None, sensitivity=False, link_usage=False, timeline=False, details=None, **inputs):
    """Simulates and returns a Run. Inputs are those of `nadi run`: memory, groups, network_model, executor,
    compute_scale, ... Files go to the folder `out`, of which an earlier run's are removed, or to a temporary one that lives
    as long as the Run.
    details: keep every node's times and the critical path; None: up to a million nodes. Raises Error."""
    with _Job(dict(inputs, workload=workload, system=system, network=network)) as j, _Claim(out) as claim:
        j.must(lib.nadi_job_load(j.job))
        if details is None:
            details = sensitivity or lib.nadi_job_node_count(j.job) <= MOST_NODES
        if details or timeline:
            lib.nadi_job_keep_ops(j.job)
        if link_usage:
            lib.nadi_job_keep_usage(j.job)
        j.must(lib.nadi_job_run(j.job, None))
        output = initialised(Output, lib.nadi_output_init)
        output.claim = claim.handle
        output.why, output.sensitivity = 1, int(sensitivity)
        output.link_usage, output.timeline = int(link_usage), int(timeline)
        j.must(lib.nadi_job_write(j.job, output._room))
        j.warn()
        return Run(claim.folder, messages=j.messages(), keep=claim.keep)


def check(workload, system, network, **inputs):
    """What is wrong with the inputs, without simulating: [(level, code, text)]."""
    with _Job(dict(inputs, workload=workload, system=system, network=network)) as j:
        if lib.nadi_job_load(j.job) == DONE:
            lib.nadi_job_check(j.job)
        return j.messages()


def generate_collective(prefix, kind="all-reduce", ranks=8, bytes=1 << 20, repeat=1, manifest=False):
    """Writes the traces of one collective, a micro-benchmark, as `nadi gen collective` does."""
    options = initialised(CollectiveTraces, lib.nadi_collective_traces_init)
    options.kind, options.ranks, options.bytes = encoded(kind), ranks, bytes
    options.repeat, options.manifest = repeat, int(manifest)
    os.makedirs(os.path.dirname(os.path.abspath(prefix)), exist_ok=True)
    with Messages() as m:
        status = lib.nadi_generate_collective(options._room, encoded(prefix), m.handle)
        if status != DONE:
            raise m.error(status)
