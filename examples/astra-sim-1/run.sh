#!/bin/sh
# run.sh [NADI]: text workloads, networks and systems of ASTRA-sim 1.0, from the files beside this
# script to a finish time each. docs/models/astra-sim-1.md says what to compare them with.
set -eu
here=$(cd -P "$(dirname "$0")" && pwd)
nadi=${1:-nadi}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

simulate() { # WORKLOAD NETWORK [OPTION...]: its time in ns
    workload=$1
    network=$2
    shift 2
    "$nadi" trace from-text "$here/$workload.txt" --unit ns --network "$here/$network.json" \
        -o "$out/$workload" >/dev/null 2>&1
    "$nadi" run --quiet --workload "$out/$workload" --network "$here/$network.json" \
        --system "$here/$network.txt" --format json "$@" >"$out/result.json"
    time_ns=$(sed -n 's/.*"end_to_end_ns": \([0-9]*\).*/\1/p' "$out/result.json")
    printf '%-10s %-16s %-22s %12s ns\n' "$workload" "$network" "${*:-}" "$time_ns"
}

simulate micro ring
simulate micro switch
simulate micro fully-connected
simulate convnet pod
simulate convnet pod --compute-scale 0.5
simulate block pod
