// SPDX-License-Identifier: BSD-3-Clause
//! Statistics of decoding and of losses.
use cstrace_sys as sys;

macro_rules! counters {
    ($(#[$doc:meta])* $name:ident, $raw:ident { $($(#[$counter_doc:meta])* $counter:ident = $field:ident),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$counter_doc])* pub $counter: u64,)*
        }

        impl $name {
            pub(crate) fn of(raw: &sys::$raw) -> $name {
                $name { $($counter: raw.$field),* }
            }
        }
    };
}

counters! {
    /// Statistics of one trace ID. Bytes are those of its stream.
    Stats, cst_stats {
        /// Bytes fed.
        bytes = bytes,
        /// Packets parsed; unsynchronised bytes do not count.
        packets = packets,
        /// Packets that are reserved, a bad sequence or incomplete.
        bad_packets = bad_packets,
        /// Bytes skipped while looking for a synchronisation.
        unsynced = unsynced,
        /// Overflows of the trace unit.
        overflows = overflows,
        /// Discards.
        discards = discards,
        /// Losses of synchronisation because of an error.
        resyncs = resyncs,
        /// Elements returned.
        elements = elements,
        /// Executed ranges.
        ranges = ranges,
        /// Executed instructions.
        instructions = insns,
        /// Taken branches: atoms E on branches, source addresses.
        branches = branches,
        /// Ranges that ended where no code is mapped.
        no_code = nacc,
        /// Atoms without a known address or context.
        atoms_lost = atoms_lost,
        /// Atoms and addresses that contradict the code.
        image_conflicts = image_conflicts,
        /// Returns with an empty return stack.
        stack_empty = stack_empty,
        /// Q elements whose path is not known.
        no_path = nopath,
        /// Failed transactions, whose elements were dropped.
        transactions_failed = trans_failed,
        /// P0 elements dropped although nothing says that they were not executed.
        uncommitted = uncommitted,
        /// Times that data trace was suppressed.
        data_lost = data_lost,
        /// ETMv3, PTM: timestamps without a time, since their upper bits were not traced after a
        /// loss.
        times_unknown = times_unknown,
        /// STM: times that writes of a master were dropped for want of space.
        master_errors = master_errors,
        /// STM: the same for several masters at once.
        global_errors = global_errors,
        /// ITM: times that packets begin where trial found it.
        boundaries_tried = boundaries_tried
    }
}

counters! {
    /// Statistics of frames: bytes by their use, and events. `data` counts unpacked bytes, the
    /// others raw input.
    FrameStats, cst_frame_stats {
        frames = frames,
        /// Bytes of trace IDs 0x01 to 0x6F.
        data = data,
        /// Padding bytes (ID 0).
        null = null,
        /// Bytes of IDs 0x70 to 0x7F.
        reserved = reserved,
        /// Bytes before the first ID.
        unknown = unknown,
        /// ID bytes, auxiliary bytes, synchronisation patterns, barriers.
        overhead = overhead,
        /// Bytes dropped because of errors, of a cut last frame, or of a reset.
        skipped = skipped,
        barriers = barriers,
        errors = errors,
        /// Trigger events.
        triggers = triggers
    }
}
