# SPDX-License-Identifier: BSD-3-Clause
"""Just enough of perf.data for the interop tools: records, AUX data, cs_etm metadata. Little endian
files with a header and an index (no pipe, no compression)."""
import struct

MMAP, AUX, MMAP2, ID_INDEX, AUXTRACE_INFO, AUXTRACE = 1, 11, 10, 69, 70, 71
SAMPLE_TID, SAMPLE_TIME, SAMPLE_ID, SAMPLE_STREAM, SAMPLE_CPU, SAMPLE_IDENTIFIER = 2, 4, 64, 512, 128, 1 << 16
FEATURE_AUXTRACE = 18
MAGIC_NAMES = {0x4040404040404040: "etmv4", 0x5050505050505050: "ete"}


class PerfData:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        b = self.bytes
        if b[:8] != b"PERFILE2":
            raise SystemExit("%s: not a perf.data file with a header: found %r" % (path, b[:8]))
        (self.header_size, self.attr_size, self.attrs_off, self.attrs_size, self.data_off,
         self.data_size) = struct.unpack_from("<6Q", b, 8)
        self.features = [n for n in range(256) if b[72 + n // 8] >> (n % 8) & 1]
        # All attrs of a file place the trailing sample_id alike; the first one tells.
        self.sample_type = struct.unpack_from("<Q", b, self.attrs_off + 24)[0]

    def records(self):
        """(type, misc, offset, size, payload offset, payload size) of each record."""
        pos, end = self.data_off, self.data_off + self.data_size
        while pos + 8 <= end:
            kind, misc, size = struct.unpack_from("<IHH", self.bytes, pos)
            if size < 8:
                raise SystemExit("record of size %d at offset %#x" % (size, pos))
            payload = struct.unpack_from("<Q", self.bytes, pos + 8)[0] if kind == AUXTRACE else 0
            yield kind, misc, pos, size, pos + size, payload
            pos += size + payload

    def time_offset(self, size):
        """Where in a non-sample record of this size its time is, None without."""
        if not self.sample_type & SAMPLE_TIME:
            return None
        after = sum(8 for bit in (SAMPLE_TIME, SAMPLE_ID, SAMPLE_STREAM, SAMPLE_CPU, SAMPLE_IDENTIFIER)
                    if self.sample_type & bit)
        return size - after

    def metadata(self):
        """One dict per CPU of the AUXTRACE_INFO record."""
        for kind, _, pos, size, _, _ in self.records():
            if kind != AUXTRACE_INFO:
                continue
            words = struct.unpack_from("<%dQ" % ((size - 16) // 8), self.bytes, pos + 16)
            version, count, cpus, i = words[0], words[1] & 0xffffffff, [], 3
            for _ in range(count):
                name = MAGIC_NAMES.get(words[i])
                if not name or version == 0:
                    raise SystemExit("only ETMv4 and ETE blocks of version 1 and 2 are known here")
                keys = ("configr", "traceidr", "idr0", "idr1", "idr2", "idr8", "authstatus",
                        "devarch" if name == "ete" else "ts_source")
                params = words[i + 3:i + 3 + words[i + 2]]
                cpus.append(dict(zip(keys, params), cpu=words[i + 1], kind=name))
                i += 3 + words[i + 2]
            return cpus
        raise SystemExit("no AUXTRACE_INFO record")

    def mappings(self):
        """(start, length, file offset, path) of every executable mapping, in file order."""
        for kind, _, pos, size, _, _ in self.records():
            if kind == MMAP2:
                start, length, offset = struct.unpack_from("<3Q", self.bytes, pos + 16)
                prot = struct.unpack_from("<I", self.bytes, pos + 64)[0]
                name = self.bytes[pos + 72:pos + size]
            elif kind == MMAP:
                start, length, offset = struct.unpack_from("<3Q", self.bytes, pos + 16)
                prot, name = 4, self.bytes[pos + 40:pos + size]
            else:
                continue
            if prot & 4:
                yield start, length, offset, name.split(b"\0")[0].decode()
