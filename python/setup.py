"""Puts build/libnadi.so of the checkout into the package: `./dev build` comes first."""
import os
import shutil

from setuptools import setup

here = os.path.dirname(os.path.abspath(__file__))
built = os.environ.get("NADI_LIBRARY") or os.path.join(here, "..", "build", "libnadi.so")
if not os.path.exists(built):
    raise SystemExit(f"{built} is not there: build it first with `./dev build`")
shutil.copy(built, os.path.join(here, "nadi", "libnadi.so"))
setup()
