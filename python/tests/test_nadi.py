"""Tests of the package; run by tests/tools/python."""
import importlib.util
import json
import os
import tempfile
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
        self.assertEqual([m for m in nadi.check(*self.inputs) if m[0] == "error"], [])
        with self.assertRaises(nadi.Error) as caught:
            nadi.run(*self.inputs, max_sim_ns=10)
        self.assertEqual(caught.exception.status, 5)


if __name__ == "__main__":
    unittest.main()
