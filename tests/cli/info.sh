#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How `info` explains losses, in text and as JSON, and that its sums fit.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data
symfs=tests/data/symfs

# The text behind "Images:".
cat >"$tmp/want" <<'END'
Images:
cstrace: missing code, 4524 times (17,618 bytes of trace, 99.8 %): /opt/cstrace-sample/sample.a64: file not found; give the directory with the target's files with --symfs DIR

Losses:
  4,524 places whose file was not found, 17,618 bytes of trace, 99.8 %: a mapped file is not on this machine
    -> copy the target's files and name their directory with --symfs DIR; or run perf archive on the target and unpack the result below ~/.debug
  29,027 atoms without an address or context: what follows a loss, until the next address

Losses by CPU:
  CPU 0, 17,618 bytes of trace, 99.8 %: 4,524 places whose file was not found, 29,027 atoms without an address or context

Losses by process:
  process 100 sample.a64, 17,618 bytes of trace, 99.8 %: 4,524 places whose file was not found, 29,027 atoms without an address or context
END
missing_program() {
	run 3 info -i $sample --symfs "$tmp" || return 1
	sed -n '/^Images:/,$p' "$tmp/out" >"$tmp/tail"
	diff "$tmp/want" "$tmp/tail"
}
nothing_lost() {
	run 0 info -i $sample --symfs $symfs && says "$tmp/out" "all code that ran was found" &&
		[ "$(tail -n 1 "$tmp/out")" = "  none" ]
}
points_to_info() {
	run 3 script --itrace=b -i $sample --symfs "$tmp" && says "$tmp/err" "'perf-cstrace info' tells" &&
		run 0 script --itrace=b -i $sample --symfs $symfs && ! grep -q "perf-cstrace info" "$tmp/err"
}
check "a missing program" missing_program
check "nothing lost" nothing_lost
check "other commands point to it" points_to_info

# Sums of the tables, and the same numbers as in the text.
cat >"$tmp/sums.py" <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read()
amount = {l["cause"]: (l["count"], l["bytes"]) for l in j["losses"]}
for l in j["losses"]:
    line = "  %s %s" % (format(l["count"], ","), l["counted"])
    assert line in text, line
    assert l["why"] in text
    assert l["cure"] is None or "-> " + l["cure"] in text
for rows in (j["cpus"], j["processes"]):
    sums = {}
    for r in rows:
        a = sums.setdefault(r["cause"], [0, 0])
        a[0] += r["count"]
        a[1] += r["bytes"]
    for cause, a in sums.items():
        assert tuple(a) == amount[cause], cause
for f in j["files"]:
    assert f["path"] in text
    assert f["count"] <= amount[f["cause"]][0] and f["bytes"] <= amount[f["cause"]][1]
assert bool(j["losses"]) == (int(sys.argv[3]) == 3)
assert j["branches"] > 0 or amount, j
END
sums_fit() {
	run "$1" info -i "$2" --symfs "$3" --format=json && cp "$tmp/out" "$tmp/json" &&
		run "$1" info -i "$2" --symfs "$3" --all && python3 "$tmp/sums.py" "$tmp/json" "$tmp/out" "$1"
}
check "JSON: a missing program" sums_fit 3 $sample "$tmp"
check "JSON: nothing lost" sums_fit 0 $sample $symfs
head -c 9000 $sample >"$tmp/cut"
check "JSON: a cut file" sums_fit 3 "$tmp/cut" $symfs
for seed in 1 2 3; do
	"$CST_GEN" scenario lost-map --case $seed --perf "$tmp/data" --truth "$tmp/truth$seed" --symfs "$tmp/root$seed"
	check "JSON: a lost map, $seed" sums_fit 3 "$tmp/data" "$tmp/root$seed"
	check "JSON: no programs at all, $seed" sums_fit 3 "$tmp/data" "$tmp/absent"
done
wrong_use() {
	run 129 info -i $sample --format=xml && run 129 info -i $sample --format=json --no-decode
}
check "129: formats" wrong_use
finish
