#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# script-text: where perf decodes a set rightly, `script` prints the same bytes; and on what `inject` wrote,
# perf script prints what `script` prints for the trace. `script` has the format up to perf 6.4.
set -eu
. "$(dirname "$0")/peer-perf.sh"
n=0 bad=0

# Output of perf 6.5 and later in the earlier format: pid and tid have five columns, not seven; an entry of a branch
# stack ends without a field for speculation, and no space precedes its file names; call chains show offsets in files,
# not addresses, which nothing turns into offsets here, so they are replaced on both sides. A version without a number
# is one that somebody built.
version=$(perf version | sed -n 's/^perf version \([0-9.]*\).*/\1/p')
if [ -z "$version" ] || [ "$(printf '%s\n' 6.5 "$version" | sort -V | head -n 1)" = 6.5 ]; then
	earlier() {
		sed -E -e 's|^( *[^ /]+ )? *([0-9]+)/([0-9]+) +\[|\1\t\2\t\3\t[|' -e 's|(/P/-/-/[0-9]+/[A-Z_]*)/- |\1 |g' \
			-e 's|(0x[0-9a-f]+) (\([^)]*\)/)|\1\2|g' |
			awk -F '\t' 'NF == 4 { printf "%s%5d/%-5d %s\n", $1, $2, $3, $4; next } { print }' | chains
	}
	chains() {
		sed -E 's|^\t +[0-9a-f]+ |\tADDRESS |'
	}
else
	earlier() {
		cat
	}
	chains() {
		cat
	}
fi

# perf names the stubs of a PLT by their relocations, as memcpy@plt, and later versions those of a static program, too,
# as offset_0x2b0@plt; `script` prints symbols of the file. unstubbed WANT GOT: GOT with such names as in WANT.
unstubbed() {
	awk -v wanted="$1" '
		# words that differ by names of stubs alone; in branch stacks each name has its file in parentheses behind it
		function alike(want, got,  n, i, x, y) {
			n = split(want, x, "(")
			if (split(got, y, "(") != n)
				return 0
			for (i = 1; i <= n; i++) {
				if (x[i] != y[i] && x[i] ~ /@plt(\+0x[0-9a-f]+)?$/) {
					sub("[^/]*$", "", x[i])
					sub("[^/]*$", "", y[i])
				}
				if (x[i] != y[i])
					return 0
			}
			return 1
		}
		{
			if ((getline line <wanted) > 0 && line ~ /@plt/) {
				n = split(line, want, " ")
				same = n == NF
				for (i = 1; i <= n; i++)
					same = same && alike(want[i], $i)
				if (same)
					$0 = line
			}
			print
		}' "$2"
}

# perf extends the label _init over the stubs behind its section; they are no code of it, and `script` has no name for them.
behind_init() {
	sed -E 's/_init\+0x[0-9a-f]+|\[unknown\]/STUB/g' "$1"
}

# same WHAT: $tmp/theirs and $tmp/ours hold the same lines, at least one
same() {
	n=$((n + 1))
	earlier <"$tmp/theirs" >"$tmp/want"
	chains <"$tmp/ours" >"$tmp/text"
	unstubbed "$tmp/want" "$tmp/text" >"$tmp/got"
	behind_init "$tmp/want" >"$tmp/theirs.named"
	behind_init "$tmp/got" >"$tmp/ours.named"
	if [ -s "$tmp/ours" ] && diff "$tmp/theirs.named" "$tmp/ours.named" >"$tmp/diff"; then
		echo "ok $n $1"
	else
		head -n 6 "$tmp/diff"
		echo "not ok $n $1"
		bad=1
	fi
}

# injected SET ITRACE FIELDS
injected() {
	data=$(echo "$shared/truth/$1-"*/perf.data)
	inject -i "$data" --itrace="$2" -o "$tmp/injected"
	with_opt perf script -i "$tmp/injected" -F "$3" >"$tmp/theirs" 2>/dev/null
	"$tool" script -i "$data" --symfs "$symfs" --itrace="$2" -F "$3" >"$tmp/ours" 2>/dev/null || :
	same "perf script on the injected set $1: --itrace=$2 -F $3"
}

echo 1..13
fields=pid,tid,cpu,ip,addr
for set in 02 03 05 06; do
	data=$(ordered "$shared/truth/$set-"*/perf.data)
	with_opt perf script -i "$data" --itrace=b -F $fields >"$tmp/theirs" 2>/dev/null
	"$tool" script -i "$data" --symfs "$symfs" --itrace=b -F $fields >"$tmp/ours" 2>/dev/null
	same "same text as perf script on set $set"
done
fields=comm,pid,tid,cpu,ip,addr,sym,symoff,dso
for set in 07 10 16 21; do
	injected $set b $fields
done
injected 08 i1000il8 comm,pid,tid,cpu,time,period,event,ip,sym,dso
injected 08 i1000il8 pid,tid,cpu,ip,brstack
injected 07 i1000il8 pid,tid,cpu,ip,brstack,dso
injected 08 i1000il8 pid,tid,cpu,ip,sym,symoff,dso,brstacksym
injected 08 i10000ig8 comm,pid,tid,cpu,ip,sym,symoff,dso
exit $bad
