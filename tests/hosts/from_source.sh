#!/bin/sh
# Builds programs for the binary interfaces that their packages lack: HPCC for MPICH and for the MPI standard, LAMMPS and mpi4py
# for the standard. Takes 15 minutes on two cores, and needs what `cargo xtask setup` installs, and Debian's libopenblas-dev.
#
# from_source.sh DIR: a directory with hpcc_*.orig.tar.gz and lammps_*.orig.tar.* of Debian's source packages, and mpi4py-*.tar.gz
# of PyPI. Files that are missing are not built.
set -eu
sources=$(cd "$1" && pwd)
mpi=$(cd "$(dirname "$0")/../../target/mpi" && pwd)
wrappers=$mpi/mpich/bin
built=$mpi/from_source
mkdir -p "$built"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build_hpcc ABI COMPILER OPTIONS
build_hpcc() {
    mkdir "$work/hpcc-$1"
    tar -xf "$archive" -C "$work/hpcc-$1" --strip-components 1
    sed -e "s|^TOPdir .*|TOPdir = ../../..|; s|^ARCH .*|ARCH = $1|; s|^CC .*|CC = $2|; s|^LINKER .*|LINKER = $2|" \
        -e "s|^MPinc .*|MPinc =|; s|^MPlib .*|MPlib =|; s|^LAlib .*|LAlib = -lopenblas|" \
        -e "s|^CCFLAGS .*|CCFLAGS = \$(HPL_DEFS) -O2 -w -std=gnu99 $3|" \
        "$work/hpcc-$1/hpl/setup/Make.Linux_PII_CBLAS" >"$work/hpcc-$1/hpl/Make.$1"
    make -C "$work/hpcc-$1" -j "$(nproc)" "arch=$1" >"$work/log" 2>&1 || { tail "$work/log"; return 1; }
    cp "$work/hpcc-$1/hpcc" "$built/hpcc-$1"
    echo "built $built/hpcc-$1"
}

for archive in "$sources"/hpcc_*.orig.tar.*; do
    test -f "$archive" || continue
    build_hpcc mpich "$wrappers/mpicc" ""
    # The standard's interface lacks the functions that MPI 3 removed.
    build_hpcc abi "$wrappers/mpicc_abi" "-DMPI_Address=MPI_Get_address -DMPI_Type_struct=MPI_Type_create_struct"
done

for archive in "$sources"/mpi4py-*.tar.gz; do
    test -f "$archive" || continue
    rm -rf "$built/mpi4py"
    python3 -m venv --without-pip "$built/mpi4py"
    MPICC=$wrappers/mpicc_abi python3 -m pip --quiet --disable-pip-version-check --python "$built/mpi4py/bin/python" \
        install --no-binary mpi4py "$archive"
    echo "built $built/mpi4py"
done

for archive in "$sources"/lammps_*.orig.tar.*; do
    test -f "$archive" || continue
    mkdir "$work/lammps"
    tar -xf "$archive" -C "$work/lammps" --strip-components 1
    cd "$work/lammps/src"
    mkdir -p MAKE/MINE
    # The standard's interface has other names for the conversion of handles to and from integers.
    options="-O1 -std=c++11 -DMPI_Fint=int -DMPI_Comm_f2c=MPI_Comm_fromint -DMPI_Comm_c2f=MPI_Comm_toint"
    sed -e "s|^CC =.*|CC = $wrappers/mpicxx_abi|; s|^LINK =.*|LINK = $wrappers/mpicxx_abi|" \
        -e "s|^CCFLAGS =.*|CCFLAGS = $options|; s|^LINKFLAGS =.*|LINKFLAGS = -O1|" MAKE/Makefile.mpi >MAKE/MINE/Makefile.abi
    make -j "$(nproc)" abi >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
    cp lmp_abi "$built/lmp-abi"
    echo "built $built/lmp-abi"
done
