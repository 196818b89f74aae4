// SPDX-License-Identifier: BSD-3-Clause
//! tests/interop/cst_decode.c in Rust: decodes a trace file and looks at no element (`elements`),
//! or counts ranges and edges by place (`counts`). Behind this word come the arguments of
//! tests/interop/decode_input.h.
use cstrace::*;
use std::error::Error;
use std::time::Instant;

type Failure = Box<dyn Error>;

fn number(text: &str) -> std::result::Result<u64, Failure> {
    Ok(match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16)?,
        None => text.parse()?,
    })
}

fn source(args: &[String]) -> std::result::Result<Config, Failure> {
    let r = args[1..].iter().map(|a| number(a)).collect::<std::result::Result<Vec<_>, _>>()?;
    let registers = Etmv4Registers {
        configr: r[0] as u32,
        traceidr: r[1] as u32,
        idr0: r[2] as u32,
        idr1: r[3] as u32,
        idr2: r[4] as u32,
        idr8: r[5] as u32,
        devarch: r[6] as u32,
        ..Default::default()
    };
    Ok(Config::etmv4(&registers, args[0] == "ete", Profile::A)?)
}

fn main() -> std::result::Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let counting = args[0] == "counts";
    let (trace, part) = (std::fs::read(&args[2])?, number(&args[3])? as usize);
    let maps_at = 5 + 8 * number(&args[4])? as usize;
    let configs = args[5..maps_at].chunks(8).map(source);
    let configs = configs.collect::<std::result::Result<Vec<_>, _>>()?;
    let mut files = Vec::new();
    for map in args[maps_at..].chunks(4) {
        files.push((number(&map[0])?, number(&map[1])?, number(&map[2])?, std::fs::read(&map[3])?));
    }
    let began = Instant::now();
    let layout = if args[1] == "raw" { Layout::Raw } else { Layout::linux() };
    let mut decoder = Decoder::new(layout)?;
    if counting {
        decoder.count(false)?;
    }
    let space = decoder.add_space()?;
    let mut sections = Vec::new();
    for (start, length, offset, file) in &files {
        let behind = &file[*offset as usize..];
        let code = &behind[..behind.len().min(*length as usize)];
        let section = decoder.add_code(code)?;
        decoder.map(space, *start, code.len() as u64, section, 0)?;
        sections.push(section);
    }
    for config in &configs {
        decoder.add_source(config, Some(space))?;
    }
    let mut elements = 0;
    for (i, bytes) in trace.chunks(part).enumerate() {
        elements += decoder.decode(bytes, (i * part) as u64)?.run()?;
    }
    let (mut taken, mut different) = (0, 0);
    for &section in sections.iter().filter(|_| counting) {
        let counts = decoder.take_counts(section)?;
        taken += counts.edges.iter().map(Count::count).sum::<u64>();
        different += counts.edges.len();
    }
    let seconds = began.elapsed().as_secs_f64();
    let (mut ranges, mut instructions) = (0, 0);
    for config in &configs {
        let stats = decoder.stats(config.trace_id())?;
        ranges += stats.ranges;
        instructions += stats.instructions;
    }
    println!("ranges {ranges}\ninstructions {instructions}");
    if counting {
        println!("taken {taken}\nedges {different}");
    } else {
        println!("elements {elements}");
    }
    println!("bytes {}\nseconds {seconds:.6}", trace.len());
    Ok(())
}
