// SPDX-License-Identifier: BSD-3-Clause
//! The edge bitmap of a fuzzer: `edge_bitmap REGISTERS CODE ADDRESS TRACE...` decodes the trace of
//! each run of a program, whose code is in one file, and writes how often its edges were taken,
//! 65,536 counters of a byte.
use cstrace::*;
use std::io::Write;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let hex = |text: &str| u64::from_str_radix(text, 16);
    let r = args[1].split(',').map(hex).collect::<std::result::Result<Vec<_>, _>>()?;
    let r: Vec<u32> = r.into_iter().map(|register| register as u32).collect();
    let registers = Etmv4Registers {
        configr: r[0],
        traceidr: r[1],
        idr0: r[2],
        idr1: r[3],
        idr2: r[4],
        idr8: r[5],
        ..Default::default()
    };
    let mut decoder = Decoder::new(Layout::linux())?;
    decoder.count(false)?;
    let (space, section) = decoder.add_program(hex(&args[3])?, std::fs::read(&args[2])?)?;
    let config = Config::etmv4(&registers, false, Profile::A)?;
    decoder.add_source(&config, Some(space))?;
    let mut map = vec![0u8; 1 << 16];
    for run in &args[4..] {
        decoder.decode(&std::fs::read(run)?, 0)?.run()?;
        for edge in &decoder.take_counts(section)?.edges {
            let place = (edge.from() >> 2).wrapping_mul(0x9e37) ^ (edge.to() >> 2);
            let cell = &mut map[place as usize & 0xffff];
            *cell = cell.saturating_add(edge.count().min(255) as u8);
        }
    }
    eprintln!("{:?}", decoder.stats(config.trace_id())?);
    Ok(std::io::stdout().write_all(&map)?)
}
