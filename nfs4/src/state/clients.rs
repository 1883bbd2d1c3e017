//! What SETCLIENTID, EXCHANGE_ID and the operations that confirm them do to a server's records of
//! clients, as decisions: the caller keeps the records, by the owner's bytes and by client id.
//!
//! An owner (`nfs_client_id4.id`, `co_ownerid`) has at most one confirmed record and one unconfirmed
//! one. A principal is of the caller's type `P`: what the server knows the sender of a call by after
//! it has checked the credential.

use crate::{ClientId, Status, Verifier};

/// Who speaks for an owner, in a record or in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientIdentity<P> {
    /// Tells an incarnation of the client from the one before.
    pub verifier: Verifier,
    /// Who sent the request.
    pub principal: P,
}

/// What a client holds: opens, locks, delegations, layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeldState {
    /// Nothing.
    None,
    /// Something, under a lease that has expired.
    Expired,
    /// Something, under a valid lease.
    Live,
}

/// A confirmed record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConfirmedClient<P> {
    /// Who made it.
    pub identity: ClientIdentity<P>,
    /// Its client id.
    pub clientid: ClientId,
    /// What the client holds.
    pub held: HeldState,
}

impl<P: PartialEq> ConfirmedClient<P> {
    /// Whether another principal must not take the owner: there is state to lose.
    fn is_held_against(&self, principal: &P) -> bool {
        self.identity.principal != *principal && self.held == HeldState::Live
    }
}

//--- NFSv4.0 ---

/// What SETCLIENTID does. In both cases it records the request as unconfirmed, with a new
/// `setclientid_confirm`, in the place of any other unconfirmed record of the owner, and removes no
/// state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetClientId {
    /// Only the callback changes: the unconfirmed record and the answer have the confirmed record's
    /// client id.
    Update(ClientId),
    /// They have a new client id.
    New,
}

/// Decides about SETCLIENTID, for a request that no reply cache has answered, with the confirmed
/// record of its owner if there is one (RFC 7530, sections 9.1.2 and 16.33.5).
///
/// # Errors
/// [`Status::CLID_INUSE`]: the owner belongs to another principal, and holds state.
///
/// ```
/// use nfswire_nfs4::Status;
/// use nfswire_nfs4::state::{
///     ClientIdentity, ConfirmedClient, HeldState, SetClientId, set_client_id,
/// };
///
/// let alice = |boot| ClientIdentity { verifier: [boot; 8], principal: "alice" };
/// let mallory = ClientIdentity { verifier: [1; 8], principal: "mallory" };
/// let known = ConfirmedClient { identity: alice(1), clientid: 77, held: HeldState::Live };
///
/// assert_eq!(set_client_id(&alice(1), None), Ok(SetClientId::New));
/// assert_eq!(set_client_id(&alice(1), Some(&known)), Ok(SetClientId::Update(77)));
/// assert_eq!(set_client_id(&alice(2), Some(&known)), Ok(SetClientId::New));    // it restarted
/// assert_eq!(set_client_id(&mallory, Some(&known)), Err(Status::CLID_INUSE));
/// ```
pub fn set_client_id<P: PartialEq>(
    request: &ClientIdentity<P>,
    confirmed: Option<&ConfirmedClient<P>>,
) -> Result<SetClientId, Status> {
    match confirmed {
        Some(record) if record.is_held_against(&request.principal) => Err(Status::CLID_INUSE),
        // Of another principal without state: as if it were not there.
        Some(record) if record.identity == *request => Ok(SetClientId::Update(record.clientid)),
        _ => Ok(SetClientId::New),
    }
}

/// What a record of NFSv4.0 says of its confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Confirmation<P> {
    /// The `setclientid_confirm` that SETCLIENTID returned.
    pub confirm: Verifier,
    /// Who sent SETCLIENTID; in a request, SETCLIENTID_CONFIRM.
    pub principal: P,
}

/// The records that SETCLIENTID_CONFIRM may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmRecords<'a, P> {
    /// The unconfirmed record with the client id of the request.
    pub unconfirmed: Option<&'a Confirmation<P>>,
    /// The confirmed record with the client id of the request.
    pub confirmed: Option<&'a Confirmation<P>>,
    /// The confirmed record of the same owner with another client id.
    pub previous: Option<&'a ConfirmedClient<P>>,
}

/// What SETCLIENTID_CONFIRM does; each is answered with [`Status::OK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfirmClientId {
    /// The unconfirmed record takes the place of the confirmed one of the same client id: a new
    /// callback, and all state stays.
    UpdateCallback,
    /// The client asks again: nothing changes.
    Already,
    /// The unconfirmed record becomes confirmed. The previous record of the owner, if there is one,
    /// goes, with its opens and locks, and its delegations unless the server has
    /// CLAIM_DELEGATE_PREV.
    Confirm,
}

/// Decides about SETCLIENTID_CONFIRM, for a request that no reply cache has answered (RFC 7530,
/// section 16.34.5).
///
/// # Errors
/// [`Status::CLID_INUSE`]: another principal sent it, or the previous record of the owner is
/// another principal's and got state since SETCLIENTID. [`Status::STALE_CLIENTID`]: there is no
/// such record.
pub fn confirm_client_id<P: PartialEq>(
    request: &Confirmation<P>,
    records: ConfirmRecords<'_, P>,
) -> Result<ConfirmClientId, Status> {
    let ours = |record: &Confirmation<P>| record.principal == request.principal;
    let meant = |record: &&Confirmation<P>| record.confirm == request.confirm;
    // A repeated request may also meet a later update of the callback that waits for its own
    // confirmation, which the RFC's cases leave out.
    let (step, allowed) = match (records.unconfirmed.filter(meant), records.confirmed) {
        (Some(new), Some(old)) => (ConfirmClientId::UpdateCallback, ours(new) && ours(old)),
        (None, Some(old)) if meant(&old) => (ConfirmClientId::Already, ours(old)),
        (Some(new), None) => {
            let held = records.previous.is_some_and(|old| old.is_held_against(&request.principal));
            (ConfirmClientId::Confirm, ours(new) && !held)
        }
        (None, _) => return Err(Status::STALE_CLIENTID),
    };
    if allowed { Ok(step) } else { Err(Status::CLID_INUSE) }
}

//--- NFSv4.1 on ---

/// What EXCHANGE_ID does; the numbers are those of the list in RFC 8881, section 18.35.4.
///
/// Where it makes an unconfirmed record, with a new client id, this takes the place of any other
/// unconfirmed record of the owner (case 4). [`Existing`](Self::Existing) may leave such a record or
/// remove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExchangeId {
    /// Cases 1 and 4: makes an unconfirmed record; there is no confirmed one.
    New,
    /// Case 2: answers with the confirmed record as it is.
    Existing(ClientId),
    /// Case 3: removes the confirmed record of another principal, which holds nothing that is
    /// valid, with its state; then as [`New`](Self::New).
    Replace(ClientId),
    /// Case 5: makes an unconfirmed record; the confirmed one of the incarnation before stays until
    /// CREATE_SESSION.
    Restart(ClientId),
    /// Case 6: changes the properties of the confirmed record, and answers with it.
    Update(ClientId),
}

impl ExchangeId {
    /// Whether the answer has EXCHGID4_FLAG_CONFIRMED_R.
    #[must_use]
    pub const fn is_confirmed(self) -> bool {
        matches!(self, Self::Existing(_) | Self::Update(_))
    }
}

/// Decides about EXCHANGE_ID, with the confirmed record of its owner if there is one; `update` is
/// EXCHGID4_FLAG_UPD_CONFIRMED_REC_A (RFC 8881, section 18.35.4).
///
/// Where a record has SP4_SSV or SP4_MACH_CRED and lets EXCHANGE_ID be sent so, pass the record's
/// principal for a request that was.
///
/// # Errors
/// Without `update`: [`Status::CLID_INUSE`], case 3. With it: [`Status::NOENT`], case 7;
/// [`Status::NOT_SAME`], case 8; [`Status::PERM`], case 9.
pub fn exchange_id<P: PartialEq>(
    request: &ClientIdentity<P>,
    update: bool,
    confirmed: Option<&ConfirmedClient<P>>,
) -> Result<ExchangeId, Status> {
    let Some(record) = confirmed else {
        return if update { Err(Status::NOENT) } else { Ok(ExchangeId::New) };
    };
    let same_verifier = record.identity.verifier == request.verifier;
    let same_principal = record.identity.principal == request.principal;
    match (update, same_verifier, same_principal) {
        (false, true, true) => Ok(ExchangeId::Existing(record.clientid)),
        (false, _, false) if record.held == HeldState::Live => Err(Status::CLID_INUSE),
        (false, _, false) => Ok(ExchangeId::Replace(record.clientid)),
        (false, false, true) => Ok(ExchangeId::Restart(record.clientid)),
        (true, true, true) => Ok(ExchangeId::Update(record.clientid)),
        (true, false, _) => Err(Status::NOT_SAME),
        (true, true, false) => Err(Status::PERM),
    }
}

/// What CREATE_SESSION means for the record of its client id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CreateSession {
    /// It is the first session: once that is made, the record becomes confirmed, and the confirmed
    /// record of the incarnation before goes, with its state.
    Confirms,
    /// The client id has been confirmed before.
    Further,
}

/// Decides about CREATE_SESSION, with the principal of the record of its client id, if there is one,
/// and whether that is confirmed. Its sequence id is checked between the two steps, by
/// `SlotTable::for_client` (RFC 8881, section 18.36.4, phases 1 and
/// 3).
///
/// # Errors
/// [`Status::STALE_CLIENTID`]: there is none. [`Status::CLID_INUSE`]: another principal made it.
pub fn create_session<P: PartialEq>(
    principal: &P,
    record: Option<(&P, bool)>,
) -> Result<CreateSession, Status> {
    match record {
        None => Err(Status::STALE_CLIENTID),
        Some((_, true)) => Ok(CreateSession::Further),
        Some((made_by, false)) if made_by == principal => Ok(CreateSession::Confirms),
        Some((_, false)) => Err(Status::CLID_INUSE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u8 = 1;
    const THEM: u8 = 2;
    const NOW: u8 = 10;
    const BEFORE: u8 = 11;

    fn identity(boot: u8, principal: u8) -> ClientIdentity<u8> {
        ClientIdentity { verifier: [boot; 8], principal }
    }

    fn record(boot: u8, principal: u8, held: HeldState) -> Option<ConfirmedClient<u8>> {
        Some(ConfirmedClient { identity: identity(boot, principal), clientid: 77, held })
    }

    #[test]
    fn rows_of_setclientid() {
        let (new, update) = (Ok(SetClientId::New), Ok(SetClientId::Update(77)));
        let in_use = Err(Status::CLID_INUSE);
        for (confirmed, expected) in [
            (None, new),
            (record(NOW, US, HeldState::Live), update),
            (record(NOW, US, HeldState::None), update),
            (record(NOW, US, HeldState::Expired), update),
            (record(BEFORE, US, HeldState::Live), new),
            (record(BEFORE, US, HeldState::None), new),
            (record(NOW, THEM, HeldState::Live), in_use),
            (record(BEFORE, THEM, HeldState::Live), in_use),
            (record(NOW, THEM, HeldState::None), new),
            (record(BEFORE, THEM, HeldState::Expired), new),
        ] {
            let found = set_client_id(&identity(NOW, US), confirmed.as_ref());
            assert_eq!(found, expected, "{confirmed:?}");
        }
    }

    #[test]
    fn rows_of_setclientid_confirm() {
        let made = |confirm, principal| Some(Confirmation { confirm: [confirm; 8], principal });
        let (update, already) = (Ok(ConfirmClientId::UpdateCallback), Ok(ConfirmClientId::Already));
        let confirm = Ok(ConfirmClientId::Confirm);
        let (in_use, stale) = (Err(Status::CLID_INUSE), Err(Status::STALE_CLIENTID));
        let none = || None;
        for (unconfirmed, confirmed, previous, expected) in [
            // Unconfirmed { c, s } and confirmed { c, t }.
            (made(5, US), made(4, US), none(), update),
            (made(5, THEM), made(4, US), none(), in_use),
            (made(5, US), made(4, THEM), none(), in_use),
            // Confirmed { c, s } only.
            (None, made(5, US), none(), already),
            (None, made(5, THEM), none(), in_use),
            (made(6, US), made(5, US), none(), already),
            // Unconfirmed { c, s } only.
            (made(5, US), None, none(), confirm),
            (made(5, THEM), None, none(), in_use),
            (made(5, US), None, record(BEFORE, US, HeldState::Live), confirm),
            (made(5, US), None, record(BEFORE, THEM, HeldState::None), confirm),
            (made(5, US), None, record(BEFORE, THEM, HeldState::Expired), confirm),
            (made(5, US), None, record(BEFORE, THEM, HeldState::Live), in_use),
            // No { c, s }.
            (None, None, none(), stale),
            (made(6, US), None, none(), stale),
            (None, made(6, US), none(), stale),
            (made(6, US), made(4, US), none(), stale),
        ] {
            let records = ConfirmRecords {
                unconfirmed: unconfirmed.as_ref(),
                confirmed: confirmed.as_ref(),
                previous: previous.as_ref(),
            };
            let request = Confirmation { confirm: [5; 8], principal: US };
            assert_eq!(confirm_client_id(&request, records), expected, "{records:?}");
        }
    }

    #[test]
    fn cases_of_exchange_id() {
        let in_use = Err(Status::CLID_INUSE);
        let (perm, not_same) = (Err(Status::PERM), Err(Status::NOT_SAME));
        for (case, update, confirmed, expected) in [
            (1, false, None, Ok(ExchangeId::New)),
            (2, false, record(NOW, US, HeldState::Live), Ok(ExchangeId::Existing(77))),
            (2, false, record(NOW, US, HeldState::None), Ok(ExchangeId::Existing(77))),
            (3, false, record(NOW, THEM, HeldState::Live), in_use),
            (3, false, record(BEFORE, THEM, HeldState::Live), in_use),
            (3, false, record(NOW, THEM, HeldState::None), Ok(ExchangeId::Replace(77))),
            (3, false, record(BEFORE, THEM, HeldState::Expired), Ok(ExchangeId::Replace(77))),
            (5, false, record(BEFORE, US, HeldState::Live), Ok(ExchangeId::Restart(77))),
            (5, false, record(BEFORE, US, HeldState::None), Ok(ExchangeId::Restart(77))),
            (6, true, record(NOW, US, HeldState::Live), Ok(ExchangeId::Update(77))),
            (7, true, None, Err(Status::NOENT)),
            (8, true, record(BEFORE, US, HeldState::Live), not_same),
            (8, true, record(BEFORE, THEM, HeldState::None), not_same),
            (9, true, record(NOW, THEM, HeldState::Live), perm),
            (9, true, record(NOW, THEM, HeldState::None), perm),
        ] {
            let found = exchange_id(&identity(NOW, US), update, confirmed.as_ref());
            assert_eq!(found, expected, "case {case}: {confirmed:?}");
            let confirmed_r = matches!(case, 2 | 6);
            assert_eq!(found.is_ok_and(ExchangeId::is_confirmed), confirmed_r, "case {case}");
        }
    }

    #[test]
    fn phases_of_create_session() {
        for (record, expected) in [
            (None, Err(Status::STALE_CLIENTID)),
            (Some((&US, false)), Ok(CreateSession::Confirms)),
            (Some((&THEM, false)), Err(Status::CLID_INUSE)),
            (Some((&US, true)), Ok(CreateSession::Further)),
            (Some((&THEM, true)), Ok(CreateSession::Further)),
        ] {
            assert_eq!(create_session(&US, record), expected, "{record:?}");
        }
    }
}
