//! What a decoder accepts.

/// How strictly the bytes are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Only what RFC 4506 allows to send: zero padding, booleans 0 and 1, nothing left over.
    /// What decodes re-encodes to the same bytes.
    #[default]
    Strict,
    /// Forgives what real peers send: pad bytes of any value, and bytes behind the value.
    /// Re-encoding gives the canonical form. Booleans must be 0 or 1 all the same: a peer that sends
    /// anything else is not to be guessed at.
    Lenient,
}

/// Limits of one decoder, beside the maxima that the RFCs give each type (those hold always).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Strict or lenient.
    pub policy: Policy,
    /// Longest [`Payload`](crate::Payload) in bytes. Opaque data, strings and lists are not bounded by
    /// it: their types and the length of the message do that.
    pub max_payload: u32,
    /// Most elements of one array or linked list.
    pub max_items: u32,
}

impl Limits {
    /// Strict, payloads up to 64 MiB, lists up to 2^20 elements: the default.
    pub const STRICT: Self =
        Self { policy: Policy::Strict, max_payload: 64 << 20, max_items: 1 << 20 };
    /// For bytes that were checked before.
    pub(crate) const CHECKED: Self =
        Self { policy: Policy::Strict, max_payload: u32::MAX, max_items: u32::MAX };
    /// The same, lenient.
    pub(crate) const CHECKED_LENIENT: Self = Self { policy: Policy::Lenient, ..Self::CHECKED };

    /// The same as [`STRICT`](Self::STRICT), lenient.
    pub const LENIENT: Self = Self { policy: Policy::Lenient, ..Self::STRICT };

    /// Whether the policy is [`Policy::Lenient`].
    #[inline]
    #[must_use]
    pub const fn lenient(&self) -> bool {
        matches!(self.policy, Policy::Lenient)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::STRICT
    }
}
