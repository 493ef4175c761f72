//! SHA-256 (FIPS 180-4) in base 64, by which a page names the one style sheet and the one script that it lets run.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
fn constants() -> [u32; 64] {
    let mut constants = [0; 64];
    let primes = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    for (constant, prime) in constants.iter_mut().zip(primes) {
        *constant = root_bits(prime, 3);
    }
    constants
}

/// The first 32 bits of the fractional part of the square or cube root of a small number, in whole numbers.
fn root_bits(n: u64, power: u32) -> u32 {
    // The largest r with r^power ≤ n · 2^(32 · power) is the root with 32 binary places.
    let target = u128::from(n) << (32 * power);
    let (mut low, mut high) = (0u128, 1u128 << 40);
    while low + 1 < high {
        let middle = u128::midpoint(low, high);
        if middle.checked_pow(power).is_some_and(|value| value <= target) { low = middle } else { high = middle }
    }
    (low & 0xffff_ffff) as u32
}

/// The digest of some bytes.
fn digest(bytes: &[u8]) -> [u8; 32] {
    let constants = constants();
    let mut state = [2, 3, 5, 7, 11, 13, 17, 19].map(|prime| root_bits(prime, 2));
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64), 0);
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(8 * bytes.len() as u64).to_be_bytes());
    for block in padded.as_chunks::<64>().0 {
        let mut words = [0u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let small = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let large = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words[i] = words[i - 16].wrapping_add(small).wrapping_add(words[i - 7]).wrapping_add(large);
        }
        let mut v = state;
        for i in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let first = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(constants[i]).wrapping_add(words[i]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v = [first.wrapping_add(s0).wrapping_add(majority), v[0], v[1], v[2], v[3].wrapping_add(first), v[4], v[5], v[6]];
        }
        state.iter_mut().zip(v).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
    }
    let mut out = [0; 32];
    out.as_chunks_mut::<4>().0.iter_mut().zip(state).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
    out
}

/// The digest of a text in base 64, as a content security policy names it.
pub(super) fn base64(text: &str) -> String {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = digest(text.as_bytes());
    let mut out = String::new();
    for chunk in digest.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let symbol = SYMBOLS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { symbol as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_published_examples() {
        let hex = |text: &str| digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        assert_eq!(base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        // Lengths around which another block is needed, by Python's hashlib.
        assert_eq!(hex(&"a".repeat(55)), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
        assert_eq!(hex(&"a".repeat(120)), "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
        assert_eq!(hex(&"a".repeat(119)), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    }
}
