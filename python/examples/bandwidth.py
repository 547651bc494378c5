# %% [markdown]
# # What does a faster network buy?
# A notebook as a script: cells are separated by `# %%`. It runs from anywhere once the package is installed, or with
# `PYTHONPATH=python`.

# %%
import os
import sys
import tempfile

import nadi

work = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()

# %% [markdown]
# An all-reduce of 64 MiB on 16 accelerators, by ring.

# %%
nadi.generate_collective(os.path.join(work, "ar"), "all-reduce", ranks=16, bytes=64 << 20)
with open(os.path.join(work, "system.json"), "w") as f:
    f.write('{"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,\n'
            ' "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring"]}\n')


def network(gbps):
    path = os.path.join(work, f"net{gbps}.yml")
    with open(path, "w") as f:
        f.write(f"topology: [Ring]\nnpus_count: [16]\nbandwidth: [{gbps}]\nlatency: [500]\n")
    return path


# %% [markdown]
# Several bandwidths, and the time of each.

# %%
runs = {}
for gbps in (25, 50, 100, 200):
    runs[gbps] = nadi.run(os.path.join(work, "ar"), os.path.join(work, "system.json"), network(gbps), sensitivity=gbps == 50)
    print(f"{gbps:4} GB/s  {runs[gbps].end_ns / 1e3:10.1f} us  {runs[gbps].causes()}")

# %% [markdown]
# What would buy more at 50 GB/s?

# %%
print(runs[50].sql("select parameter, gain_large_ns from sensitivities where gain_large_ns > 0"))
print(runs[50].text())

# %% [markdown]
# All of them on one page; in a notebook the last line alone shows a run's report.

# %%
nadi.report(list(runs.values()), os.path.join(work, "report.html"))
print(nadi.diff(runs[25], runs[200]).splitlines()[4])
runs[50]
