"""Run a simulation, check its inputs, write traces to try things on."""
import ctypes
import json
import os
import tempfile
import warnings

from ._library import DONE, Interruptible, Messages, Struct, encoded, error_of, lib, messages_of, take_text
from .results import Run

MOST_NODES = 1000000  # spans and the critical path are kept up to so many nodes, as the program does


class _Job:
    def __init__(self, inputs):
        self.job = None
        setup = Struct("nadi_setup")
        by_name = {name: value for name, value in inputs.items() if name not in setup.fields and value is not None}
        for name in inputs.keys() & setup.fields.keys():
            setup.set(name, inputs[name])
        self.job = lib.nadi_job_create(setup.room)
        if not self.job:
            raise MemoryError("no memory for a job")
        for name, value in by_name.items():
            self.set(name, value)

    def set(self, name, value):
        """Sets what the library knows by this name, as `nadi run --name value` does."""
        text = ("on" if value else "off") if isinstance(value, bool) else str(value) if isinstance(value, (int, float)) else value
        if lib.nadi_job_set(self.job, name.encode(), encoded(text, name)) != DONE:
            text = self.messages()[-1][2]
            lib.nadi_job_destroy(self.job)
            raise TypeError(text) if "setup/unknown" in text else ValueError(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.nadi_job_destroy(self.job)

    def call(self, function, *arguments):
        """function(the job, *arguments), which what Python's handler of SIGINT raises ends soon."""
        with Interruptible() as i:
            lib.nadi_job_stop(self.job, ctypes.byref(i.stop))
            try:
                return i.call(lambda: function(self.job, *arguments))
            finally:
                lib.nadi_job_stop(self.job, None)

    def messages(self):
        return messages_of(lib.nadi_job_messages(self.job))

    def must(self, status):
        if status != DONE:
            raise error_of(self.messages(), status)

    def unfinished(self, status, output, folder):
        """Of a run that did not end: what it has goes to the folder that the caller named, as `nadi run` does; raises Error."""
        messages = self.messages()
        if lib.nadi_job_has_results(self.job):
            why = json.loads(take_text(lib.nadi_job_json(self.job)))["outcome"].get("stopped_by")
            written = folder is not None and self.call(lib.nadi_job_write, output.room) == DONE
            if why:
                text = f"{why}; what ran until then is in {os.fspath(folder)}" if written else why
                messages.append(("error", "limit/stopped", text))
        raise error_of(messages, status)

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
            self.handle = lib.nadi_claim_create(encoded(self.folder, "out"), m.handle)
            if not self.handle:
                raise m.error()
        return self

    def __exit__(self, *_):
        lib.nadi_claim_destroy(self.handle)


def run(workload, system, network, *, out=None, sensitivity=False, link_usage=False, timeline=False, details=None, **inputs):
    """Simulates and returns a Run. Inputs are those of `nadi run`: memory, groups, network_model, executor, mismatch,
    compute_scale, ... Files go to the folder `out`, of which an earlier run's are removed, or to a temporary one that lives
    as long as the Run.
    details: keep every node's times and the critical path; None: up to a million nodes. Raises Error, also for a run that
    does not end (max_sim, a deadlock): what it has is in `out` then."""
    output = Struct("nadi_output", why=1, sensitivity=sensitivity, link_usage=link_usage, timeline=timeline)
    with _Job(dict(inputs, workload=workload, system=system, network=network)) as j, _Claim(out) as claim:
        output.set("claim", claim.handle)
        j.must(j.call(lib.nadi_job_load))
        if details is None:
            details = sensitivity or lib.nadi_job_node_count(j.job) <= MOST_NODES
        if details or timeline:
            lib.nadi_job_keep_ops(j.job)
        if link_usage:
            lib.nadi_job_keep_usage(j.job)
        status = j.call(lib.nadi_job_run, None)
        if status != DONE:
            j.unfinished(status, output, out)
        j.must(j.call(lib.nadi_job_write, output.room))
        j.warn()
        return Run(claim.folder, messages=j.messages(), keep=claim.keep)


def check(workload, system, network, **inputs):
    """What is wrong with the inputs, without simulating: [(level, code, text)]."""
    with _Job(dict(inputs, workload=workload, system=system, network=network)) as j:
        if j.call(lib.nadi_job_load) == DONE:
            j.call(lib.nadi_job_check)
        return j.messages()


def generate_collective(prefix, kind="all-reduce", ranks=8, bytes=1 << 20, repeat=1, manifest=False):
    """Writes the traces of one collective, a micro-benchmark, as `nadi gen collective` does."""
    options = Struct("nadi_collective_traces", kind=kind, ranks=ranks, bytes=bytes, repeat=repeat, manifest=manifest)
    os.makedirs(os.path.dirname(os.path.abspath(prefix)), exist_ok=True)
    with Messages() as m:
        status = m.call(lib.nadi_generate_collective, options.room, encoded(prefix, "prefix"))
        if status != DONE:
            raise m.error(status)
