// SPDX-License-Identifier: BSD-3-Clause
//! Bytes that no trace unit sends, and callers that do not behave.
mod recording;

use cstrace::*;
use recording::{config, decoder, CODE, CODE_AT, EXECUTED, TRACE, TRACE_ID};

/// Numbers of Knuth's generator, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|b| *b = self.next() as u8);
    }
}

fn sources(random: &mut Random) -> Vec<Config> {
    let id = TRACE_ID.into();
    let etmv3 = Etmv3Registers { cr: random.next(), ccer: 0, idr: 0x4104_f240, traceidr: id };
    let ptm = Etmv3Registers { cr: 0, ccer: random.next(), idr: 0x411c_f301, traceidr: id };
    let mut all: Vec<Config> = [
        Config::etmv3(&etmv3, Profile::A),
        Config::ptm(&ptm),
        Config::stm(&StmRegisters { tcsr: id << 16, ..StmRegisters::default() }),
        Config::itm(&ItmRegisters { tcr: id << 16 }),
    ]
    .into_iter()
    .map(Result::unwrap)
    .collect();
    all.push(config());
    all.push(config().strict(true).checks(0x1f));
    all.push(config().max_queue(random.next() % 4));
    all
}

/// Every byte of the input is in the statistics.
fn decode_all(layout: Layout, config: &Config, trace: &[u8], random: &mut Random) {
    let mut d = Decoder::new(layout).unwrap();
    let (space, section) = d.add_program(CODE_AT, CODE.to_vec()).unwrap();
    // the map is longer than the code
    d.map(space, 0, 1 << 40, section, 0).unwrap();
    d.add_source(config, Some(space)).unwrap_or_else(|e| panic!("{config:?} {e}"));
    let (counting, reports) = (random.below(2) == 0, random.below(2) == 0);
    if counting {
        d.count(random.below(2) == 0).unwrap();
    }
    if reports {
        d.record_reports(random.below(20)).unwrap();
    }
    let mut rest = trace;
    let mut offset = 0;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(1 + random.below(rest.len()));
        for element in d.feed(piece, offset).unwrap() {
            assert!(!format!("{:?}", element.unwrap()).is_empty());
        }
        offset += piece.len() as u64;
        rest = behind;
    }
    let last = d.finish().map(|e| e.unwrap().kind()).last();
    assert_eq!(last, Some(Kind::EndOfTrace));
    for report in d.take_reports() {
        assert!(!report.to_string().is_empty());
    }
    let (stats, frames) = (d.stats(config.trace_id()).unwrap(), d.frame_stats());
    if layout == Layout::Raw {
        assert_eq!(stats.bytes, trace.len() as u64);
    } else if layout == Layout::linux() {
        assert!(frames.data >= stats.bytes + d.unrouted());
        assert_eq!(16 * frames.frames + frames.skipped + 16 * frames.barriers, trace.len() as u64);
    }
    if counting {
        d.take_counts(section).unwrap();
    }
}

#[test]
fn random_bytes_are_decoded() {
    let mut random = Random(1);
    let rounds = std::env::var("CSTRACE_ROUNDS").map_or(100, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let mut trace = vec![0u8; 1 + random.below(600)];
        random.fill(&mut trace);
        if round % 2 == 0 {
            // a beginning that synchronises, and packets that are possible
            for (byte, sync) in trace.iter_mut().zip([&[0u8; 11][..], &[0x80, 1, 0, 4]].concat()) {
                *byte = sync;
            }
        }
        for config in sources(&mut random) {
            decode_all(Layout::Raw, &config, &trace, &mut random);
            decode_all(Layout::linux(), &config, &trace, &mut random);
            let flags: Vec<bool> = (0..6).map(|_| random.below(2) == 0).collect();
            let frames = Frames {
                full_sync: flags[0],
                half_sync: flags[1],
                barriers: flags[2],
                dstream: flags[3],
                findings: flags[4],
                strict: flags[5],
            };
            decode_all(Layout::Frames(frames), &config, &trace, &mut random);
        }
    }
}

#[test]
fn a_damaged_recording_is_decoded() {
    let mut random = Random(2);
    for _ in 0..500 {
        let mut trace = TRACE;
        for _ in 0..=random.below(4) {
            trace[random.below(TRACE.len())] = random.next() as u8;
        }
        decode_all(Layout::linux(), &config(), &trace, &mut random);
    }
}

#[test]
fn a_decoding_that_is_dropped_resets_the_decoder_and_counts_the_loss() {
    let mut d = decoder();
    let before = d.frame_stats().skipped;
    let mut elements = d.feed(&TRACE[..40], 0).unwrap();
    elements.next();
    drop(elements);
    let ranges = d.decode(&TRACE, 0).unwrap().ranges().map(Result::unwrap);
    assert_eq!(ranges.map(|r| (r.offset, r.start, r.end)).collect::<Vec<_>>(), EXECUTED);
    let lost = d.frame_stats().skipped - before + d.stats(TRACE_ID).unwrap().unsynced;
    assert!(lost > 0, "{:?} {:?}", d.frame_stats(), d.stats(TRACE_ID));
}

#[test]
fn a_decoding_that_is_forgotten_leaves_no_pointer_to_its_bytes() {
    for layout in [Layout::linux(), Layout::Raw] {
        let mut d = Decoder::new(layout).unwrap();
        d.add_source(&config(), None).unwrap();
        {
            let trace = vec![0x55u8; 4096];
            std::mem::forget(d.feed(&trace, 0).unwrap());
        }
        d.set_stops(TRACE_ID, Stops::default()).unwrap();
        assert!(d.finish().map(|e| e.unwrap().kind()).all(|k| !matches!(k, Kind::Range(_))));
        {
            let trace = vec![0x55u8; 4096];
            std::mem::forget(d.decode(&trace, 0).unwrap());
        }
        d.remove_source(TRACE_ID).unwrap();
        d.add_source(&config(), None).unwrap();
        d.decode(&TRACE, 0).unwrap().run().unwrap();
        {
            let trace = vec![0x55u8; 4096];
            let mut elements = d.decode(&trace, 0).unwrap();
            elements.next();
            std::mem::forget(elements);
        }
    }
}

#[test]
fn code_is_freed_with_the_decoder() {
    let code = std::sync::Arc::<[u8]>::from(&CODE[..]);
    let mut d = Decoder::new(Layout::linux()).unwrap();
    d.add_program(CODE_AT, code.clone()).unwrap();
    d.add_program(0, Vec::new()).unwrap();
    assert_eq!(std::sync::Arc::strong_count(&code), 2);
    drop(d);
    assert_eq!(std::sync::Arc::strong_count(&code), 1);
}
