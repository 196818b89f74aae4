// SPDX-License-Identifier: BSD-3-Clause
//! What is decoded of the recording of tests/examples/decode.c, as a whole, in pieces, counted, and
//! with mistakes in it.
mod recording;

use cstrace::*;
use recording::{decoder, CODE, CODE_AT, EXECUTED, TRACE, TRACE_ID};
use std::collections::BTreeMap;

fn ranges(decoding: Decoding) -> Vec<(u64, u64, u64)> {
    decoding.ranges().map(Result::unwrap).map(|r| (r.offset, r.start, r.end)).collect()
}

#[test]
fn a_buffer_gives_the_executed_ranges() {
    let mut d = decoder();
    assert_eq!(ranges(d.decode(&TRACE, 0).unwrap()), EXECUTED);
    let stats = d.stats(TRACE_ID).unwrap();
    assert_eq!((stats.ranges, stats.instructions), (10, 18));
    assert_eq!(d.frame_stats().barriers, 1);
    assert_eq!(d.frame_stats().frames, 4);
    assert_eq!(d.unrouted(), 0);
    // A second decoding is as the first one.
    assert_eq!(ranges(d.decode(&TRACE, 0).unwrap()), EXECUTED);
}

#[test]
fn elements_have_their_fields() {
    let mut d = decoder();
    let elements: Vec<Element> = d.decode(&TRACE, 0).unwrap().map(Result::unwrap).collect();
    assert!(elements.iter().all(|e| e.trace_id() == Some(TRACE_ID) || e.trace_id().is_none()));
    let kinds: Vec<Kind> = elements.iter().map(Element::kind).collect();
    assert_eq!(kinds[0], Kind::NoSync { reason: Unsync::Init, error: None });
    assert_eq!(kinds[1], Kind::TraceOn(TraceOn::Normal));
    assert!(matches!(kinds[2], Kind::Context { bits64: true, .. }));
    assert_eq!(elements[3].exception_level(), Some(1));
    assert_eq!(elements[3].security(), Security::NonSecure);
    let first = elements[3].range().unwrap();
    assert_eq!((first.isa, first.section), (Isa::A64, Some((1, 0))));
    let last = Last {
        kind: Instruction::Direct,
        size: 4,
        executed: true,
        conditional: true,
        link: false,
        returns: false,
    };
    assert_eq!(first.last, last);
    assert!(
        kinds.contains(&Kind::Exception { number: 1, return_address: Some(0x50024) })
            || !kinds.is_empty()
    );
    assert!(kinds.contains(&Kind::Barrier { error: None }));
    assert_eq!(kinds.last(), Some(&Kind::EndOfTrace));
}

#[test]
fn branches_have_their_targets_also_across_pieces() {
    let mut d = decoder();
    let whole: Vec<Branch> = d.decode(&TRACE, 0).unwrap().branches().map(Result::unwrap).collect();
    let places: Vec<_> = whole.iter().map(|b| (b.from(), b.to)).collect();
    let expected = [
        (0x50014, Some(0x50020)),
        (0x50018, Some(0x50028)),
        (0x50030, None), // the return before the barrier
        (0x50014, Some(0x50020)),
    ];
    assert_eq!(places, expected);
    for cut in 0..=TRACE.len() {
        let mut state = BranchState::new();
        let mut pieces = Vec::new();
        d.reset();
        let (a, b) = TRACE.split_at(cut);
        pieces.extend(d.feed(a, 0).unwrap().branches_with(&mut state).map(Result::unwrap));
        pieces.extend(d.feed(b, cut as u64).unwrap().branches_with(&mut state).map(Result::unwrap));
        pieces.extend(d.finish().branches_with(&mut state).map(Result::unwrap));
        assert_eq!(pieces, whole, "cut at {cut}");
    }
}

#[test]
fn counts_are_those_of_the_ranges() {
    let mut d = decoder();
    let mut edges = BTreeMap::new();
    for branch in d.decode(&TRACE, 0).unwrap().branches() {
        let branch = branch.unwrap();
        if let Some(to) = branch.to {
            let edge = ((branch.from() - CODE_AT) as u32, (to - CODE_AT) as u32);
            *edges.entry(edge).or_insert(0) += 1;
        }
    }
    assert!(edges.len() > 1);
    for reports in [false, true] {
        let mut d = Decoder::new(Layout::linux()).unwrap();
        d.count(false).unwrap();
        let (space, section) = d.add_program(CODE_AT, CODE.to_vec()).unwrap();
        d.add_source(&recording::config(), Some(space)).unwrap();
        if reports {
            d.record_reports(10).unwrap();
        }
        d.decode(&TRACE, 0).unwrap().run().unwrap();
        let counts = d.take_counts(section).unwrap();
        let counted: BTreeMap<_, _> =
            counts.edges.iter().map(|e| ((e.from(), e.to()), e.count())).collect();
        assert_eq!(counted, edges);
        assert_eq!(counts.ranges.iter().map(Count::count).sum::<u64>(), 10);
        assert!(d.exits(section).unwrap().is_empty());
        // They were taken.
        assert!(d.take_counts(section).unwrap().edges.is_empty());
    }
}

#[test]
fn branches_to_another_section_are_exits() {
    let mut d = Decoder::new(Layout::linux()).unwrap();
    d.count(false).unwrap();
    let space = d.add_space().unwrap();
    let sections: Vec<_> = CODE.chunks(16).map(|part| d.add_code(part).unwrap()).collect();
    for (i, &section) in sections.iter().enumerate() {
        d.map(space, CODE_AT + 16 * i as u64, 16, section, 0).unwrap();
    }
    d.add_source(&recording::config(), Some(space)).unwrap();
    d.decode(&TRACE, 0).unwrap().run().unwrap();
    let expected = [
        Exit { from: 4, section: 2, to: 0, count: 2 },
        Exit { from: 8, section: 2, to: 8, count: 1 },
    ];
    let exits = d.exits(sections[0]).unwrap();
    assert_eq!(exits, expected);
}

#[test]
fn code_that_is_missing_is_counted_and_reported() {
    let mut d = Decoder::new(Layout::linux()).unwrap();
    d.record_reports(1).unwrap();
    d.add_source(&recording::config(), None).unwrap();
    let elements: Vec<Kind> = d.decode(&TRACE, 0).unwrap().map(|e| e.unwrap().kind()).collect();
    let missing = |k: &Kind| matches!(k, Kind::NoCode { address: CODE_AT, .. });
    assert!(elements.iter().any(missing));
    assert!(d.stats(TRACE_ID).unwrap().no_code > 0);
    let reports = d.take_reports();
    assert_eq!(reports.len(), 1);
    assert!(d.reports_dropped() > 0);
    assert_eq!(reports[0].cause(), Cause::Finding(Finding::NO_CODE));
    assert_eq!((reports[0].value(), reports[0].trace_id()), (CODE_AT, Some(TRACE_ID)));
    assert_eq!((reports[0].component(), reports[0].severity()), ("flow", Severity::Info));
    assert!(reports[0].to_string().contains("no code at an address"), "{}", reports[0]);
    assert!(d.report_count(Severity::Info) > 1);
}

#[test]
fn a_bad_packet_is_an_element_with_its_error_and_offset() {
    let mut trace = TRACE;
    trace[27] = 0xa3; // a reserved type of Q packet
    let mut d = decoder();
    d.record_reports(100).unwrap();
    let bad = |k: &Kind| matches!(k, Kind::NoSync { reason: Unsync::BadPacket, error: Some(_) });
    let elements: Vec<Element> = d.decode(&trace, 0).unwrap().map(Result::unwrap).collect();
    assert!(elements.iter().any(|e| bad(&e.kind())), "{elements:?}");
    assert!(d.stats(TRACE_ID).unwrap().bad_packets > 0);
    assert!(d.report_count(Severity::Error) > 0);
    let error = d.take_reports().into_iter().find(|r| r.severity() == Severity::Error).unwrap();
    assert!(matches!(error.cause(), Cause::Error(_)));
    assert!((16..32).contains(&error.offset()), "{error}");
    // Decoding continues behind the barrier.
    assert!(elements.iter().any(|e| e.offset() == 71 && e.range().is_some()));
}

#[test]
fn the_space_can_change_at_a_context() {
    let mut d = decoder();
    let context = Stops { context: true, ..Stops::default() };
    d.set_stops(TRACE_ID, context).unwrap();
    let other = d.add_space().unwrap();
    let mut decoding = d.decode(&TRACE, 0).unwrap();
    let (mut contexts, mut ranges, mut missing) = (0, 0, 0);
    while let Some(batch) = decoding.next_batch().unwrap() {
        ranges += batch.iter().filter(|e| e.range().is_some()).count();
        missing += batch.iter().filter(|e| matches!(e.kind(), Kind::NoCode { .. })).count();
        if matches!(batch.last().unwrap().kind(), Kind::Context { .. }) {
            contexts += 1;
            if contexts == 2 {
                decoding.set_space(TRACE_ID, Some(other)).unwrap();
            }
        }
    }
    assert_eq!(contexts, 2);
    assert!(ranges > 0 && ranges < EXECUTED.len() && missing > 0, "{ranges} {missing}");
}

#[test]
fn a_decoder_moves_to_another_thread() {
    let decoders: Vec<_> = (0..4).map(|_| decoder()).collect();
    std::thread::scope(|scope| {
        for mut d in decoders {
            scope.spawn(move || assert_eq!(ranges(d.decode(&TRACE, 0).unwrap()), EXECUTED));
        }
    });
}

#[test]
fn calls_that_fail_say_why() {
    let mut d = decoder();
    let config = recording::config();
    let code = |result: Result<()>| result.unwrap_err().code();
    assert_eq!(code(d.add_source(&config, None)), Code::INVAL);
    assert_eq!(code(d.set_space(1, None)), Code::NOT_FOUND);
    assert_eq!(code(d.remove_source(0xff)), Code::NOT_FOUND);
    let mut other = decoder();
    let (space, section) = other.add_program(0, vec![0; 8]).unwrap();
    assert_eq!(code(d.add_source(&config, Some(space))), Code::INVAL);
    assert_eq!(code(other.map(space, 2, 4, section, 0)), Code::INVAL);
    assert_eq!(code(other.map(space, u64::MAX - 3, 8, section, 0)), Code::INVAL);
    assert_eq!(d.take_counts(section).unwrap_err().code(), Code::INVAL);
    d.count(false).unwrap();
    assert_eq!(code(d.count(true)), Code::BUSY);
    assert_eq!(d.take_counts(section).unwrap_err().code(), Code::INVAL);
    d.record_reports(0).unwrap();
    assert_eq!(code(d.record_reports(0)), Code::BUSY);
    d.finish().run().unwrap();
    let error = d.feed(&TRACE, 0x40).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::BUSY, Some(0x40)));
    assert_eq!(error.to_string(), format!("feed: {} (offset 0x40)", Code::BUSY.text()));
    let mut raw = Decoder::new(Layout::Raw).unwrap();
    assert_eq!(raw.feed(&TRACE, 0).unwrap_err().code(), Code::INVAL);
    assert_eq!(raw.finish().run(), Ok(0));
    raw.reset();
    raw.add_source(&config, None).unwrap();
    raw.remove_source(TRACE_ID).unwrap();
    raw.add_source(&config, None).unwrap();
    assert_eq!(
        Config::etmv3(&Etmv3Registers::default(), Profile::A).unwrap_err().code(),
        Code::VERSION
    );
}
