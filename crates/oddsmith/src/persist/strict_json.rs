//! JSON read strictly and written in one way only.
//!
//! Reading refuses what a general parser lets pass: a key that stands twice (the last one would win in silence), deep
//! nesting (it eats the stack of whoever walks the value) and more values than any head needs (a value in memory is
//! up to a hundred times larger than its text). Writing sorts keys, so that equal values become equal bytes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Deepest nesting of arrays and objects.
pub(super) const DEEPEST: usize = 64;
/// Most values, counting every array, object, text, number, boolean and null.
pub(super) const MOST_VALUES: usize = 1 << 17;

/// Reads a text as one value.
pub(super) fn parse(text: &str) -> serde_json::Result<Value> {
    let left = Cell::new(MOST_VALUES);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Node { depth: 0, left: &left }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The value with the keys of every object in sorted order, whatever the map of `serde_json` is built on.
pub(super) struct Sorted<'a>(pub(super) &'a Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => serializer.collect_seq(items.iter().map(Sorted)),
            Value::Object(fields) => {
                let sorted: BTreeMap<&String, Sorted<'_>> = fields.iter().map(|(key, value)| (key, Sorted(value))).collect();
                serializer.collect_map(sorted)
            }
            plain => plain.serialize(serializer),
        }
    }
}

/// Whether [`parse`] would accept the value again when it stands `depth` levels deep next to `others` other values.
pub(super) fn is_readable(value: &Value, depth: usize, others: usize) -> bool {
    fn walk(value: &Value, depth: usize, left: &mut usize) -> bool {
        if depth > DEEPEST || *left == 0 {
            return false;
        }
        *left -= 1;
        match value {
            Value::Array(items) => items.iter().all(|item| walk(item, depth + 1, left)),
            Value::Object(fields) => fields.values().all(|field| walk(field, depth + 1, left)),
            _ => true,
        }
    }
    walk(value, depth, &mut MOST_VALUES.saturating_sub(others))
}

/// One value below `depth` arrays and objects.
struct Node<'a> {
    depth: usize,
    left: &'a Cell<usize>,
}

impl Node<'_> {
    fn inner(&self) -> Self {
        Node { depth: self.depth + 1, left: self.left }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > DEEPEST {
            return Err(D::Error::custom(format_args!("it is nested deeper than {DEEPEST} levels")));
        }
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => return Err(D::Error::custom(format_args!("it has more than {MOST_VALUES} values"))),
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner())? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
            }
            let value = fields.next_value_seed(self.inner())?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn keys_stand_once_at_every_depth() {
        assert!(refusal(r#"{"a":1,"b":2,"a":1}"#).contains("`a` stands twice"));
        assert!(refusal(r#"[{"x":{"a":1,"\u0061":1}}]"#).contains("`a` stands twice"));
        assert!(parse(r#"{"a":{"a":1},"b":{"a":1}}"#).is_ok());
    }

    #[test]
    fn nesting_and_number_of_values_are_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(DEEPEST + 1)).is_ok_and(|value| is_readable(&value, 0, 0)));
        assert!(refusal(&nested(DEEPEST + 2)).contains("deeper than 64"));
        assert!(refusal(&"[".repeat(100_000)).contains("deeper than 64"));
        let wide = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        assert!(parse(&wide(MOST_VALUES - 1)).is_ok_and(|value| is_readable(&value, 0, 0) && !is_readable(&value, 0, 1)));
        assert!(refusal(&wide(MOST_VALUES)).contains("more than 131072 values"));
        assert!(!is_readable(&Value::Array(vec![Value::Null; MOST_VALUES]), 0, 0));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1,]", "nan", "1e999", "{} {}", "{\"a\"}", "\"\\ud800\""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn equal_values_are_written_as_equal_bytes() {
        let value = parse(r#" { "b" : [ 1.0, -0.0, 0.1, 5e-324, 18446744073709551615, -3 ], "a" : {"z":null,"y":"\u00e9\n"} } "#).unwrap();
        let text = serde_json::to_string(&Sorted(&value)).unwrap();
        assert_eq!(text, r#"{"a":{"y":"é\n","z":null},"b":[1.0,-0.0,0.1,5e-324,18446744073709551615,-3]}"#);
        assert_eq!(parse(&text).unwrap(), value);
    }
}
