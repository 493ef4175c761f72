//! Cells of typed columns: what an Arrow array holds, as a number and as text.
//!
//! Dates are days and times are seconds since the start of 1970, so that they can be learned from as numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ByteArrayType, ByteViewType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type,
    GenericBinaryType, GenericStringType, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::types::{BinaryViewType, StringViewType};
use arrow_array::{Array, ArrowNativeTypeOp, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use crate::number;

/// What a typed column holds, as far as reading it is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Native {
    /// Numbers.
    Number,
    /// Days since the start of 1970.
    Days,
    /// Seconds, since the start of 1970 or of the day.
    Seconds,
    /// True, false or text.
    Name,
    /// Nothing that a table of cells could hold.
    Unsupported,
}

/// What a data type holds.
pub(crate) fn native(data_type: &DataType) -> Native {
    match data_type {
        DataType::Dictionary(_, values) => native(values),
        DataType::Date32 | DataType::Date64 => Native::Days,
        DataType::Timestamp(..) | DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => Native::Seconds,
        DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Native::Name,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Native::Name,
        DataType::Null | DataType::Float16 | DataType::Decimal32(..) | DataType::Decimal64(..) => Native::Number,
        DataType::Decimal128(..) | DataType::Decimal256(..) => Native::Number,
        numeric if numeric.is_numeric() => Native::Number,
        _ => Native::Unsupported,
    }
}

/// One cell.
#[derive(Debug)]
pub(crate) enum Typed<'a> {
    Null,
    Integer(i64),
    Large(u64),
    Real(f64),
    Decimal(i128, i8),
    Bool(bool),
    Bytes(&'a [u8]),
    /// Anything that only text can spell.
    Spelled(String),
}

impl Typed<'_> {
    /// Gives the cell as text, `None` for a null; numbers are spelled into the buffer.
    pub(crate) fn text<'a>(&'a self, buffer: &'a mut String) -> Option<&'a [u8]> {
        use std::fmt::Write;
        buffer.clear();
        // Writing to a string cannot fail.
        _ = match self {
            Typed::Null => return None,
            Typed::Real(value) if value.is_nan() => return None,
            Typed::Bytes(bytes) => return Some(bytes),
            Typed::Spelled(text) => return Some(text.as_bytes()),
            Typed::Bool(value) => return Some(if *value { b"true" } else { b"false" }),
            Typed::Integer(value) => write!(buffer, "{value}"),
            Typed::Large(value) => write!(buffer, "{value}"),
            Typed::Real(value) => write!(buffer, "{value:?}"),
            Typed::Decimal(mantissa, scale) => {
                spell_decimal(buffer, *mantissa, *scale);
                Ok(())
            }
        };
        Some(buffer.as_bytes())
    }

    /// The cell as a number, where its type is one; NaN is a null.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Typed::Integer(value) => Some(*value as f64),
            Typed::Large(value) => Some(*value as f64),
            Typed::Real(value) => Some(*value),
            Typed::Decimal(mantissa, scale) => {
                let mut buffer = String::new();
                spell_decimal(&mut buffer, *mantissa, *scale);
                number::parse(buffer.as_bytes(), b'.')
            }
            _ => None,
        }
    }
}

fn spell_decimal(buffer: &mut String, mantissa: i128, scale: i8) {
    let digits = mantissa.unsigned_abs().to_string();
    buffer.push_str(if mantissa < 0 { "-" } else { "" });
    match usize::try_from(scale) {
        Ok(0) => buffer.push_str(&digits),
        Ok(scale) => {
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            buffer.push_str(whole);
            buffer.push('.');
            buffer.push_str(fraction);
        }
        Err(_) => {
            buffer.push_str(&digits);
            buffer.extend(std::iter::repeat_n('0', usize::from(scale.unsigned_abs())));
        }
    }
}

/// Gives the cell of every kept row.
pub(crate) fn each(array: &dyn Array, keep: &[u32], mut cell: impl FnMut(usize, Typed<'_>)) {
    visit(array, keep, &mut cell);
}

fn visit(array: &dyn Array, keep: &[u32], cell: &mut dyn FnMut(usize, Typed<'_>)) {
    const DAY: f64 = 86_400_000.0;
    match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean();
            for (i, &row) in keep.iter().enumerate() {
                cell(i, if values.is_null(row as usize) { Typed::Null } else { Typed::Bool(values.value(row as usize)) });
            }
        }
        DataType::Int8 => primitive::<Int8Type>(array, keep, cell, |v| Typed::Integer(v.into())),
        DataType::Int16 => primitive::<Int16Type>(array, keep, cell, |v| Typed::Integer(v.into())),
        DataType::Int32 => primitive::<Int32Type>(array, keep, cell, |v| Typed::Integer(v.into())),
        DataType::Int64 => primitive::<Int64Type>(array, keep, cell, Typed::Integer),
        DataType::UInt8 => primitive::<UInt8Type>(array, keep, cell, |v| Typed::Integer(v.into())),
        DataType::UInt16 => primitive::<UInt16Type>(array, keep, cell, |v| Typed::Integer(v.into())),
        DataType::UInt32 => primitive::<UInt32Type>(array, keep, cell, |v| Typed::Integer(v.into())),
        DataType::UInt64 => primitive::<UInt64Type>(array, keep, cell, Typed::Large),
        DataType::Float16 => primitive::<Float16Type>(array, keep, cell, |v| Typed::Real(v.to_f64())),
        DataType::Float32 => primitive::<Float32Type>(array, keep, cell, |v| Typed::Real(v.into())),
        DataType::Float64 => primitive::<Float64Type>(array, keep, cell, Typed::Real),
        DataType::Decimal32(_, s) => primitive::<Decimal32Type>(array, keep, cell, |v| Typed::Decimal(v.into(), *s)),
        DataType::Decimal64(_, s) => primitive::<Decimal64Type>(array, keep, cell, |v| Typed::Decimal(v.into(), *s)),
        DataType::Decimal128(_, s) => primitive::<Decimal128Type>(array, keep, cell, |v| Typed::Decimal(v, *s)),
        DataType::Decimal256(_, s) => primitive::<Decimal256Type>(array, keep, cell, |v| match v.to_i128() {
            Some(mantissa) => Typed::Decimal(mantissa, *s),
            None => Typed::Spelled(format!("{v}e{}", -i32::from(*s))),
        }),
        DataType::Date32 => primitive::<Date32Type>(array, keep, cell, |v| Typed::Integer(v.into())),
        DataType::Date64 => primitive::<Date64Type>(array, keep, cell, |v| Typed::Real(v as f64 / DAY)),
        DataType::Timestamp(TimeUnit::Second, _) => primitive::<TimestampSecondType>(array, keep, cell, |v| seconds(v, 1.0)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => primitive::<TimestampMillisecondType>(array, keep, cell, |v| seconds(v, 1e3)),
        DataType::Timestamp(TimeUnit::Microsecond, _) => primitive::<TimestampMicrosecondType>(array, keep, cell, |v| seconds(v, 1e6)),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => primitive::<TimestampNanosecondType>(array, keep, cell, |v| seconds(v, 1e9)),
        DataType::Time32(TimeUnit::Second) => primitive::<Time32SecondType>(array, keep, cell, |v| seconds(v.into(), 1.0)),
        DataType::Time32(_) => primitive::<Time32MillisecondType>(array, keep, cell, |v| seconds(v.into(), 1e3)),
        DataType::Time64(TimeUnit::Microsecond) => primitive::<Time64MicrosecondType>(array, keep, cell, |v| seconds(v, 1e6)),
        DataType::Time64(_) => primitive::<Time64NanosecondType>(array, keep, cell, |v| seconds(v, 1e9)),
        DataType::Duration(TimeUnit::Second) => primitive::<DurationSecondType>(array, keep, cell, |v| seconds(v, 1.0)),
        DataType::Duration(TimeUnit::Millisecond) => primitive::<DurationMillisecondType>(array, keep, cell, |v| seconds(v, 1e3)),
        DataType::Duration(TimeUnit::Microsecond) => primitive::<DurationMicrosecondType>(array, keep, cell, |v| seconds(v, 1e6)),
        DataType::Duration(TimeUnit::Nanosecond) => primitive::<DurationNanosecondType>(array, keep, cell, |v| seconds(v, 1e9)),
        DataType::Utf8 => strings::<GenericStringType<i32>>(array, keep, cell),
        DataType::LargeUtf8 => strings::<GenericStringType<i64>>(array, keep, cell),
        DataType::Binary => strings::<GenericBinaryType<i32>>(array, keep, cell),
        DataType::LargeBinary => strings::<GenericBinaryType<i64>>(array, keep, cell),
        DataType::Utf8View => views::<StringViewType>(array, keep, cell),
        DataType::BinaryView => views::<BinaryViewType>(array, keep, cell),
        DataType::Dictionary(..) => dictionary(array, keep, cell),
        _ => (0..keep.len()).for_each(|i| cell(i, Typed::Null)),
    }
}

fn seconds(value: i64, per_second: f64) -> Typed<'static> {
    if per_second == 1.0 { Typed::Integer(value) } else { Typed::Real(value as f64 / per_second) }
}

fn primitive<T: ArrowPrimitiveType>(
    array: &dyn Array,
    keep: &[u32],
    cell: &mut dyn FnMut(usize, Typed<'_>),
    typed: impl Fn(T::Native) -> Typed<'static>,
) where
    T::Native: ArrowNativeTypeOp,
{
    let values: &PrimitiveArray<T> = array.as_primitive();
    for (i, &row) in keep.iter().enumerate() {
        cell(i, if values.is_null(row as usize) { Typed::Null } else { typed(values.value(row as usize)) });
    }
}

fn strings<T: ByteArrayType>(array: &dyn Array, keep: &[u32], cell: &mut dyn FnMut(usize, Typed<'_>)) {
    let values = array.as_bytes::<T>();
    for (i, &row) in keep.iter().enumerate() {
        cell(i, if values.is_null(row as usize) { Typed::Null } else { Typed::Bytes(values.value(row as usize).as_ref()) });
    }
}

fn views<T: ByteViewType>(array: &dyn Array, keep: &[u32], cell: &mut dyn FnMut(usize, Typed<'_>)) {
    let values = array.as_byte_view::<T>();
    for (i, &row) in keep.iter().enumerate() {
        cell(i, if values.is_null(row as usize) { Typed::Null } else { Typed::Bytes(values.value(row as usize).as_ref()) });
    }
}

fn dictionary(array: &dyn Array, keep: &[u32], cell: &mut dyn FnMut(usize, Typed<'_>)) {
    let dictionary = array.as_any_dictionary();
    let nulls = array.nulls();
    let present = |row: u32| nulls.is_none_or(|nulls| nulls.is_valid(row as usize)) && !dictionary.values().is_empty();
    let (filled, gaps): (Vec<usize>, Vec<usize>) = (0..keep.len()).partition(|i| present(keep[*i]));
    gaps.into_iter().for_each(|i| cell(i, Typed::Null));
    if !filled.is_empty() {
        let keys = dictionary.normalized_keys();
        let values: Vec<u32> = filled.iter().map(|i| keys[keep[*i] as usize] as u32).collect();
        visit(dictionary.values(), &values, &mut |at, typed| cell(filled[at], typed));
    }
}
