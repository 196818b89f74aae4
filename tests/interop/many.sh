#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# many: scripts/profile-many with GNU parallel and with Slurm gives the bytes that one process gives; a job of Slurm that
# is killed and requeued changes none; after an error the same command goes on.
set -eu
. tests/cli/tap.sh
tool=$(realpath "${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}")
gen=${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}
many=$(realpath scripts/profile-many)
export PERF_CSTRACE=$tool

i=0
for case in 131 132 133 134 135 136 137 138 139; do
	i=$((i + 1))
	"$gen" random --case $case --insns 20000 --buf=cpu --timed --perf "$tmp/$i.data" --images "$tmp/images$i" >/dev/null
	echo "$tmp/$i.data"
done >"$tmp/list"

# The same in one process after the other.
reference() {
	parts=
	for i in $(seq 9); do
		"$tool" profile -i "$tmp/$i.data" --symfs / --format=cstrace -o "$tmp/$i.cst" || [ $? -eq 3 ] || return 1
		parts="$parts $tmp/$i.cst"
	done
	"$tool" merge -o "$tmp/one.cst" $parts || [ $? -eq 3 ]
}

run() {
	"$many" "$@" "$tmp/list" -- --symfs / >"$tmp/log" 2>&1 || [ $? -eq 3 ] || { cat "$tmp/log"; return 1; }
}

with_parallel() {
	command -v parallel >/dev/null || { echo "GNU parallel is missing"; return 77; }
	run -e parallel "$tmp/parallel.cst" && cmp "$tmp/one.cst" "$tmp/parallel.cst" && [ ! -e "$tmp/parallel.cst.parts" ]
}

# A recording that is not there: an error that names it, nothing written; then the rest is done.
goes_on() {
	mv "$tmp/4.data" "$tmp/away"
	rm -f "$tmp/again.cst"
	if "$many" "$tmp/again.cst" "$tmp/list" -- --symfs / >"$tmp/log" 2>&1; then
		return 1
	fi
	[ ! -e "$tmp/again.cst" ] && grep -q 4.data "$tmp/log" && [ -e "$tmp/again.cst.parts/0/5.cst" ] ||
		{ cat "$tmp/log"; return 1; }
	touch -d 2001-01-01 "$tmp/again.cst.parts/0/5.cst"
	mv "$tmp/away" "$tmp/4.data"
	run -k "$tmp/again.cst" && cmp "$tmp/one.cst" "$tmp/again.cst" &&
		[ "$(date -r "$tmp/again.cst.parts/0/5.cst" +%Y)" -eq 2001 ]
}

# The program, but the first attempt at recording 3 says who runs it, and waits until it is killed.
cat >"$tmp/slow" <<END
#!/bin/sh
case "\$*" in
*/3.data*)
	if [ ! -e "$tmp/killed" ]; then
		echo "\${SLURM_ARRAY_JOB_ID}_\$SLURM_ARRAY_TASK_ID" >"$tmp/who.new"
		mv "$tmp/who.new" "$tmp/who"
		exec sleep 60
	fi
	;;
esac
exec "$tool" "\$@"
END
chmod +x "$tmp/slow"

with_slurm() {
	export SLURM_CONF="$tmp/slurm/slurm.conf"
	(export PERF_CSTRACE="$tmp/slow"; run -e slurm -f 4 "$tmp/slurm.cst") &
	pid=$!
	for i in $(seq 300); do
		[ ! -s "$tmp/who" ] || break
		sleep .1
	done
	[ -s "$tmp/who" ] || { echo "the task never began"; cat "$tmp/log"; return 1; }
	: >"$tmp/killed"
	scontrol requeue "$(cat "$tmp/who")"
	# it is killed, then it waits for a begin time two minutes ahead
	for i in $(seq 100); do
		[ "$(squeue -h -r -j "$(cat "$tmp/who")" -o %t)" = PD ] && break
		sleep .1
	done
	scontrol update JobId="$(cat "$tmp/who")" StartTime=now
	wait $pid && cmp "$tmp/one.cst" "$tmp/slurm.cst"
}

check "one process after the other" reference
check "GNU parallel" with_parallel
check "an error, and the same command again" goes_on
mkdir "$tmp/slurm"
rc=0
tests/interop/slurm-host start "$tmp/slurm" >"$tmp/why" 2>&1 || rc=$?
if [ $rc -eq 77 ]; then
	skip "Slurm, with a job that is killed and requeued" "$(cat "$tmp/why")"
else
	trap 'tests/interop/slurm-host stop "$tmp/slurm"; rm -rf "$tmp"' EXIT
	check "Slurm, with a job that is killed and requeued" with_slurm
fi
finish
