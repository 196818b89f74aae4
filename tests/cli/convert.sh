#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# convert: our own recordings as packages and snapshots and back; packages written by hand, as another tool
# would; what is refused; nothing is left behind.
set -eu
cd "$(dirname "$0")/../.."
. tests/cli/tap.sh
. tests/cli/tool.sh
data=tests/data
symfs=$data/symfs

# branches TRUTH CODE ARGS...: script lists what ran.
branches() {
	truth=$1 code=$2
	shift 2
	run "$code" script "$@" --itrace=b -F pid,tid,cpu,ip,addr || return 1
	"$data/compare" "$truth" <"$tmp/out"
}

# Elements without headings, offsets and the reason of the first one.
plain() {
	sed '/^#/d; s/^[0-9]* *//; s/no-sync start/no-sync reset/; s/ tid=[0-9]*$//'
}

nothing_beside() {
	[ ! -e "$1" ] || { echo "$1 is there"; return 1; }
	set -- "$1".*
	[ ! -e "$1" ] || { echo "left behind: $*"; return 1; }
}

for name in sample sample-trbe sample-a32 sample-t32 sample-etmv3 sample-ptm; do
	there_and_back() {
		run 0 convert -i $data/$name.perf.data --symfs $symfs --images --to=package -o "$tmp/$name.pkg" || return 1
		is_empty "$tmp/out" && is_empty "$tmp/err" || return 1
		run 0 convert -i "$tmp/$name.pkg" --to=perf -o "$tmp/$name.back" || return 1
		python3 tests/interop/records.py $data/$name.perf.data >"$tmp/records" || return 1
		python3 tests/interop/records.py "$tmp/$name.back" >"$tmp/records2" || return 1
		[ -s "$tmp/records" ] && cmp "$tmp/records" "$tmp/records2"
	}
	check "$name: to a package and back, the same records" there_and_back
	check "$name: which decode the same" branches $data/$name.truth 0 -i "$tmp/$name.back" --symfs $symfs
	check "$name: the package brings its images" branches $data/$name.truth 0 -i "$tmp/$name.pkg"
	to_snapshot() {
		run 0 convert -i $data/$name.perf.data --symfs $symfs --to=snapshot -o "$tmp/$name.snap" || return 1
		run 0 dump -i $data/$name.perf.data --symfs $symfs --elements || return 1
		plain <"$tmp/out" >"$tmp/perf.elements"
		run 0 dump -s "$tmp/$name.snap" --source all --elements || return 1
		plain <"$tmp/out" >"$tmp/snap.elements"
		[ -s "$tmp/snap.elements" ] && cmp "$tmp/perf.elements" "$tmp/snap.elements"
	}
	check "$name: to a snapshot, the same elements" to_snapshot
	# a snapshot does not say that a context ID is a thread and an ASID, nor when a CPU ran before another
	case $name in *-etmv3 | *-ptm)
		edges() {
			run 0 script "$@" --itrace=b -F cpu,ip,addr || return 1
			sort -s -k1,1 "$tmp/out" >"$tmp/edges"
		}
		same_branches() {
			edges -i $data/$name.perf.data --symfs $symfs && mv "$tmp/edges" "$tmp/want" || return 1
			edges -i "$tmp/$name.snap" && cmp "$tmp/want" "$tmp/edges" || return 1
			run 0 convert -i "$tmp/$name.snap" --to=perf -o "$tmp/$name.fromsnap" || return 1
			edges -i "$tmp/$name.fromsnap" && cmp "$tmp/want" "$tmp/edges"
		}
		check "$name: the snapshot has the same branches, and perf.data made of it" same_branches
		continue
		;;
	esac
	from_snapshot() {
		run 0 convert -i "$tmp/$name.snap" --to=perf -o "$tmp/$name.fromsnap" || return 1
		branches $data/$name.truth 0 -i "$tmp/$name.fromsnap"
	}
	check "$name: the snapshot decodes" branches $data/$name.truth 0 -i "$tmp/$name.snap"
	check "$name: and as perf.data" from_snapshot
	snapshot_to_package() {
		run 0 convert -i "$tmp/$name.snap" --images --to=package -o "$tmp/$name.pkg2" || return 1
		branches $data/$name.truth 0 -i "$tmp/$name.pkg2" || return 1
		run 0 convert -i "$tmp/$name.pkg2" --to=snapshot -o "$tmp/$name.snap2" || return 1
		cmp "$tmp/$name.snap/mem0.bin" "$tmp/$name.snap2/mem0.bin" &&
			cmp "$tmp/$name.snap/trace0.bin" "$tmp/$name.snap2/trace0.bin"
	}
	check "$name: snapshot to package to snapshot" snapshot_to_package
	# other tools name the images of a snapshot ./FILE
	dotted() {
		rm -rf "$tmp/$name.dots" "$tmp/$name.pkg3"
		cp -r "$tmp/$name.snap" "$tmp/$name.dots"
		sed -i '/^\[dump/,/^\[/s|^file=|file=.//./|' "$tmp/$name.dots"/*.ini
		grep -q '^file=.//./' "$tmp/$name.dots"/*.ini || return 1
		run 0 convert -i "$tmp/$name.dots" --images --to=package -o "$tmp/$name.pkg3" || return 1
		branches $data/$name.truth 0 -i "$tmp/$name.pkg3"
	}
	check "$name: images named by way of ." dotted
done

# A snapshot with several buffers of a CPU: each is where its AUX record says, none is missing or taken for another one.
buffers_of_a_cpu() {
	rm -rf "$tmp/kernel" "$tmp/kernel.snap"
	mkdir "$tmp/kernel"
	"$CST_GEN" scenario kernel --case 0 --perf "$tmp/kernel/perf.data" --truth "$tmp/kernel/truth" --symfs "$tmp/kernel/symfs" || return 1
	run 3 convert -i "$tmp/kernel/perf.data" --symfs "$tmp/kernel/symfs" --vmlinux "$tmp/kernel/symfs/boot/vmlinux" --pid 1000 -f \
		--to=snapshot -o "$tmp/kernel.snap" || return 1
	[ "$(grep -c '=ETB_0_' "$tmp/kernel.snap/trace.ini")" -ge 3 ] || return 1
	run 0 convert -i "$tmp/kernel.snap" --to=perf -o "$tmp/kernel/back.data" || return 1
	run 3 dump -s "$tmp/kernel.snap" --source all --packets || return 1
	plain <"$tmp/out" >"$tmp/kernel/want"
	run 0 dump -i "$tmp/kernel/back.data" --packets || return 1
	plain <"$tmp/out" >"$tmp/kernel/got"
	[ -s "$tmp/kernel/want" ] && cmp "$tmp/kernel/want" "$tmp/kernel/got" || return 1
	# so many AUX records as buffers, and all of their bytes
	run 3 info -i "$tmp/kernel/back.data" || return 1
	! grep -e 'not in the file' -e 'no AUX records' "$tmp/out" && says "$tmp/out" "Trace: 3 buffers, 3 AUX records"
}
check "several buffers of a CPU" buffers_of_a_cpu
# The same in a package whose log has no event about the first buffer, or about any.
unlogged_buffers() {
	run 0 convert -i "$tmp/kernel/back.data" --to=package -o "$tmp/kernel/pkg" || return 1
	cp "$tmp/kernel/pkg/system-event-log" "$tmp/kernel/log"
	for gone in '/offset=0x0, .*at_cpu=0/d; /x_auxtrace(buffer=buffer0/d' '/x_fragment(/d; /x_auxtrace(/d'; do
		sed "$gone" "$tmp/kernel/log" >"$tmp/kernel/pkg/system-event-log"
		! cmp -s "$tmp/kernel/log" "$tmp/kernel/pkg/system-event-log" || return 1
		rm -f "$tmp/kernel/bare.data"
		run 0 convert -i "$tmp/kernel/pkg" --to=perf -o "$tmp/kernel/bare.data" || return 1
		run 3 info -i "$tmp/kernel/bare.data" || return 1
		! grep -e 'not in the file' -e 'no AUX records' "$tmp/out" && says "$tmp/out" "Trace: 3 buffers, 3 AUX records" || return 1
	done
}
check "buffers of a package that no event is about" unlogged_buffers

# Pipes.
through_a_pipe() {
	"$tool" inject --help >/dev/null
	run 0 convert -i "$tmp/sample.pkg" --to=perf -o - || return 1
	"$tool" script -i - --symfs $symfs --itrace=b -F pid,tid,cpu,ip,addr <"$tmp/out" >"$tmp/out2" 2>"$tmp/err" || return 1
	"$data/compare" $data/sample.truth <"$tmp/out2"
}
check "a package through a pipe" through_a_pipe

# A package as another tool writes it: options instead of registers, the specification's verbs, no perf.
handmade() {
	rm -rf "$tmp/hand"
	mkdir -p "$tmp/hand/programs"
	cp "$tmp/sample.pkg/buffer0.data" "$tmp/hand/etr.data"
	cp $symfs/opt/cstrace-sample/sample.a64 "$tmp/hand/programs/prog"
	cat >"$tmp/hand/contents.ini" <<-EOF
		[trace]
		metadata=trace.ini
		buffer0=etr.data
		event_log=log
		event_time=ticks
		event_frequency=1000000000
		[image0]
		file=programs/prog
		name=/bin/prog
	EOF
	cat >"$tmp/hand/trace.ini" <<-EOF
		[buffer]
		format: coresight
		[trace_16]
		format: ETMv4.2
		cyclecount: 0
		timestamp_bits: 64
		context_id: 32
		vmid: 0
		vmid_context_id: 0
		commopt: 1
		return_stack: 1
		branch_broadcast: 0
		wfx_waypoints: 0
		address_bits: 64
		max_speculation: 0
		transactions_p0: 1
		q_elements: 0
		timestamp_markers: 0
		conditional: 0
		data_address: 0
		data_value: 0
		loads_p0: 0
		stores_p0: 0
	EOF
}
handmade
echo '0 declare_process(START, 100, 0x400000, "/bin/prog")' >"$tmp/hand/log"
check "written by hand: a process" branches $data/sample.truth 0 -i "$tmp/hand"
echo '99999999999 declare_process(CURRENT, 100, 0x400000, "/bin/prog")' >"$tmp/hand/log"
check "written by hand: the state at the end only" branches $data/sample.truth 0 -i "$tmp/hand"
printf '%s\n' '0 declare_process(START, 7, None, None)' '0 declare_library(START, 7, 0x400000, "/bin/prog", size=0x1000)' \
	'0 declare_thread(START, 100, 7)' >"$tmp/hand/log"
thread_of() {
	run 0 script -i "$tmp/hand" --itrace=b -F pid,tid,cpu,ip,addr || return 1
	sed -i 's|^ *7/100|100/100|' "$tmp/out"
	"$data/compare" $data/sample.truth <"$tmp/out"
}
check "written by hand: a thread of another process" thread_of
code_by_name() {
	dd if="$tmp/hand/programs/prog" of="$tmp/hand/code.bin" bs=4096 count=1 2>"$tmp/err" || return 1
	printf '[code]\nall=code.bin\n' >>"$tmp/hand/contents.ini"
	printf '%s\n' '0 declare_process(START, 100, None, None)' '0 patch_code(100, 0x400000, 0x1000, all)' >"$tmp/hand/log"
	branches $data/sample.truth 0 -i "$tmp/hand" || return 1
	# perf.data has no record for that
	run 3 convert -i "$tmp/hand" --to=perf -o "$tmp/hand.data" || return 1
	says "$tmp/err" "1 patches of code"
}
check "written by hand: code that an event names" code_by_name
memory() {
	printf '[memory0]\nfile=code.bin\naddress=0x400000\npid=100\n' >>"$tmp/hand/contents.ini"
	echo '0 declare_process(START, 100, None, None)' >"$tmp/hand/log"
	branches $data/sample.truth 0 -i "$tmp/hand"
}
check "written by hand: memory contents" memory
memory_missing() {
	cp "$tmp/hand/contents.ini" "$tmp/whole"
	printf '[memory1]\nfile=gone.bin\naddress=0x500000\npid=100\n[memory2]\nfile=code.bin\naddress=0x600000\noffset=4096\npid=100\n' \
		>>"$tmp/hand/contents.ini"
	run 3 convert -i "$tmp/hand" --to=perf -o "$tmp/hand.data" || return 1
	says "$tmp/err" "dropped: memory contents gone.bin, which cannot be read" || return 1
	# nothing is behind its end
	says "$tmp/err" "dropped: memory contents code.bin, which cannot be read" || return 1
	[ "$(grep -c 'memory contents' "$tmp/err")" -eq 2 ] || return 1
	cp "$tmp/whole" "$tmp/hand/contents.ini"
}
check "written by hand: memory contents that are missing" memory_missing

dropped() {
	printf '%s\n' '0 declare_process(START, 100, 0x400000, "/bin/prog", size=0x1000)' '5 declare_asid(START, 3, 100)' \
		'6 declare_library(END, 100, 0x900000, "/x", size=0x1000)' '7 define_trace(END, 0x10, etm)' >"$tmp/hand/log"
	run 3 convert -i "$tmp/hand" --to=perf -o "$tmp/hand.data" || return 1
	says "$tmp/err" "1 ends of libraries" && says "$tmp/err" "1 declare_asid" && says "$tmp/err" "1 define_trace"
}
check "what perf.data cannot hold is listed" dropped
# clock FREQUENCY MULT: the conversion of times, ns = ticks * MULT >> 20. perf 6.12 takes it when it reads AUXTRACE_INFO.
clock() {
	sed -i.whole "s/^event_frequency=.*/event_frequency=$1/" "$tmp/hand/contents.ini"
	run 3 convert -i "$tmp/hand" --to=perf -o "$tmp/hand.data" || return 1
	mv "$tmp/hand/contents.ini.whole" "$tmp/hand/contents.ini"
	PYTHONPATH=tests/interop python3 -B - "$tmp/hand.data" "$2" <<-'EOF'
		import struct, sys, auxdata
		file = auxdata.PerfData(sys.argv[1])
		records = list(file.records())
		kinds = [r[0] for r in records]
		assert 79 in kinds and kinds.index(79) < kinds.index(auxdata.AUXTRACE_INFO), kinds[:8]
		conversion = struct.unpack_from("<3Q", file.bytes, records[kinds.index(79)][2] + 8)
		assert conversion == (20, int(sys.argv[2]), 0), conversion
	EOF
}
check "TIME_CONV stands before AUXTRACE_INFO" clock 500000000 $((2 << 20))
check "TIME_CONV of a counter beyond its resolution" clock 2000000000000000 1
bad_lines() {
	printf '%s\n' '0 declare_process(START, 100, 0x400000, "/bin/prog", size=0x1000)' 'gibberish' '1 declare_thread(START, x' >"$tmp/hand/log"
	run 3 script -i "$tmp/hand" --itrace=b || return 1
	says "$tmp/err" "log:2:" && says "$tmp/err" "log:3:"
}
check "lines of the log that are no events" bad_lines

# Each item of the INI files missing in turn: an error that names the folder, or the same branches.
missing_keys() {
	echo '0 declare_process(START, 100, 0x400000, "/bin/prog", size=0x1000)' >"$tmp/hand/log"
	for file in contents.ini trace.ini; do
		cp "$tmp/hand/$file" "$tmp/whole"
		lines=$(wc -l <"$tmp/whole") n=1
		while [ "$n" -le "$lines" ]; do
			sed "${n}d" "$tmp/whole" >"$tmp/hand/$file"
			got=0
			"$tool" script -i "$tmp/hand" --itrace=b >"$tmp/out" 2>"$tmp/err" || got=$?
			case $got in
			0) ;;
			1 | 3) grep -q "$tmp/hand\|prog" "$tmp/err" || { echo "$file without line $n:"; cat "$tmp/err"; return 1; } ;;
			*) echo "$file without line $n: exit code $got"; return 1 ;;
			esac
			n=$((n + 1))
		done
		cp "$tmp/whole" "$tmp/hand/$file"
	done
}
check "each line of the INI files missing" missing_keys
cut_files() {
	for file in contents.ini trace.ini log etr.data; do
		cp "$tmp/hand/$file" "$tmp/whole"
		size=$(wc -c <"$tmp/whole") n=0
		while [ "$n" -lt "$size" ]; do
			head -c "$n" "$tmp/whole" >"$tmp/hand/$file"
			got=0
			"$tool" script -i "$tmp/hand" --itrace=b >"$tmp/out" 2>"$tmp/err" || got=$?
			case $got in 0 | 1 | 3 | 5) ;; *) echo "$file cut at $n: exit code $got"; return 1 ;; esac
			n=$((n + 1 + size / 40))
		done
		cp "$tmp/whole" "$tmp/hand/$file"
	done
}
check "each file cut" cut_files

# Names that lead out of the folder.
leads_out() {
	cp "$tmp/hand/contents.ini" "$tmp/whole"
	for name in ../etr.data /etc/passwd a/../../b; do
		sed "s|^buffer0=.*|buffer0=$name|" "$tmp/whole" >"$tmp/hand/contents.ini"
		run 1 info -i "$tmp/hand" || return 1
		says "$tmp/err" "not the name of a file in the package" || return 1
	done
	cp "$tmp/whole" "$tmp/hand/contents.ini"
}
check "names that leave the package" leads_out

# Refusals.
not_empty() {
	mkdir -p "$tmp/full"
	echo keep >"$tmp/full/file"
	run 1 convert -i $data/sample.perf.data --to=package -o "$tmp/full" || return 1
	says "$tmp/err" "something in it" && [ "$(cat "$tmp/full/file")" = keep ]
}
check "a folder with something in it is left alone" not_empty
empty_folder() {
	mkdir -p "$tmp/empty"
	run 0 convert -i $data/sample.perf.data --to=package -o "$tmp/empty" && [ -s "$tmp/empty/contents.ini" ]
}
check "an empty folder is filled" empty_folder
no_trace() {
	run 1 convert -i README.md --to=package -o "$tmp/none" || return 1
	nothing_beside "$tmp/none"
}
check "no perf.data: nothing is left" no_trace
no_aux_data() {
	python3 - $data/sample.perf.data "$tmp/no-aux" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
start, size = struct.unpack_from('<QQ', data, 40)
at = start
while struct.unpack_from('<I', data, at)[0] != 71:
    at += struct.unpack_from('<H', data, at + 6)[0]
struct.pack_into('<Q', data, 48, at - start)
data[72:104] = bytes(32)
open(sys.argv[2], 'wb').write(data[:at])
END
	run 1 convert -i "$tmp/no-aux" --symfs $symfs --to=package --images -o "$tmp/none" || return 1
	says "$tmp/err" "no AUX data" && nothing_beside "$tmp/none"
}
check "a recording without trace makes no package" no_aux_data
unknown_pid() {
	run 1 convert -i $data/sample.perf.data --symfs $symfs --to=snapshot --pid 7 -o "$tmp/none" || return 1
	says "$tmp/err" "nothing was traced of process 7" && nothing_beside "$tmp/none"
}
check "a process that was not traced" unknown_pid
no_folder() {
	run 1 convert -i $data/sample.perf.data --to=package -o "$tmp/no/such/place" || return 1
	says "$tmp/err" "cannot make the folder"
}
check "no place for the folder" no_folder
without_images() {
	run 3 convert -i $data/sample.perf.data --symfs "$tmp/full" --to=snapshot -o "$tmp/bare" || return 1
	says "$tmp/err" "sample.a64"
}
check "missing code is told" without_images
usage() {
	run 129 convert -i $data/sample.perf.data -o "$tmp/none" || return 1
	says "$tmp/err" "--to" || return 1
	run 129 convert -i $data/sample.perf.data --to=zip -o "$tmp/none" || return 1
	run 129 convert -i $data/sample.perf.data --to=package || return 1
	run 129 convert -i $data/sample.perf.data --to=package --pid 3 -o "$tmp/none" || return 1
	run 129 convert -i $data/sample.perf.data --to=perf --images -o "$tmp/none" || return 1
	run 1 convert -i $data/sample.perf.data --to=perf -o "$tmp/none" || return 1
	says "$tmp/err" "is perf.data already"
}
check "usage" usage
no_perf_data() {
	printf garbage >"$tmp/garbage"
	run 1 convert -i "$tmp/garbage" --to=perf -o "$tmp/no" && says "$tmp/err" "expected \"PERFILE2\"" && ! grep already "$tmp/err" &&
		run 1 convert -i "$tmp/not-there" --to=perf -o "$tmp/no" && says "$tmp/err" "No such file"
}
check "a file that is nothing is not called perf.data" no_perf_data
finish
