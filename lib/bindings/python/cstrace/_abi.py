# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of the headers in include/cstrace/, as generate.py writes them. Not to be edited.

An enum cst_X_y is the class XY, its values without their common prefix. Structs have the names of the headers; a type,
as cst_generic.kind, that holds values of an enum is a number."""
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_char, c_char_p, c_int, c_int32, c_int64, c_long, c_size_t, c_uint,
                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)
from enum import IntEnum, IntFlag
from struct import pack
from sys import byteorder
from typing import Any, Dict, List, NamedTuple, Tuple

CST_COND_FLAGS_SHIFT = 12
CST_COUNTS_OUTSIDE = 0xffffffff
CST_COUNT_DEPTH_MAX = 65535
CST_COUNT_ID_MAX = 20
CST_COUNT_MARK = "CSTCNT\r\n"
CST_COUNT_NAME_MAX = 4095
CST_COUNT_NO_BINARY = 0xffffffff
CST_COUNT_OUTSIDE = 0xffffffffffffffff
CST_COUNT_TOTAL_MAX = 255
CST_COUNT_VERSION = 1
CST_CYCLES_GAP = 1
CST_EVENT_TRIGGER = 32768
CST_FRAME_RAW_BYTES = 12
CST_ID_UNKNOWN = 255
CST_INDEX_CONTEXTS = 63
CST_INDEX_GRANULARITY = 0x20000
CST_LIST_MIN = 1024
CST_LOG_ALL_IDS = 256
CST_LOG_NO_ID = 255
CST_MAX_PACKET = 64
CST_PACKET_BYTES = 48
CST_PARSE_NO_BYTE = 0xffffffff
CST_PULL_MIN = 4
CST_SAMPLE_BRANCHES = 64
CST_VERSION_MAJOR = 0
CST_VERSION_MINOR = 2
CST_VERSION_PATCH = 0
VERSION = "0.2.0"


class Isa(IntEnum):
    A32 = 0
    T32 = 1
    A64 = 2
    TEE = 3
    JAZELLE = 4
    CUSTOM = 5
    UNKNOWN = 6


class Security(IntEnum):
    SECURE = 0
    NONSECURE = 1
    ROOT = 2
    REALM = 3


class Profile(IntEnum):
    A = 0
    R = 1
    M = 2


class ContextFlags(IntFlag):
    CID = 0x1
    VMID = 0x2
    KNOWN = 0x4


class Memspace(IntFlag):
    EL1S = 0x1
    EL1N = 0x2
    EL2N = 0x4
    EL3 = 0x8
    EL2S = 0x10
    EL1R = 0x20
    EL2R = 0x40
    ROOT = 0x80
    ANY = 0xff


class ErrorCode(IntEnum):
    OK = 0
    NOMEM = 1
    INVAL = 2
    LIMIT = 3
    BUSY = 4
    UNSUP = 5
    PROTOCOL = 6
    BAD_HEADER = 7
    BAD_SEQUENCE = 8
    UNSUP_HEADER = 9
    INCOMPLETE = 10
    COMMIT_OVERRUN = 11
    NO_ATOM = 12
    NO_ADDRESS = 13
    QUEUE_FULL = 14
    BAD_IMAGE = 15
    FRAME_ID = 16
    FRAME_SYNC = 17
    FRAME_CUT = 18
    FRAME_RESERVED = 19
    NOT_FOUND = 20
    SYNTAX = 21
    VERSION = 22
    IO = 23
    CONFLICT = 24
    DAMAGED = 30
    NO_LENGTH = 31
    DEPTH = 32
    TRANSACTION = 33


class Protocol(IntEnum):
    NONE = 0
    ETMV4 = 1
    ETE = 2
    ETMV4_DATA = 3
    ETMV3 = 4
    PTM = 5
    STM = 6
    ITM = 7
    CUSTOM = 8
    PROTOCOLS = 9


class ItmSync(IntEnum):
    PACKET = 0
    TRY = 1
    START = 2


class Check(IntFlag):
    N_DIRECT = 0x1
    N_ANY = 0x2
    N_NOT_T32 = 0x4
    CONTINUE = 0x8
    UNDEFINED = 0x10


class FrameFlags(IntFlag):
    ALIGNED = 0x0
    FSYNC = 0x1
    HSYNC = 0x2
    RESET_4X = 0x4
    DSTREAM = 0x8
    PACKED = 0x10
    FINDINGS = 0x20
    STRICT = 0x40


class FragKind(IntEnum):
    DATA = 0
    RESET = 1
    ERROR = 2
    FINDING = 3
    FRAME = 4
    FSYNC = 5
    HSYNC = 6


class Etmv3PacketType(IntEnum):
    NOT_SYNC = 0
    INCOMPLETE = 1
    BAD_SEQUENCE = 2
    BAD_TRACEMODE = 3
    RESERVED = 4
    BRANCH = 5
    BRANCH_INFO = 6
    ASYNC = 7
    CYCLE_COUNT = 8
    ISYNC = 9
    ISYNC_CYCLE = 10
    TRIGGER = 11
    PHDR = 12
    STORE_FAILED = 13
    OOO_DATA = 14
    OOO_PLACE = 15
    DATA = 16
    SUPPRESSED = 17
    NOT_TRACED = 18
    IGNORE = 19
    CONTEXT_ID = 20
    VMID = 21
    EXC_ENTRY = 22
    EXC_EXIT = 23
    TIMESTAMP = 24
    TYPES = 25


class Etmv3PacketFlags(IntFlag):
    ISA = 0x100000
    STATE = 0x200000
    EXCEPTION = 0x400000
    CANCEL = 0x800000
    LSIP = 0x1000000
    VALUE = 0x2000000
    BIG_ENDIAN = 0x4000000
    CLOCK = 0x8000000
    STATE_NEWS = 0x10000000
    TIME_PART = 0x20000000


class Etmv4dPacketType(IntEnum):
    NOT_SYNC = 0
    INCOMPLETE = 1
    BAD_SEQUENCE = 2
    RESERVED = 3
    ASYNC = 4
    TRACE_INFO = 5
    DISCARD = 6
    OVERFLOW = 7
    SYNC_NUM = 8
    SYNC = 9
    TIMESTAMP = 10
    SUPPRESSION = 11
    EVENT = 12
    P1_F1 = 13
    P1_F2 = 14
    P1_F3 = 15
    P1_F4 = 16
    P1_F5 = 17
    P1_F6 = 18
    P1_F7 = 19
    P2_F1 = 20
    P2_F2 = 21
    P2_F3 = 22
    P2_F4 = 23
    P2_F5 = 24
    P2_F6 = 25
    TYPES = 26


class ItmPacketType(IntEnum):
    NOT_SYNC = 0
    INCOMPLETE = 1
    BAD_SEQUENCE = 2
    RESERVED = 3
    ASYNC = 4
    OVERFLOW = 5
    SWIT = 6
    DWT = 7
    LOCAL_TS = 8
    GLOBAL_TS1 = 9
    GLOBAL_TS2 = 10
    EXTENSION = 11
    TYPES = 12


class ItmPacketFlags(IntFlag):
    CLOCK = 0x100000
    WRAP = 0x200000
    HARDWARE = 0x400000


class PtmPacketType(IntEnum):
    NOT_SYNC = 0
    INCOMPLETE = 1
    BAD_SEQUENCE = 2
    RESERVED = 3
    ASYNC = 4
    ISYNC = 5
    BRANCH = 6
    EXCEPTION = 7
    ATOM = 8
    WAYPOINT = 9
    TRIGGER = 10
    CONTEXT_ID = 11
    VMID = 12
    TIMESTAMP = 13
    EXC_RETURN = 14
    IGNORE = 15
    TYPES = 16


class PtmPacketFlags(IntFlag):
    ISA = 0x100000
    HYP = 0x200000
    EXCEPTION = 0x400000
    CLOCK = 0x800000
    LATE = 0x1000000
    TIME_PART = 0x2000000


class PtmIsyncReason(IntEnum):
    PERIODIC = 0
    TRACE_ON = 1
    OVERFLOW = 2
    DEBUG = 3


class StmPacketType(IntEnum):
    NOT_SYNC = 0
    INCOMPLETE = 1
    BAD_SEQUENCE = 2
    RESERVED = 3
    ASYNC = 4
    VERSION = 5
    NULL = 6
    FREQ = 7
    TRIG = 8
    XSYNC = 9
    GERR = 10
    MERR = 11
    M8 = 12
    M16 = 13
    C8 = 14
    C16 = 15
    FLAG = 16
    D4 = 17
    D8 = 18
    D16 = 19
    D32 = 20
    D64 = 21
    TYPES = 22


class StmPacketFlags(IntFlag):
    TS = 0x100000
    MARKER = 0x200000


class Etmv4PacketType(IntEnum):
    NOT_SYNC = 0
    INCOMPLETE = 1
    BAD_SEQUENCE = 2
    RESERVED = 3
    RESERVED_CFG = 4
    ASYNC = 5
    DISCARD = 6
    OVERFLOW = 7
    TRACE_INFO = 8
    TIMESTAMP = 9
    TRACE_ON = 10
    FUNC_RETURN = 11
    EXCEPTION = 12
    EXC_RETURN = 13
    ITE = 14
    TRANS_START = 15
    TRANS_COMMIT = 16
    TRANS_FAIL = 17
    PE_RESET = 18
    CCNT_F1 = 19
    CCNT_F2 = 20
    CCNT_F3 = 21
    DATA_SYNC_NUM = 22
    DATA_SYNC = 23
    COMMIT = 24
    CANCEL_F1 = 25
    CANCEL_F1_MISP = 26
    CANCEL_F2 = 27
    CANCEL_F3 = 28
    MISPREDICT = 29
    COND_I_F1 = 30
    COND_I_F2 = 31
    COND_I_F3 = 32
    COND_FLUSH = 33
    COND_R_F1 = 34
    COND_R_F2 = 35
    COND_R_F3 = 36
    COND_R_F4 = 37
    IGNORE = 38
    EVENT = 39
    CONTEXT = 40
    ADDR_CTXT_32 = 41
    ADDR_CTXT_64 = 42
    TS_MARKER = 43
    ADDR_MATCH = 44
    ADDR_SHORT = 45
    ADDR_32 = 46
    ADDR_64 = 47
    Q = 48
    SRC_MATCH = 49
    SRC_SHORT = 50
    SRC_32 = 51
    SRC_64 = 52
    ATOM_F1 = 53
    ATOM_F2 = 54
    ATOM_F3 = 55
    ATOM_F4 = 56
    ATOM_F5 = 57
    ATOM_F6 = 58
    BF_FLUSH = 59
    TYPES = 60


class PacketFlags(IntFlag):
    CC = 0x1
    CC_UNKNOWN = 0x2
    COMMIT = 0x4
    CONTEXT = 0x8
    VMID = 0x10
    CID = 0x20
    COUNT = 0x40
    ADDR = 0x80
    E0 = 0x100
    E1 = 0x200
    P = 0x400
    MISPREDICT = 0x800
    SYNC_POINT = 0x1000
    INFO = 0x2000
    KEY = 0x4000
    SPEC = 0x8000
    CYCT = 0x10000
    WNDW = 0x20000
    M_PROFILE = 0x40000
    LEAD = 0x80000
    OWN = 0x100000


class PacketRole(IntEnum):
    OTHER = 0
    NOT_SYNC = 1
    BAD = 2
    ASYNC = 3
    SYNC = 4
    TIMESTAMP = 5
    CONTEXT = 6
    ADDRESS = 7
    ADDRESS_CONTEXT = 8
    FLOW = 9
    EXCEPTION = 10
    TRACE_ON = 11
    LOSS = 12
    DISCARD = 13
    EVENT = 14
    ASIDE = 15


class ElementKind(IntEnum):
    ATOMS = 0
    ADDRESS = 1
    CONTEXT = 2
    EXCEPTION = 3
    EXC_RETURN = 4
    Q = 5
    SOURCE_ADDRESS = 6
    TRACE_ON = 7
    TRACE_INFO = 8
    TIMESTAMP = 9
    CYCLE_COUNT = 10
    EVENT = 11
    TS_MARKER = 12
    INSTRUMENTATION = 13
    TRANS_START = 14
    TRANS_COMMIT = 15
    TRANS_FAIL = 16
    FUNC_RETURN = 17
    NO_SYNC = 18
    END = 19
    READY = 20
    BRANCH = 21
    WAYPOINT = 22
    VECTOR = 23
    DATA = 24
    FINDING = 25
    COND_INSN = 26
    COND_RESULT = 27
    COND_FLUSH = 28


class ElementFlags(IntFlag):
    CC = 0x1
    COUNT = 0x2
    ADDRESS = 0x4
    LSIP = 0x4
    BR_TARGET = 0x8
    DOUBTFUL = 0x10
    TAIL_CHAIN = 0x20
    SAME = 0x40
    CONFIG = 0x80
    GAP = 0x8
    SYNC = 0x8
    ISA = 0x10
    QUIET = 0x20


class InsnType(IntEnum):
    OTHER = 0
    BRANCH = 1
    INDIRECT = 2
    ISB = 3
    BARRIER = 4
    WFX = 5
    TSTART = 6
    LOAD = 7
    STORE = 8


class InsnSubtype(IntEnum):
    PLAIN = 0
    LINK = 1
    RET = 2
    ERET = 3
    IMPLIED_RET = 4
    FUTURE = 5


class IsaFlags(IntFlag):
    WFX_P0 = 0x1
    M_PROFILE = 0x2
    BARRIER_P0 = 0x4
    THUMBEE = 0x8
    LOAD_P0 = 0x10
    STORE_P0 = 0x20
    RUNS = 0x40


class GenericKind(IntEnum):
    UNKNOWN = 0
    NO_SYNC = 1
    TRACE_ON = 2
    EO_TRACE = 3
    PE_CONTEXT = 4
    RANGE = 5
    NOPATH = 6
    NACC = 7
    ADDR_UNKNOWN = 8
    EXCEPTION = 9
    EXCEPTION_RET = 10
    TIMESTAMP = 11
    CYCLE_COUNT = 12
    EVENT = 13
    SWTRACE = 14
    SYNC_MARKER = 15
    MEMTRANS = 16
    INSTRUMENTATION = 17
    ITMTRACE = 18
    CUSTOM = 19
    DATA = 64
    COND = 65
    COUNTED = 66
    SKIPPED = 67
    LISTED = 68
    BARRIER = 69


class TraceOnReason(IntEnum):
    NORMAL = 0
    OVERFLOW = 1
    DEBUG = 2


class UnsyncReason(IntEnum):
    UNKNOWN = 0
    INIT = 1
    RESET = 2
    OVERFLOW = 3
    DISCARD = 4
    BAD_PACKET = 5
    BAD_IMAGE = 6
    END = 7


class SwFlags(IntFlag):
    ID = 0x1
    MARKER = 0x2
    TRIGGER = 0x4
    FREQ = 0x8
    MASTER_ERR = 0x10
    GLOBAL_ERR = 0x20
    OVERFLOW = 0x40
    CLOCK = 0x80


class ItmKind(IntEnum):
    SWIT = 0
    DWT = 1
    TS_SYNC = 2
    TS_DELAY = 3
    TS_PKT_DELAY = 4
    TS_PKT_TS_DELAY = 5
    TS_GLOBAL = 6


class DataFlags(IntFlag):
    ADDR = 0x1
    VALUE = 0x2
    INSN = 0x4
    LATE = 0x8
    PENDING = 0x10
    STORE_FAILED = 0x20
    NOT_TRACED = 0x40
    SUPPRESSED = 0x80
    BIG_ENDIAN = 0x100
    STACKING = 0x200


class CondFlags(IntFlag):
    PASSED = 0x1
    FAILED = 0x2
    INSN = 0x4
    FLAGS = 0x8


class SyncMarker(IntEnum):
    TIMESTAMP = 0
    DATA_NUMBERED = 1
    DATA = 2


class Memtrans(IntEnum):
    INIT = 0
    START = 1
    COMMIT = 2
    FAIL = 3


class RangeFlags(IntFlag):
    IT = 0x1
    PART = 0x2


class GenericFlags(IntFlag):
    EXEC = 0x1
    COND = 0x2
    LINK = 0x4
    CC = 0x8
    RET_ADDR = 0x10
    BR_TARGET = 0x20
    TAIL_CHAIN = 0x40
    CID = 0x80
    VMID = 0x100
    EL = 0x200
    BITS64 = 0x400
    WAYPOINT = 0x800
    NEXT = 0x1000
    DOUBTFUL = 0x2000
    TS = 0x4000


class CountsFlags(IntFlag):
    JOINED = 0x1


class Finding(IntEnum):
    NONE = 0
    RESERVED_BITS = 1
    NO_CODE = 2
    ATOMS_LOST = 3
    IMAGE_CONFLICT = 4
    STACK_EMPTY = 5
    NO_PATH = 6
    OVERFLOW = 7
    DISCARD = 8
    UNROUTED = 9
    FRAME_RESERVED_ID = 10
    FRAME_AUX = 11
    BARRIER = 12
    STM_NOT_SENT = 13
    STM_LONG_ASYNC = 14
    ITM_LOCAL_TS = 15
    ITM_GLOBAL_TS = 16
    DWT_RESERVED = 17
    DWT_SIZE = 18
    PTM_RESERVED_BITS = 19
    PTM_ISA = 20
    PTM_EXCEPTION = 21
    PTM_ADDRESS = 22
    ETM_ADDRESS_BITS = 23
    ETM_ADDRESS_64 = 24
    ETM_CONTEXT_BITS = 25
    ETM_CONTEXT_ID = 26
    ETM_CONTEXT_IS = 27
    ETM_INFO_BITS = 28
    ETM_INFO_CONFIG = 29
    ETM_INFO_SPEC = 30
    ETM_CC_OFF = 31
    ETM_CC_COMMIT = 32
    ETM_CC_OVERFLOW = 33
    ETM_WIDE = 34
    ETM_EXCEPTION_BITS = 35
    ETM_EXCEPTION_TYPE = 36
    ETM_EXCEPTION_FORM = 37
    ETM_Q_FORM = 38
    ETM_NO_SPECULATION = 39
    ETM_ITE_BITS = 40
    ETM_TS_MARKER = 41
    ETM_BEFORE_INFO = 42
    ETMV3_RESERVED_BITS = 43
    ETMV3_PHDR = 44
    ETMV3_ZEROS = 45
    ETMV3_CYCLES = 46
    ETMV3_CONFIG = 47
    ETMV3_EXCEPTION = 48
    ETMV3_DEPRECATED = 49
    ETMV3_CANCEL = 50
    DATA_NO_PLACE = 51
    JAZELLE = 52
    TIME_UNKNOWN = 53
    STM_MASTER_ERROR = 54
    STM_GLOBAL_ERROR = 55
    ITM_BOUNDARY = 56
    ETM_Q_OFF = 57
    FINDINGS = 58


class Severity(IntEnum):
    NONE = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    SEVERITIES = 4


class Component(IntEnum):
    FRAME = 0
    PACKET = 1
    ELEMENT = 2
    FLOW = 3
    TREE = 4
    INDEX = 5
    COMPONENTS = 6


class Stop(IntFlag):
    NONE = 0x0
    CONTEXT = 0x1
    TRACE_ON = 0x2
    TIMESTAMP = 0x4
    SECTION = 0x8
    EXCEPTION = 0x10
    CONFIG = 0x20
    PACKET = 0x40
    INPUT = 0x80
    END = 0x100


class Emit(IntEnum):
    RANGES = 0
    COUNTS = 1
    SAMPLES = 2
    BRANCHES = 3


class TreeFormat(IntEnum):
    RAW = 0
    FRAMES = 1


class TreeOrder(IntEnum):
    FRAMES = 0
    BY_ID = 1


class ScanKind(IntEnum):
    TIMESTAMP = 0
    BREAK = 1
    BARRIER = 2


class IndexKind(IntEnum):
    TIMESTAMP = 0
    EVENT = 1
    CONTEXT = 2
    LOSS = 3
    TRACE_ON = 4
    SYNC = 5
    KINDS = 6


class CountKind(IntEnum):
    TOTAL = 1
    BINARY = 2
    SEGMENT = 3
    RANGE = 4
    NOT_TAKEN = 5
    EDGE = 6
    ENTRY = 7
    NODE = 8


class CountId(IntEnum):
    BUILD = 0
    DIGEST = 1
    NAME = 2


class CountBinaryType(IntEnum):
    FILE = 0
    KERNEL = 1
    MODULE = 2
    JIT = 3
    MEMORY = 4


class CountRangeFlags(IntFlag):
    T32 = 0x1
    ARRIVED = 0x2


class CountNodeKind(IntEnum):
    ROOT = 0
    CALL = 1
    TAIL = 2
    EXCEPTION = 3
    SIGNAL = 4
    CUT = 5


class cst_context(Structure):
    _fields_ = [
        ("context_id", c_uint32),
        ("vmid", c_uint32),
        ("el", c_uint8),
        ("security", c_uint8),
        ("bits64", c_uint8),
        ("flags", c_uint8),
    ]


class cst_etmv4_regs(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("configr", c_uint32),
        ("traceidr", c_uint32),
        ("idr0", c_uint32),
        ("idr1", c_uint32),
        ("idr2", c_uint32),
        ("idr8", c_uint32),
        ("idr9", c_uint32),
        ("idr10", c_uint32),
        ("idr11", c_uint32),
        ("idr12", c_uint32),
        ("idr13", c_uint32),
        ("devarch", c_uint32),
    ]


class cst_etmv3_regs(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("cr", c_uint32),
        ("ccer", c_uint32),
        ("idr", c_uint32),
        ("traceidr", c_uint32),
    ]


class cst_stm_regs(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tcsr", c_uint32),
        ("feat1r", c_uint32),
        ("feat3r", c_uint32),
        ("devid", c_uint32),
        ("hwfeatr", c_uint32),
    ]


class cst_itm_regs(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tcr", c_uint32),
    ]


class cst_config(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("protocol", c_uint8),
        ("profile", c_uint8),
        ("version", c_uint8),
        ("trace_id", c_uint8),
        ("ia64", c_uint8),
        ("cid_bytes", c_uint8),
        ("vmid_bytes", c_uint8),
        ("cc_bits", c_uint8),
        ("commopt", c_uint8),
        ("trans_p0", c_uint8),
        ("qsupp", c_uint8),
        ("wfx_p0", c_uint8),
        ("ret_stack", c_uint8),
        ("cycle_count", c_uint8),
        ("branch_broadcast", c_uint8),
        ("cond_trace", c_uint8),
        ("load_p0", c_uint8),
        ("store_p0", c_uint8),
        ("cond_mode", c_uint8),
        ("cond_flags", c_uint8),
        ("cond_keys", c_uint32),
        ("p0_keys", c_uint32),
        ("data_trace", c_uint8),
        ("ts_marker", c_uint8),
        ("vmid_is_cid2", c_uint8),
        ("max_spec", c_uint32),
        ("atom_per_insn", c_uint8),
        ("barrier_p0", c_uint8),
        ("data_addr", c_uint8),
        ("data_value", c_uint8),
        ("data_only", c_uint8),
        ("alt_branch", c_uint8),
        ("virt_ext", c_uint8),
        ("ts64", c_uint8),
        ("ts_gray", c_uint8),
        ("ts_prescale", c_uint8),
        ("max_queue", c_uint32),
        ("hold_transactions", c_uint8),
        ("as_reference", c_uint8),
        ("strict", c_uint8),
        ("insn_ranges", c_uint8),
        ("split_source", c_uint8),
        ("checks", c_uint8),
        ("quirks", c_uint8),
        ("itm_sync", c_uint8),
        ("q_off", c_uint8),
    ]


class cst_reserved_field(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_uint32),
    ]


class cst_fragment(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("pos", c_uint32),
        ("len", c_uint16),
        ("id", c_uint8),
        ("kind", c_uint8),
        ("error", c_int),
    ]


class cst_frame_stats(Structure):
    _fields_ = [
        ("frames", c_uint64),
        ("data", c_uint64),
        ("null", c_uint64),
        ("reserved", c_uint64),
        ("unknown", c_uint64),
        ("overhead", c_uint64),
        ("skipped", c_uint64),
        ("barriers", c_uint64),
        ("errors", c_uint64),
        ("triggers", c_uint64),
        ("filtered", c_uint64),
    ]


class cst_deframer(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("flags", c_uint8),
        ("id", c_uint8),
        ("fill", c_uint8),
        ("synced", c_uint8),
        ("part", c_uint8 * 16),
        ("pair", c_uint64 * 8),
        ("filter", c_uint64 * 2),
        ("tail", c_uint8),
        ("stats", cst_frame_stats),
        ("reserved", c_uint64 * 8),
    ]


class cst_unwrapped(Structure):
    class _In1(Structure):
        _fields_ = [
            ("start", c_uint64),
            ("len", c_uint64),
        ]

    _fields_ = [
        ("struct_size", c_size_t),
        ("piece", _In1 * 2),
        ("len", c_uint64),
        ("cut", c_uint64),
        ("trigger", c_uint64),
    ]


class cst_packet(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("index", c_uint64),
        ("size", c_uint16),
        ("protocol", c_uint8),
        ("type", c_uint8),
        ("bad_type", c_uint8),
        ("header", c_uint8),
        ("is", c_uint8),
        ("addr_bits", c_uint8),
        ("match", c_uint8),
        ("n_atoms", c_uint8),
        ("q_type", c_uint8),
        ("ts_bits", c_uint8),
        ("el", c_uint8),
        ("sf", c_uint8),
        ("security", c_uint8),
        ("flags", c_uint32),
        ("atoms", c_uint32),
        ("exc_type", c_uint16),
        ("event", c_uint16),
        ("vmid", c_uint32),
        ("cid", c_uint32),
        ("addr", c_uint64),
        ("ts", c_uint64),
        ("cc", c_uint32),
        ("commit", c_uint32),
        ("count", c_uint32),
        ("info", c_uint32),
        ("key", c_uint32),
        ("spec", c_uint32),
        ("cyct", c_uint32),
        ("value", c_uint64),
        ("isa", c_uint8),
        ("tag", c_uint8),
        ("vsize", c_uint8),
        ("lead", c_uint8),
        ("finding", c_uint16 * 2),
        ("nbytes", c_uint8),
        ("bytes", c_uint8 * 48),
    ]


class cst_element(Structure):
    class _In10(Union):
        _fields_ = [
            ("value", c_uint64),
            ("ready", c_void_p),
        ]

    _anonymous_ = ("_10",)
    _fields_ = [
        ("index", c_uint64),
        ("kind", c_uint8),
        ("flags", c_uint8),
        ("n", c_uint8),
        ("is", c_uint8),
        ("num", c_uint16),
        ("pad", c_uint16),
        ("bits", c_uint32),
        ("first_e", c_uint32),
        ("addr", c_uint64),
        ("_10", _In10),
        ("cc", c_uint32),
        ("ctx", cst_context),
    ]


class cst_insn(Structure):
    _fields_ = [
        ("size", c_uint8),
        ("type", c_uint8),
        ("subtype", c_uint8),
        ("cond", c_uint8),
        ("link", c_uint8),
        ("next_isa", c_uint8),
        ("it_count", c_uint8),
        ("is_svc", c_uint8),
        ("disp", c_int32),
    ]


class cst_image_key(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("spaces", c_uint8),
        ("ids", c_uint8),
        ("context_id", c_uint32),
        ("vmid", c_uint32),
    ]


class cst_generic(Structure):
    class _In1(Union):
        _fields_ = [
            ("addr", c_uint64),
            ("payload", c_uint64),
        ]

    class _In2(Union):
        _fields_ = [
            ("end", c_uint64),
            ("ts", c_uint64),
            ("value", c_uint64),
        ]

    class _In3(Union):
        _fields_ = [
            ("n_insn", c_uint32),
            ("size", c_uint32),
        ]

    class _In4(Union):
        _fields_ = [
            ("cc", c_uint32),
            ("runs", c_uint32),
        ]

    class _In5(Union):
        _fields_ = [
            ("context_id", c_uint32),
            ("master", c_uint32),
        ]

    class _In6(Union):
        _fields_ = [
            ("vmid", c_uint32),
            ("channel", c_uint32),
        ]

    class _In18(Union):
        class _In0(Structure):
            class _In0(Union):
                _fields_ = [
                    ("error", c_uint32),
                    ("start", c_uint32),
                    ("first", c_uint32),
                ]

            class _In1(Union):
                _fields_ = [
                    ("sect_off", c_uint32),
                    ("branches", c_uint32),
                ]

            _anonymous_ = ("_0", "_1",)
            _fields_ = [
                ("_0", _In0),
                ("_1", _In1),
            ]

        _anonymous_ = ("_0",)
        _fields_ = [
            ("_0", _In0),
            ("insn", c_uint64),
        ]

    _anonymous_ = ("_1", "_2", "_3", "_4", "_5", "_6", "_18",)
    _fields_ = [
        ("index", c_uint64),
        ("_1", _In1),
        ("_2", _In2),
        ("_3", _In3),
        ("_4", _In4),
        ("_5", _In5),
        ("_6", _In6),
        ("section", c_uint32),
        ("kind", c_uint8),
        ("trace_id", c_uint8),
        ("el", c_uint8),
        ("security", c_uint8),
        ("flags", c_uint16),
        ("num", c_uint16),
        ("isa", c_uint8),
        ("last_type", c_uint8),
        ("last_subtype", c_uint8),
        ("last_size", c_uint8),
        ("_18", _In18),
    ]


class cst_branch(Structure):
    _fields_ = [
        ("from", c_uint64),
        ("to", c_uint64),
        ("flags", c_uint16),
        ("num", c_uint16),
        ("isa", c_uint8),
        ("last_type", c_uint8),
        ("last_subtype", c_uint8),
        ("last_size", c_uint8),
    ]


class cst_branch_list(Structure):
    _fields_ = [
        ("v", POINTER(cst_branch)),
        ("n", c_uint32),
        ("cap", c_uint32),
    ]


class cst_pair(Structure):
    _fields_ = [
        ("a", c_uint32),
        ("b", c_uint32),
        ("count", c_uint64),
    ]


class cst_pairs(Structure):
    _fields_ = [
        ("slot", POINTER(cst_pair)),
        ("mask", c_size_t),
        ("shift", c_uint),
        ("used", c_size_t),
        ("sorted", c_int),
    ]


class cst_exits(Structure):
    _fields_ = [
        ("section", c_uint32),
        ("edges", cst_pairs),
    ]


class cst_protocol_ops(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("parser_size", c_uint32),
        ("max_packet", c_uint32),
        ("sub_byte", c_uint8),
        ("piece_by_run", c_uint8),
        ("piece_max", c_uint8),
        ("parser_init", CFUNCTYPE(None, c_void_p, POINTER(cst_config), c_void_p)),
        ("parser_listing", CFUNCTYPE(None, c_void_p)),
        ("parse", CFUNCTYPE(c_uint, c_void_p, c_void_p, c_void_p, POINTER(cst_packet))),
        ("parse_rest", CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, POINTER(cst_packet))),
        ("parser_synced", CFUNCTYPE(None, c_void_p)),
        ("roles", c_void_p),
        ("n_types", c_uint32),
        ("packet_text", CFUNCTYPE(c_size_t, POINTER(cst_packet), c_void_p, c_size_t)),
        ("stage_size", c_uint32),
        ("stage_init", CFUNCTYPE(c_int, c_void_p, POINTER(cst_config), c_void_p, c_void_p)),
        ("stage_fini", CFUNCTYPE(None, c_void_p)),
        ("stage_reset", CFUNCTYPE(None, c_void_p, c_uint8, c_int)),
        ("stage_restart", CFUNCTYPE(None, c_void_p, c_uint64)),
        ("stage_packet", CFUNCTYPE(None, c_void_p, POINTER(cst_packet))),
        ("stage_end", CFUNCTYPE(None, c_void_p)),
        ("stage_take", CFUNCTYPE(POINTER(cst_element), c_void_p)),
    ]


class cst_log_record(Structure):
    _fields_ = [
        ("index", c_uint64),
        ("value", c_uint64),
        ("count", c_uint64),
        ("trace_id", c_uint8),
        ("severity", c_uint8),
        ("component", c_uint8),
        ("error", c_uint16),
        ("finding", c_uint16),
        ("text", c_char_p),
        ("section", c_char_p),
    ]


class cst_stats(Structure):
    _fields_ = [
        ("bytes", c_uint64),
        ("packets", c_uint64),
        ("bad_packets", c_uint64),
        ("unsynced", c_uint64),
        ("overflows", c_uint64),
        ("discards", c_uint64),
        ("resyncs", c_uint64),
        ("elements", c_uint64),
        ("ranges", c_uint64),
        ("insns", c_uint64),
        ("branches", c_uint64),
        ("nacc", c_uint64),
        ("atoms_lost", c_uint64),
        ("image_conflicts", c_uint64),
        ("stack_empty", c_uint64),
        ("nopath", c_uint64),
        ("trans_failed", c_uint64),
        ("uncommitted", c_uint64),
        ("data_lost", c_uint64),
        ("times_unknown", c_uint64),
        ("master_errors", c_uint64),
        ("global_errors", c_uint64),
        ("boundaries_tried", c_uint64),
    ]


class cst_pull(Structure):
    _fields_ = [
        ("why", c_uint),
        ("dec", c_void_p),
    ]


class cst_emit_opts(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("counts", c_void_p),
        ("list", POINTER(cst_branch_list)),
        ("next", c_uint64),
        ("period", c_uint64),
    ]


class cst_scan(Structure):
    _fields_ = [
        ("index", c_uint64),
        ("ts", c_uint64),
        ("kind", c_uint8),
        ("trace_id", c_uint8),
    ]


class cst_index_block(Structure):
    _fields_ = [
        ("start", c_uint64),
        ("valid", c_uint64),
        ("bytes", c_uint64),
        ("counts", c_uint32 * 6),
        ("event_mask", c_uint32),
        ("time_first", c_uint64),
        ("time_last", c_uint64),
        ("time_min", c_uint64),
        ("time_max", c_uint64),
        ("contexts", c_uint64),
    ]


class cst_index_record(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("value", c_uint64),
        ("kind", c_uint8),
    ]


class cst_index_stream(Structure):
    _fields_ = [
        ("trace_id", c_uint8),
        ("protocol", c_uint8),
        ("config", c_uint64),
        ("worlds", c_uint8),
        ("granularity", c_uint32),
        ("blocks", POINTER(cst_index_block)),
        ("n_blocks", c_uint32),
        ("cap_blocks", c_uint32),
        ("contexts", c_uint64 * 63),
        ("n_contexts", c_uint32),
        ("records", POINTER(cst_index_record)),
        ("n_records", c_uint32),
        ("cap_records", c_uint32),
        ("records_end", c_uint64),
    ]


class cst_index_source(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("ids", c_uint64 * 2),
        ("digest", c_uint64),
        ("triggers", c_uint32),
        ("barriers", c_uint32),
        ("errors", c_uint32),
        ("syncs", c_uint32),
        ("frame_id", c_uint8),
    ]


class cst_index(Structure):
    _fields_ = [
        ("name", c_void_p),
        ("format", c_uint8),
        ("flags", c_uint8),
        ("full", c_uint8),
        ("granularity", c_uint32),
        ("offset", c_uint64),
        ("end", c_uint64),
        ("trace_offset", c_uint64),
        ("trace_size", c_uint64),
        ("trace_digest", c_uint64),
        ("sources", POINTER(cst_index_source)),
        ("n_sources", c_uint32),
        ("cap_sources", c_uint32),
        ("streams", POINTER(cst_index_stream)),
        ("n_streams", c_uint32),
    ]


class cst_index_opts(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("granularity", c_uint32),
        ("full", c_uint8),
        ("max_blocks", c_uint32),
        ("max_records", c_uint32),
    ]


class cst_index_query(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_uint8),
        ("value", c_uint64),
        ("from", c_uint64),
    ]


class cst_index_place(Structure):
    _fields_ = [
        ("start", c_uint64),
        ("valid", c_uint64),
        ("offset", c_uint64),
        ("found", c_uint8),
        ("exact", c_uint8),
    ]


class cst_index_file(Structure):
    _fields_ = [
        ("indexes", POINTER(POINTER(cst_index))),
        ("n", c_uint32),
    ]


class cst_index_problem(Structure):
    _fields_ = [
        ("error", c_int),
        ("text", c_char_p),
        ("found", c_uint64),
        ("expected", c_uint64),
    ]


class cst_count_total(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_uint64),
    ]


class cst_count_binary(Structure):
    _fields_ = [
        ("id_kind", c_uint8),
        ("id_len", c_uint8),
        ("type", c_uint8),
        ("machine", c_uint16),
        ("id", c_uint8 * 20),
        ("name", c_char_p),
    ]


class cst_count_segment(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("size", c_uint64),
        ("vaddr", c_uint64),
        ("exec", c_uint8),
    ]


class cst_count_range(Structure):
    _fields_ = [
        ("binary", c_uint32),
        ("flags", c_uint8),
        ("insns", c_uint32),
        ("start", c_uint64),
        ("last", c_uint64),
        ("count", c_uint64),
    ]


class cst_count_not_taken(Structure):
    _fields_ = [
        ("binary", c_uint32),
        ("size", c_uint8),
        ("offset", c_uint64),
        ("count", c_uint64),
    ]


class cst_count_edge(Structure):
    _fields_ = [
        ("binary", c_uint32),
        ("from", c_uint64),
        ("to", c_uint64),
        ("count", c_uint64),
    ]


class cst_count_entry(Structure):
    _fields_ = [
        ("binary", c_uint32),
        ("offset", c_uint64),
        ("count", c_uint64),
    ]


class cst_count_node(Structure):
    _fields_ = [
        ("depth", c_uint32),
        ("kind", c_uint8),
        ("from_binary", c_uint32),
        ("binary", c_uint32),
        ("from", c_uint64),
        ("entry", c_uint64),
        ("calls", c_uint64),
        ("insns", c_uint64),
    ]


class cst_count_record(Structure):
    class _In1(Union):
        _fields_ = [
            ("total", cst_count_total),
            ("binary", cst_count_binary),
            ("segment", cst_count_segment),
            ("range", cst_count_range),
            ("not_taken", cst_count_not_taken),
            ("edge", cst_count_edge),
            ("entry", cst_count_entry),
            ("node", cst_count_node),
        ]

    _anonymous_ = ("_1",)
    _fields_ = [
        ("kind", c_uint8),
        ("_1", _In1),
    ]


class cst_count_input(Structure):
    _fields_ = [
        ("reader", c_void_p),
        ("weight", c_uint64),
        ("counts", c_uint64),
    ]


class cst_recording_opts(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("input", c_char_p),
        ("symfs", c_char_p),
        ("vmlinux", c_char_p),
        ("kcore", c_char_p),
        ("kallsyms", c_char_p),
        ("jitdump", c_char_p),
        ("buildid_dir", c_char_p),
        ("time", c_char_p),
        ("cpu", c_char_p),
        ("pid", c_char_p),
        ("tid", c_char_p),
        ("comm", c_char_p),
        ("times", c_int),
        ("report", CFUNCTYPE(None, c_void_p, c_char_p)),
        ("data", c_void_p),
    ]


class cst_recording_file(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("build_id_len", c_size_t),
        ("build_id", c_void_p),
    ]


class cst_recording_batch(Structure):
    _fields_ = [
        ("cpu", c_int),
        ("pid", c_int),
        ("tid", c_int),
        ("comm", c_char_p),
        ("time", c_uint64),
        ("n", c_size_t),
        ("elements", POINTER(cst_generic)),
        ("files", POINTER(POINTER(cst_recording_file))),
        ("config", POINTER(cst_config)),
    ]


class cst_recording_kept(Structure):
    _fields_ = [
        ("n", c_size_t),
        ("elements", POINTER(cst_generic)),
        ("files", POINTER(POINTER(cst_recording_file))),
    ]


class cst_recording_counts(Structure):
    _fields_ = [
        ("file", POINTER(cst_recording_file)),
        ("method", c_char_p),
        ("ranges", POINTER(cst_pair)),
        ("n_ranges", c_size_t),
        ("edges", POINTER(cst_pair)),
        ("n_edges", c_size_t),
        ("branches", c_uint64),
    ]


class cst_recording_loss(Structure):
    _fields_ = [
        ("count", c_uint64),
        ("bytes", c_uint64),
        ("counted", c_char_p),
        ("why", c_char_p),
        ("cure", c_char_p),
    ]

cst_space_mapper = CFUNCTYPE(c_int, c_void_p, c_void_p, c_uint64)
cst_log_fn = CFUNCTYPE(None, c_void_p, POINTER(cst_log_record))
cst_count_read_fn = CFUNCTYPE(c_long, c_void_p, c_void_p, c_size_t)
cst_count_write_fn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
cst_count_record_fn = CFUNCTYPE(c_int, c_void_p, POINTER(cst_count_record))



class Element(NamedTuple):
    """A struct cst_generic.

    index: trace offset of the packet that caused it
    addr: RANGE, NOPATH: start; NACC, ADDR_UNKNOWN, DATA: address; TIMESTAMP, INSTRUMENTATION: value
    end: RANGE: exclusive end; NOPATH: next address; EXCEPTION: return address
    n_insn: RANGE, NOPATH and runs: number of instructions
    cc: cycles since the last CYCLE_COUNT element
    section: RANGE: section number (image.h) of addr, 0 when the range is not in one section
    kind: enum cst_generic_kind
    flags: enum cst_generic_flags
    num: exception number, event mask, memory space, transaction, reason; RANGE: enum cst_range_flags; SWTRACE,
        ITMTRACE: enum cst_sw_flags; DATA: enum cst_data_flags
    isa: enum cst_isa of the range; else of the current address
    last_type: enum cst_insn_type
    last_subtype: enum cst_insn_subtype
    last_size: bytes of the last instruction
    error: NO_SYNC, ADDR_UNKNOWN, BARRIER: enum cst_error (positive), 0 none
    sect_off: RANGE: offset of addr in its section (low 32 bits)
    payload: SWTRACE, ITMTRACE: the payload
    ts: SWTRACE, ITMTRACE with CST_GF_TS: the timestamp
    value: DATA: the value; TIMESTAMP of ETMv3 and PTM: addr as sent (Gray coded, upper bits as before)
    size: SWTRACE: bits of the payload; ITMTRACE, DATA: bytes
    runs: COUNTED, SKIPPED and LISTED, which are runs: number of ranges
    master: SWTRACE with CST_SW_ID: STP master
    channel: SWTRACE with CST_SW_ID; ITMTRACE: stimulus port or DWT discriminator
    start: COUNTED: section offset of the open range
    first: LISTED: index of the first branch
    branches: LISTED: number of branches
    insn: DATA: address of the instruction that made the transfer, with CST_DATA_INSN"""
    index: int
    addr: int
    end: int
    n_insn: int
    cc: int
    context_id: int
    vmid: int
    section: int
    kind: int
    trace_id: int
    el: int
    security: int
    flags: int
    num: int
    isa: int
    last_type: int
    last_subtype: int
    last_size: int
    error: int
    sect_off: int

    @property
    def payload(self) -> int:
        return self.addr

    @property
    def ts(self) -> int:
        return self.end

    @property
    def value(self) -> int:
        return self.end

    @property
    def size(self) -> int:
        return self.n_insn

    @property
    def runs(self) -> int:
        return self.cc

    @property
    def master(self) -> int:
        return self.context_id

    @property
    def channel(self) -> int:
        return self.vmid

    @property
    def start(self) -> int:
        return self.error

    @property
    def first(self) -> int:
        return self.error

    @property
    def branches(self) -> int:
        return self.sect_off

    @property
    def insn(self) -> int:
        return int.from_bytes(pack("=2I", self.error, self.sect_off), byteorder)


class Branch(NamedTuple):
    """A struct cst_branch.

    from_: addresses of the branch instruction and of its target
    to: addresses of the branch instruction and of its target"""
    from_: int
    to: int
    flags: int
    num: int
    isa: int
    last_type: int
    last_subtype: int
    last_size: int


class Pair(NamedTuple):
    """A struct cst_pair.

    count: 0: free slot"""
    a: int
    b: int
    count: int


class Stats(NamedTuple):
    """A struct cst_stats.

    bytes: bytes fed
    packets: parsed; unsynchronised bytes do not count
    bad_packets: reserved, bad sequence, incomplete
    unsynced: bytes skipped while looking for A-sync
    resyncs: losses of synchronisation because of an error
    elements: generic elements returned
    branches: taken: atoms E on branches, source addresses
    nacc: ranges that ended at missing memory
    atoms_lost: atoms without a known address or context
    image_conflicts: atoms and traced addresses that contradict the program image
    stack_empty: returns with an empty return stack
    nopath: Q elements whose path is unknown
    trans_failed: failed transactions, whose elements were dropped
    uncommitted: P0 elements dropped although nothing says that they were not executed: those that were speculative,
        or inside a transaction, at a discard, an overflow, an error or the end of trace
    data_lost: times that data trace was suppressed
    times_unknown: ETMv3, PTM: timestamps without a time, since their upper bits were not traced after a loss
    master_errors: STM: times that writes of a master were dropped for want of space
    global_errors: STM: the same for several masters at once
    boundaries_tried: ITM: times that packets begin where trial found it (cst_config.itm_sync)"""
    bytes: int
    packets: int
    bad_packets: int
    unsynced: int
    overflows: int
    discards: int
    resyncs: int
    elements: int
    ranges: int
    insns: int
    branches: int
    nacc: int
    atoms_lost: int
    image_conflicts: int
    stack_empty: int
    nopath: int
    trans_failed: int
    uncommitted: int
    data_lost: int
    times_unknown: int
    master_errors: int
    global_errors: int
    boundaries_tried: int


class FrameStats(NamedTuple):
    """A struct cst_frame_stats.

    data: bytes of trace IDs 0x01..0x6F
    null: padding bytes (ID 0)
    reserved: bytes of IDs 0x70..0x7F
    unknown: bytes before the first ID
    overhead: ID bytes, auxiliary bytes, synchronisation patterns, barriers
    skipped: bytes dropped because of errors or a cut last frame
    triggers: changes to ID 0x7D; also fragments of that ID
    filtered: bytes of any ID that the filter drops; in no other count"""
    frames: int
    data: int
    null: int
    reserved: int
    unknown: int
    overhead: int
    skipped: int
    barriers: int
    errors: int
    triggers: int
    filtered: int


class CountSegment(NamedTuple):
    """A struct cst_count_segment.
"""
    offset: int
    size: int
    vaddr: int
    exec: int


class CountRange(NamedTuple):
    """A struct cst_count_range.

    flags: enum cst_count_range_flags
    insns: instructions of one execution: (last - start) / 4 + 1, with CST_COUNT_T32 from that to (last - start) / 2
        + 1"""
    binary: int
    flags: int
    insns: int
    start: int
    last: int
    count: int


class CountNotTaken(NamedTuple):
    """A struct cst_count_not_taken.

    size: of the instruction: 2 or 4"""
    binary: int
    size: int
    offset: int
    count: int


class CountEdge(NamedTuple):
    """A struct cst_count_edge.
"""
    binary: int
    from_: int
    to: int
    count: int


class CountEntry(NamedTuple):
    """A struct cst_count_entry.
"""
    binary: int
    offset: int
    count: int


class CountNode(NamedTuple):
    """A struct cst_count_node.

    kind: enum cst_count_node_kind
    from_binary: or CST_COUNT_NO_BINARY
    binary: or CST_COUNT_NO_BINARY
    from_: or CST_COUNT_OUTSIDE
    entry: or CST_COUNT_OUTSIDE
    insns: executed in this context itself, without callees"""
    depth: int
    kind: int
    from_binary: int
    binary: int
    from_: int
    entry: int
    calls: int
    insns: int


ROWS: Dict[Any, Any] = {
    cst_generic: Element,
    cst_branch: Branch,
    cst_pair: Pair,
    cst_stats: Stats,
    cst_frame_stats: FrameStats,
    cst_count_segment: CountSegment,
    cst_count_range: CountRange,
    cst_count_not_taken: CountNotTaken,
    cst_count_edge: CountEdge,
    cst_count_entry: CountEntry,
    cst_count_node: CountNode,
}

# library: {function: (type of the result, types of the arguments)}
FUNCTIONS: Dict[str, Dict[str, Tuple[Any, List[Any]]]] = {
    "cstrace-files": {
        "cst_count_merge": (c_int, [POINTER(cst_count_input), c_size_t, cst_count_record_fn, c_void_p, POINTER(c_size_t), c_void_p, c_size_t]),
        "cst_count_read": (c_int, [c_void_p, POINTER(cst_count_record)]),
        "cst_count_reader_free": (None, [c_void_p]),
        "cst_count_reader_new": (c_int, [POINTER(c_void_p), cst_count_read_fn, c_void_p]),
        "cst_count_reader_place": (c_uint64, [c_void_p, POINTER(c_char_p)]),
        "cst_count_write": (c_int, [c_void_p, POINTER(cst_count_record)]),
        "cst_count_writer_end": (c_int, [c_void_p]),
        "cst_count_writer_free": (None, [c_void_p]),
        "cst_count_writer_new": (c_int, [POINTER(c_void_p), cst_count_write_fn, c_void_p]),
        "cst_count_writer_refused": (c_char_p, [c_void_p]),
    },
    "cstrace-perf": {
        "cst_recording_close": (None, [c_void_p]),
        "cst_recording_count": (c_int, [c_void_p, c_uint, CFUNCTYPE(c_int, c_void_p, POINTER(cst_recording_counts)), c_void_p]),
        "cst_recording_keep": (POINTER(cst_recording_kept), [c_void_p]),
        "cst_recording_losses": (c_int, [c_void_p, CFUNCTYPE(None, c_void_p, POINTER(cst_recording_loss)), c_void_p]),
        "cst_recording_open": (c_int, [POINTER(c_void_p), POINTER(cst_recording_opts)]),
        "cst_recording_release": (None, [POINTER(cst_recording_kept)]),
        "cst_recording_run": (c_int, [c_void_p, CFUNCTYPE(c_int, c_void_p, POINTER(cst_recording_batch)), c_void_p]),
    },
    "cstrace": {
        "cst_branches_find": (c_size_t, [POINTER(cst_branch), POINTER(cst_generic), c_size_t, POINTER(cst_branch)]),
        "cst_component_name": (c_char_p, [c_uint]),
        "cst_config_etmv3": (c_int, [POINTER(cst_config), POINTER(cst_etmv3_regs), c_uint]),
        "cst_config_etmv4": (c_int, [POINTER(cst_config), POINTER(cst_etmv4_regs), c_int, c_uint]),
        "cst_config_etmv4_data": (c_int, [POINTER(cst_config), POINTER(cst_etmv4_regs), c_uint]),
        "cst_config_etmv4_reserved": (c_uint, [POINTER(cst_etmv4_regs), c_int, POINTER(cst_reserved_field), c_uint]),
        "cst_config_itm": (c_int, [POINTER(cst_config), POINTER(cst_itm_regs)]),
        "cst_config_ptm": (c_int, [POINTER(cst_config), POINTER(cst_etmv3_regs)]),
        "cst_config_stm": (c_int, [POINTER(cst_config), POINTER(cst_stm_regs)]),
        "cst_counts_add": (c_int, [c_void_p, c_void_p, POINTER(cst_generic), c_size_t]),
        "cst_counts_exits": (c_int, [c_void_p, c_uint32, POINTER(POINTER(cst_exits)), POINTER(c_uint32), POINTER(c_uint64)]),
        "cst_counts_free": (None, [c_void_p]),
        "cst_counts_new": (c_int, [POINTER(c_void_p), c_void_p, c_uint]),
        "cst_counts_section": (c_int, [c_void_p, c_uint32, POINTER(POINTER(cst_pairs)), POINTER(POINTER(cst_pairs))]),
        "cst_counts_take": (c_int, [c_void_p, c_uint32, POINTER(cst_pairs), POINTER(cst_pairs)]),
        "cst_decoder_config": (POINTER(cst_config), [c_void_p]),
        "cst_decoder_cookie": (c_void_p, [c_void_p]),
        "cst_decoder_emit": (c_int, [c_void_p, c_uint, POINTER(cst_emit_opts)]),
        "cst_decoder_end": (None, [c_void_p]),
        "cst_decoder_feed": (c_int, [c_void_p, c_void_p, c_size_t, c_uint64]),
        "cst_decoder_free": (None, [c_void_p]),
        "cst_decoder_new": (c_int, [POINTER(c_void_p), POINTER(cst_config)]),
        "cst_decoder_new_custom": (c_int, [POINTER(c_void_p), POINTER(cst_config), POINTER(cst_protocol_ops), c_void_p]),
        "cst_decoder_next_packet": (c_int, [c_void_p, POINTER(cst_packet), POINTER(cst_pull)]),
        "cst_decoder_packet_role": (c_uint, [c_void_p, POINTER(cst_packet)]),
        "cst_decoder_packet_text": (c_size_t, [c_void_p, POINTER(cst_packet), c_void_p, c_size_t]),
        "cst_decoder_peek_address": (c_int, [c_void_p, POINTER(c_uint64)]),
        "cst_decoder_pull": (c_int, [c_void_p, POINTER(cst_generic), c_size_t, POINTER(cst_pull)]),
        "cst_decoder_reconfigure": (c_int, [c_void_p, POINTER(cst_config)]),
        "cst_decoder_reset": (None, [c_void_p, c_uint]),
        "cst_decoder_section": (c_void_p, [c_void_p]),
        "cst_decoder_set_cookie": (None, [c_void_p, c_void_p]),
        "cst_decoder_set_images": (None, [c_void_p, c_void_p]),
        "cst_decoder_set_log": (None, [c_void_p, c_void_p]),
        "cst_decoder_set_space": (None, [c_void_p, c_void_p]),
        "cst_decoder_set_stop": (None, [c_void_p, c_uint]),
        "cst_decoder_start_at": (None, [c_void_p, c_uint64]),
        "cst_decoder_stats": (POINTER(cst_stats), [c_void_p]),
        "cst_decoder_wanted": (c_uint64, [c_void_p]),
        "cst_deframe": (c_int, [POINTER(cst_deframer), c_void_p, c_size_t, c_uint64, c_void_p, c_size_t, POINTER(cst_fragment), c_size_t, POINTER(c_size_t)]),
        "cst_deframer_end": (c_int, [POINTER(cst_deframer)]),
        "cst_deframer_filter": (None, [POINTER(cst_deframer), POINTER(c_uint64)]),
        "cst_deframer_init": (None, [POINTER(cst_deframer), c_uint]),
        "cst_deframer_start": (None, [POINTER(cst_deframer), c_uint64, c_uint8]),
        "cst_dstream_offset": (c_uint64, [c_uint64]),
        "cst_etmv4_is_ete": (c_int, [POINTER(cst_etmv4_regs), c_int]),
        "cst_finding_section": (c_char_p, [c_uint]),
        "cst_finding_severity": (c_uint, [c_uint]),
        "cst_finding_text": (c_char_p, [c_uint]),
        "cst_frame_ids": (c_uint, [c_void_p, c_size_t, c_uint, POINTER(c_uint64)]),
        "cst_frame_is_raw": (c_int, [c_void_p, c_size_t]),
        "cst_generic_text": (c_size_t, [POINTER(cst_generic), c_void_p, c_size_t]),
        "cst_image_free": (None, [c_void_p]),
        "cst_image_new": (c_int, [POINTER(c_void_p), c_size_t]),
        "cst_image_section": (c_void_p, [c_void_p, c_uint32]),
        "cst_images_find": (c_void_p, [c_void_p, c_uint, POINTER(cst_context)]),
        "cst_images_free": (None, [c_void_p]),
        "cst_images_new": (c_int, [POINTER(c_void_p)]),
        "cst_images_remove": (c_int, [c_void_p, POINTER(cst_image_key)]),
        "cst_images_set": (c_int, [c_void_p, POINTER(cst_image_key), c_void_p]),
        "cst_index_builder_add": (c_int, [c_void_p, POINTER(cst_config)]),
        "cst_index_builder_feed": (c_int, [c_void_p, c_void_p, c_size_t, c_uint64]),
        "cst_index_builder_free": (None, [c_void_p]),
        "cst_index_builder_new": (c_int, [POINTER(c_void_p), c_uint, c_uint, POINTER(cst_index_opts)]),
        "cst_index_builder_take": (c_int, [c_void_p, POINTER(POINTER(cst_index))]),
        "cst_index_by_name": (POINTER(cst_index), [POINTER(cst_index_file), c_char_p]),
        "cst_index_config": (c_uint64, [POINTER(cst_config)]),
        "cst_index_digest": (c_uint64, [c_uint64, c_void_p, c_size_t]),
        "cst_index_file_free": (None, [POINTER(cst_index_file)]),
        "cst_index_find_stream": (POINTER(cst_index_stream), [POINTER(cst_index), c_uint8]),
        "cst_index_free": (None, [POINTER(cst_index)]),
        "cst_index_merge": (c_int, [POINTER(cst_index), POINTER(cst_index)]),
        "cst_index_read": (c_int, [POINTER(POINTER(cst_index_file)), c_void_p, c_size_t, POINTER(cst_index_problem)]),
        "cst_index_sample": (c_uint64, [c_uint64, c_void_p, c_size_t]),
        "cst_index_search": (c_int, [POINTER(cst_index), POINTER(cst_index_stream), POINTER(cst_index_query), POINTER(cst_index_place)]),
        "cst_index_source_at": (POINTER(cst_index_source), [POINTER(cst_index), c_uint64]),
        "cst_index_start_tree": (c_uint64, [POINTER(cst_index), POINTER(cst_index_place), c_void_p]),
        "cst_index_write": (c_int, [POINTER(POINTER(cst_index)), c_uint32, POINTER(c_void_p), POINTER(c_size_t)]),
        "cst_isa_classify": (None, [POINTER(cst_insn), c_uint, c_uint32, c_uint64, c_uint]),
        "cst_isa_is_transfer": (c_int, [c_uint, c_uint32, c_uint]),
        "cst_log_at": (POINTER(cst_log_record), [c_void_p, c_size_t]),
        "cst_log_clear": (None, [c_void_p]),
        "cst_log_count": (c_uint64, [c_void_p, c_uint, c_uint]),
        "cst_log_count_error": (c_uint64, [c_void_p, c_uint, c_uint]),
        "cst_log_count_finding": (c_uint64, [c_void_p, c_uint, c_uint]),
        "cst_log_dropped": (c_uint64, [c_void_p]),
        "cst_log_error": (None, [c_void_p, c_uint, c_uint, c_uint64, c_int, c_uint64]),
        "cst_log_finding": (None, [c_void_p, c_uint, c_uint, c_uint64, c_uint, c_uint64]),
        "cst_log_free": (None, [c_void_p]),
        "cst_log_kept": (c_size_t, [c_void_p]),
        "cst_log_last": (POINTER(cst_log_record), [c_void_p]),
        "cst_log_new": (c_int, [POINTER(c_void_p), c_size_t]),
        "cst_log_set_sink": (None, [c_void_p, cst_log_fn, c_void_p]),
        "cst_log_set_verbosity": (None, [c_void_p, c_uint, c_uint]),
        "cst_log_strict": (None, [c_void_p, c_uint, c_uint, c_uint64, c_uint, c_uint64]),
        "cst_log_text": (c_size_t, [POINTER(cst_log_record), c_void_p, c_size_t]),
        "cst_memspace_of": (c_uint, [c_uint, c_uint]),
        "cst_packet_role": (c_uint, [POINTER(cst_packet)]),
        "cst_packet_text": (c_size_t, [POINTER(cst_packet), c_void_p, c_size_t]),
        "cst_pairs_free": (None, [POINTER(cst_pairs)]),
        "cst_pairs_insert": (c_int, [POINTER(cst_pairs), c_uint32, c_uint32, c_uint64]),
        "cst_pairs_merge": (c_int, [POINTER(cst_pairs), POINTER(cst_pairs)]),
        "cst_pairs_sort": (POINTER(cst_pair), [POINTER(cst_pairs)]),
        "cst_section_cookie": (c_void_p, [c_void_p]),
        "cst_section_id": (c_uint32, [c_void_p]),
        "cst_section_new": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, c_uint64, c_void_p]),
        "cst_section_renew": (None, [c_void_p, c_void_p, c_uint64]),
        "cst_section_set_bytes": (c_int, [c_void_p, c_void_p, c_uint64]),
        "cst_severity_name": (c_char_p, [c_uint]),
        "cst_space_free": (None, [c_void_p]),
        "cst_space_map": (c_int, [c_void_p, c_uint64, c_uint64, c_void_p, c_uint64]),
        "cst_space_new": (c_int, [POINTER(c_void_p), c_void_p]),
        "cst_space_read": (c_int64, [c_void_p, c_uint64, c_uint64, POINTER(c_void_p), POINTER(c_void_p), POINTER(c_uint64)]),
        "cst_space_set_mapper": (None, [c_void_p, cst_space_mapper, c_void_p]),
        "cst_space_set_on_demand": (None, [c_void_p, c_int]),
        "cst_space_unmap": (c_int, [c_void_p, c_uint64, c_uint64]),
        "cst_strerror": (c_char_p, [c_int]),
        "cst_tree_add": (c_int, [c_void_p, POINTER(cst_config), POINTER(c_void_p)]),
        "cst_tree_add_custom": (c_int, [c_void_p, POINTER(cst_config), POINTER(cst_protocol_ops), c_void_p, POINTER(c_void_p)]),
        "cst_tree_decoder": (c_void_p, [c_void_p, c_uint8]),
        "cst_tree_digest": (c_uint64, [c_void_p]),
        "cst_tree_drop": (None, [c_void_p]),
        "cst_tree_end": (None, [c_void_p]),
        "cst_tree_feed": (c_int, [c_void_p, c_void_p, c_size_t, c_uint64]),
        "cst_tree_feed_wrapped": (c_int, [c_void_p, c_void_p, c_size_t, c_size_t, c_int, c_uint64]),
        "cst_tree_filter": (None, [c_void_p, POINTER(c_uint64)]),
        "cst_tree_frame_stats": (POINTER(cst_frame_stats), [c_void_p]),
        "cst_tree_free": (None, [c_void_p]),
        "cst_tree_ignore": (None, [c_void_p, c_uint8]),
        "cst_tree_ignored": (c_uint64, [c_void_p]),
        "cst_tree_layout": (c_uint, [c_void_p, POINTER(c_uint)]),
        "cst_tree_new": (c_int, [POINTER(c_void_p), c_uint, c_uint]),
        "cst_tree_next_fragment": (c_int, [c_void_p, POINTER(cst_fragment), POINTER(c_void_p)]),
        "cst_tree_next_packet": (c_int, [c_void_p, POINTER(cst_packet), POINTER(cst_pull)]),
        "cst_tree_pull": (c_int, [c_void_p, POINTER(cst_generic), c_size_t, POINTER(cst_pull)]),
        "cst_tree_reconfigure": (c_int, [c_void_p, c_uint8, POINTER(cst_config)]),
        "cst_tree_remove": (None, [c_void_p, c_void_p]),
        "cst_tree_reset": (None, [c_void_p]),
        "cst_tree_scan": (c_int, [c_void_p, POINTER(cst_scan)]),
        "cst_tree_set_log": (None, [c_void_p, c_void_p]),
        "cst_tree_set_order": (c_int, [c_void_p, c_uint]),
        "cst_tree_start_at": (None, [c_void_p, c_uint64, c_uint8]),
        "cst_tree_trigger": (c_int, [c_void_p, POINTER(c_uint64)]),
        "cst_tree_unrouted": (c_uint64, [c_void_p]),
        "cst_unwrap": (c_int, [POINTER(cst_unwrapped), c_uint64, c_uint64, c_int, c_uint, c_uint64]),
        "cst_version": (c_uint, []),
    },
}
