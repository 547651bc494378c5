"""Puts build/libnadi.so of the checkout into the package: `./dev build` comes first. Nothing is compiled for Python, so that
a wheel fits every Python 3, but only the machine that the library was built for."""
import ctypes
import os
import shutil

from setuptools import setup
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:
        bdist_wheel = object  # no wheel can be made here

here = os.path.dirname(os.path.abspath(__file__))
built = os.environ.get("NADI_LIBRARY") or os.path.join(here, "..", "build", "libnadi.so")
if not os.path.exists(built):
    raise SystemExit(f"{built} is not there: build it first with `./dev build`")
shutil.copy(built, os.path.join(here, "nadi", "libnadi.so"))
library = ctypes.CDLL(built)
library.nadi_version.restype = ctypes.c_char_p


class PlatformWheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(version=library.nadi_version().decode(), distclass=PlatformDistribution,
      cmdclass={"bdist_wheel": PlatformWheel} if bdist_wheel is not object else {})
