//! SHA-256 (FIPS 180-4), for comparing with digests that were recorded.

const fn root(n: u128, cube: bool) -> u32 {
    // The first 32 bits of the fraction of the root, by bisection.
    let scaled = if cube { n << 96 } else { n << 64 };
    let (mut low, mut high) = (0u128, 1 << 37);
    while low + 1 < high {
        let middle = u128::midpoint(low, high);
        let power = if cube { middle * middle * middle } else { middle * middle };
        if power <= scaled {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low & 0xffff_ffff) as u32
}

fn primes() -> impl Iterator<Item = u128> {
    (2u128..).filter(|n| (2..*n).all(|d| n % d != 0))
}

pub(crate) fn sha256(data: &[u8]) -> [u8; 32] {
    let mut state: Vec<u32> = primes().take(8).map(|p| root(p, false)).collect();
    let keys: Vec<u32> = primes().take(64).map(|p| root(p, true)).collect();
    let mut padded = data.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - data.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(data.len() as u64 * 8).to_be_bytes());
    for block in padded.as_chunks::<64>().0 {
        let mut w: Vec<u32> =
            block.as_chunks::<4>().0.iter().map(|b| u32::from_be_bytes(*b)).collect();
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let mut v = state.clone();
        for (key, word) in keys.iter().zip(&w) {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(*key);
            let t1 = t1.wrapping_add(*word);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        state.iter_mut().zip(v).for_each(|(s, v)| *s = s.wrapping_add(v));
    }
    let mut digest = [0; 32];
    digest.as_chunks_mut::<4>().0.iter_mut().zip(state).for_each(|(to, w)| *to = w.to_be_bytes());
    digest
}
