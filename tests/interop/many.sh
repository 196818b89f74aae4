#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# many: scripts/profile-many with GNU parallel and with Slurm gives the bytes that one process gives, whatever names the files
# have; it replaces nothing that it reads, and one run works at an output; a job of Slurm that is killed and requeued changes none; after an error or an interrupt the same command goes on, and
# forgets no loss; a changed list and replaced files are noticed.
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
seq 9 | sed 's/$/.data/' >"$tmp/relative"
# where nothing has a plain name
odd="$tmp/it's a \"folder\" of \$HOME & {}"
mkdir "$odd"
ln -s "$tool" "$odd/the tool"

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
	"$many" "$@" --symfs / >"$tmp/log" 2>&1 || [ $? -eq 3 ] || { cat "$tmp/log"; return 1; }
}

with_parallel() {
	command -v parallel >/dev/null || { echo "GNU parallel is missing"; return 77; }
	run -e parallel "$tmp/parallel.cst" "$tmp/list" -- && cmp "$tmp/one.cst" "$tmp/parallel.cst" && [ ! -e "$tmp/parallel.cst.parts" ]
}

parts_of() {
	ls "$tmp/$1.cst.parts/parts" | grep -c 'cst$'
}

# A recording that is not there: an error that names it, nothing written; then the rest is done.
goes_on() {
	mv "$tmp/4.data" "$tmp/away"
	rm -f "$tmp/again.cst"
	if "$many" "$tmp/again.cst" "$tmp/list" -- --symfs / >"$tmp/log" 2>&1; then
		return 1
	fi
	[ ! -e "$tmp/again.cst" ] && grep -q "4.data: there is no such file" "$tmp/log" && [ "$(parts_of again)" -eq 8 ] ||
		{ cat "$tmp/log"; return 1; }
	touch -d 2001-01-01 "$tmp/again.cst.parts/parts"/*.cst
	mv "$tmp/away" "$tmp/4.data"
	run -k "$tmp/again.cst" "$tmp/list" -- && cmp "$tmp/one.cst" "$tmp/again.cst" && [ "$(parts_of again)" -eq 9 ] &&
		[ "$(find "$tmp/again.cst.parts/parts" -name '*.cst' -newermt 2002-01-01 | wc -l)" -eq 1 ]
}

says() {
	grep -q "$1" "$tmp/log" || { cat "$tmp/log"; return 1; }
}

odd_names() {
	(cd "$tmp" && PERF_CSTRACE="$odd/the tool" run "$odd/a sum" relative --) && cmp "$tmp/one.cst" "$odd/a sum"
}

# Another host begins in another folder.
by_ssh() {
	cat >"$tmp/ssh" <<END
#!/bin/sh
while [ "\$1" != -- ]; do
	shift
done
shift
cd / && exec sh -c "\$*"
END
	chmod +x "$tmp/ssh"
	(cd "$tmp" && unset SHELL && PARALLEL_SSH="$tmp/ssh" run -j 2 -S one,two "$odd/far" relative --) && cmp "$tmp/one.cst" "$odd/far"
}

# An engine that ends without an error and has not run all tasks.
idle_engine() {
	mkdir -p "$tmp/idle"
	printf '#!/bin/sh\nhead -n 3 | sh\n' >"$tmp/idle/parallel"
	chmod +x "$tmp/idle/parallel"
	if PATH="$tmp/idle:$PATH" "$many" "$tmp/idle.cst" "$tmp/list" -- --symfs / >"$tmp/log" 2>&1; then
		return 1
	fi
	says "ran no task" && [ ! -e "$tmp/idle.cst" ] && run "$tmp/idle.cst" "$tmp/list" -- && cmp "$tmp/one.cst" "$tmp/idle.cst"
}

# The list is another one, a recording another file of the same name, and options are others: each part is of what it counts.
edited() {
	run -k "$tmp/edited.cst" "$tmp/list" -- && cmp "$tmp/one.cst" "$tmp/edited.cst" || return 1
	{ sed -n '7,9p;1,3p' "$tmp/list"; } >"$tmp/shorter"
	run -k "$tmp/edited.cst" "$tmp/shorter" -- && "$tool" merge -o "$tmp/want" "$tmp"/[123789].cst || [ $? -eq 3 ]
	cmp "$tmp/want" "$tmp/edited.cst" && [ "$(parts_of edited)" -eq 9 ] || return 1
	# a whole file in the place of another, with its size and times
	cp -p "$tmp/1.data" "$tmp/was" && cp "$tmp/2.data" "$tmp/1.data" && touch -r "$tmp/was" "$tmp/1.data"
	run -k "$tmp/edited.cst" "$tmp/list" -- && says "note: 1 recordings are more than once" || return 1
	cp -p "$tmp/was" "$tmp/1.data"
	"$tool" merge -o "$tmp/want" "$tmp"/[2-9].cst "$tmp/2.cst" || [ $? -eq 3 ]
	cmp "$tmp/want" "$tmp/edited.cst" && run -k "$tmp/edited.cst" "$tmp/list" -- && cmp "$tmp/one.cst" "$tmp/edited.cst" || return 1
	run -k "$tmp/edited.cst" "$tmp/list" -- --no-calls && ! cmp -s "$tmp/one.cst" "$tmp/edited.cst" && [ "$(parts_of edited)" -eq 18 ]
}

# A recording that changes while it is counted is an error.
changes() {
	cp "$tmp/5.data" "$tmp/moving.data"
	cat >"$tmp/mover" <<END
#!/bin/sh
case "\$*" in
*moving.data*--symfs*) cp "$tmp/6.data" "$tmp/moving.data" ;;
esac
exec "$tool" "\$@"
END
	chmod +x "$tmp/mover"
	code=0
	echo "$tmp/moving.data" >"$tmp/one"
	PERF_CSTRACE="$tmp/mover" "$many" "$tmp/moving.cst" "$tmp/one" -- --symfs / >"$tmp/log" 2>&1 || code=$?
	[ $code -eq 1 ] && says "moving.data: changed while it was read" && [ ! -e "$tmp/moving.cst" ]
}

# Folders: a package is counted, and counted again when a file in it is another.
folders() {
	for i in 3 4; do
		"$tool" convert -i "$tmp/$i.data" --symfs / --images --to=package -o "$tmp/package$i" || [ $? -eq 3 ] || return 1
		"$tool" profile -i "$tmp/package$i" --symfs / --format=cstrace -o "$tmp/p$i.cst" || [ $? -eq 3 ] || return 1
	done
	cp -r "$tmp/package3" "$tmp/package"
	echo "$tmp/package" >"$tmp/one"
	run -k "$tmp/folder.cst" "$tmp/one" -- && cmp "$tmp/p3.cst" "$tmp/folder.cst" || return 1
	rm -r "$tmp/package" && cp -r "$tmp/package4" "$tmp/package"
	run -k "$tmp/folder.cst" "$tmp/one" -- && cmp "$tmp/p4.cst" "$tmp/folder.cst"
}

# Killed when the count file of recording 5 was written, with losses, and before they were noted.
losses_stay() {
	cat >"$tmp/lossy" <<END
#!/bin/sh
"$tool" "\$@" || exit
case "\$*" in
*/5.data*)
	[ -e "$tmp/interrupted" ] || { : >"$tmp/interrupted"; kill -9 \$PPID; }
	exit 3
	;;
esac
END
	chmod +x "$tmp/lossy"
	if PERF_CSTRACE="$tmp/lossy" "$many" "$tmp/lossy.cst" "$tmp/list" -- --symfs / >"$tmp/log" 2>&1; then
		return 1
	fi
	[ -e "$tmp/interrupted" ] && [ ! -e "$tmp/lossy.cst" ] || return 1
	code=0
	PERF_CSTRACE="$tmp/lossy" "$many" "$tmp/lossy.cst" "$tmp/list" -- --symfs / >"$tmp/log" 2>&1 || code=$?
	[ $code -eq 3 ] && says "5.data: trace was lost" && cmp "$tmp/one.cst" "$tmp/lossy.cst"
}

nothing_counted() {
	code=0
	"$many" "$tmp/nothing.cst" "$tmp/list" -- --symfs / --pid 4711 >"$tmp/log" 2>&1 || code=$?
	[ $code -eq 5 ] && [ ! -e "$tmp/nothing.cst" ] && says "9.data: nothing could be counted" && says "is not written"
}

misuse() {
	for wrong in "-f 1" "-f x" "-j 0" "-e ssh" "-x" --skip --skip-errors=5 --skip-errors=101% --skip-errors=-1% --summary= --max-loss=1 --=; do
		code=0
		"$many" $wrong "$tmp/wrong" "$tmp/list" >"$tmp/log" 2>&1 || code=$?
		[ $code -eq 129 ] && [ ! -e "$tmp/wrong.parts" ] || { echo "$wrong: $code"; return 1; }
	done
	code=0
	"$many" "$tmp/wrong" "$tmp/list" -- --frobnicate >"$tmp/log" 2>&1 || code=$?
	[ $code -eq 129 ] && [ ! -e "$tmp/wrong.parts" ] || return 1
	code=0
	"$many" --skip-errors "$tmp/wrong" "$tmp/list" -- --symfs "$tmp/absent" >"$tmp/log" 2>&1 || code=$?
	[ $code -eq 1 ] && [ ! -e "$tmp/wrong" ] && says "cannot be run with these options"
}

# fails CODE WORDS ARGUMENT...: the run ends with CODE, its last line but a hint has the words.
fails() {
	want=$1 words=$2
	shift 2
	code=0
	timeout 60 "$many" "$@" >"$tmp/log" 2>&1 || code=$?
	[ $code -eq "$want" ] && tail -n 2 "$tmp/log" | grep -qF -- "$words" || { echo "$code: $*"; cat "$tmp/log"; return 1; }
}

# The folder few has two recordings and lists of them; what must not be replaced is compared with a copy.
few() {
	rm -rf "$tmp/few" "$tmp/few.was"
	mkdir "$tmp/few" && cp -p "$tmp/1.data" "$tmp/2.data" "$tmp/few" && cd "$tmp/few" && printf '%s\n' 1.data 2.data >two &&
		ln -s 2.data link && ln 2.data hard && ln -s two names && cp -a . "$tmp/few.was"
}
unharmed() {
	diff -r "$tmp/few.was" "$tmp/few"
}

keeps_inputs() (
	few
	fails 1 "2.data: is the recording 2.data of two" 2.data two -- --symfs / && unharmed &&
		fails 1 "link: is the recording 2.data of two" link two -- --symfs / && unharmed &&
		fails 1 "hard: is the recording 2.data of two" hard two -- --symfs / && unharmed &&
		fails 1 "two: is the list of recordings, two" two two -- --symfs / && unharmed &&
		fails 1 "names: is the list of recordings, two" names two -- --symfs / && unharmed &&
		fails 1 "./two: is the list of recordings, two" --summary=./two o two -- --symfs / && unharmed &&
		fails 1 "1.data: is the recording 1.data of two" --summary=1.data o two -- --symfs / && unharmed &&
		fails 1 "../few/o: is o, which is written too" --summary=../few/o o two -- --symfs / && unharmed &&
		fails 1 "o.culprits: is o.culprits, which is written too" --summary=o.culprits o two -- --symfs / && unharmed || return 1
	rm names
	mv two o.culprits && cp -p 1.data p.culprits && echo p.culprits >>o.culprits && rm -r "$tmp/few.was" && cp -a . "$tmp/few.was"
	fails 1 "o.culprits: is the list of recordings" o o.culprits -- --symfs / && unharmed &&
		fails 1 "p.culprits: is the recording p.culprits of o.culprits" p o.culprits -- --symfs / && unharmed
)

outputs() (
	few
	mkdir folder p.culprits
	mkfifo fifo
	fails 1 "folder: cannot open it for writing: it is a folder" --summary=folder o two -- --symfs / &&
		fails 1 "absent/s: cannot open it for writing: there is no folder absent" --summary absent/s o two -- --symfs / &&
		fails 1 "absent/o: cannot open it for writing: there is no folder absent" absent/o two -- --symfs / &&
		fails 1 "fifo: cannot open it for writing: it is no regular file" fifo two -- --symfs / &&
		fails 1 "p.culprits: cannot open it for writing: it is a folder" p two -- --symfs / &&
		fails 1 "folder: is a folder" o folder -- --symfs / && [ ! -e absent ] && [ ! -e o.parts ] && [ -z "$(ls folder)" ]
)

# To standard output, and into what is no regular file.
summaries() (
	few
	"$many" --summary - o two -- --symfs / >s 2>"$tmp/log" || { cat "$tmp/log"; return 1; }
	mkfifo fifo
	timeout 60 cat fifo >t &
	"$many" --summary fifo o two -- --symfs / 2>"$tmp/log" && [ -p fifo ] && wait && python3 - <<END
import json
for name in "s", "t":
    with open(name) as f:
        j = json.load(f)
    assert j["command"] == "profile-many" and j["listed"] == 2 and j["exit_code"] == 0, j
    assert j["sum"]["recordings"] == 2 and j["sum"]["binaries"] and not set(j["sum"]) & {"command", "input", "time", "exit_code"}, j
END
)

# No message of the shell or of a program that the script starts.
first_run() (
	few
	"$many" o two -- --symfs / >/dev/null 2>"$tmp/log" && ! grep -v '^cstrace\|^profile-many: [0-9]* recordings' "$tmp/log"
)

# A list can be read once.
from_pipe() (
	few
	mkfifo fifo
	cat two >fifo &
	timeout 60 "$many" o fifo -- --symfs / 2>"$tmp/log" && "$many" p two -- --symfs / 2>"$tmp/log" && cmp o p || { cat "$tmp/log"; return 1; }
)

# A program that waits at 2.data until the file "go" is there, and notes its number.
waiting_tool() {
	cat >waiting <<END
#!/bin/sh
case "\$*" in
*2.data*--symfs*)
	echo \$\$ >at
	until [ -e go ]; do
		sleep .05
	done
	;;
esac
exec "$tool" "\$@"
END
	chmod +x waiting
	export PERF_CSTRACE="$PWD/waiting"
}
begun() {
	for i in $(seq 400); do
		[ ! -s at ] || return 0
		sleep .05
	done
	echo "it never began"
	return 1
}

# A second run ends, and the first is not disturbed. A lock ends with its run, though what that one started still works.
one_run() (
	few
	waiting_tool
	"$many" o two -- --symfs / >first 2>&1 &
	pid=$!
	begun || return 1
	fails 1 "o.parts: another run works at it: process $pid of $(uname -n)" ./o two -- --symfs / || return 1
	: >go
	wait $pid && "$tool" merge -o want "$tmp/1.cst" "$tmp/2.cst" && cmp want o && [ ! -e o.parts ] || { cat first; return 1; }
	rm at go
	"$many" o two -- --symfs / >first 2>&1 &
	pid=$!
	begun || return 1
	kill -9 $pid
	wait $pid || :
	kill -0 "$(cat at)" || return 1
	PERF_CSTRACE=$tool "$many" p/../o two -- --symfs / >"$tmp/log" 2>&1 && return 1
	PERF_CSTRACE=$tool "$many" o two -- --symfs / >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	: >go
	cmp want o
)

no_flock() (
	few
	mkdir bin
	ln -s /usr/bin/* bin
	rm bin/flock
	PATH=$PWD/bin "$many" o two -- --symfs / >"$tmp/log" 2>&1 && says "note: flock is missing"
)

# A full disk is said once, with the file and the reason, and is no error of a recording.
full_disk() (
	few
	mkdir full
	seq 9 | sed "s|.*|$tmp/&.data|" >list
	unshare -m sh -c 'mount -t tmpfs -o size=$1 tmpfs full && shift && "$@" || echo "code $?"' \
		sh "$1" "$many" --skip-errors full/o list -- --symfs / >"$tmp/log" 2>&1
	[ "$(grep -c "No space left on device" "$tmp/log")" -eq 1 ] && says "^profile-many: .*/o.parts/.*: No space left on device" &&
		says "full/o is not written; after the cause is mended" && says "^code 1" && ! grep -i "I/O error\|left out" "$tmp/log"
)

# What a name of the list is, that is no recording.
others() (
	few
	mkfifo fifo
	ln -s nowhere gone
	printf '%s\n' fifo gone 1.data/x /dev/null >>two
	code=0
	"$many" --skip-errors o two -- --symfs / >"$tmp/log" 2>&1 || code=$?
	[ $code -eq 3 ] && says "fifo: is no file or folder, but a fifo" && says "gone: there is no such file or folder" &&
		says "1.data/x: cannot be read: Not a directory" && says "/dev/null: is no file or folder, but a character special file" &&
		[ "$(grep -c "^error	fifo	is no file or folder, but a fifo" o.culprits)" -eq 1 ]
)

twice() (
	few
	cp 1.data 3.data
	printf '%s\n' 2.data 3.data 2.data >>two
	"$many" o two -- --symfs / >"$tmp/log" 2>&1 && says "note: 2.data is in two 3 times$" &&
		says "note: 1.data and 3.data have the same bytes: these are in two 2 times$" &&
		says "note: 2 recordings are more than once in two" || return 1
	for i in $(seq 25); do
		cp 1.data "n$i" && echo "$i" >>"n$i" && printf '%s\n' "n$i" "n$i"
	done >many
	"$many" o many -- --symfs / >"$tmp/log" 2>&1 || [ $? -le 3 ]
	says "note: 25 recordings are more than once in many" && [ "$(grep -c "note: n[0-9]* is in many 2 times" "$tmp/log")" -eq 20 ]
)

# Three words in a line of OUT.culprits, whatever names have.
escapes() (
	few
	: >"a	b\\n.data"
	printf '%s\n' "a	b\\n.data" >>two
	code=0
	"$many" --skip-errors o two -- --symfs / >"$tmp/log" 2>&1 || code=$?
	[ $code -eq 3 ] && [ "$(awk -F '\t' '{ print NF }' o.culprits)" = 3 ] && [ "$(cut -f 2 o.culprits)" = 'a\tb\\n.data' ] &&
		[ "$(printf %b "$(cut -f 2 o.culprits)")" = "a	b\\n.data" ]
)

# The reason is the last line but a hint, and options have values as those of perf-cstrace.
usage() (
	few
	fails 129 "-e ssh: known are parallel and slurm" -e ssh o two &&
		fails 129 "-x: there is no such option" -x o two &&
		fails 129 "-j: needs a value" -j &&
		fails 129 "--skip-errors=5%" --skip-errors 5% o two &&
		fails 129 "--summary: needs a value" --summary= o two &&
		fails 129 "--max-loss: needs a value" --max-loss &&
		fails 129 "expected OUT" o &&
		fails 129 "-- -o: input, output and format" o two -- -o foo &&
		fails 129 "-- -i: input, output and format" o two -- -i foo &&
		fails 129 "-- --format=top: input, output and format" o two -- --format=top && [ ! -e o.parts ] && unharmed || return 1
	"$many" --help >help 2>err && [ ! -s err ] && grep -q -- "--max-loss SHARE" help || return 1
	"$many" -k --max-loss 1% --summary s --skip-errors o two -- --symfs / 2>"$tmp/log" && [ -s s ] && [ -s o ]
)

# The program, but the first attempt at recording 3 says who runs it, and waits until it is killed.
cat >"$odd/slow" <<END
#!/bin/sh
case "\$*" in
*" 3.data"*)
	if [ ! -e "$tmp/killed" ]; then
		echo "\${SLURM_ARRAY_JOB_ID}_\$SLURM_ARRAY_TASK_ID" >"$tmp/who.new"
		mv "$tmp/who.new" "$tmp/who"
		exec sleep 60
	fi
	;;
esac
exec "$tool" "\$@"
END
chmod +x "$odd/slow"

with_slurm() {
	export SLURM_CONF="$tmp/slurm/slurm.conf"
	(cd "$tmp" && export PERF_CSTRACE="$odd/slow" && run -e slurm -f 4 "$odd/slurm.cst" relative --) &
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
	wait $pid && cmp "$tmp/one.cst" "$odd/slurm.cst"
}

check "one process after the other" reference
check "GNU parallel" with_parallel
check "an error, and the same command again" goes_on
check "blanks, quotes and relative names" odd_names
check "GNU parallel by ssh" by_ssh
check "an engine that runs no task" idle_engine
check "another list, file and options" edited
check "a recording that changes" changes
check "folders" folders
check "an interrupt between a count file and its losses" losses_stay
check "nothing could be counted: 5, no file" nothing_counted
check "wrong usage: 129" misuse
check "outputs that are inputs" keeps_inputs
check "outputs that cannot be written" outputs
check "the summary, where it goes and what it has" summaries
check "a first run says nothing else" first_run
check "a list from a pipe" from_pipe
check "one run at a time" one_run
check "without flock" no_flock
if unshare -m mount -t tmpfs tmpfs "$odd" 2>"$tmp/why"; then
	check "a full disk, of which nothing is left" full_disk 12k
	check "a full disk, after some recordings" full_disk 100k
else
	skip "a full disk" "$(cat "$tmp/why")"
fi
check "a fifo, links and others" others
check "recordings that are named twice" twice
check "names with tabs and backslashes" escapes
check "the reason of wrong usage" usage
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
