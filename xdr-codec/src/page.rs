//! Memory for heads: page vectors that the caller owns.

/// A vector of the caller's pages that a message's head can spill along.
///
/// Pages may have any length; bytes beyond the last whole word of a page stay unused, so that words
/// never straddle pages. Implemented for vectors, arrays and mutable slices of anything that is a
/// byte slice by `AsRef<[u8]> + AsMut<[u8]>`, and for [`PagePool`](crate::PagePool). Good page types
/// are `[u8; 4096]`, where pages need not move; `Box<[u8]>` and `Vec<u8>`, which move at the cost of a
/// pointer and may differ in length (of a vector its length counts, not its capacity); `&mut [u8]` for
/// memory of other owners; `bytes::BytesMut`; and a type of your own for memory that is registered or
/// locked. A `Box<[u8; 4096]>` is none, it is `AsRef<[u8; 4096]>`: make it a `Box<[u8]>`.
pub trait Pages {
    /// Page number `index`, from zero, or `None` behind the last one.
    fn page(&self, index: usize) -> Option<&[u8]>;

    /// The same, to write to.
    fn page_mut(&mut self, index: usize) -> Option<&mut [u8]>;
}

impl<P: AsRef<[u8]> + AsMut<[u8]>, const N: usize> Pages for [P; N] {
    fn page(&self, index: usize) -> Option<&[u8]> {
        self.get(index).map(P::as_ref)
    }

    fn page_mut(&mut self, index: usize) -> Option<&mut [u8]> {
        self.get_mut(index).map(P::as_mut)
    }
}

impl<P: AsRef<[u8]> + AsMut<[u8]>> Pages for &mut [P] {
    fn page(&self, index: usize) -> Option<&[u8]> {
        self.get(index).map(P::as_ref)
    }

    fn page_mut(&mut self, index: usize) -> Option<&mut [u8]> {
        self.get_mut(index).map(P::as_mut)
    }
}

#[cfg(feature = "alloc")]
impl<P: AsRef<[u8]> + AsMut<[u8]>> Pages for alloc::vec::Vec<P> {
    fn page(&self, index: usize) -> Option<&[u8]> {
        self.get(index).map(P::as_ref)
    }

    fn page_mut(&mut self, index: usize) -> Option<&mut [u8]> {
        self.get_mut(index).map(P::as_mut)
    }
}

/// The memory that a message's head was encoded into, to read it back.
#[derive(Clone, Copy)]
pub enum HeadRef<'x> {
    /// One slice: a growable or a fixed head.
    Flat(&'x [u8]),
    /// A page vector.
    Pages(&'x dyn Pages),
}

impl<'x> HeadRef<'x> {
    #[inline]
    pub(crate) fn page(&self, index: u32) -> Option<&'x [u8]> {
        match self {
            Self::Flat(bytes) => (index == 0).then_some(bytes),
            Self::Pages(pages) => pages.page(index as usize),
        }
    }
}

impl core::fmt::Debug for HeadRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Flat(bytes) => write!(f, "Flat({} bytes)", bytes.len()),
            Self::Pages(_) => f.write_str("Pages(..)"),
        }
    }
}

impl<'x> From<&'x [u8]> for HeadRef<'x> {
    fn from(bytes: &'x [u8]) -> Self {
        Self::Flat(bytes)
    }
}

impl<'x, const N: usize> From<&'x [u8; N]> for HeadRef<'x> {
    fn from(bytes: &'x [u8; N]) -> Self {
        Self::Flat(bytes)
    }
}

#[cfg(feature = "alloc")]
impl<'x> From<&'x alloc::vec::Vec<u8>> for HeadRef<'x> {
    fn from(bytes: &'x alloc::vec::Vec<u8>) -> Self {
        Self::Flat(bytes)
    }
}

impl<'x> From<&'x dyn Pages> for HeadRef<'x> {
    fn from(pages: &'x dyn Pages) -> Self {
        Self::Pages(pages)
    }
}
