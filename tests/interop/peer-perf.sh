# SPDX-License-Identifier: BSD-3-Clause
# peer-perf.sh - sourced by tests that run the system's perf (or the one that PERF names): finds it, and runs it with
# the programs of the truth sets at their recorded place (/opt), which needs a mount namespace. Sets shared, tool, tmp.
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -d "$shared/truth/symfs/opt" ] || { echo "no truth sets in $shared/truth"; exit 77; }
"${PERF:-perf}" --version >/dev/null 2>&1 || { echo "no perf"; exit 77; }
symfs=$(cd "$shared/truth/symfs" && pwd)
[ -d /opt ] || mkdir -p /opt 2>/dev/null || { echo "no folder /opt to mount the programs on"; exit 77; }
unshare -rm mount --bind "$symfs/opt" /opt 2>/dev/null ||
	{ echo "a mount namespace cannot be made here"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# with_opt COMMAND...
with_opt() {
	unshare -rm sh -c 'mount --bind "$1" /opt && shift && exec "$@"' sh "$symfs/opt" "$@"
}

inject() {
	"$tool" inject --symfs "$symfs" "$@" 2>"$tmp/inject.err" || [ $? -eq 3 ] ||
		{ cat "$tmp/inject.err"; return 1; }
}
