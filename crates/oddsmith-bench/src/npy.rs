//! NumPy's array files: a magic number, a header in the form of a Python dictionary, and the raw numbers.
//!
//! Only what the benchmark writes is read: little-endian, C order, no objects.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use bytemuck::{Pod, Zeroable};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// A number type and its name in NumPy.
pub(crate) trait Number: Pod + Zeroable {
    /// Such as `<f8`.
    const NAME: &'static str;
}

macro_rules! numbers {
    ($($number:ty => $name:literal),*) => { $(impl Number for $number { const NAME: &'static str = $name; })* };
}
numbers!(f64 => "<f8", i64 => "<i8", i32 => "<i4");

/// An array with its shape.
pub(crate) struct Array<T> {
    /// Numbers in C order.
    pub(crate) data: Vec<T>,
    /// Lengths of the axes.
    pub(crate) shape: Vec<usize>,
}

/// The name of the number type in a file.
pub(crate) fn number_name(path: &Path) -> io::Result<String> {
    Ok(read_header(&mut File::open(path)?)?.0)
}

/// Reads an array of a known number type.
pub(crate) fn read<T: Number>(path: &Path) -> io::Result<Array<T>> {
    let mut file = File::open(path)?;
    let (name, shape) = read_header(&mut file)?;
    if name != T::NAME {
        return Err(wrong(format!("{} holds {name}, not {}", path.display(), T::NAME)));
    }
    let mut data = vec![T::zeroed(); shape.iter().product()];
    file.read_exact(bytemuck::cast_slice_mut(&mut data))?;
    Ok(Array { data, shape })
}

/// Writes an array.
pub(crate) fn write<T: Number>(path: &Path, data: &[T], shape: &[usize]) -> io::Result<()> {
    let axes: String = shape.iter().map(|length| format!("{length},")).collect();
    let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({axes}), }}", T::NAME);
    // Magic number, version, length of the header and the header together fill whole blocks of 64 bytes.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(|_| wrong("the shape is too long to be written".into()))?;
    let mut file = io::BufWriter::new(File::create(path)?);
    file.write_all(MAGIC)?;
    file.write_all(&[1, 0])?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    file.write_all(bytemuck::cast_slice(data))?;
    file.flush()
}

fn read_header(file: &mut File) -> io::Result<(String, Vec<usize>)> {
    let mut start = [0; 10];
    file.read_exact(&mut start)?;
    if &start[..6] != MAGIC || start[6] != 1 {
        return Err(wrong("this is no array file of version 1".into()));
    }
    let mut header = vec![0; usize::from(u16::from_le_bytes([start[8], start[9]]))];
    file.read_exact(&mut header)?;
    let header = String::from_utf8_lossy(&header).into_owned();
    let after = |key: &str| header.split_once(key).map(|(_, rest)| rest);
    let name = after("'descr': '").and_then(|rest| rest.split('\'').next());
    let shape = after("'shape': (").and_then(|rest| rest.split(')').next());
    match (name, shape, header.contains("'fortran_order': False")) {
        (Some(name), Some(shape), true) => {
            let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
            let shape = axes.map(|axis| axis.parse::<usize>().map_err(|e| wrong(e.to_string()))).collect::<io::Result<_>>()?;
            Ok((name.to_owned(), shape))
        }
        _ => Err(wrong(format!("this array is not in C order or has an odd header: {header}"))),
    }
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back_as_they_were_written() {
        let folder = std::env::temp_dir().join(format!("oddsmith-bench-npy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.npy");
        write(&path, &[1.5, -2.0, f64::MAX, 0.0, 4.0, 1e-300], &[2, 3]).unwrap();
        let back = read::<f64>(&path).unwrap();
        assert_eq!((back.data, back.shape), (vec![1.5, -2.0, f64::MAX, 0.0, 4.0, 1e-300], vec![2, 3]));
        assert_eq!(std::fs::metadata(&path).unwrap().len() % 64, 48);
        assert_eq!(number_name(&path).unwrap(), "<f8");
        assert!(read::<i64>(&path).is_err());
        write(&path, &[7_i64], &[1]).unwrap();
        assert_eq!(read::<i64>(&path).unwrap().shape, [1]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
