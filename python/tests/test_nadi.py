"""Tests of the package; run by tests/tools/python."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import nadi

SYSTEM = {"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
          "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring"]}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = cls.folder.name
        cls.inputs = [os.path.join(cls.work, n) for n in ("ar", "system.json", "net.yml")]
        nadi.generate_collective(cls.inputs[0], ranks=8, bytes=1 << 20)
        with open(cls.inputs[1], "w") as f:
            json.dump(SYSTEM, f)
        with open(cls.inputs[2], "w") as f:
            f.write("topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n")
        cls.run_ = nadi.run(*cls.inputs)

    @classmethod
    def tearDownClass(cls):
        cls.run_.close()
        cls.folder.cleanup()

    def test_the_known_time(self):
        self.assertEqual(self.run_.end_ns, 62760)
        self.assertEqual(self.run_.rank_count, 8)
        self.assertEqual(self.run_.summary["schema"], "nadi-summary/1")
        self.assertIn("62760 ns, 8 ranks, done", repr(self.run_))

    def test_causes_add_up(self):
        self.assertEqual(sum(self.run_.causes().values()), self.run_.end_ns)

    def test_tables(self):
        ranks = self.run_.ranks()
        if importlib.util.find_spec("pandas"):
            self.assertEqual(list(ranks["finish_ns"]), [62760] * 8)
            self.assertEqual(len(self.run_.timeline()), 8)
        else:
            self.assertEqual([r["finish_ns"] for r in ranks], [62760] * 8)
        with self.assertRaises(KeyError):
            self.run_.table("nothing")

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    def test_arrays(self):
        a = self.run_.array("select rank, finish_ns from ranks")
        self.assertEqual(a.shape, (8, 2))
        self.assertEqual(a[:, 1].max(), 62760)

    def test_sensitivities_and_files(self):
        out = os.path.join(self.work, "out")
        run = nadi.run(*self.inputs, out=out, sensitivity=True, compute_scale=2.0)
        names = [r[0] for r in run._rows("select parameter from sensitivities")[1]]
        self.assertIn("bandwidth of dimension 0", names)
        self.assertTrue(os.path.exists(os.path.join(out, "sensitivities.csv")))
        self.assertEqual(nadi.load(out).end_ns, run.end_ns)
        run.close()

    def test_report(self):
        page = self.run_.report(os.path.join(self.work, "r.html"))
        with open(page) as f:
            self.assertIn('class="run"', f.read())
        self.assertIn("critical path", self.run_.text())
        self.assertTrue(self.run_._repr_html_().startswith("<iframe"))
        faster = nadi.run(*self.inputs, comm_scale=0.5)
        self.assertIn("end to end", nadi.diff(self.run_, faster))
        faster.close()

    def test_only_whole_runs(self):
        out = os.path.join(self.work, "with # and ?")
        nadi.run(*self.inputs, out=out, sensitivity=True).close()
        nadi.run(*self.inputs, out=out, compute_scale=2.0).close()
        self.assertFalse(os.path.exists(os.path.join(out, "sensitivities.csv")))
        nadi.load(out).close()
        nadi.load(os.path.join(out, "run.db")).close()
        with open(os.path.join(out, "ops.csv"), "w"):
            pass
        with self.assertRaises(nadi.Error) as caught:
            nadi.load(out)
        self.assertIn("report/mixed", str(caught.exception))
        os.remove(os.path.join(out, "ops.csv"))
        os.remove(os.path.join(out, "links.csv"))
        for run in (out, os.path.join(out, "run.db")):
            with self.assertRaises(nadi.Error) as caught:
                nadi.load(run)
            self.assertIn("links.csv", str(caught.exception))

    def test_a_folder_is_claimed_before_the_run(self):
        out = os.path.join(self.work, "claimed")
        with nadi.simulate._Claim(out):
            with self.assertRaises(nadi.Error) as caught:
                nadi.run(*self.inputs, out=out)
            self.assertIn("file/in-use", str(caught.exception))
        nadi.run(*self.inputs, out=out).close()
        self.assertFalse(os.path.exists(os.path.join(out, ".nadi-lock")))

    def test_a_run_that_does_not_end_says_why(self):
        out = os.path.join(self.work, "cut")
        with self.assertRaises(nadi.Error) as caught:
            nadi.run(*self.inputs, out=out, max_sim="10us")
        self.assertEqual(caught.exception.status, 5)
        self.assertEqual(str(caught.exception), f"--max-sim was reached; what ran until then is in {out}")
        with open(os.path.join(out, "summary.json")) as f:
            self.assertEqual(json.load(f)["outcome"]["stopped_by"], "--max-sim was reached")
        with self.assertRaises(nadi.Error) as caught:
            nadi.run(*self.inputs, max_sim="10us")
        self.assertEqual(str(caught.exception), "--max-sim was reached")

    def test_a_name_is_not_its_letters(self):
        page = nadi.report(self.run_.folder, os.path.join(self.work, "one.html"))
        self.assertGreater(os.path.getsize(page), 1000)
        with self.assertRaisesRegex(TypeError, "run wants a dict, found list"):
            nadi.sweep(run=["model"], store=os.path.join(self.work, "store.sqlite"))
        with self.assertRaisesRegex(FileNotFoundError, "nadi sweep"):
            nadi.sweep_results(os.path.join(self.work, "none.sqlite"))

    def test_what_a_run_reads_stays(self):
        out = os.path.join(self.work, "own")
        network = os.path.join(out, "ops.csv")  # which a run without operations removes
        os.mkdir(out)
        shutil.copy(self.inputs[2], network)
        for _ in range(2):
            with self.assertRaises(nadi.Error) as caught:
                nadi.run(*self.inputs[:2], network, out=out)
            self.assertIn("file/is-input", str(caught.exception))
        self.assertEqual(os.listdir(out), ["ops.csv"])
        with open(network) as stays, open(self.inputs[2]) as copied:
            self.assertEqual(stays.read(), copied.read())
        nadi.run(*self.inputs, out=out).close()  # another call, which does not read it
        self.assertFalse(os.path.exists(network))

    def test_errors_say_where(self):
        with self.assertRaises(nadi.Error) as caught:
            nadi.run(self.inputs[0], self.inputs[1], os.path.join(self.work, "no.yml"))
        self.assertIn("no.yml", str(caught.exception))
        self.assertEqual(caught.exception.status, 3)
        with self.assertRaises(TypeError):
            nadi.run(*self.inputs, bandwith=3)
        with self.assertRaises(FileNotFoundError):
            nadi.load(self.work)
        with self.assertRaises(nadi.Error):
            nadi.report([self.run_], os.path.join(self.work, "no", "where.html"))
        with self.assertRaises(nadi.Error):
            nadi.generate_collective(os.path.join(self.work, "x"), kind="all-nothing")
        table = os.path.join(self.work, "step.txt")
        with open(table, "w") as f:
            f.write("DATA\n1\na 0 10 NONE 0 10 NONE 0 10 ALLREDUCE 1000000 0\n")
        answer = nadi.optimize_bandwidth(self.inputs[2], [table], budget_gbps=7.0)["answers"][0]
        self.assertAlmostEqual(answer["dimensions"][0]["bandwidth_gbps"], 7.0)
        self.assertAlmostEqual(answer["steps"][0]["time_ns"], 30 + 2e6 * 7 / 8 / 7)
        answer = nadi.optimize_bandwidth(self.inputs[2], model="gpt2", cluster="dgx-a100", settings="dp=8 batch=8",
                                         budget_gbps=7.0)
        self.assertAlmostEqual(answer["answers"][0]["dimensions"][0]["bandwidth_gbps"], 7.0)
        with self.assertRaises(nadi.Error):
            nadi.optimize_bandwidth(self.inputs[2])
        found = nadi.search("gpt2", "dgx-a100", ranks=4, batch=8, settings="sequence=256", tries="tp=1,2 pp=1",
                            simulate=2)
        self.assertEqual(len(found["rows"]), min(20, found["fitting"]))
        self.assertLessEqual(found["rows"][0]["simulated_ns"], found["rows"][1]["simulated_ns"])
        with self.assertRaises(nadi.Error):
            nadi.search("gpt2", "dgx-a100", ranks=4, batch=8, tries="tp=x")
        with self.assertRaises(nadi.Error):
            nadi.optimize_bandwidth(self.inputs[2], table, goal="cost")
        store = os.path.join(self.work, "sweep.sqlite")
        text = nadi.sweep(store=store, run={"model": "gpt2", "cluster": "dgx-h100"}, vary={"tp": [1, 2, 5], "dp": "4 // tp"})
        self.assertTrue(text.startswith("3 points, 3 of them run: 2 done, 0 do not fit the memory, 1 failed"))
        swept = nadi.sweep_results(store)
        self.assertEqual([(r["point"], r["tp"], r["dp"], r["status"]) for r in swept], [(0, 1, 4, "done"), (1, 2, 2, "done"), (2, 5, 0, "failed")])
        self.assertGreater(swept[0]["step_ns"], 0)
        with self.assertRaises(nadi.Error):
            nadi.sweep(store=store, run={"model": "gpt2", "cluster": "dgx-h100"}, vary={"tp": [1]})
        rows = nadi.memory_pool(group_bandwidth=[100, 500], data="private", npu_bandwidth=512, out_bandwidth="512GB/s")
        self.assertEqual([round(r["form_ns"]) for r in rows], [10741514, 2151580])
        self.assertEqual([r["simulated_ns"] for r in rows], [r["form_ns"] for r in rows])
        with self.assertRaises(nadi.Error):
            nadi.memory_pool(groups=250)
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "partition")
        apart = nadi.partition(os.path.join(folder, "small.yml"), workers=4, data=os.path.join(folder, "samples.npz"), mu=0)
        self.assertEqual([m["accuracy"] for m in apart["methods"][:2]], [1, 1])
        self.assertEqual(apart["samples_same"], 80)
        with self.assertRaises(ValueError):
            nadi.partition(os.path.join(folder, "small.yml"), workers=1)
        bench = nadi.memory_trusted_bench(pages=2**10, accesses=100, warm_up=0, oblivious="path-oram")
        self.assertEqual((bench["pages_moved_per_access"], bench["counts"]["paths"]), (88, 100))
        self.assertAlmostEqual(sum(bench["parts_ns"].values()), bench["mean_ns"], 3)
        self.assertTrue(all(a["held"] for a in nadi.memory_trusted_attack(attacks="forge,replay-page")))
        self.assertTrue(nadi.memory_trusted_leak(oblivious="none", trials=100)["as_documented"])
        with self.assertRaises(nadi.Error):
            nadi.memory_trusted_bench(page_bytes=100)
        memory = os.path.join(self.work, "memory.json")
        with open(memory, "w") as f:
            f.write('{"memory-type": "MEMORY_POOL", "remote-mem-latency": 100, "remote-mem-bw": 10}')
        rows = nadi.memory_bench(memory, [1, 4], first_bytes=1000, last_bytes=1000)
        self.assertEqual([(r["npus"], r["first_ns"], r["last_ns"]) for r in rows], [(1, 200, 200), (4, 200, 800)])
        with self.assertRaises(nadi.Error):
            nadi.memory_bench(memory, 0)
        self.assertEqual([c["conflicts"] for c in nadi.fabric_check([8, 12], (2, 3))], [2, 0, 12, 0])
        self.assertEqual(nadi.fabric_count(64)[0]["switches"], 1087)
        routed = nadi.fabric_route(8, "0,2>0,2; 1,4>1,4; 3,5>3,5", middle=2)
        self.assertEqual((routed["verdict"], routed["smallest_conflict"], len(routed["rounds"])), ("conflict", [0, 1, 2], 2))
        with self.assertRaises(nadi.Error):
            nadi.fabric_route(8, "0>9")
        space = os.path.join(self.work, "space.yml")
        with open(space, "w") as f:
            f.write("run: {cluster: dgx-h100}\nranks: 8\nvary: {'cluster.bandwidth[0]': [20GB/s, 365GB/s]}\n"
                    "workloads: [{model: gpt2, set: batch=8 sequence=512, search: 'cp=1 vp=1 offload=none'}]\n")
        best = nadi.optimize(space, simulate=200)
        self.assertEqual((best["best"], best["proved"]), (1, True))
        bill = nadi.cost("dgx-h100", ranks=64)
        self.assertEqual(sum(p["usd"] for p in bill["parts"]), bill["cost"]["capital_usd"])
        self.assertEqual(nadi.cost(network="fat-tree k=4")["parts"][0]["count"], 16)
        with self.assertRaises(nadi.Error) as caught:
            nadi.cost("dgx-h100")
        self.assertIn("--ranks", str(caught.exception))
        job, model = os.path.join(self.work, "made"), os.path.join(self.work, "learned.model")
        self.assertEqual(nadi.trace_learn([self.inputs[0]], model)["jobs"], 1)
        made = nadi.trace_synth(model, job, seed=2)
        self.assertEqual((made["ranks"], made["family"]), (8, 1))
        with self.assertRaises(nadi.Error):
            nadi.trace_synth(model, job, family=7)
        learned = nadi.trace_learn([self.inputs[0]], model, model="sequence", seed=3)
        self.assertEqual((learned["kind"], learned["families"][0]["items"]), ("sequence", 1))
        self.assertEqual(nadi.trace_synth(model, job, temperature=0)["nodes_left_out"], 0)
        measures = os.path.join(self.work, "measures.db")
        alike = nadi.trace_fidelity(self.inputs[0], made["manifest"], database=measures)
        self.assertTrue(os.path.getsize(measures) > 0)
        self.assertEqual([k["kind"] for k in alike["kinds"]], ["all-reduce"])
        copied = nadi.trace_privacy([self.inputs[0]], [self.inputs[0]])
        self.assertEqual(nadi.trace_privacy(self.inputs[0], self.inputs[0]), copied)  # one name, no list
        self.assertEqual((copied["jobs"][0]["runs"], copied["auc"]), (1, None))
        loads = nadi.noc_sweep("mesh shape=4x4", (0.1, 0.3), measured=500, warmup=200, saturation=False)["loads"]
        self.assertEqual([round(r["latency_cycles"] / 20) for r in loads], [1, 1])
        with self.assertRaises(nadi.Error):
            nadi.noc_sweep("mesh shape=4x4", traffic="up")
        layers = os.path.join(self.work, "layers.csv")
        with open(layers, "w") as f:
            f.write("Layer, M, N, K,\nfc, 64, 96, 32,\n")
        self.assertEqual(nadi.systolic_layers(layers, array="32x32", dataflow="output")["cycles"], 2 * 3 * (96 + 32 - 2))
        with self.assertRaises(nadi.Error):
            nadi.systolic_layers(layers)
        text, graph, made = (os.path.join(self.work, n) for n in ("text.txt", "tasks.dot", "converted"))
        nadi.systolic_layers(layers, array="32x32", workload=text)
        loop = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "loops", "model.yaml")
        self.assertIn("nodes", nadi.trace_from_text(text, made, unit="ns", topology="4", loop=loop))
        with open(graph, "w") as f:
            f.write('digraph g { a [label="{ npu=0 | a | fwd | COMP_NODE | run_time=0.001 }"]; }\n')
        self.assertIn("1 compute", nadi.trace_from_tool([graph], os.path.join(self.work, "tool")))
        self.assertIn("param.json", nadi.trace_to_param(os.path.join(self.work, "tool"), os.path.join(self.work, "param")))
        with self.assertRaises(nadi.Error):
            nadi.trace_from_tool([text], made, form="flexflow")
        page = os.path.join(self.work, "tutorial.html")
        study = nadi.repro("tutorial", page=page)
        self.assertEqual((study["passed"], study["failed"]), (13, 0))
        self.assertEqual(study["studies"][0]["rows"][0]["nadi"], 45.681)
        self.assertTrue(os.path.getsize(page) > 1000)
        self.assertIn("themis", nadi.repro_list())
        with self.assertRaises(nadi.Error) as caught:
            nadi.repro("tutorials")
        self.assertIn("tutorial", str(caught.exception))
        with self.assertRaises(nadi.Error):  # built without Open MPI, or one process for a job of several
            nadi.trace_replay(os.path.join(self.work, "manifest"))
        with self.assertRaises(nadi.Error) as caught:
            prefix = os.path.join(self.work, "manifest")
            nadi.generate_collective(prefix, ranks=4, manifest=True)
            nadi.trace_rescale(prefix + ".yml", made, "dp=8", from_="layers=2")
        self.assertIn("the manifest has no axes", str(caught.exception))
        with self.assertRaises(nadi.Error) as caught:
            nadi.run(*self.inputs, mismatch="maybe")
        self.assertIn("mismatch must be error|warn", str(caught.exception))
        nadi.run(*self.inputs, mismatch="warn").close()
        with self.assertRaises(nadi.Error) as caught:
            nadi.run(*self.inputs, flit="none.yml", network_model="flow")
        self.assertIn("'flit' is about routers, which the network model flow does not have", str(caught.exception))
        self.assertEqual([m for m in nadi.check(*self.inputs) if m[0] == "error"], [])
        with self.assertRaises(nadi.Error) as caught:
            nadi.run(*self.inputs, max_sim_ns=10)
        self.assertEqual(caught.exception.status, 5)


    def refused(self, kind, words, **inputs):
        with self.assertRaises(kind) as caught:
            nadi.run(*self.inputs, **inputs)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_numbers_out_of_range_do_not_wrap(self):
        for value in (2**32, 2**32 + 8, 65537, 10**30, -1, 0):
            self.refused(ValueError, ["queues_per_dim", str(value), "from 1 to 65536"], queues_per_dim=value)
        for value in (float("nan"), float("inf"), -float("inf"), -0.5, 1e10, 10**400):
            self.refused(ValueError, ["compute_scale", "from 0 to 1e+09"], compute_scale=value)
        for value in (2**64, -1):
            self.refused(ValueError, ["seed", "18446744073709551615"], seed=value)
        for ranks in (2**32, 2**32 + 8, 0, -8):
            with self.assertRaises(ValueError):
                nadi.generate_collective(os.path.join(self.work, "x"), ranks=ranks)
        self.assertFalse(os.path.exists(os.path.join(self.work, "x.0.et")))

    def test_settings_by_name(self):
        """What has no member in the library's struct is set by its name, as on the command line."""
        self.refused(nadi.Error, ["--max-sim was reached"], max_sim="10ns")
        self.refused(ValueError, ["max-sim must be a time like", "'1GB'"], max_sim="1GB")
        run = nadi.run(*self.inputs, max_sim="1h")
        self.assertEqual(run.end_ns, self.run_.end_ns)
        run.close()

    def test_wrong_types_are_named(self):
        for value in ("8", 1.5, b"8", int, [8], True):
            self.refused(TypeError, ["queues_per_dim", "whole number"], queues_per_dim=value)
        for value in ("1", b"1", [1], True):
            self.refused(TypeError, ["comm_scale", "number"], comm_scale=value)
        for value in ("yes", 2, 1.0, [1]):
            self.refused(TypeError, ["rendezvous", "True or False"], rendezvous=value)
        for value in (7, 1.5, ["a"]):
            self.refused(TypeError, ["memory", "path"], memory=value)
            self.refused(TypeError, ["network_model", "text"], network_model=value)
        self.refused(TypeError, ["bandwith", "nadi help run"], bandwith=1)
        self.refused(TypeError, ["did you mean 'executor'"], executer="fold")

    def test_texts_that_are_none(self):
        self.refused(ValueError, ["memory", "NUL"], memory="a\0b")
        self.refused(ValueError, ["network_model", "NUL"], network_model="flow\0er")
        self.refused(ValueError, ["network_model", "UTF-8"], network_model=b"caf\xe9")
        self.refused(ValueError, ["network_model", "UTF-8"], network_model="\udce9")
        for name in (b"caf\xe9", "caf\udce9"):  # a path may be any bytes
            with self.assertRaises(nadi.Error) as caught:
                nadi.run(self.inputs[0], self.inputs[1], name)
            self.assertIn("caf", str(caught.exception))
        with self.assertRaises(ValueError):
            nadi.report([self.run_], os.path.join(self.work, "a\0b"))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    def test_numbers_of_numpy(self):
        import numpy
        run = nadi.run(*self.inputs, queues_per_dim=numpy.int64(1), comm_scale=numpy.float32(1))
        self.assertEqual(run.end_ns, 62760)
        run.close()

    def child(self, text, **environment):
        return subprocess.run([sys.executable, "-c", text, *self.inputs], env=dict(os.environ, **environment),
                              capture_output=True, text=True, timeout=300)

    def test_no_memory_ends_no_process(self):
        done = self.child("""
import resource, sys, nadi
nadi.generate_collective(sys.argv[1] + "-large", ranks=8, repeat=250000)  # more than what a thread's heap has reserved
first = nadi.run(*sys.argv[1:]).end_ns
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
before = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), before[1]))
try:
    nadi.run(sys.argv[1] + "-large", *sys.argv[2:])
    print("not refused")
except MemoryError as e:
    resource.setrlimit(resource.RLIMIT_AS, before)
    print(type(e).__name__, e.status, "out of memory" in str(e))
assert nadi.run(*sys.argv[1:]).end_ns == first
""")
        self.assertEqual((done.returncode, done.stdout), (0, "MemoryIsOut 5 True\n"), done.stderr)

    def test_nothing_is_printed_and_nothing_changed(self):
        done = self.child("""
import os, signal, sys, nadi
def state():
    return ([signal.getsignal(s) for s in range(1, 32) if s not in (9, 19)], dict(os.environ), os.getcwd(),
            signal.pthread_sigmask(signal.SIG_BLOCK, []), sorted(os.listdir("/proc/self/fd")))
run = nadi.run(*sys.argv[1:])
run.close()
before = state()
for model in ("unaware", "aware", "flow", "packet", "flit", "loadstore"):
    run = nadi.run(*sys.argv[1:], network_model=model, sensitivity=True)
    run.report(sys.argv[1] + ".html")
    run.close()
try:
    nadi.run("nothing", "nowhere", "never")
except nadi.Error:
    pass
assert state() == before
""")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_an_interrupt_ends_a_run(self):
        done = self.child("""
import os, signal, sys, threading, nadi
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    nadi.run(*sys.argv[1:], network_model="packet", packet_compat="ns3", comm_scale=5e8, max_wall_ms=100000)
except KeyboardInterrupt:
    print("interrupted")
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert nadi.run(*sys.argv[1:]).end_ns == 62760
""")
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\n"), done.stderr)

    def test_an_interrupt_ends_whatever_is_called(self):
        done = self.child("""
import os, signal, sys, threading, time, nadi
work = os.path.dirname(sys.argv[1])
def interrupted(call, after=0.6, by=KeyboardInterrupt):
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    try:
        call()
    except by:
        print("interrupted" if time.monotonic() - begin < after + 8 else "late")
interrupted(lambda: nadi.search("gpt3-175b", "dgx-h100", ranks=16384, batch=16384, simulate=100000))
interrupted(lambda: nadi.search("gpt3-175b", "dgx-h100", ranks=16384, batch=16384, tries="tp=8 pp=8 vp=1 zero=1", simulate=1000))
interrupted(lambda: nadi.generate_collective(os.path.join(work, "many"), ranks=2000000))
interrupted(lambda: nadi.noc_sweep("mesh shape=64x64", rates="0.01..0.9:0.01"))
store = os.path.join(work, "points.db")
inputs = dict(zip(("workload", "system", "network"), sys.argv[1:]))
interrupted(lambda: nadi.sweep(store=store, vary={"comm-scale": [5 * 10**8 + i for i in range(99)]},
                               run={**inputs, "network-model": "packet"}, threads=1))
class Enough(Exception):
    pass
def enough(*_):
    raise Enough
before = signal.signal(signal.SIGINT, enough)
interrupted(lambda: nadi.memory_trusted_leak(trials=10**6), by=Enough)
signal.signal(signal.SIGINT, before)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert nadi.search("mlp-mnist", "dgx-h100", ranks=8, batch=64, simulate=1)["rows"]
""")
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\n" * 6), done.stderr)
        self.assertEqual([f for f in os.listdir(self.work) if f.endswith(".part")], [])

    def test_an_interrupt_ends_writing_and_queries(self):
        done = self.child("""
import os, signal, sys, threading, time, nadi
work = os.path.dirname(sys.argv[1])
long, out = os.path.join(work, "long"), os.path.join(work, "stopped")
nadi.generate_collective(long, ranks=8, repeat=30000)
def interrupted(call, now):
    used = []
    def strike():
        while not now():
            time.sleep(0.01)
        used.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=strike, daemon=True).start()
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted" if time.process_time() - used[0] < 3 else "late")
interrupted(lambda: nadi.run(long, *sys.argv[2:], out=out, timeline=True),
            lambda: os.path.isdir(out) and any(f.endswith(".part") for f in os.listdir(out)))
print([f for f in os.listdir(out) if f.endswith(".part") or f == "summary.json"])
try:
    nadi.load(out)
except (nadi.Error, FileNotFoundError):
    print("refused")
run = nadi.run(long, *sys.argv[2:], out=out)
later = time.monotonic() + 0.3
interrupted(lambda: run.sql("select count(*) from spans a join spans b on a.node <> b.node"), lambda: time.monotonic() > later)
print(run.sql("select count(*) from spans"))
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "^interrupted\n\\[\\]\nrefused\ninterrupted\n[^i]*240000")

    def test_after_a_fork(self):
        child = os.fork()
        if child == 0:
            good = False
            try:
                run = nadi.run(*self.inputs, sensitivity=True)
                good = run.end_ns == 62760
            finally:
                os._exit(0 if good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_threads_do_not_meet(self):
        ends = []

        def work(scale):
            run = nadi.run(*self.inputs, comm_scale=scale)
            ends.append((scale, run.end_ns))
            run.close()
        for scale in (0.5, 1.0, 2.0, 4.0):
            work(scale)
        alone, ends = sorted(ends), []
        threads = [threading.Thread(target=work, args=(scale,)) for scale in (0.5, 1.0, 2.0, 4.0) * 3]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sorted(ends), sorted(alone * 3))

    def test_the_locale_changes_nothing(self):
        if not shutil.which("localedef"):
            self.skipTest("no localedef (apt-get install locales)")
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(["localedef", "--quiet", "--no-archive", "-i", "de_DE", "-f", "UTF-8",
                                   os.path.join(folder, "de_DE.UTF-8")], capture_output=True)
            if not os.path.isdir(os.path.join(folder, "de_DE.UTF-8")):
                self.skipTest(f"localedef makes no locale: {made.stderr}")
            with open(os.path.join(self.work, "net.5.yml"), "w") as f:
                f.write("topology: [Ring]\nnpus_count: [8]\nbandwidth: [12.5]\nlatency: [500.25]\n")
            text = """
import hashlib, locale, os, sys, nadi
name = locale.setlocale(locale.LC_ALL, sys.argv[4])
run = nadi.run(*sys.argv[1:3], os.path.join(os.path.dirname(sys.argv[3]), "net.5.yml"), comm_scale=0.5, sensitivity=True, out="out")
page = run.report("page.html")
print(run.end_ns, hashlib.sha256(open(page, "rb").read()).hexdigest())
for name in sorted(os.listdir("out")):
    print(name, hashlib.sha256(open("out/" + name, "rb").read()).hexdigest())
assert locale.str(1.5) == sys.argv[5]
"""
            said = []
            for name, number in (("C", "1.5"), ("de_DE.UTF-8", "1,5")):
                with tempfile.TemporaryDirectory() as work:
                    done = subprocess.run([sys.executable, "-c", text, *self.inputs, name, number], cwd=work,
                                          env=dict(os.environ, LOCPATH=folder), capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    said.append(done.stdout)
            self.assertEqual(said[0], said[1])
            self.assertGreater(len(said[0].splitlines()), 5)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    for _, reason in result.skipped:
        print(f"skipped: {reason} (Python {sys.version.split()[0]})")
    sys.exit(0 if result.wasSuccessful() else 1)
