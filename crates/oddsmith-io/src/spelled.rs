//! Numbers as text, each spelled once for as long as it is met again soon.

use crate::typed::Typed;

/// How many spellings are kept: classes and levels are few.
const KEPT: usize = 64;

/// The numbers of a column that were spelled last: a column of classes has few, and to spell one takes longer than to read it.
pub(crate) struct Spelled {
    /// The bits of a number with its text, each at the place that its bits say.
    kept: Vec<(Option<u64>, String)>,
    /// The text of anything else.
    buffer: String,
}

impl Default for Spelled {
    fn default() -> Self {
        Spelled { kept: vec![(None, String::new()); KEPT], buffer: String::new() }
    }
}

impl Spelled {
    /// Gives a cell as text, `None` for a null. All cells must be of one type.
    pub(crate) fn text<'a>(&'a mut self, cell: &'a Typed<'_>) -> Option<&'a [u8]> {
        let bits = match cell {
            Typed::Real(value) => value.to_bits(),
            Typed::Integer(value) => value.cast_unsigned(),
            Typed::Large(value) => *value,
            _ => return cell.text(&mut self.buffer),
        };
        // The upper bits of a product with the golden ratio differ for numbers that differ in a few bits, whichever these are.
        let place = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - KEPT.ilog2());
        let (known, text) = &mut self.kept[place as usize];
        if *known == Some(bits) {
            return Some(text.as_bytes());
        }
        let spelled = cell.text(text);
        *known = spelled.is_some().then_some(bits);
        spelled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_as_without_memory_in_any_order() {
        let (mut spelled, mut buffer) = (Spelled::default(), String::new());
        // More numbers than are kept, so that places are taken by others and taken back.
        let numbers: Vec<f64> =
            (0..500_u32).map(|i| f64::from(i % 97) * 0.37 - 5.0).chain([0.0, -0.0, 0.0, f64::NAN, 1.0, f64::NAN]).collect();
        for number in numbers.iter().chain(numbers.iter().rev()) {
            let cell = Typed::Real(*number);
            assert_eq!(spelled.text(&cell), cell.text(&mut buffer), "{number}");
        }
    }

    #[test]
    fn whole_numbers_texts_and_nulls_are_spelled_as_without_memory() {
        let mut buffer = String::new();
        for cells in [
            [Typed::Integer(-1), Typed::Null, Typed::Integer(7), Typed::Integer(-1)],
            [Typed::Large(u64::MAX), Typed::Large(7), Typed::Null, Typed::Large(u64::MAX)],
            [Typed::Bytes(b"a"), Typed::Bytes(b"b"), Typed::Null, Typed::Bytes(b"a")],
            [Typed::Decimal(105, 2), Typed::Decimal(-3, 0), Typed::Null, Typed::Decimal(105, 2)],
        ] {
            let mut spelled = Spelled::default();
            for cell in &cells {
                assert_eq!(spelled.text(cell), cell.text(&mut buffer), "{cell:?}");
            }
        }
    }
}
