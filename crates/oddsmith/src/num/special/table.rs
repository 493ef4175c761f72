//! Tables of 60-digit reference values, and the judgement of a function against them.
//!
//! One line is `function,value,condition,argument…`; the condition number is the sum of `|∂f/∂x_i · x_i / f|`.

/// The lines of one table.
pub(crate) struct Table {
    points: Vec<Point>,
}

/// One line.
pub(crate) struct Point {
    function: String,
    pub(crate) value: f64,
    condition: f64,
    pub(crate) arguments: Vec<f64>,
}

impl Table {
    pub(crate) fn parse(text: &str) -> Self {
        let points = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| {
                let mut fields = line.split(',');
                let function = fields.next().unwrap().to_owned();
                let mut numbers = fields.map(|field| field.parse::<f64>().unwrap());
                Point { function, value: numbers.next().unwrap(), condition: numbers.next().unwrap(), arguments: numbers.collect() }
            })
            .collect();
        Self { points }
    }

    /// Every relative error is at most `limit`.
    pub(crate) fn check(&self, function: &str, limit: f64, f: impl Fn(&[f64]) -> f64) {
        self.judge(function, limit, |_| 1.0, f);
    }

    /// Every relative error is at most `factor · ε · (1 + condition)`.
    pub(crate) fn check_conditioned(&self, function: &str, factor: f64, f: impl Fn(&[f64]) -> f64) {
        self.judge(function, factor, |p| f64::EPSILON * (1.0 + p.condition), f);
    }

    /// Every relative error is at most `limit` units, each point having a unit of its own.
    pub(crate) fn judge(&self, function: &str, limit: f64, unit: impl Fn(&Point) -> f64, f: impl Fn(&[f64]) -> f64) {
        let points: Vec<_> = self.points.iter().filter(|point| point.function == function).collect();
        assert!(points.len() >= 20, "{function}: only {} points", points.len());
        let (mut worst, mut at) = (0.0, String::new());
        for point in points {
            let got = f(&point.arguments);
            let error = relative_error(got, point.value) / unit(point);
            if error > worst {
                worst = error;
                at = format!("{:?}: got {got:e}, want {:e}", point.arguments, point.value);
            }
        }
        assert!(worst <= limit, "{function}: worst {worst:e} at {at}");
    }
}

fn relative_error(got: f64, want: f64) -> f64 {
    if got == want {
        0.0
    } else if got.is_nan() || want == 0.0 || want.is_infinite() {
        f64::INFINITY
    } else {
        ((got - want) / want).abs()
    }
}

/// `f` never falls from one point to the next of an even grid.
pub(crate) fn assert_monotone(from: f64, to: f64, steps: u32, f: impl Fn(f64) -> f64) {
    let mut last = f64::NEG_INFINITY;
    for i in 0..=steps {
        let x = from + (to - from) * (f64::from(i) / f64::from(steps));
        let value = f(x);
        assert!(value >= last, "falls from {last:e} to {value:e} at {x:e}");
        last = value;
    }
}
