# SPDX-License-Identifier: BSD-3-Clause
# peer-perf.sh - sourced by tests that run the perf on the PATH (scripts/check puts the one that PERF names there): with
# the programs of the truth sets at their recorded place (/opt), which needs a mount namespace. Sets shared, tool, tmp.
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -d "$shared/truth/symfs/opt" ] || { echo "no truth sets in $shared/truth"; exit 77; }
perf --version >/dev/null 2>&1 || { echo "no perf"; exit 77; }
symfs=$(cd "$shared/truth/symfs" && pwd)
[ -d /opt ] || mkdir -p /opt 2>/dev/null || { echo "no folder /opt to mount the programs on"; exit 77; }
unshare -rm mount --bind "$symfs/opt" /opt 2>/dev/null ||
	{ echo "a mount namespace cannot be made here"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ordered FILE: the name of a copy of a truth set whose TIME_CONV stands where perf record writes it
ordered() {
	copy=$tmp/$(basename "$(dirname "$1")").data
	[ -e "$copy" ] || python3 tests/interop/records.py --time-first "$1" "$copy"
	echo "$copy"
}

# with_opt COMMAND...
with_opt() {
	unshare -rm sh -c 'mount --bind "$1" /opt && shift && exec "$@"' sh "$symfs/opt" "$@"
}

inject() {
	"$tool" inject --symfs "$symfs" "$@" 2>"$tmp/inject.err" || [ $? -eq 3 ] ||
		{ cat "$tmp/inject.err"; return 1; }
}
