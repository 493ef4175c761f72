//! How fast a table is opened and scanned: `read_speed FILE TARGET [MEGABYTES] [THREADS]`.

use std::time::Instant;

use oddsmith::control::Control;
use oddsmith_io::{Input, ReadOptions, Roles, open};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("a file is needed")?;
    let target = arguments.next().and_then(|name| name.into_string().ok()).ok_or("a target is needed")?;
    let mut number = |default: u64| arguments.next().and_then(|text| text.to_str()?.parse().ok()).unwrap_or(default);
    let options = ReadOptions { memory: number(1024) << 20, threads: number(0) as usize, ..ReadOptions::default() };
    let bytes = std::fs::metadata(&path)?.len() as f64;
    let started = Instant::now();
    let opened = open(&Input::Path(path.into()), &options, &Roles::target(target), &Control::new())?;
    let seconds = started.elapsed().as_secs_f64();
    println!("{}: {} rows, in memory: {}, {seconds:.3} s, {:.2} GB/s", opened.format, opened.rows, opened.in_memory, bytes / seconds / 1e9);
    for column in opened.columns.iter().take(30) {
        println!("  {} {:?} {} missing", column.name, column.kind, column.missing);
    }
    opened.notices.iter().for_each(|notice| println!("  {notice}"));
    for _ in 0..2 {
        let started = Instant::now();
        let mut sum = 0.0;
        for partition in 0..opened.source.partitions() {
            opened.source.scan(partition, &mut |rows| {
                for j in 0..rows.features.numbers.cols() {
                    sum += rows.features.numbers.column(j).map_or(0.0, |column| column.iter().sum::<f64>());
                }
                Ok(())
            })?;
        }
        println!("scan by one thread: {:.3} s (sum {sum})", started.elapsed().as_secs_f64());
    }
    Ok(())
}
