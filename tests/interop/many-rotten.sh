#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# many-rotten: a fleet of recordings, some of them rotten in ten ways. scripts/profile-many names all of these, adds up the
# others, and gives the same bytes when it is killed five times while the list changes twice. 100 recordings with 10 rotten ones;
# nightly 1,000 with 50.
set -u
. tests/cli/tap.sh
tool=$(realpath "${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}")
gen=${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}
many=$(realpath scripts/profile-many)
export PERF_CSTRACE=$tool
command -v parallel >/dev/null || { echo "1..0 # SKIP GNU parallel is missing"; exit 0; }
total=100 rotten=10
[ "${CSTRACE_NIGHTLY:-0}" = 0 ] || total=1000 rotten=50

# Recording N, rotten in the way N modulo 10. Two of the ways are no errors: half of a file has losses, and the program of 9 is gone.
rot() {
	file=$tmp/$1.data
	size=$(wc -c <"$file")
	case $(($1 % 10)) in
	0) : >"$file" ;;
	1) head -c 200 "$file" >"$tmp/x" && mv "$tmp/x" "$file" ;;
	2) head -c $((size / 2)) "$file" >"$tmp/x" && mv "$tmp/x" "$file" ;;
	3) head -c "$size" /dev/urandom >"$file" ;;
	4) echo "No space left on device" >"$file" ;;
	5) rm "$file" ;;
	6) rm "$file" && mkdir "$file" ;;
	7) head -c "$size" /dev/zero >"$file" ;;
	8) rm "$file" && mkfifo "$file" ;;
	9) rm -r "$tmp/images$1" ;;
	esac
}
generate() {
	"$gen" random --case "$2" --insns 600 --perf "$tmp/$1.data" --images "$tmp/images$1" >/dev/null
}
# Of the generator's cases those without losses.
make() {
	i=1 case=1000
	while [ $i -le $total ]; do
		case=$((case + 1))
		rm -rf "$tmp/images$i"
		generate $i $case || return 1
		"$tool" profile -i "$tmp/$i.data" --symfs / --format=cstrace -o "$tmp/x" 2>/dev/null || continue
		echo "$tmp/$i.data"
		echo $case >"$tmp/$i.case"
		i=$((i + 1))
	done >"$tmp/list"
	# not the first ones, and all ten ways
	for i in $(seq $((total / 2 + 1)) $((total / 2 + rotten))); do
		rot "$i" || return 1
	done
}
# The sum of all that can be counted, one after the other.
reference() {
	: >"$tmp/parts"
	while IFS= read -r recording; do
		[ -f "$recording" ] || continue
		code=0
		"$tool" profile -i "$recording" --symfs / --format=cstrace -o "$recording.cst" 2>/dev/null || code=$?
		[ $code -ne 0 ] && [ $code -ne 3 ] || echo "$recording.cst" >>"$tmp/parts"
	done <"$1"
	"$tool" merge --input-files="$tmp/parts" -o "$2" 2>"$tmp/err" || [ $? -eq 3 ]
}

many_run() {
	code=0
	"$many" "$@" -- --symfs / >"$tmp/log" 2>&1 || code=$?
}
failed() {
	echo "exit code $code"
	tail -n 30 "$tmp/log"
	return 1
}
each=$((rotten / 10))	# recordings that are rotten in one way

# Nine ways add nothing: eight are errors. The last lines name all, and so does the file.
named() {
	many_run --skip-errors --summary="$tmp/summary" "$tmp/sum" "$tmp/list"
	[ $code -eq 3 ] && cmp "$tmp/one" "$tmp/sum" && [ ! -e "$tmp/sum.parts" ] || failed || return 1
	[ "$(cut -f1 "$tmp/sum.culprits" | sort | uniq -c | tr -s ' \n' ' ')" = " $((8 * each)) error $each losses $each nothing " ] || {
		cat "$tmp/sum.culprits"
		return 1
	}
	tail -n $((rotten + 1)) "$tmp/log" | sed '$d' >"$tmp/last"
	for i in $(seq $((total / 2 + 1)) $((total / 2 + rotten))); do
		grep -q "^profile-many: $tmp/$i.data: ." "$tmp/last" && grep -q "	$tmp/$i.data	." "$tmp/sum.culprits" || failed || return 1
	done
	tail -n 1 "$tmp/log" | grep -qx "profile-many: $total recordings: $((total - 9 * each)) counted, $each of them with losses; $each with nothing to \
count, $((8 * each)) with errors" || failed
}
summary() {
	python3 - "$tmp/summary" <<END
import json, sys
j = json.load(open(sys.argv[1]))
got = [j[k] for k in ("command", "listed", "counted", "lossy", "nothing", "errors", "exit_code")]
want = ["profile-many", $total, $((total - 9 * each)), $each, $each, $((8 * each)), 3]
assert got == want, got
assert list(j["sum"]) == ["recordings", "bytes", "bytes_filtered", "instructions", "lost", "losses", "binaries"], j
assert j["sum"]["recordings"] == $((total - 9 * each)) and j["sum"]["losses"] and 0 < j["sum"]["lost"]["share"] < 1, j
END
}
whole() {
	rm -f "$tmp/sum"
	many_run -k "$tmp/sum" "$tmp/list"
	[ $code -eq 1 ] && [ ! -e "$tmp/sum" ] && grep -q "$((8 * each)) recordings cannot be read; with --skip-errors" "$tmp/log" || failed
}
limit() {
	many_run -k --skip-errors=$((100 * 9 * each / total - 1))% "$tmp/sum" "$tmp/list"
	[ $code -eq 1 ] && [ ! -e "$tmp/sum" ] && grep -q "add nothing: more than" "$tmp/log" || failed || return 1
	many_run -k --skip-errors=$(((100 * 9 * each + total - 1) / total))% "$tmp/sum" "$tmp/list"
	[ $code -eq 3 ] && cmp "$tmp/one" "$tmp/sum" || failed
}
# A recording that is left out is no loss of trace, which a share could accept.
accepted() {
	many_run -k --skip-errors --max-loss=100% "$tmp/sum" "$tmp/list"
	[ $code -eq 3 ] || failed || return 1
	grep -v "error\|nothing" "$tmp/sum.culprits" | cut -f2 >"$tmp/few" && sed 5q "$tmp/list" >>"$tmp/few"
	many_run -k "$tmp/sum2" "$tmp/few"
	[ $code -eq 3 ] || failed || return 1
	many_run --max-loss=100% "$tmp/sum2" "$tmp/few"
	[ $code -eq 0 ] || failed || return 1
	many_run --max-loss=0.0001% "$tmp/sum2" "$tmp/few"
	[ $code -eq 3 ] && grep -q "of the trace is lost\|trace was lost" "$tmp/log" || failed
}

# starts LIST, and is killed when a fifth more is counted: all processes of it, or at every second time the script alone.
killed() {
	have=$(ls "$tmp/killed.parts/parts" 2>/dev/null | wc -l)
	setsid "$many" --skip-errors "$tmp/killed" "$1" -- --symfs / >"$tmp/log" 2>&1 &
	pid=$!
	for wait in $(seq 3000); do
		[ "$(ls "$tmp/killed.parts/parts" 2>/dev/null | wc -l)" -lt $((have + total / 8)) ] || break
		kill -0 $pid 2>/dev/null || break
		sleep .02
	done
	kill -0 $pid 2>/dev/null || { echo "ended before it was killed"; return 1; }
	# the even ones alone at first: what it had started goes on for a while
	[ $(($2 % 2)) -ne 0 ] || { kill -9 $pid; sleep .3; }
	env kill -9 -- -$pid 2>/dev/null
	wait $pid 2>/dev/null
	[ ! -e "$tmp/killed" ]
}
five_times() {
	rm -rf "$tmp/killed.parts"
	half=$((total / 2))
	sed "${half}q" "$tmp/list" >"$tmp/first"
	sed -n '20,$p' "$tmp/list" | sort -r >"$tmp/second"
	killed "$tmp/first" 1 && killed "$tmp/first" 2 && killed "$tmp/second" 3 && killed "$tmp/list" 4 && killed "$tmp/list" 5 || return 1
	many_run --skip-errors "$tmp/killed" "$tmp/list"
	[ $code -eq 3 ] && cmp "$tmp/one" "$tmp/killed" && cmp "$tmp/all.culprits" "$tmp/killed.culprits" || failed
}
# A truncated file is replaced by the whole one, the others by nothing: what is left is without a fault.
mended() {
	many_run -k --skip-errors "$tmp/mended" "$tmp/list"
	for i in $(seq $((total / 2 + 1)) $((total / 2 + rotten))); do
		case $((i % 10)) in
		2) rm -r "$tmp/images$i" && generate $i "$(cat "$tmp/$i.case")" || return 1 ;;
		*) sed -i "\\|^$tmp/$i.data\$|d" "$tmp/list" ;;
		esac
	done
	many_run "$tmp/mended" "$tmp/list"
	reference "$tmp/list" "$tmp/two" && cmp "$tmp/two" "$tmp/mended" && [ $code -eq 0 ] && [ ! -e "$tmp/mended.culprits" ] || failed
}

# The example of the man page, with the recordings in $1 and this fleet's share of rotten ones.
example_with() {
	rm -rf "$tmp/example"
	mkdir -p "$tmp/bin" "$tmp/example" && ln -sf "$many" "$tmp/bin/cstrace-profile-many" || return 1
	sed -n '/^\.SS "A fleet/,/^\.fi/p' perf-plugin/man/cstrace-profile-many.1 | sed '/^\./d; s/\\-/-/g; s/\\e/\\/g' |
		sed "s|/srv/recordings|$1|; s|=5%|=20%|; s|--symfs root|--symfs /|" >"$tmp/example/script"
	(cd "$tmp/example" && PATH=$tmp/bin:$PATH sh script) >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
}
example() {
	: >"$tmp/a	tab and a \\new.data"
	example_with "$tmp" || return 1
	rm "$tmp/a	tab and a \\new.data"
	code=3
	# find names neither those that are gone nor what they were; those with losses were counted
	[ "$(wc -l <"$tmp/example/sound")" -eq $((total - 9 * each)) ] && cmp "$tmp/one" "$tmp/example/all.cst" || failed
}
# Without any fault all are sound, and nothing is said of a file that is not there.
example_sound() {
	mkdir "$tmp/sound" && ln -s "$tmp/1.data" "$tmp/2.data" "$tmp/sound" || return 1
	example_with "$tmp/sound" && [ "$(wc -l <"$tmp/example/sound")" -eq 2 ] && ! grep culprits "$tmp/log"
}

check "$total recordings" make
check "one after the other" reference "$tmp/list" "$tmp/one"
check "$rotten rotten ones are named, the others added" named
cp "$tmp/sum.culprits" "$tmp/all.culprits"
check "--summary" summary
check "the example of the man page" example
check "the example of the man page, without a fault" example_sound
check "without --skip-errors: 1, nothing written" whole
check "--skip-errors=N%" limit
check "--max-loss" accepted
check "killed five times, and the list edited twice" five_times
check "replaced files, and a list without the rotten ones: 0" mended
finish
