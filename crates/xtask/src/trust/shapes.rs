//! Tables of unusual shapes: what a fit of them takes at most, in memory and in time.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::random::Random;
use crate::trust::scope::Scope;
use crate::trust::{resident, trial};

/// A table, the command over it, and what it may take.
struct Shape {
    name: &'static str,
    write: fn(&Path) -> std::io::Result<()>,
    words: &'static str,
    code: i32,
    most_mib: f64,
    most_seconds: f64,
}

const SHAPES: [Shape; 5] = [
    Shape {
        name: "100,000 columns × 10 rows, naive Bayes in 64M",
        write: wide,
        words: "fit -q t.csv --target y --model nb --memory 64M -o m.odds",
        code: 0,
        most_mib: 512.0,
        most_seconds: 20.0,
    },
    Shape {
        name: "100,000 columns × 10 rows, a regression that is refused",
        write: wide,
        words: "fit -q t.csv --target y --model logistic --memory 64M -o m.odds",
        code: 5,
        most_mib: 512.0,
        most_seconds: 20.0,
    },
    Shape {
        name: "a formula over 10,000 levels in 256M",
        write: levels,
        words: "fit -q t.csv y~id+x --l2 1 --memory 256M -o m.odds",
        code: 0,
        most_mib: 256.0,
        most_seconds: 20.0,
    },
    Shape {
        name: "59 rows × 14 columns, Firth's likelihood with profiles and tests",
        write: few,
        words: "fit -q t.csv --target y --model logistic --firth -o m.odds",
        code: 0,
        most_mib: 128.0,
        most_seconds: 10.0,
    },
    Shape {
        name: "Firth's likelihood without any parameter",
        write: few,
        words: "fit -q t.csv y~0 --firth -o m.odds",
        code: 0,
        most_mib: 128.0,
        most_seconds: 2.0,
    },
];

/// Fits every shape.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let folder = scope.folder("shapes")?;
    let one = |shape: &Shape| {
        (shape.write)(&folder.join("t.csv"))?;
        let begin = Instant::now();
        let ended = resident::run(trial::command(&scope.program, &folder, shape.words))?;
        let seconds = begin.elapsed().as_secs_f64();
        let kept = ended.code == Some(shape.code) && ended.peak_mib <= shape.most_mib && seconds <= shape.most_seconds;
        let goal = format!("exit {}, {} MiB and {} s at most", shape.code, shape.most_mib, shape.most_seconds);
        Ok(Finding::new(shape.name, goal, format!("exit {:?}, {:.0} MiB, {seconds:.1} s", ended.code, ended.peak_mib), kept))
    };
    SHAPES.iter().map(one).collect()
}

fn wide(path: &Path) -> std::io::Result<()> {
    const COLUMNS: usize = 100_000;
    let mut random = Random::new(1);
    let mut text: String = (0..COLUMNS).map(|j| format!("c{j},")).collect();
    text.push_str("y\n");
    for row in 0..10 {
        text.extend((0..COLUMNS).map(|_| format!("{:.3},", random.uniform())));
        text.push_str(["no\n", "yes\n"][row % 2]);
    }
    fs::write(path, text)
}

fn levels(path: &Path) -> std::io::Result<()> {
    let mut random = Random::new(2);
    let mut text = "id,x,y\n".to_owned();
    for row in 0..40_000 {
        let class = ["no", "yes"][usize::from(random.uniform() < 0.4)];
        text.push_str(&format!("p{},{:.3},{class}\n", row % 10_000, random.uniform()));
    }
    fs::write(path, text)
}

/// Numbers and rare flags, which separate some of the rows.
fn few(path: &Path) -> std::io::Result<()> {
    const COLUMNS: usize = 14;
    let mut random = Random::new(3);
    let mut text: String = (0..COLUMNS).map(|j| format!("x{j},")).collect();
    text.push_str("y\n");
    for _ in 0..59 {
        let cells: Vec<f64> = (0..COLUMNS)
            .map(|j| if j % 2 == 0 { random.uniform() * 4.0 - 2.0 } else { f64::from(u8::from(random.below(4) == 0)) })
            .collect();
        let event = cells[0] + cells[1] + random.uniform() * 2.0 - 1.0 > 0.8;
        text.extend(cells.iter().map(|cell| format!("{cell:.3},")));
        text.push_str(["no\n", "yes\n"][usize::from(event)]);
    }
    fs::write(path, text)
}
