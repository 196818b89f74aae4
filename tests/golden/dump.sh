#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dump.sh - the dump command from outside: exit codes, choice of buffers and sources, messages. Speaks TAP.
set -u

tool=$(realpath "${PERF_CSTRACE:-build/perf-cstrace}")
data=$(realpath tests/data)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
n=0
failed=0

# A stream: A-sync, Trace Info, Trace On, address 0x1000 in A64 EL1N, one atom E.
stream='\000\000\000\000\000\000\000\000\000\000\000\200\001\000\004\202\000\010\000\000\061\367'

snapshot() { # DIR: two unformatted buffers of two sources, code at 0x1000
	mkdir "$1"
	printf '[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nb=s1.ini\nc=s2.ini\n[trace]\nmetadata=trace.ini\n' >"$1/snapshot.ini"
	printf '[device]\nname=cpu\nclass=core\ntype=Cortex-A72\n[dump]\nfile=code.bin\naddress=0x1000\n' >"$1/cpu.ini"
	for s in 1 2; do
		printf '[device]\nname=SRC_%d\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=1\nTRCTRACEIDR=%d\nTRCIDR0=0x2801cea1\nTRCIDR2=0xd0001088\nTRCDEVARCH=0x47705a13\nTRCIDR8=0\n' $s $s >"$1/s$s.ini"
		printf "$stream" >"$1/t$s.bin"
	done
	printf '[trace_buffers]\nbuffers=b1,b2\n[b2]\nname=ETB_2\nfile=t2.bin\nformat=source_data\n[b1]\nname=ETB_1\nfile=t1.bin\nformat=source_data\n[source_buffers]\nSRC_1=ETB_1\nSRC_2=ETB_2\n[core_trace_sources]\ncpu=SRC_1\ncpu=SRC_2\n' >"$1/trace.ini"
	# mov w0, #1; b .
	printf '\040\000\200\122\000\000\000\024' >"$1/code.bin"
}

# check NAME EXPECTED-EXIT ARGUMENTS...: runs dump; its output is then in out and err
check() {
	name=$1
	want=$2
	shift 2
	n=$((n + 1))
	code=0
	"$tool" dump "$@" >out 2>err || code=$?
	if [ "$code" = "$want" ]; then
		result="ok $n - $name"
	else
		sed 's/^/# /' err
		result="not ok $n - $name: exit $code, expected $want"
		failed=1
	fi
}

# has FILE PATTERN, lacks FILE PATTERN: about the run before
has() {
	grep -qE -- "$2" "$1" || miss "no '$2' in $1"
}
lacks() {
	! grep -qE -- "$2" "$1" || miss "'$2' in $1"
}
miss() {
	sed 's/^/# /' out err
	result="not ok $n - $name: $1"
	failed=1
}
done_() {
	echo "$result"
}

snapshot good
check "first buffer section in file order" 0 -s good --format=opencsd
has out '^Idx:21; ID:2; OCSD_GEN_TRC_ELEM_INSTR_RANGE\(exec range=0x1000:\[0x1008\]'
has out '^Idx:21; ID:0; \[0xf7 \];'
lacks out 'ID:1;'
[ ! -s err ] || miss "diagnostics without a reason"
done_
check "--source all lists every buffer" 0 -s good --source all --format=opencsd --elements
has out 'ID:1; OCSD_GEN_TRC_ELEM_INSTR_RANGE'
has out 'ID:2; OCSD_GEN_TRC_ELEM_INSTR_RANGE'
has out '^Using ETB_1 as trace source'
done_
check "--source BUFFER" 0 -s good --source ETB_1 --elements --format=opencsd
has out 'ID:1; '
lacks out 'ID:2; '
done_
check "--source SECTION" 0 -s good --source b1 --elements --format=opencsd
has out 'ID:1; '
done_
check "--source TRACE-SOURCE" 0 -s good --source SRC_1 --elements --format=opencsd
has out 'ID:1; '
done_
check "--source with an unknown name tells the known ones" 1 -s good --source nobody
has err 'ETB_1'
done_
check "--id keeps the chosen one" 0 -s good --source all --id 0x1 --elements --format=opencsd
has out 'ID:1; '
lacks out 'ID:2; '
done_
check "-o writes a file" 0 -s good --format=opencsd -o listing
[ ! -s out ] || miss "output on stdout, too"
grep -q INSTR_RANGE listing || miss "nothing in the file"
done_
check "-o into a folder that is not there" 1 -s good -o absent/listing
has err 'absent/listing'
done_
check "every JSON line is an object" 0 -s good --format=json --source all
python3 -c 'import json,sys
rows = [json.loads(l) for l in open("out")]
assert {r["record"] for r in rows} == {"section", "packet", "element"}, rows
r = [r for r in rows if r.get("kind") == "range"][0]
assert (r["start"], r["end"], r["insns"], r["isa"], r["executed"]) == ("0x1000", "0x1008", 2, "A64", True), r' 2>>err ||
	miss "not the records expected"
done_
check "--format=none prints counts" 0 -s good --format=none
has out '^instructions 2$'
has out '^packets 5$'
done_
check "unformatted data has no frames" 1 -s good --frames
has err 'no frames'
done_

check "no such folder" 1 -s nowhere
has err 'nowhere/snapshot.ini.*No such file'
lacks err 'open function'
done_
check "unknown option" 129 -s good --nonsense
done_
check "unknown format" 129 -s good --format=html
has err 'text, opencsd, json'
done_
check "bad trace ID" 129 -s good --id 300
done_
check "filters by time and thread are for recordings" 129 -s good --pid 1
has err '--source, --id, --from'
done_
check "a place that the trace does not come to is told of" 0 -s good --elements --from offset=0x100000
has err 'no stream comes to this place'
done_
check "one that it comes to is not" 0 -s good --elements --from offset=0
lacks err 'no stream comes to this place'
done_
check "both inputs" 129 -s good -i perf.data
done_
check "--source without a snapshot" 129 -i perf.data --source all
done_
check "help" 0 -h
has out '--elements'
done_

# a reserved header at 22: what the log says of it
snapshot odd
printf '\000\000\000\000\000\000\000\000\000\000\000\200\001\000\004\202\000\010\000\000\061\367\010\367' >odd/t2.bin
check "--log tells the place and the section" 3 -s odd --elements --log
has err '^Idx:22; ID:2; [a-z]+; (error|warning): .+'
has err 'log: [1-9][0-9]* errors'
lacks out 'Idx:22; ID:2; packet'
done_
check "--log=error leaves out what is less" 3 -s odd --elements --log=error
has err '; error: '
lacks err '; (info|warning): '
done_
check "--log with --format=json gives records" 3 -s odd --elements --log --format=json
python3 -c 'import json
rows = [json.loads(l) for l in open("out")]
log = [r for r in rows if r["record"] == "log"]
assert log and log[0]["index"] == 22 and log[0]["id"] == 2 and log[0]["severity"] == "error", log' 2>>err ||
	miss "not the records expected"
done_
check "no such log level" 129 -s odd --log=loud
has err 'error, warning and info'
done_
check "--strict decodes what is right just the same" 0 -s good --strict --format=opencsd
has out '^Idx:21; ID:2; OCSD_GEN_TRC_ELEM_INSTR_RANGE'
done_

snapshot noimage
rm noimage/code.bin
check "a missing memory dump is a loss" 3 -s noimage --elements --format=opencsd
has out 'ADDR_NACC\( 0x1000; Memspace \[0x2:EL1N\] \)'
has err 'noimage/cpu.ini:5: .*cannot be read .No such file'
has err '1 ranges without code'
done_
snapshot noreg
grep -v TRCIDR2 noreg/s2.ini >x && mv x noreg/s2.ini
check "a missing register is named" 1 -s noreg
has err 'SRC_2: register TRCIDR2 is missing'
done_
snapshot proto
sed 's/type=ETE/type=ELA500/' proto/s2.ini >x && mv x proto/s2.ini
check "a protocol without decoder is named" 1 -s proto
has err "SRC_2: protocol 'ELA500' has no decoder"
done_
snapshot noidr1
sed -i 's/type=ETE/type=ETM4/;/TRCDEVARCH/d' noidr1/s2.ini
check "a missing TRCIDR1 is named, with what is assumed" 0 -s noidr1 --elements
has err 'SRC_2: no TRCIDR1: ETMv4.0 is assumed$'
has out ' range 0x1000-0x1008 '
done_
snapshot noccer
sed -i 's/type=ETE/type=ETM3.5/;/TRC/d' noccer/s2.ini
printf 'ETMCR=0\nETMIDR=0x410cf250\nETMTRACEIDR=2\n' >>noccer/s2.ini
printf '\000\000\000\000\000\200' >noccer/t2.bin
check "a missing ETMCCER is named, with what is assumed" 0 -s noccer --packets
has err 'SRC_2: no ETMCCER: no extensions are assumed$'
has out 'A_SYNC'
done_
snapshot shared
sed -i 's/SRC_1=ETB_1/SRC_1=ETB_2/' shared/trace.ini
check "a second source of an unformatted buffer is named" 0 -s shared --elements
has err 'SRC_2: second source of an unformatted buffer; it is skipped$'
has out '^21         01 . range 0x1000-0x1008 '
done_
snapshot same
sed -i 's/SRC_1=ETB_1/SRC_1=ETB_2/;s/source_data/coresight/' same/trace.ini
sed -i 's/TRCTRACEIDR=1/TRCTRACEIDR=2/' same/s1.ini
check "a trace ID of two sources is named" 5 -s same --elements
has err 'SRC_2: trace ID 0x02: .*; its trace is skipped$'
done_
snapshot notrace
rm notrace/t2.bin
check "a missing trace file is named" 1 -s notrace
has err 't2.bin'
done_
snapshot parts
head -c 7 parts/t2.bin >parts/p1 && tail -c +8 parts/t2.bin >parts/p2 && : >parts/empty
sed 's/file=t2.bin/file=p1,empty, p2/' parts/trace.ini >x && mv x parts/trace.ini
check "a buffer in several files" 0 -s parts --elements --format=opencsd
has out 'ID:2; OCSD_GEN_TRC_ELEM_INSTR_RANGE'
done_
snapshot fifo
rm fifo/code.bin && mkfifo fifo/code.bin
check "a FIFO is not waited for" 3 -s fifo --elements
has err 'not a regular file'
done_
snapshot windows
mkdir windows/sub && mv windows/code.bin windows/sub
sed 's/file=code.bin/file=sub\\code.bin/' windows/cpu.ini >x && mv x windows/cpu.ini
check "folders separated the other way" 0 -s windows --elements --format=opencsd
has out 'INSTR_RANGE'
done_
snapshot probe
# TPIU frames in DSTREAM blocks: FSYNC and one frame, idle frames, and 8 bytes of the probe after 504
printf '[trace_buffers]\nbuffers=b\n[b]\nfile=d.bin\nformat=dstream_coresight\n[source_buffers]\nSRC_2=b\n' >probe/trace.ini
python3 - <<'EOF'
sync = b"\xff\xff\xff\x7f"
stream = bytes(11) + b"\x80\x01\x00\x04\x82\x00\x08\x00\x00\x31\xf7"
out, frame, lsb, at = b"", [2 << 1 | 1], 0, 1
frames = []
stream = list(stream)
while stream or at:
    byte = stream.pop(0) if stream else None
    if at % 2 == 0:
        if byte is None:
            frame.append(1)
        else:
            frame.append(byte & 0xfe)
            lsb |= (byte & 1) << at // 2
    else:
        frame.append(byte or 0)
    at += 1
    if at == 15:
        frames.append(bytes(frame) + bytes([lsb]))
        frame, lsb, at = [], 0, 0
        if not stream:
            break
payload = b""
for f in frames:
    payload += sync + f
while len(payload) < 504 + 100:
    payload += sync + bytes([1]) + bytes(15)
blocks = b""
for i in range(0, len(payload), 504):
    blocks += payload[i:i + 504]
    if len(payload[i:i + 504]) == 504:
        blocks += b"PROBE..."
open("probe/d.bin", "wb").write(blocks)
EOF
check "a DSTREAM probe's blocks" 0 -s probe --elements --format=opencsd
has out 'ID:2; OCSD_GEN_TRC_ELEM_INSTR_RANGE\(exec range=0x1000'
done_
check "--raw lists frames and synchronisation" 0 -s probe --raw --format=opencsd
has out '^Frame Data; Index +0;         FSYNC; ff ff ff 7f'
has out '^Frame Data; Index +4;    RAW_PACKED; 05 '
lacks out 'ID_DATA|OCSD_GEN'
done_
check "--raw and --frames" 0 -s probe --raw --frames --format=json
has out '"packed":"frame"'
has out '"id":2,"bytes":"00'
done_
check "--raw of a recording" 0 -i "$data/sample.perf.data" --symfs "$data/symfs" --raw --format=json
has out '"packed":"frame"'
lacks out '"id":'
done_

echo "1..$n"
exit $failed
