"""Traces one can share: models learned from traces, and jobs drawn from them."""
import ctypes
from ctypes import c_int, c_void_p

from ._library import Struct, lib, names_of
from .design import _answer

for _name in "learn", "synth", "fidelity", "privacy":
    getattr(lib, f"nadi_trace_{_name}").restype = c_int
    getattr(lib, f"nadi_trace_{_name}").argtypes = c_void_p, c_void_p, c_void_p
    getattr(lib, f"nadi_trace_{_name}_init").restype = None
    getattr(lib, f"nadi_trace_{_name}_init").argtypes = (c_void_p,)


def trace_learn(jobs, output, **options):
    """Learns a model from jobs (manifests or prefixes of traces) and writes it, as `nadi trace learn` does: a dict with
    "kind", "families". options: model="structural" or "sequence", epsilon=0 with public_model=MODEL, seed=0. Raises
    Error."""
    return _answer(lib.nadi_trace_learn,
                   Struct("nadi_trace_learn", **dict(options, jobs=names_of(jobs), output=output, form="json")))


def trace_synth(model, output, **options):
    """Draws a job from a model and writes it, as `nadi trace synth` does: a dict with "manifest", "ranks", "sizes".
    options: like=JOB, family=1, ranks=1024, axes="tp=8 dp=16", layers=48, batch=256, micro_batch=1, sequence=4096,
    compute_scale=1, comm_scale=1, noise=-1 (as learned), temperature=1, seed=1. Raises Error."""
    return _answer(lib.nadi_trace_synth,
                   Struct("nadi_trace_synth", **dict(options, model=model, output=output, form="json")))


def trace_fidelity(real, synthetic, page=None, database=None):
    """How alike two jobs are, as `nadi trace fidelity` measures: a dict with "kinds" and "networks". page: also an HTML
    page. database: also an SQLite file. Raises Error."""
    return _answer(lib.nadi_trace_fidelity,
                   Struct("nadi_trace_fidelity", real=real, synthetic=synthetic, page=page, database=database,
                          form="json"))


def trace_privacy(jobs, synthetic, held_out=(), page=None, database=None):
    """What of the training jobs is in synthetic ones, as `nadi trace privacy` measures: a dict with "jobs", "nearest",
    "auc" of the strongest attacker. page, database: as of trace_fidelity. Raises Error."""
    return _answer(lib.nadi_trace_privacy,
                   Struct("nadi_trace_privacy", jobs=names_of(jobs), synthetic=names_of(synthetic),
                          held_out=names_of(held_out),
                          page=page, database=database, form="json"))
