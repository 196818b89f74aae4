// SPDX-License-Identifier: BSD-3-Clause
// layout.rs - made by lib/bindings/rust/generate of the headers in include/cstrace/; do not edit.
//
// Sizes, offsets and constants of the declarations are those of the C compiler that builds the library.
use cstrace_sys::*;
use std::fmt::Write;
use std::mem::{size_of, MaybeUninit};
use std::path::Path;
use std::process::Command;
use std::ptr::addr_of;

macro_rules! layout {
    ($o:ident, $kind:ident $name:ident, $($($field:ident).+ = $($c:ident).+),*) => {
        let (c, name) = (format!("{} {}", stringify!($kind), stringify!($name)), stringify!($name));
        $o.add(name, size_of::<$name>() as u64, &format!("sizeof({c})"));
        let memory = MaybeUninit::<$name>::uninit();
        let at = memory.as_ptr();
        $(
            // SAFETY: addr_of makes no reference, and the field is inside of the memory.
            let field = unsafe { addr_of!((*at).$($field).+) } as u64 - at as u64;
            let path = stringify!($($c).+).replace(' ', "");
            $o.add(&format!("{name}.{path}"), field, &format!("offsetof({c}, {path})"));
        )*
    };
}

macro_rules! constants {
    ($o:ident, $($name:ident),*) => {
        $($o.add(stringify!($name), $name as u64, stringify!($name));)*
    };
}

/// What Rust has, a line each, and the C program that prints the same.
#[derive(Default)]
struct Both {
    rust: String,
    c: String,
}

impl Both {
    fn add(&mut self, name: &str, value: u64, c: &str) {
        writeln!(self.rust, "{name} {value}").unwrap();
        writeln!(self.c, "printf(\"{name} %llu\\n\", (unsigned long long){c});").unwrap();
    }
}

/// Compiles the program with headers of the library, runs it and returns its output.
fn run_c(statements: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("layout.c"), folder.join("layout"));
    let text = format!(
        "#include <stdio.h>\n#include <cstrace/cstrace.h>\n#include <cstrace/files/files.h>\n\
         int main(void)\n{{\n{statements}return 0;\n}}\n"
    );
    std::fs::write(&source, text).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut words = compiler.split_whitespace();
    let built = Command::new(words.next().unwrap())
        .args(words)
        .args(["-std=c11", "-I", concat!(env!("CARGO_MANIFEST_DIR"), "/include")])
        .args([&source, Path::new("-o"), &program])
        .status()
        .expect("a C compiler");
    assert!(built.success());
    String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap()
}

#[test]
fn layouts_and_constants_are_those_of_c() {
    let mut both = Both::default();
    structs(&mut both);
    values(&mut both);
    let c = run_c(&both.c);
    for (a, b) in c.lines().zip(both.rust.lines()) {
        assert_eq!(a, b);
    }
    assert_eq!(c.lines().count(), both.rust.lines().count());
    assert!(c.lines().count() > 1000);
}

#[rustfmt::skip]
fn structs(o: &mut Both) {
    layout!(o, struct cst_context, context_id = context_id, vmid = vmid, el = el, security = security, bits64 = bits64, flags = flags);
    layout!(o, struct cst_etmv4_regs, struct_size = struct_size, configr = configr, traceidr = traceidr, idr0 = idr0, idr1 = idr1, idr2 = idr2, idr8 = idr8, idr9 = idr9, idr10 = idr10, idr11 = idr11, idr12 = idr12, idr13 = idr13, devarch = devarch);
    layout!(o, struct cst_etmv3_regs, struct_size = struct_size, cr = cr, ccer = ccer, idr = idr, traceidr = traceidr);
    layout!(o, struct cst_stm_regs, struct_size = struct_size, tcsr = tcsr, feat1r = feat1r, feat3r = feat3r, devid = devid, hwfeatr = hwfeatr);
    layout!(o, struct cst_itm_regs, struct_size = struct_size, tcr = tcr);
    layout!(o, struct cst_config, struct_size = struct_size, protocol = protocol, profile = profile, version = version, trace_id = trace_id, ia64 = ia64, cid_bytes = cid_bytes, vmid_bytes = vmid_bytes, cc_bits = cc_bits, commopt = commopt, trans_p0 = trans_p0, qsupp = qsupp, wfx_p0 = wfx_p0, ret_stack = ret_stack, cycle_count = cycle_count, branch_broadcast = branch_broadcast, cond_trace = cond_trace, load_p0 = load_p0, store_p0 = store_p0, cond_mode = cond_mode, cond_flags = cond_flags, cond_keys = cond_keys, p0_keys = p0_keys, data_trace = data_trace, ts_marker = ts_marker, vmid_is_cid2 = vmid_is_cid2, max_spec = max_spec, atom_per_insn = atom_per_insn, barrier_p0 = barrier_p0, data_addr = data_addr, data_value = data_value, data_only = data_only, alt_branch = alt_branch, virt_ext = virt_ext, ts64 = ts64, ts_gray = ts_gray, ts_prescale = ts_prescale, max_queue = max_queue, hold_transactions = hold_transactions, as_reference = as_reference, strict = strict, insn_ranges = insn_ranges, split_source = split_source, checks = checks, quirks = quirks, itm_sync = itm_sync, q_off = q_off);
    layout!(o, struct cst_reserved_field, name = name, value = value);
    layout!(o, struct cst_fragment, offset = offset, pos = pos, len = len, id = id, kind = kind, error = error);
    layout!(o, struct cst_frame_stats, frames = frames, data = data, null = null, reserved = reserved, unknown = unknown, overhead = overhead, skipped = skipped, barriers = barriers, errors = errors, triggers = triggers, filtered = filtered);
    layout!(o, struct cst_deframer, offset = offset, flags = flags, id = id, fill = fill, synced = synced, part = part, pair = pair, filter = filter, tail = tail, stats = stats, reserved = reserved);
    layout!(o, struct cst_unwrapped, struct_size = struct_size, piece = piece, len = len, cut = cut, trigger = trigger);
    layout!(o, struct cst_packet, struct_size = struct_size, index = index, size = size, protocol = protocol, r#type = type, bad_type = bad_type, header = header, is = is, addr_bits = addr_bits, r#match = match, n_atoms = n_atoms, q_type = q_type, ts_bits = ts_bits, el = el, sf = sf, security = security, flags = flags, atoms = atoms, exc_type = exc_type, event = event, vmid = vmid, cid = cid, addr = addr, ts = ts, cc = cc, commit = commit, count = count, info = info, key = key, spec = spec, cyct = cyct, value = value, isa = isa, tag = tag, vsize = vsize, lead = lead, finding = finding, nbytes = nbytes, bytes = bytes);
    layout!(o, struct cst_element, index = index, kind = kind, flags = flags, n = n, is = is, num = num, pad = pad, bits = bits, first_e = first_e, addr = addr, inner1.value = value, inner1.ready = ready, cc = cc, ctx = ctx);
    layout!(o, struct cst_insn, size = size, r#type = type, subtype = subtype, cond = cond, link = link, next_isa = next_isa, it_count = it_count, is_svc = is_svc, disp = disp);
    layout!(o, struct cst_image_key, struct_size = struct_size, spaces = spaces, ids = ids, context_id = context_id, vmid = vmid);
    layout!(o, struct cst_generic, index = index, inner1.addr = addr, inner1.payload = payload, inner2.end = end, inner2.ts = ts, inner2.value = value, inner3.n_insn = n_insn, inner3.size = size, inner4.cc = cc, inner4.runs = runs, inner5.context_id = context_id, inner5.master = master, inner6.vmid = vmid, inner6.channel = channel, section = section, kind = kind, trace_id = trace_id, el = el, security = security, flags = flags, num = num, isa = isa, last_type = last_type, last_subtype = last_subtype, last_size = last_size, inner7.inner1.inner1.error = error, inner7.inner1.inner1.start = start, inner7.inner1.inner1.first = first, inner7.inner1.inner2.sect_off = sect_off, inner7.inner1.inner2.branches = branches, inner7.insn = insn);
    layout!(o, struct cst_branch, from = from, to = to, flags = flags, num = num, isa = isa, last_type = last_type, last_subtype = last_subtype, last_size = last_size);
    layout!(o, struct cst_branch_list, v = v, n = n, cap = cap);
    layout!(o, struct cst_pair, a = a, b = b, count = count);
    layout!(o, struct cst_pairs, slot = slot, mask = mask, shift = shift, used = used, sorted = sorted);
    layout!(o, struct cst_exits, section = section, edges = edges);
    layout!(o, struct cst_protocol_ops, struct_size = struct_size, name = name, parser_size = parser_size, max_packet = max_packet, sub_byte = sub_byte, piece_by_run = piece_by_run, piece_max = piece_max, parser_init = parser_init, parser_listing = parser_listing, parse = parse, parse_rest = parse_rest, parser_synced = parser_synced, roles = roles, n_types = n_types, packet_text = packet_text, stage_size = stage_size, stage_init = stage_init, stage_fini = stage_fini, stage_reset = stage_reset, stage_restart = stage_restart, stage_packet = stage_packet, stage_end = stage_end, stage_take = stage_take);
    layout!(o, struct cst_log_record, index = index, value = value, count = count, trace_id = trace_id, severity = severity, component = component, error = error, finding = finding, text = text, section = section);
    layout!(o, struct cst_stats, bytes = bytes, packets = packets, bad_packets = bad_packets, unsynced = unsynced, overflows = overflows, discards = discards, resyncs = resyncs, elements = elements, ranges = ranges, insns = insns, branches = branches, nacc = nacc, atoms_lost = atoms_lost, image_conflicts = image_conflicts, stack_empty = stack_empty, nopath = nopath, trans_failed = trans_failed, uncommitted = uncommitted, data_lost = data_lost, times_unknown = times_unknown, master_errors = master_errors, global_errors = global_errors, boundaries_tried = boundaries_tried);
    layout!(o, struct cst_pull, why = why, dec = dec);
    layout!(o, struct cst_emit_opts, struct_size = struct_size, counts = counts, list = list, next = next, period = period);
    layout!(o, struct cst_scan, index = index, ts = ts, kind = kind, trace_id = trace_id);
    layout!(o, struct cst_index_block, start = start, valid = valid, bytes = bytes, counts = counts, event_mask = event_mask, time_first = time_first, time_last = time_last, time_min = time_min, time_max = time_max, contexts = contexts);
    layout!(o, struct cst_index_record, offset = offset, value = value, kind = kind);
    layout!(o, struct cst_index_stream, trace_id = trace_id, protocol = protocol, config = config, worlds = worlds, granularity = granularity, blocks = blocks, n_blocks = n_blocks, cap_blocks = cap_blocks, contexts = contexts, n_contexts = n_contexts, records = records, n_records = n_records, cap_records = cap_records, records_end = records_end);
    layout!(o, struct cst_index_source, offset = offset, ids = ids, digest = digest, triggers = triggers, barriers = barriers, errors = errors, syncs = syncs, frame_id = frame_id);
    layout!(o, struct cst_index, name = name, format = format, flags = flags, full = full, granularity = granularity, offset = offset, end = end, trace_offset = trace_offset, trace_size = trace_size, trace_digest = trace_digest, sources = sources, n_sources = n_sources, cap_sources = cap_sources, streams = streams, n_streams = n_streams);
    layout!(o, struct cst_index_opts, struct_size = struct_size, granularity = granularity, full = full, max_blocks = max_blocks, max_records = max_records);
    layout!(o, struct cst_index_query, struct_size = struct_size, kind = kind, value = value, from = from);
    layout!(o, struct cst_index_place, start = start, valid = valid, offset = offset, found = found, exact = exact);
    layout!(o, struct cst_index_file, indexes = indexes, n = n);
    layout!(o, struct cst_index_problem, error = error, text = text, found = found, expected = expected);
    layout!(o, struct cst_count_total, name = name, value = value);
    layout!(o, struct cst_count_binary, id_kind = id_kind, id_len = id_len, r#type = type, machine = machine, id = id, name = name);
    layout!(o, struct cst_count_segment, offset = offset, size = size, vaddr = vaddr, exec = exec);
    layout!(o, struct cst_count_range, binary = binary, flags = flags, insns = insns, start = start, last = last, count = count);
    layout!(o, struct cst_count_not_taken, binary = binary, size = size, offset = offset, count = count);
    layout!(o, struct cst_count_edge, binary = binary, from = from, to = to, count = count);
    layout!(o, struct cst_count_entry, binary = binary, offset = offset, count = count);
    layout!(o, struct cst_count_node, depth = depth, kind = kind, from_binary = from_binary, binary = binary, from = from, entry = entry, calls = calls, insns = insns);
    layout!(o, struct cst_count_record, kind = kind, inner1.total = total, inner1.binary = binary, inner1.segment = segment, inner1.range = range, inner1.not_taken = not_taken, inner1.edge = edge, inner1.entry = entry, inner1.node = node);
    layout!(o, struct cst_count_input, reader = reader, weight = weight, counts = counts);
    layout!(o, struct cst_snap_note, file = file, line = line, error = error, text = text, section = section, item = item, other = other);
    layout!(o, struct cst_snap_limits, text = text, memory = memory, files = files, dumps = dumps);
    layout!(o, struct cst_snap_io, struct_size = struct_size, ctx = ctx, open = open, note = note, limits = limits);
    layout!(o, struct cst_snap_reg, name = name, value = value, id = id, has_id = has_id, bits = bits);
    layout!(o, struct cst_snap_dump, file = file, address = address, offset = offset, length = length, line = line, space = space);
    layout!(o, struct cst_snap_device, file = file, name = name, r#type = type, location = location, class_ = class_, regs = regs, dumps = dumps, n_regs = n_regs, n_dumps = n_dumps);
    layout!(o, struct cst_snap_buffer, id = id, name = name, format_name = format_name, files = files, n_files = n_files, format = format);
    layout!(o, struct cst_snap_link, from = from, to = to, stream = stream, has_stream = has_stream);
    layout!(o, struct cst_snapshot, version = version, description = description, devices = devices, buffers = buffers, core_sources = core_sources, source_buffers = source_buffers, clusters = clusters, n_devices = n_devices, n_buffers = n_buffers, n_core_sources = n_core_sources, n_source_buffers = n_source_buffers, n_clusters = n_clusters, n_skipped = n_skipped);
    layout!(o, struct cst_snap_sink, struct_size = struct_size, ctx = ctx, write = write, note = note);
    layout!(o, struct cst_str, p = p, n = n);
    layout!(o, struct cst_sink, ctx = ctx, write = write);
    layout!(o, struct cst_item, key = key, value = value, value_len = value_len, line = line);
    layout!(o, struct cst_doc_section, name = name, items = items, n_items = n_items, line = line);
    layout!(o, struct cst_doc, sections = sections, n_sections = n_sections);
    layout!(o, struct cst_problem, error = error, line = line, section = section, item = item, other = other, text = text);
    layout!(o, struct cst_meta_source, section = section, source = source, format = format, trace_id = trace_id, cpu = cpu, kind = kind, version = version);
    layout!(o, struct cst_metadata, doc = doc, sources = sources, n_sources = n_sources);
    layout!(o, struct cst_event_param, key = key, value = value);
    layout!(o, struct cst_event, struct_size = struct_size, time = time, line = line, verb = verb, state = state, code_kind = code_kind, has_base = has_base, has_size = has_size, pid = pid, tid = tid, base = base, size = size, offset = offset, asid = asid, trace_id = trace_id, name = name, uuid = uuid, code = code, params = params, n_params = n_params);
    layout!(o, struct cst_state_limits, struct_size = struct_size, memory = memory, inherited = inherited);
    layout!(o, struct cst_state_counts, struct_size = struct_size, events = events, implied = implied, unknown_ends = unknown_ends, contradictions = contradictions, dropped = dropped, alive = alive, memory = memory);
    layout!(o, struct cst_package_buffer, id = id, files = files, n_files = n_files, metadata = metadata, format = format);
    layout!(o, struct cst_package_image, file = file, name = name, uuid = uuid);
    layout!(o, struct cst_package_memory, file = file, address = address, offset = offset, length = length, pid = pid);
    layout!(o, struct cst_package_code, id = id, file = file);
    layout!(o, struct cst_package, contents = contents, metadata = metadata, buffers = buffers, images = images, memory = memory, code = code, n_metadata = n_metadata, n_buffers = n_buffers, n_images = n_images, n_memory = n_memory, n_code = n_code, event_log = event_log, event_frequency = event_frequency, n_skipped = n_skipped);
    layout!(o, struct cst_tarmac_address, address = address, physical = physical, space = space, reserved = reserved);
    layout!(o, struct cst_tarmac_mode, text = text, kind = kind, el = el, stack = stack, has_security = has_security, security = security, reserved = reserved);
    layout!(o, struct cst_tarmac_insn, address = address, index = index, physical2 = physical2, mode = mode, disassembly = disassembly, opcode = opcode, size = size, outcome = outcome, isa = isa, has_index = has_index, has_physical2 = has_physical2, reserved = reserved);
    layout!(o, struct cst_tarmac_flow, from = from, target = target, index = index, r#type = type, isa = isa, reserved = reserved);
    layout!(o, struct cst_tarmac_reg_name, reg_class = reg_class, number = number, bank = bank, el = el, security = security, bits = bits, reserved = reserved);
    layout!(o, struct cst_tarmac_reg, name = name, bank = bank, digits = digits, note = note, what = what, value = value, bits = bits, unknown = unknown, high = high, low = low, has_range = has_range, has_parentheses = has_parentheses, reserved = reserved);
    layout!(o, struct cst_tarmac_memory, address = address, used = used, unknown = unknown, attributes = attributes, operation = operation, write = write, size = size, access = access, window = window, port = port, reserved = reserved, data = data);
    layout!(o, struct cst_tarmac_bus, address = address, master = master, write = write, fetch = fetch, privileged = privileged, nonsecure = nonsecure, size = size, access = access, inner = inner, outer = outer, data = data);
    layout!(o, struct cst_tarmac_event, value = value, mode = mode, name = name, text = text, value1 = value1, number = number, has_value = has_value, has_value1 = has_value1, has_number = has_number, reserved = reserved);
    layout!(o, struct cst_tarmac_maintenance, side = side, operation = operation, scope = scope, data = data, region = region);
    layout!(o, struct cst_tarmac_cache, id = id, operation = operation, line = line, address = address, nonsecure = nonsecure, reserved = reserved);
    layout!(o, struct cst_tarmac_walk, side = side, format = format, result = result, attributes = attributes, address = address, data = data, update = update, stage = stage, level = level, reserved = reserved);
    layout!(o, struct cst_tarmac_tlb, id = id, regime = regime, r#type = type, attributes = attributes, size_text = size_text, size = size, base = base, physical = physical, vmid = vmid, asid = asid, walk_cache = walk_cache, evict = evict, nonsecure = nonsecure, physical_nonsecure = physical_nonsecure, has_vmid = has_vmid, has_asid = has_asid, reserved = reserved);
    layout!(o, struct cst_tarmac_record, struct_size = struct_size, time = time, line = line, offset = offset, cpu = cpu, text = text, kind = kind, unit = unit, dialect = dialect, flags = flags, error = error, column = column, reserved = reserved, reason = reason, u.insn = u.insn, u.flow = u.flow, u.reg = u.reg, u.memory = u.memory, u.bus = u.bus, u.event = u.event, u.maintenance = u.maintenance, u.cache = u.cache, u.walk = u.walk, u.tlb = u.tlb);
    layout!(o, struct cst_tarmac_opts, struct_size = struct_size, max_line = max_line, has_isa = has_isa, isa = isa);
    layout!(o, struct cst_tarmac_counts, bytes = bytes, lines = lines, empty = empty, comments = comments, cut = cut, cut_bytes = cut_bytes, errors = errors, kinds = kinds);
}

#[rustfmt::skip]
fn values(o: &mut Both) {
    constants!(o, CST_ISA_A32, CST_ISA_T32, CST_ISA_A64, CST_ISA_TEE, CST_ISA_JAZELLE, CST_ISA_CUSTOM, CST_ISA_UNKNOWN);
    constants!(o, CST_SEC_SECURE, CST_SEC_NONSECURE, CST_SEC_ROOT, CST_SEC_REALM);
    constants!(o, CST_PROFILE_A, CST_PROFILE_R, CST_PROFILE_M);
    constants!(o, CST_CTX_CID, CST_CTX_VMID, CST_CTX_KNOWN);
    constants!(o, CST_MEM_EL1S, CST_MEM_EL1N, CST_MEM_EL2N, CST_MEM_EL3, CST_MEM_EL2S, CST_MEM_EL1R, CST_MEM_EL2R, CST_MEM_ROOT, CST_MEM_ANY);
    constants!(o, CST_ERR_OK, CST_ERR_NOMEM, CST_ERR_INVAL, CST_ERR_LIMIT, CST_ERR_BUSY, CST_ERR_UNSUP, CST_ERR_PROTOCOL, CST_ERR_BAD_HEADER, CST_ERR_BAD_SEQUENCE, CST_ERR_UNSUP_HEADER, CST_ERR_INCOMPLETE, CST_ERR_COMMIT_OVERRUN, CST_ERR_NO_ATOM, CST_ERR_NO_ADDRESS, CST_ERR_QUEUE_FULL, CST_ERR_BAD_IMAGE, CST_ERR_FRAME_ID, CST_ERR_FRAME_SYNC, CST_ERR_FRAME_CUT, CST_ERR_FRAME_RESERVED, CST_ERR_NOT_FOUND, CST_ERR_SYNTAX, CST_ERR_VERSION, CST_ERR_IO, CST_ERR_CONFLICT, CST_ERR_DAMAGED, CST_ERR_NO_LENGTH, CST_ERR_DEPTH, CST_ERR_TRANSACTION);
    constants!(o, CST_PROTO_NONE, CST_PROTO_ETMV4, CST_PROTO_ETE, CST_PROTO_ETMV4_DATA, CST_PROTO_ETMV3, CST_PROTO_PTM, CST_PROTO_STM, CST_PROTO_ITM, CST_PROTO_CUSTOM, CST_PROTOCOLS);
    constants!(o, CST_ITM_SYNC_PACKET, CST_ITM_SYNC_TRY, CST_ITM_SYNC_START);
    constants!(o, CST_CHECK_N_DIRECT, CST_CHECK_N_ANY, CST_CHECK_N_NOT_T32, CST_CHECK_CONTINUE, CST_CHECK_UNDEFINED);
    constants!(o, CST_FRAME_ALIGNED, CST_FRAME_FSYNC, CST_FRAME_HSYNC, CST_FRAME_RESET_4X, CST_FRAME_DSTREAM, CST_FRAME_PACKED, CST_FRAME_FINDINGS, CST_FRAME_STRICT);
    constants!(o, CST_FRAG_DATA, CST_FRAG_RESET, CST_FRAG_ERROR, CST_FRAG_FINDING, CST_FRAG_FRAME, CST_FRAG_FSYNC, CST_FRAG_HSYNC);
    constants!(o, CST_ETMV3_PKT_NOT_SYNC, CST_ETMV3_PKT_INCOMPLETE, CST_ETMV3_PKT_BAD_SEQUENCE, CST_ETMV3_PKT_BAD_TRACEMODE, CST_ETMV3_PKT_RESERVED, CST_ETMV3_PKT_BRANCH, CST_ETMV3_PKT_BRANCH_INFO, CST_ETMV3_PKT_ASYNC, CST_ETMV3_PKT_CYCLE_COUNT, CST_ETMV3_PKT_ISYNC, CST_ETMV3_PKT_ISYNC_CYCLE, CST_ETMV3_PKT_TRIGGER, CST_ETMV3_PKT_PHDR, CST_ETMV3_PKT_STORE_FAILED, CST_ETMV3_PKT_OOO_DATA, CST_ETMV3_PKT_OOO_PLACE, CST_ETMV3_PKT_DATA, CST_ETMV3_PKT_SUPPRESSED, CST_ETMV3_PKT_NOT_TRACED, CST_ETMV3_PKT_IGNORE, CST_ETMV3_PKT_CONTEXT_ID, CST_ETMV3_PKT_VMID, CST_ETMV3_PKT_EXC_ENTRY, CST_ETMV3_PKT_EXC_EXIT, CST_ETMV3_PKT_TIMESTAMP, CST_ETMV3_PKT_TYPES);
    constants!(o, CST_ETMV3_PF_ISA, CST_ETMV3_PF_STATE, CST_ETMV3_PF_EXCEPTION, CST_ETMV3_PF_CANCEL, CST_ETMV3_PF_LSIP, CST_ETMV3_PF_VALUE, CST_ETMV3_PF_BIG_ENDIAN, CST_ETMV3_PF_CLOCK, CST_ETMV3_PF_STATE_NEWS, CST_ETMV3_PF_TIME_PART);
    constants!(o, CST_ETMV4D_PKT_NOT_SYNC, CST_ETMV4D_PKT_INCOMPLETE, CST_ETMV4D_PKT_BAD_SEQUENCE, CST_ETMV4D_PKT_RESERVED, CST_ETMV4D_PKT_ASYNC, CST_ETMV4D_PKT_TRACE_INFO, CST_ETMV4D_PKT_DISCARD, CST_ETMV4D_PKT_OVERFLOW, CST_ETMV4D_PKT_SYNC_NUM, CST_ETMV4D_PKT_SYNC, CST_ETMV4D_PKT_TIMESTAMP, CST_ETMV4D_PKT_SUPPRESSION, CST_ETMV4D_PKT_EVENT, CST_ETMV4D_PKT_P1_F1, CST_ETMV4D_PKT_P1_F2, CST_ETMV4D_PKT_P1_F3, CST_ETMV4D_PKT_P1_F4, CST_ETMV4D_PKT_P1_F5, CST_ETMV4D_PKT_P1_F6, CST_ETMV4D_PKT_P1_F7, CST_ETMV4D_PKT_P2_F1, CST_ETMV4D_PKT_P2_F2, CST_ETMV4D_PKT_P2_F3, CST_ETMV4D_PKT_P2_F4, CST_ETMV4D_PKT_P2_F5, CST_ETMV4D_PKT_P2_F6, CST_ETMV4D_PKT_TYPES);
    constants!(o, CST_ITM_PKT_NOT_SYNC, CST_ITM_PKT_INCOMPLETE, CST_ITM_PKT_BAD_SEQUENCE, CST_ITM_PKT_RESERVED, CST_ITM_PKT_ASYNC, CST_ITM_PKT_OVERFLOW, CST_ITM_PKT_SWIT, CST_ITM_PKT_DWT, CST_ITM_PKT_LOCAL_TS, CST_ITM_PKT_GLOBAL_TS1, CST_ITM_PKT_GLOBAL_TS2, CST_ITM_PKT_EXTENSION, CST_ITM_PKT_TYPES);
    constants!(o, CST_ITM_PF_CLOCK, CST_ITM_PF_WRAP, CST_ITM_PF_HARDWARE);
    constants!(o, CST_PTM_PKT_NOT_SYNC, CST_PTM_PKT_INCOMPLETE, CST_PTM_PKT_BAD_SEQUENCE, CST_PTM_PKT_RESERVED, CST_PTM_PKT_ASYNC, CST_PTM_PKT_ISYNC, CST_PTM_PKT_BRANCH, CST_PTM_PKT_EXCEPTION, CST_PTM_PKT_ATOM, CST_PTM_PKT_WAYPOINT, CST_PTM_PKT_TRIGGER, CST_PTM_PKT_CONTEXT_ID, CST_PTM_PKT_VMID, CST_PTM_PKT_TIMESTAMP, CST_PTM_PKT_EXC_RETURN, CST_PTM_PKT_IGNORE, CST_PTM_PKT_TYPES);
    constants!(o, CST_PTM_PF_ISA, CST_PTM_PF_HYP, CST_PTM_PF_EXCEPTION, CST_PTM_PF_CLOCK, CST_PTM_PF_LATE, CST_PTM_PF_TIME_PART);
    constants!(o, CST_PTM_ISYNC_PERIODIC, CST_PTM_ISYNC_TRACE_ON, CST_PTM_ISYNC_OVERFLOW, CST_PTM_ISYNC_DEBUG);
    constants!(o, CST_STM_PKT_NOT_SYNC, CST_STM_PKT_INCOMPLETE, CST_STM_PKT_BAD_SEQUENCE, CST_STM_PKT_RESERVED, CST_STM_PKT_ASYNC, CST_STM_PKT_VERSION, CST_STM_PKT_NULL, CST_STM_PKT_FREQ, CST_STM_PKT_TRIG, CST_STM_PKT_XSYNC, CST_STM_PKT_GERR, CST_STM_PKT_MERR, CST_STM_PKT_M8, CST_STM_PKT_M16, CST_STM_PKT_C8, CST_STM_PKT_C16, CST_STM_PKT_FLAG, CST_STM_PKT_D4, CST_STM_PKT_D8, CST_STM_PKT_D16, CST_STM_PKT_D32, CST_STM_PKT_D64, CST_STM_PKT_TYPES);
    constants!(o, CST_STM_PF_TS, CST_STM_PF_MARKER);
    constants!(o, CST_PKT_NOT_SYNC, CST_PKT_INCOMPLETE, CST_PKT_BAD_SEQUENCE, CST_PKT_RESERVED, CST_PKT_RESERVED_CFG, CST_PKT_ASYNC, CST_PKT_DISCARD, CST_PKT_OVERFLOW, CST_PKT_TRACE_INFO, CST_PKT_TIMESTAMP, CST_PKT_TRACE_ON, CST_PKT_FUNC_RETURN, CST_PKT_EXCEPTION, CST_PKT_EXC_RETURN, CST_PKT_ITE, CST_PKT_TRANS_START, CST_PKT_TRANS_COMMIT, CST_PKT_TRANS_FAIL, CST_PKT_PE_RESET, CST_PKT_CCNT_F1, CST_PKT_CCNT_F2, CST_PKT_CCNT_F3, CST_PKT_DATA_SYNC_NUM, CST_PKT_DATA_SYNC, CST_PKT_COMMIT, CST_PKT_CANCEL_F1, CST_PKT_CANCEL_F1_MISP, CST_PKT_CANCEL_F2, CST_PKT_CANCEL_F3, CST_PKT_MISPREDICT, CST_PKT_COND_I_F1, CST_PKT_COND_I_F2, CST_PKT_COND_I_F3, CST_PKT_COND_FLUSH, CST_PKT_COND_R_F1, CST_PKT_COND_R_F2, CST_PKT_COND_R_F3, CST_PKT_COND_R_F4, CST_PKT_IGNORE, CST_PKT_EVENT, CST_PKT_CONTEXT, CST_PKT_ADDR_CTXT_32, CST_PKT_ADDR_CTXT_64, CST_PKT_TS_MARKER, CST_PKT_ADDR_MATCH, CST_PKT_ADDR_SHORT, CST_PKT_ADDR_32, CST_PKT_ADDR_64, CST_PKT_Q, CST_PKT_SRC_MATCH, CST_PKT_SRC_SHORT, CST_PKT_SRC_32, CST_PKT_SRC_64, CST_PKT_ATOM_F1, CST_PKT_ATOM_F2, CST_PKT_ATOM_F3, CST_PKT_ATOM_F4, CST_PKT_ATOM_F5, CST_PKT_ATOM_F6, CST_PKT_BF_FLUSH, CST_PKT_TYPES);
    constants!(o, CST_PF_CC, CST_PF_CC_UNKNOWN, CST_PF_COMMIT, CST_PF_CONTEXT, CST_PF_VMID, CST_PF_CID, CST_PF_COUNT, CST_PF_ADDR, CST_PF_E0, CST_PF_E1, CST_PF_P, CST_PF_MISPREDICT, CST_PF_SYNC_POINT, CST_PF_INFO, CST_PF_KEY, CST_PF_SPEC, CST_PF_CYCT, CST_PF_WNDW, CST_PF_M_PROFILE, CST_PF_LEAD, CST_PF_OWN);
    constants!(o, CST_ROLE_OTHER, CST_ROLE_NOT_SYNC, CST_ROLE_BAD, CST_ROLE_ASYNC, CST_ROLE_SYNC, CST_ROLE_TIMESTAMP, CST_ROLE_CONTEXT, CST_ROLE_ADDRESS, CST_ROLE_ADDRESS_CONTEXT, CST_ROLE_FLOW, CST_ROLE_EXCEPTION, CST_ROLE_TRACE_ON, CST_ROLE_LOSS, CST_ROLE_DISCARD, CST_ROLE_EVENT, CST_ROLE_ASIDE);
    constants!(o, CST_EL_ATOMS, CST_EL_ADDRESS, CST_EL_CONTEXT, CST_EL_EXCEPTION, CST_EL_EXC_RETURN, CST_EL_Q, CST_EL_SOURCE_ADDRESS, CST_EL_TRACE_ON, CST_EL_TRACE_INFO, CST_EL_TIMESTAMP, CST_EL_CYCLE_COUNT, CST_EL_EVENT, CST_EL_TS_MARKER, CST_EL_INSTRUMENTATION, CST_EL_TRANS_START, CST_EL_TRANS_COMMIT, CST_EL_TRANS_FAIL, CST_EL_FUNC_RETURN, CST_EL_NO_SYNC, CST_EL_END, CST_EL_READY, CST_EL_BRANCH, CST_EL_WAYPOINT, CST_EL_VECTOR, CST_EL_DATA, CST_EL_FINDING, CST_EL_COND_INSN, CST_EL_COND_RESULT, CST_EL_COND_FLUSH);
    constants!(o, CST_EL_F_CC, CST_EL_F_COUNT, CST_EL_F_ADDRESS, CST_EL_F_LSIP, CST_EL_F_BR_TARGET, CST_EL_F_DOUBTFUL, CST_EL_F_TAIL_CHAIN, CST_EL_F_SAME, CST_EL_F_CONFIG, CST_EL_F_GAP, CST_EL_F_SYNC, CST_EL_F_ISA, CST_EL_F_QUIET);
    constants!(o, CST_INSN_OTHER, CST_INSN_BRANCH, CST_INSN_INDIRECT, CST_INSN_ISB, CST_INSN_BARRIER, CST_INSN_WFX, CST_INSN_TSTART, CST_INSN_LOAD, CST_INSN_STORE);
    constants!(o, CST_INSN_PLAIN, CST_INSN_LINK, CST_INSN_RET, CST_INSN_ERET, CST_INSN_IMPLIED_RET, CST_INSN_FUTURE);
    constants!(o, CST_ISA_WFX_P0, CST_ISA_M_PROFILE, CST_ISA_BARRIER_P0, CST_ISA_THUMBEE, CST_ISA_LOAD_P0, CST_ISA_STORE_P0, CST_ISA_RUNS);
    constants!(o, CST_GEN_UNKNOWN, CST_GEN_NO_SYNC, CST_GEN_TRACE_ON, CST_GEN_EO_TRACE, CST_GEN_PE_CONTEXT, CST_GEN_RANGE, CST_GEN_NOPATH, CST_GEN_NACC, CST_GEN_ADDR_UNKNOWN, CST_GEN_EXCEPTION, CST_GEN_EXCEPTION_RET, CST_GEN_TIMESTAMP, CST_GEN_CYCLE_COUNT, CST_GEN_EVENT, CST_GEN_SWTRACE, CST_GEN_SYNC_MARKER, CST_GEN_MEMTRANS, CST_GEN_INSTRUMENTATION, CST_GEN_ITMTRACE, CST_GEN_CUSTOM, CST_GEN_DATA, CST_GEN_COND, CST_GEN_COUNTED, CST_GEN_SKIPPED, CST_GEN_LISTED, CST_GEN_BARRIER);
    constants!(o, CST_ON_NORMAL, CST_ON_OVERFLOW, CST_ON_DEBUG);
    constants!(o, CST_UNSYNC_UNKNOWN, CST_UNSYNC_INIT, CST_UNSYNC_RESET, CST_UNSYNC_OVERFLOW, CST_UNSYNC_DISCARD, CST_UNSYNC_BAD_PACKET, CST_UNSYNC_BAD_IMAGE, CST_UNSYNC_END);
    constants!(o, CST_SW_ID, CST_SW_MARKER, CST_SW_TRIGGER, CST_SW_FREQ, CST_SW_MASTER_ERR, CST_SW_GLOBAL_ERR, CST_SW_OVERFLOW, CST_SW_CLOCK);
    constants!(o, CST_ITM_SWIT, CST_ITM_DWT, CST_ITM_TS_SYNC, CST_ITM_TS_DELAY, CST_ITM_TS_PKT_DELAY, CST_ITM_TS_PKT_TS_DELAY, CST_ITM_TS_GLOBAL);
    constants!(o, CST_DATA_ADDR, CST_DATA_VALUE, CST_DATA_INSN, CST_DATA_LATE, CST_DATA_PENDING, CST_DATA_STORE_FAILED, CST_DATA_NOT_TRACED, CST_DATA_SUPPRESSED, CST_DATA_BIG_ENDIAN, CST_DATA_STACKING);
    constants!(o, CST_COND_PASSED, CST_COND_FAILED, CST_COND_INSN, CST_COND_FLAGS);
    constants!(o, CST_MARK_TIMESTAMP, CST_MARK_DATA_NUMBERED, CST_MARK_DATA);
    constants!(o, CST_TRANS_INIT, CST_TRANS_START, CST_TRANS_COMMIT, CST_TRANS_FAIL);
    constants!(o, CST_RANGE_IT, CST_RANGE_PART);
    constants!(o, CST_GF_EXEC, CST_GF_COND, CST_GF_LINK, CST_GF_CC, CST_GF_RET_ADDR, CST_GF_BR_TARGET, CST_GF_TAIL_CHAIN, CST_GF_CID, CST_GF_VMID, CST_GF_EL, CST_GF_BITS64, CST_GF_WAYPOINT, CST_GF_NEXT, CST_GF_DOUBTFUL, CST_GF_TS);
    constants!(o, CST_COUNTS_JOINED);
    constants!(o, CST_FIND_NONE, CST_FIND_RESERVED_BITS, CST_FIND_NO_CODE, CST_FIND_ATOMS_LOST, CST_FIND_IMAGE_CONFLICT, CST_FIND_STACK_EMPTY, CST_FIND_NO_PATH, CST_FIND_OVERFLOW, CST_FIND_DISCARD, CST_FIND_UNROUTED, CST_FIND_FRAME_RESERVED_ID, CST_FIND_FRAME_AUX, CST_FIND_BARRIER, CST_FIND_STM_NOT_SENT, CST_FIND_STM_LONG_ASYNC, CST_FIND_ITM_LOCAL_TS, CST_FIND_ITM_GLOBAL_TS, CST_FIND_DWT_RESERVED, CST_FIND_DWT_SIZE, CST_FIND_PTM_RESERVED_BITS, CST_FIND_PTM_ISA, CST_FIND_PTM_EXCEPTION, CST_FIND_PTM_ADDRESS, CST_FIND_ETM_ADDRESS_BITS, CST_FIND_ETM_ADDRESS_64, CST_FIND_ETM_CONTEXT_BITS, CST_FIND_ETM_CONTEXT_ID, CST_FIND_ETM_CONTEXT_IS, CST_FIND_ETM_INFO_BITS, CST_FIND_ETM_INFO_CONFIG, CST_FIND_ETM_INFO_SPEC, CST_FIND_ETM_CC_OFF, CST_FIND_ETM_CC_COMMIT, CST_FIND_ETM_CC_OVERFLOW, CST_FIND_ETM_WIDE, CST_FIND_ETM_EXCEPTION_BITS, CST_FIND_ETM_EXCEPTION_TYPE, CST_FIND_ETM_EXCEPTION_FORM, CST_FIND_ETM_Q_FORM, CST_FIND_ETM_NO_SPECULATION, CST_FIND_ETM_ITE_BITS, CST_FIND_ETM_TS_MARKER, CST_FIND_ETM_BEFORE_INFO, CST_FIND_ETMV3_RESERVED_BITS, CST_FIND_ETMV3_PHDR, CST_FIND_ETMV3_ZEROS, CST_FIND_ETMV3_CYCLES, CST_FIND_ETMV3_CONFIG, CST_FIND_ETMV3_EXCEPTION, CST_FIND_ETMV3_DEPRECATED, CST_FIND_ETMV3_CANCEL, CST_FIND_DATA_NO_PLACE, CST_FIND_JAZELLE, CST_FIND_TIME_UNKNOWN, CST_FIND_STM_MASTER_ERROR, CST_FIND_STM_GLOBAL_ERROR, CST_FIND_ITM_BOUNDARY, CST_FIND_ETM_Q_OFF, CST_FINDINGS);
    constants!(o, CST_LOG_NONE, CST_LOG_ERROR, CST_LOG_WARNING, CST_LOG_INFO, CST_LOG_SEVERITIES);
    constants!(o, CST_LOG_FRAME, CST_LOG_PACKET, CST_LOG_ELEMENT, CST_LOG_FLOW, CST_LOG_TREE, CST_LOG_INDEX, CST_LOG_COMPONENTS);
    constants!(o, CST_STOP_NONE, CST_STOP_CONTEXT, CST_STOP_TRACE_ON, CST_STOP_TIMESTAMP, CST_STOP_SECTION, CST_STOP_EXCEPTION, CST_STOP_CONFIG, CST_STOP_PACKET, CST_STOP_INPUT, CST_STOP_END);
    constants!(o, CST_EMIT_RANGES, CST_EMIT_COUNTS, CST_EMIT_SAMPLES, CST_EMIT_BRANCHES);
    constants!(o, CST_TREE_RAW, CST_TREE_FRAMES);
    constants!(o, CST_ORDER_FRAMES, CST_ORDER_BY_ID);
    constants!(o, CST_SCAN_TIMESTAMP, CST_SCAN_BREAK, CST_SCAN_BARRIER);
    constants!(o, CST_INDEX_TIMESTAMP, CST_INDEX_EVENT, CST_INDEX_CONTEXT, CST_INDEX_LOSS, CST_INDEX_TRACE_ON, CST_INDEX_SYNC, CST_INDEX_KINDS);
    constants!(o, CST_COUNT_TOTAL, CST_COUNT_BINARY, CST_COUNT_SEGMENT, CST_COUNT_RANGE, CST_COUNT_NOT_TAKEN, CST_COUNT_EDGE, CST_COUNT_ENTRY, CST_COUNT_NODE);
    constants!(o, CST_COUNT_ID_BUILD, CST_COUNT_ID_DIGEST, CST_COUNT_ID_NAME);
    constants!(o, CST_COUNT_FILE, CST_COUNT_KERNEL, CST_COUNT_MODULE, CST_COUNT_JIT, CST_COUNT_MEMORY);
    constants!(o, CST_COUNT_T32, CST_COUNT_ARRIVED);
    constants!(o, CST_COUNT_ROOT, CST_COUNT_CALL, CST_COUNT_TAIL, CST_COUNT_EXCEPTION, CST_COUNT_SIGNAL, CST_COUNT_CUT);
    constants!(o, CST_SNAP_OTHER, CST_SNAP_CORE, CST_SNAP_SOURCE, CST_SNAP_MEMORY);
    constants!(o, CST_SNAP_FMT_OTHER, CST_SNAP_FMT_CORESIGHT, CST_SNAP_FMT_SOURCE_DATA, CST_SNAP_FMT_DSTREAM);
    constants!(o, CST_SNAP_NO_IDR1, CST_SNAP_NO_DEVARCH, CST_SNAP_NO_IDR8, CST_SNAP_NO_CCER);
    constants!(o, CST_META_OTHER, CST_META_ETM3, CST_META_PTM, CST_META_ETM4, CST_META_ETE, CST_META_ITM, CST_META_STP);
    constants!(o, CST_OPT_CYCLECOUNT, CST_OPT_CYCLECOUNT_BITS, CST_OPT_TIMESTAMP_BITS, CST_OPT_TIMESTAMP_GRAY, CST_OPT_CONTEXT_ID, CST_OPT_VMID, CST_OPT_VMID_CONTEXT_ID, CST_OPT_COMMOPT, CST_OPT_RETURN_STACK, CST_OPT_BRANCH_BROADCAST, CST_OPT_DMB_DSB_WAYPOINTS, CST_OPT_WFX_WAYPOINTS, CST_OPT_ADDRESS_BITS, CST_OPT_MAX_SPECULATION, CST_OPT_TRANSACTIONS_P0, CST_OPT_Q_ELEMENTS, CST_OPT_TIMESTAMP_MARKERS, CST_OPT_CONDITIONAL, CST_OPT_DATA_ADDRESS, CST_OPT_DATA_VALUE, CST_OPT_LOADS_P0, CST_OPT_STORES_P0, CST_OPT_ALT_BRANCH, CST_OPT__COUNT);
    constants!(o, CST_META_FMT_OTHER, CST_META_FMT_CORESIGHT, CST_META_FMT_SOURCE_DATA);
    constants!(o, CST_EVENT_PROCESS, CST_EVENT_THREAD, CST_EVENT_LIBRARY, CST_EVENT_PATCH, CST_EVENT_ASID, CST_EVENT_TRACE, CST_EVENT_OTHER);
    constants!(o, CST_STATE_START, CST_STATE_END, CST_STATE_CURRENT);
    constants!(o, CST_CODE_NONE, CST_CODE_ID, CST_CODE_BYTES);
    constants!(o, CST_TARMAC_OTHER, CST_TARMAC_HEADER, CST_TARMAC_INSN, CST_TARMAC_FLOW, CST_TARMAC_REG, CST_TARMAC_MEMORY, CST_TARMAC_UPDATE, CST_TARMAC_BUS, CST_TARMAC_EVENT, CST_TARMAC_MAINTENANCE, CST_TARMAC_CACHE, CST_TARMAC_WALK, CST_TARMAC_TLB, CST_TARMAC_KINDS);
    constants!(o, CST_TARMAC_NO_UNIT, CST_TARMAC_CLK, CST_TARMAC_CYC, CST_TARMAC_TIC, CST_TARMAC_CS, CST_TARMAC_FS, CST_TARMAC_PS, CST_TARMAC_NS, CST_TARMAC_US, CST_TARMAC_MS, CST_TARMAC_S, CST_TARMAC_UNITS);
    constants!(o, CST_TARMAC_FAST_MODELS, CST_TARMAC_ES, CST_TARMAC_BRACKETS, CST_TARMAC_RTL);
    constants!(o, CST_TARMAC_TIME_BEFORE, CST_TARMAC_CUT);
    constants!(o, CST_TARMAC_NO_PHYSICAL, CST_TARMAC_UNSAID, CST_TARMAC_SECURE, CST_TARMAC_NONSECURE, CST_TARMAC_ROOT, CST_TARMAC_REALM);
    constants!(o, CST_TARMAC_NO_MODE, CST_TARMAC_EL, CST_TARMAC_USR, CST_TARMAC_FIQ, CST_TARMAC_IRQ, CST_TARMAC_SVC, CST_TARMAC_MON, CST_TARMAC_ABT, CST_TARMAC_HYP, CST_TARMAC_UND, CST_TARMAC_SYS, CST_TARMAC_THREAD, CST_TARMAC_HANDLER, CST_TARMAC_MODE_OTHER);
    constants!(o, CST_TARMAC_EXECUTED, CST_TARMAC_CC_FAIL, CST_TARMAC_FETCH_FAIL);
    constants!(o, CST_TARMAC_DIRECT, CST_TARMAC_INDIRECT, CST_TARMAC_RETURN, CST_TARMAC_BRANCH);
    constants!(o, CST_TARMAC_REG_SYSTEM, CST_TARMAC_REG_CORE, CST_TARMAC_REG_BANKED, CST_TARMAC_REG_VECTOR, CST_TARMAC_REG_PREDICATE, CST_TARMAC_REG_MATRIX, CST_TARMAC_REG_PSR, CST_TARMAC_REG_FP, CST_TARMAC_REG_OPERATION);
    constants!(o, CST_TARMAC_EXCLUSIVE, CST_TARMAC_UNPRIVILEGED, CST_TARMAC_LOCKED, CST_TARMAC_ABORTED, CST_TARMAC_BIG);
    constants!(o, CST_TARMAC_WRITE_ALLOCATE, CST_TARMAC_READ_ALLOCATE, CST_TARMAC_CACHEABLE, CST_TARMAC_BUFFERABLE, CST_TARMAC_SHAREABLE);
    constants!(o, CST_TARMAC_E_RESET, CST_TARMAC_E_UNDEFINED, CST_TARMAC_E_SWI, CST_TARMAC_E_PREFETCH_ABORT, CST_TARMAC_E_DATA_ABORT, CST_TARMAC_E_IRQ, CST_TARMAC_E_FIQ, CST_TARMAC_E_IMP_DATA_ABORT, CST_TARMAC_E_MODE_CHANGE, CST_TARMAC_E_VECTOR);
    constants!(o, CST_COND_FLAGS_SHIFT, CST_COUNT_DEPTH_MAX, CST_COUNT_ID_MAX, CST_COUNT_NAME_MAX, CST_COUNT_NO_BINARY, CST_COUNT_OUTSIDE, CST_COUNT_TOTAL_MAX, CST_COUNT_VERSION, CST_CYCLES_GAP, CST_EVENT_KERNEL, CST_EVENT_NO_TIME, CST_EVENT_PARAMS, CST_EVENT_TRIGGER, CST_FRAME_RAW_BYTES, CST_ID_UNKNOWN, CST_INDEX_CONTEXTS, CST_INDEX_GRANULARITY, CST_LIST_MIN, CST_LOG_ALL_IDS, CST_LOG_NO_ID, CST_MAX_PACKET, CST_PACKET_BYTES, CST_PARSE_NO_BYTE, CST_PULL_MIN, CST_SAMPLE_BRANCHES, CST_TARMAC_DATA, CST_VERSION_MAJOR, CST_VERSION_MINOR, CST_VERSION_PATCH);
}
