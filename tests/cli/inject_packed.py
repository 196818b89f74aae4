# SPDX-License-Identifier: BSD-3-Clause
"""inject_packed.py PLAIN PACKED [--pipe]: the file or stream PACKED of inject -z holds what PLAIN does: the same events
and records, the same features and one more, which describes the compression. Every compressed record is one zstd frame
of whole records. Prints how many bytes of PLAIN there are to each of PACKED."""
import ctypes
import struct
import sys

COMPRESSED, FEATURE = 81, 27
RECORD_FEATURE, RECORD_BUILD_ID, RECORD_ATTR, RECORD_UPDATE = 80, 67, 64, 78

zstd = ctypes.CDLL("libzstd.so.1")
for name in ("ZSTD_getFrameContentSize", "ZSTD_findFrameCompressedSize", "ZSTD_decompress"):
    getattr(zstd, name).restype = ctypes.c_ulonglong if name.endswith("ContentSize") else ctypes.c_size_t
zstd.ZSTD_getFrameContentSize.argtypes = zstd.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def records(data, where):
    """Records of bytes that hold nothing else."""
    found, at = [], 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        assert size >= 8 and at + size <= len(data), "%s: a record of %d bytes at %d" % (where, size, at)
        found.append((kind, data[at:at + size]))
        at += size
    return found


def expand(frame, most):
    size = zstd.ZSTD_getFrameContentSize(frame, len(frame))
    assert 0 < size <= most, "a frame of %d bytes, of at most %d" % (size, most)
    assert size <= 200 * len(frame), "a frame that expands from %d to %d bytes" % (len(frame), size)
    assert zstd.ZSTD_findFrameCompressedSize(frame, len(frame)) == len(frame), "more than a frame in a record"
    room = ctypes.create_string_buffer(size)
    assert zstd.ZSTD_decompress(room, size, frame, len(frame)) == size
    return room.raw


def read_file(data):
    """Attrs, features and the bytes of the records."""
    head = struct.unpack_from("<8s8Q4Q", data)
    attrs, length, start, size = head[3], head[4], head[5], head[6]
    features, table = {}, start + size
    for bit in range(256):
        if head[9 + bit // 64] >> bit % 64 & 1:
            at, n = struct.unpack_from("<QQ", data, table)
            features[bit] = data[at:at + n]
            table += 16
    return data[104:attrs + length], features, data[start:start + size]


def read_pipe(data):
    """The same: what describes events and features is a record, too, and is never compressed."""
    described, features, rest = b"", {}, b""
    for kind, record in records(data[16:], "the stream"):
        if kind in (RECORD_ATTR, RECORD_UPDATE, RECORD_BUILD_ID):
            described += record
        elif kind == RECORD_FEATURE:
            features[struct.unpack_from("<Q", record, 8)[0]] = record[16:]
        else:
            rest += record
    return described, features, rest


def main():
    read = read_pipe if sys.argv[3:] == ["--pipe"] else read_file
    plain, packed = (open(path, "rb").read() for path in sys.argv[1:3])
    attrs, features, want = read(plain)
    packed_attrs, packed_features, data = read(packed)
    version, kind, level, ratio, most = struct.unpack_from("<5I", packed_features.pop(FEATURE))
    assert attrs == packed_attrs, "other events"
    assert features == packed_features, "other features"
    assert (version, kind) == (0, 1), "version %d, type %d" % (version, kind)
    expanded = b""
    for kind, record in records(data, "the data"):
        assert kind == COMPRESSED, "a plain record of type %d" % kind
        part = expand(record[8:], most)
        records(part, "a frame")
        expanded += part
    assert expanded == want, "other records"
    shown = 0 if read is read_pipe else int(len(want) / len(data) + 0.5)
    assert ratio == shown, "ratio %d, not %d" % (ratio, shown)
    print(level, len(plain) // len(packed))


main()
