#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --summary=FILE of profile, inject and merge: JSON that says what standard error says, for each exit code; and the man page's
# recipe for Prometheus.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data
symfs=tests/data/symfs
mkdir "$tmp/empty"
head -c 9000 $sample >"$tmp/cut"
head -c 200 $sample >"$tmp/broken"

# fits FILE EXPRESSION: the object `j` of the file fulfils it.
fits() {
	python3 - "$1" "$2" <<'END' || { cat "$1"; return 1; }
import json, sys
j = json.load(open(sys.argv[1]))
if not eval(sys.argv[2].replace("\n", " ")):
    sys.exit("not so: " + sys.argv[2])
END
}

# The numbers of the summary on standard error, and of the sample's program.
whole='j["recordings"] == 1 and j["bytes"] == 17648 and j["instructions"] == 119840 and j["exit_code"] == 0 and j["losses"] == []
	and j["lost"] == {"bytes": 0, "of": 17648, "share": 0} and j["bytes_filtered"] == 0 and j["seconds"] < 100
	and abs(j["time"] - __import__("time").time()) < 100
	and j["binaries"] == [{"name": "/opt/cstrace-sample/sample.a64", "build_id": "206c0270ee5701f65b1cb0bc52fd48fa427d4289"}]'
of_whole() {
	run 0 "$@" -i $sample --symfs $symfs --summary="$tmp/s" && fits "$tmp/s" "$whole and j[\"branches\"] == 25997"
}
check "profile" of_whole profile -o "$tmp/o"
check "profile --format=cstrace" of_whole profile --format=cstrace -o "$tmp/counts"
check "inject" of_whole inject -o "$tmp/o"
version() {
	fits "$tmp/s" "'cstrace version ' + j['version'] == '$("$tool" --version | sed 1q)' and j['command'] == 'inject' and j['input'] == '$sample'"
}
check "version, command and input" version
of_counts() {
	run 0 profile -i "$tmp/counts" --symfs $symfs "$@" -o "$tmp/o" --summary="$tmp/s" && fits "$tmp/s" "$whole and 'branches' not in j"
}
check "profile of a count file" of_counts
check "a count file again" of_counts --format=cstrace
merged() {
	run 0 merge "$tmp/counts" "$tmp/counts" -o "$tmp/o" --summary="$tmp/s" &&
		fits "$tmp/s" 'j["recordings"] == 2 and j["bytes"] == 35296 and j["instructions"] == 239680 and len(j["binaries"]) == 1 and "input" not in j'
}
check "merge" merged
filtered() {
	run 0 profile -i tests/data/sample-trbe.perf.data --symfs $symfs --time 0%-40% -o "$tmp/o" --summary="$tmp/s" &&
		fits "$tmp/s" 'j["bytes_filtered"] > 0 and j["bytes"] + j["bytes_filtered"] == 59348 and j["lost"]["of"] == j["bytes"]'
}
check "with a filter" filtered

# The instructions are those that the filter lets through, as the count file has them, whatever was decoded on the way.
instructions() {
	for f in "--time 10%-40%" "--time 0%-30% -C 0" "--pid 0" "--tid 1-9999999 --time 50%-60%"; do
		rm -f "$tmp/part"
		"$tool" profile -i tests/data/sample-trbe.perf.data --symfs $symfs $f --format=cstrace -o "$tmp/part" --summary="$tmp/s" 2>"$tmp/err"
		[ -e "$tmp/part" ] || { fits "$tmp/s" 'j["instructions"] == 0' && continue || return 1; }
		run 0 merge "$tmp/part" -o "$tmp/o" --summary="$tmp/s2" &&
			fits "$tmp/s" "0 < j['instructions'] <= j['instructions_decoded'] and 'branches' not in j and
 j['instructions'] == json.load(open('$tmp/s2'))['instructions']" || return 1
		run 0 inject -i tests/data/sample-trbe.perf.data --symfs $symfs $f -o "$tmp/o" --summary="$tmp/s" &&
			fits "$tmp/s" "j['instructions'] == json.load(open('$tmp/s2'))['instructions']" || return 1
	done
	run 0 profile -i tests/data/sample-trbe.perf.data --symfs $symfs --time 10%-40% --format=cstrace -o "$tmp/part" --summary="$tmp/s" &&
		fits "$tmp/s" 'j["instructions"] < j["instructions_decoded"]'
}
check "instructions with a filter" instructions

# ---- losses and errors --------------------------------------------------------------------------

# Causes, counts and bytes are those of info; the share is that which --max-loss judges.
losses() {
	run 3 info -i "$tmp/cut" --symfs $symfs --format=json
	cp "$tmp/out" "$tmp/info"
	run 3 profile -i "$tmp/cut" --symfs $symfs --format=cstrace -o "$tmp/lossy" --summary="$tmp/s" &&
		fits "$tmp/s" "j['exit_code'] == 3 and j['lost']['share'] == 1 and j['losses'] == [{k: l[k] for k in ('cause', 'count', 'bytes')}
 for l in json.load(open('$tmp/info'))['losses']]" || return 1
	run 0 profile -i "$tmp/cut" --symfs $symfs -o "$tmp/o" --max-loss=100% --summary="$tmp/s" && fits "$tmp/s" 'j["exit_code"] == 0 and j["losses"]'
}
check "losses are those of info" losses
lossy_counts() {
	run 3 merge "$tmp/lossy" "$tmp/counts" -o "$tmp/o" --summary="$tmp/s2" &&
		fits "$tmp/s2" "j['exit_code'] == 3 and 0 < j['lost']['share'] < 1 and [(l['cause'], l['count']) for l in j['losses']] ==
 sorted((l['cause'], l['count']) for l in json.load(open('$tmp/s'))['losses'])"
}
check "losses of a sum" lossy_counts
nothing() {
	run 5 profile -i $sample --symfs "$tmp/empty" -o "$tmp/none" --summary="$tmp/s" && [ ! -e "$tmp/none" ] &&
		fits "$tmp/s" 'j["exit_code"] == 5 and j["instructions"] == 0 and j["lost"]["share"] > 0.99'
}
check "nothing decoded" nothing
error() {
	for c in "profile -i $tmp/broken" "inject -i $tmp/broken" "merge $tmp/broken" "profile -i $tmp/absent"; do
		run 1 $c -o "$tmp/none" --summary="$tmp/s" && fits "$tmp/s" 'j["exit_code"] == 1 and "bytes" not in j' || return 1
	done
}
check "an error" error
# What an option names is not there: a summary of before does not stay.
absent() {
	for c in "profile -i $sample --symfs $tmp/absent" "profile -i $sample --format=top --base $tmp/absent" "profile -i $sample -k $tmp/absent" \
		"profile -i $tmp/counts --kallsyms $tmp/absent" "inject -i $sample --symfs $tmp/absent" "inject -i $sample --guestmount $tmp/absent" \
		"merge -f $tmp/absent" "merge $tmp/counts --symfs $tmp/absent" "merge $tmp/counts --subtract $tmp/absent" "merge -f /dev/null"; do
		for order in "${c%% *} --summary $tmp/s ${c#* }" "$c --summary $tmp/s"; do
			echo '{"exit_code":0}' >"$tmp/s"
			run 1 $order -o "$tmp/none" && [ ! -e "$tmp/none" ] && fits "$tmp/s" "j['exit_code'] == 1 and j['command'] == '${c%% *}'" || return 1
		done
	done
}
check "an option that names what is not there" absent
# Scripts ask so whether options can be used.
help_after() {
	run 1 profile --symfs "$tmp/absent" --help && is_empty "$tmp/out" && run 0 profile --symfs $symfs --help && [ -s "$tmp/out" ]
}
check "--help behind an option that names what is not there" help_after
wrong_usage() {
	echo old >"$tmp/s"
	run 129 profile -i $sample --symfs "$tmp/absent" --no-such -o "$tmp/none" --summary "$tmp/s" && says "$tmp/s" old
}
check "not for wrong usage" wrong_usage

# ---- the file -----------------------------------------------------------------------------------

to_stdout() {
	run 0 profile -i $sample --symfs $symfs -o "$tmp/o" --summary=- && fits "$tmp/out" "$whole" &&
		run 129 profile -i $sample --symfs $symfs --summary=- && is_empty "$tmp/out" && says "$tmp/err" "name a file"
}
check "standard output, unless the output goes there" to_stdout
refused() {
	rm -f "$tmp/none"
	run 1 profile -i $sample --symfs $symfs -o "$tmp/none" --summary="$tmp/absent/s" && says "$tmp/err" "absent/s" && [ ! -e "$tmp/none" ] &&
		cp $sample "$tmp/in" && run 1 profile -i "$tmp/in" --symfs $symfs -o "$tmp/none" --summary="$tmp/in" && cmp $sample "$tmp/in"
}
check "a place that cannot be, or that is the input" refused
odd_name() {
	odd="$tmp/a \"quoted\" \\ name"
	cp $sample "$odd"
	run 0 profile -i "$odd" --symfs $symfs -o "$tmp/o" --summary="$tmp/s" && fits "$tmp/s" 'j["input"].endswith("/a \"quoted\" \\ name")'
}
check "a name with quotes" odd_name

# The recipe as the man page has it, on a run with losses and on one that failed.
recipe() {
	sed -n '/^\.SS "Numbers for Prometheus"/,/^\.fi/p' perf-plugin/man/perf-cstrace.1 | sed -n '/^host\$ [jm][qv]/p' |
		sed 's/^host\$ //; s/\\-/-/g; s/\\e/\\/g' >"$tmp/recipe"
	[ -s "$tmp/recipe" ] || return 1
	(cd "$tmp" && cp "$1" run.json && sh recipe && cat cstrace.prom) >"$tmp/prom" || return 1
	! grep -Evn '^[a-z_]+(\{cause="[a-z-]+"\})? [0-9]+(\.[0-9]+)?$' "$tmp/prom"
}
prometheus() {
	recipe "$tmp/s2" && says "$tmp/prom" "cstrace_exit_code 3" && says "$tmp/prom" 'cstrace_losses{cause="cut"} 1' || return 1
	run 1 profile -i "$tmp/broken" -o "$tmp/none" --summary="$tmp/s" && recipe "$tmp/s" && says "$tmp/prom" "cstrace_lost_share 1" &&
		says "$tmp/prom" "cstrace_exit_code 1"
}
if command -v jq >/dev/null; then
	check "the recipe for Prometheus" prometheus
else
	skip "the recipe for Prometheus" "jq is missing"
fi
finish
