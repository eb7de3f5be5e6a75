# SPDX-License-Identifier: (Apache-2.0 OR MIT)

import os

from spack.package import *


class Mpit(Package):
    """Time, messages and bytes of MPI programs, without recompiling them."""

    # Spack takes tarballs from the directory in which it is called, or from a mirror.
    manual_download = True
    download_instr = "Make the tarball by `cargo xtask dist --source`, or for +binary by `cargo xtask dist`, and call Spack in its directory."

    license("Apache-2.0 OR MIT")

    # Add the sums of SHA256SUMS as `sha256=`; without them, `spack install` needs `--no-checksum`.
    version("0.1.0")

    variant("binary", default=False, description="Install the tarball that is built for all Linux systems since glibc 2.17")

    with when("~binary"):
        depends_on("c", type="build")
        depends_on("rust@1.90:", type="build")
        depends_on("binutils", type="build")

    # The crates that it depends on are in the tarball.
    conflicts("platform=darwin", msg="mpit is for Linux")
    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="mpit is for x86-64 and AArch64")

    def url_for_version(self, version):
        processor = "aarch64" if self.spec.satisfies("target=aarch64:") else "x86_64"
        kind = f"{processor}-linux" if self.spec.satisfies("+binary") else "vendored"
        return f"file://{os.getcwd()}/mpit-{version}-{kind}.tar.xz"

    def setup_build_environment(self, env):
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo"))
        env.set("CARGO_NET_OFFLINE", "true")

    def install(self, spec, prefix):
        if spec.satisfies("+binary"):
            install_tree(".", prefix, symlinks=True)
        else:
            Executable("cargo")("xtask", "install", "--prefix", prefix)

    def test_version(self):
        """the command runs and has the version of the package"""
        mpit = which(self.prefix.bin.mpit)
        out = mpit("--version", output=str.split, error=str.split)
        assert f"mpit {self.spec.version}" in out

    def test_preload(self):
        """the command finds the libraries that it preloads"""
        mpit = which(self.prefix.bin.mpit)
        mpit("run", "--regions", "kokkos", "--", "true")
