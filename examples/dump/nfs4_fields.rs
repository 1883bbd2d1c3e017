//! The fields of an operation of NFSv4 that fit a line, picked while serde walks the value; and the
//! attributes in it, wherever they are.

use core::fmt::{self, Display, Write as _};

use nfswire_nfs4::OpNum;
use nfswire_nfs4::attrs::Attr;
use nfswire_xdr::serde::{Serialize, SerializeXdr, Serializer};
use serde::ser::{
    Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
};

use crate::fields::{Full, escaped};
use crate::messages::Show;
use crate::nfs4_attrs::{self, Attributes, Described};
use crate::programs::Shown;

/// Fields of a line, at most.
const MAX_FIELDS: usize = 16;
/// Digits of opaque data that are shown, at most.
const MAX_DIGITS: usize = 32;
/// Elements of an array that are shown, at most.
const MAX_ELEMENTS: usize = 4;
/// Types that are one value on a line.
const ONE_VALUE: &[&str] = &[
    "fattr4",
    "stateid4",
    "nfstime4",
    "settime4",
    "change_info4",
    "state_owner4",
    "fsid4",
    "specdata4",
    "netaddr4",
];
/// Fields that say nothing to a reader of lines: discriminants whose arm tells them, and verifiers.
const LEFT_OUT: &[&str] = &["op", "argop", "resop", "cookieverf", "set_it"];
/// Bitmaps of attributes.
const ATTRIBUTE_SETS: &[&str] = &[
    "attr_request",
    "attrset",
    "attrsset",
    "gdda_child_attributes",
    "gdda_dir_attributes",
    "gddr_child_attributes",
    "gddr_dir_attributes",
];
/// Bitmaps of operations.
const OPERATION_SETS: &[&str] = &["spo_must_enforce", "spo_must_allow"];
/// Other bitmaps.
const SETS: &[&str] = &[
    "iaa_hints",
    "ior_hints",
    "gdda_notification_types",
    "gddr_notification",
    "gdia_notify_types",
    "gdir_notification",
    "craa_type_mask",
    "notify_mask",
    "thi_hintset",
];
/// Fields whose text comes from users.
const TEXTS: &[&str] = &[
    "name", "objname", "newname", "oldname", "linkdata", "file", "gxa_name", "sxa_key", "rxa_name",
];
/// Fields that hold a file handle.
const HANDLES: &[&str] = &["object", "fh"];
/// What names of fields begin with for the sake of C: the operation says it already.
const PREFIXES: &[&str] = &[
    "aa_", "ar_", "bca_", "bctsa_", "bctsr_", "ca_", "cna_", "cr_", "csa_", "csr_", "dca_", "dr_",
    "dsa_", "eia_", "eir_", "fsa_", "gdia_", "gdir_", "gxa_", "iaa_", "loca_", "loga_", "logr_",
    "lora_", "lxa_", "lxr_", "rca_", "rpa_", "rpr_", "rsa_", "rxa_", "sa_", "sr_", "ssa_", "sxa_",
    "ts_", "wda_", "wr_", "wsa_", "clora_", "cnla_", "craa_", "cwca_", "coa_",
];
/// Rights of ACCESS as packet dumps write them.
const RIGHTS: [&str; 9] = ["RD", "LU", "MD", "XT", "DL", "XE", "XAR", "XAW", "XAL"];

/// The fields of a value.
#[derive(Debug)]
pub(crate) struct OpFields {
    /// Names and values, in the order of the wire.
    pairs: Vec<(&'static str, String)>,
    /// The field whose value comes next.
    key: &'static str,
    show: Show,
    /// Everything is wanted, as it is: parts of one value.
    whole: bool,
    /// Every `fattr4` of the value.
    pub(crate) attributes: Vec<Attributes>,
    /// All attributes that can be read encode to their own bytes.
    pub(crate) same: bool,
}

impl OpFields {
    pub(crate) const fn new(show: Show) -> Self {
        Self { pairs: Vec::new(), key: "", show, whole: false, attributes: Vec::new(), same: true }
    }

    /// The value of an attribute in few words.
    pub(crate) fn value<T: SerializeXdr>(attr: Attr, value: &T) -> String {
        let mut fields = Self::new(Show::Line);
        // Fields that mean the same elsewhere.
        fields.key = match attr {
            Attr::MODE => "mode",
            Attr::SUPPORTED_ATTRS | Attr::SUPPATTR_EXCLCREAT => "attrset",
            Attr::FILEHANDLE => "fh",
            _ => "",
        };
        // The end of the line is no fault.
        let _full = Shown(value).serialize(&mut fields);
        fields.in_words().unwrap_or_else(|| "-".into())
    }

    fn in_words(mut self) -> Option<String> {
        if let Some(at) = self.pairs.iter().position(|(key, _)| *key == "name") {
            return Some(self.pairs.swap_remove(at).1);
        }
        match &mut self.pairs[..] {
            [] => None,
            [(_, value)] => Some(core::mem::take(value)),
            pairs => {
                let parts: Vec<_> = pairs.iter().map(|(key, it)| format!("{key} {it}")).collect();
                Some(format!("({})", parts.join(", ")))
            }
        }
    }

    fn part(&self) -> Self {
        Self { whole: true, ..Self::new(self.show) }
    }

    fn wants(&self) -> bool {
        self.whole || (self.show == Show::Line && self.pairs.len() < MAX_FIELDS)
    }

    fn push(&mut self, value: String) {
        if self.wants() && (self.whole || !LEFT_OUT.contains(&self.key)) {
            let prefix = PREFIXES.iter().find_map(|prefix| self.key.strip_prefix(prefix));
            self.pairs.push((prefix.unwrap_or(self.key), value));
        }
    }

    /// A text as it may come from anybody: nothing that a terminal obeys is left in it.
    fn text(&mut self, text: &str) {
        if self.whole {
            return self.push(text.into());
        }
        let key = self.key;
        // The operation shows its own.
        if is_status(key) && text.starts_with("NFS4") {
            return;
        }
        let text = escaped(text);
        self.push(if TEXTS.contains(&key) { format!("\"{text}\"") } else { text });
    }

    fn number(&mut self, number: u64) {
        if !self.wants() {
            return;
        }
        let text = match self.key {
            _ if self.whole => number.to_string(),
            "mode" | "mm_mode_bits" | "mm_mask_bits" | "mu_mode" | "mu_umask" => {
                format!("{number:#o}").replacen("0o", "0", 1)
            }
            "access" | "supported" => rights(number),
            "share_access" | "share_deny" => sharing(number),
            key if key.ends_with("clientid") => client(number),
            key if key.ends_with("flags") || key.ends_with("bitmask") || key == "cookie" => {
                format!("{number:#x}")
            }
            _ => number.to_string(),
        };
        self.push(text);
    }

    fn digits(&mut self, digits: &Start) {
        if self.whole {
            return self.push(digits.text.clone());
        }
        let bytes = digits.len / 2;
        let complete = digits.len == digits.text.len();
        if complete && is_handle(self.key) {
            let hash = hashed(&digits.text);
            let key = core::mem::replace(&mut self.key, "FH");
            self.push(hash);
            self.key = key;
        } else if complete && self.key.ends_with("sessionid") {
            self.push(hashed(&digits.text));
        } else if self.key == "data" || bytes > MAX_DIGITS / 2 {
            self.push(format!("{bytes} bytes"));
        } else {
            self.push(digits.text.clone());
        }
    }

    /// Takes over what was found in an element.
    fn absorb(&mut self, element: &mut Self) {
        self.attributes.append(&mut element.attributes);
        self.same &= element.same;
    }

    fn one_value(&mut self, name: &str, mut parts: Self) {
        self.absorb(&mut parts);
        let part = |key: &str| {
            let found = parts.pairs.iter().find(|(it, _)| *it == key);
            found.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        if name == "fattr4" {
            let mask: Vec<u32> =
                part("attrmask").split(',').filter_map(|it| it.parse().ok()).collect();
            let list = hex::decode(part("attr_vals")).unwrap_or_default();
            let Described { text, attributes, same } =
                nfs4_attrs::describe(&mask, &list, self.show);
            self.same &= same;
            if self.show == Show::Json {
                self.attributes.push(attributes);
            }
            let key = core::mem::take(&mut self.key);
            self.push(text);
            self.key = key;
            return;
        }
        if !self.wants() {
            return;
        }
        let text = match name {
            "stateid4" => stateid(part("seqid"), part("other")),
            "nfstime4" => {
                format!("{}.{:0>9}", part("seconds"), part("nseconds"))
            }
            "settime4" if part("time").is_empty() => "server's".into(),
            "settime4" => part("time").into(),
            "change_info4" => format!("{} -> {}", part("before"), part("after")),
            "state_owner4" => {
                let client = part("clientid").parse().map_or_else(|_| "?".into(), client);
                format!("{} of {client}", owner(part("owner")))
            }
            "fsid4" => format!("{}/{}", part("major"), part("minor")),
            "specdata4" => format!("{},{}", part("specdata1"), part("specdata2")),
            _ => escaped(&format!("{} {}", part("na_r_netid"), part("na_r_addr"))),
        };
        self.push(text);
    }
}

impl Display for OpFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.pairs {
            match *key {
                "" | "attr_request" => write!(f, ", {value}")?,
                key => write!(f, ", {key}: {value}")?,
            }
        }
        Ok(())
    }
}

fn is_status(key: &str) -> bool {
    key == "status" || key.ends_with("_status")
}

fn is_handle(key: &str) -> bool {
    HANDLES.contains(&key) || key.ends_with("_fh")
}

/// The start of a long text.
pub(crate) fn shortened(text: &str) -> String {
    match text.get(..MAX_DIGITS) {
        Some(start) if text.len() > MAX_DIGITS => format!("{start}..."),
        _ => text.into(),
    }
}

/// The hash by which Wireshark names a handle or session.
fn hashed(digits: &str) -> String {
    let bytes = hex::decode(digits).unwrap_or_default();
    format!("{:#010x}", crc32fast::hash(&bytes))
}

/// A stateid, or the meaning of a special one (RFC 8881, section 8.2.3).
fn stateid(seqid: &str, other: &str) -> String {
    let all = |digit| other.bytes().all(|it| it == digit);
    match seqid {
        "0" if all(b'0') => "anonymous".into(),
        "1" if all(b'0') => "current".into(),
        "4294967295" if all(b'f') => "bypass".into(),
        "4294967295" if all(b'0') => "invalid".into(),
        _ => format!("{}/{seqid}", hashed(other)),
    }
}

/// An owner, whose name often is a text.
fn owner(digits: &str) -> String {
    let bytes = hex::decode(digits).unwrap_or_default();
    match str::from_utf8(&bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(|it| it.is_ascii_graphic()) => {
            format!("\"{}\"", escaped(text))
        }
        _ => shortened(digits),
    }
}

fn client(number: u64) -> String {
    format!("{number:#018x}")
}

fn rights(number: u64) -> String {
    let known = (0u32..).zip(RIGHTS).filter(|(bit, _)| number & (1 << bit) != 0);
    let mut names: Vec<String> = known.map(|(_, name)| name.into()).collect();
    let rest = number & !0x1ff;
    if rest != 0 || names.is_empty() {
        names.push(format!("{rest:#x}"));
    }
    names.join(" ")
}

fn sharing(number: u64) -> String {
    let access = ["NONE", "READ", "WRITE", "BOTH"];
    let name = usize::try_from(number & 3).ok().and_then(|it| access.get(it));
    let rest = number & !3;
    let more = if rest == 0 { String::new() } else { format!(" {rest:#x}") };
    format!("{}{more}", name.unwrap_or(&""))
}

/// Collects the start of what is written, and counts the rest.
#[derive(Debug, Default)]
struct Start {
    text: String,
    len: usize,
    room: usize,
}

impl fmt::Write for Start {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let room = self.room.saturating_sub(self.text.len());
        if let Some(part) = s.get(..s.len().min(room)) {
            self.text.push_str(part);
        }
        self.len = self.len.saturating_add(s.len());
        Ok(())
    }
}

macro_rules! numbers {
    ($($method:ident $t:ty),*) => {$(
        fn $method(self, v: $t) -> Result<(), Full> {
            match u64::try_from(v) {
                Ok(v) => self.number(v),
                Err(_) => self.push(v.to_string()),
            }
            Ok(())
        }
    )*};
}

impl<'f> Serializer for &'f mut OpFields {
    type Ok = ();
    type Error = Full;
    type SerializeSeq = Items<'f>;
    type SerializeTuple = Items<'f>;
    type SerializeTupleStruct = Items<'f>;
    type SerializeTupleVariant = Impossible<(), Full>;
    type SerializeMap = Bytes<'f>;
    type SerializeStruct = Struct<'f>;
    type SerializeStructVariant = Impossible<(), Full>;

    numbers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64);
    numbers!(serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64);

    fn serialize_bool(self, v: bool) -> Result<(), Full> {
        if self.key.is_empty() || self.whole {
            self.push(v.to_string());
        } else if v {
            // A flag is worth a word when it is set.
            let key = core::mem::take(&mut self.key);
            let name = PREFIXES.iter().find_map(|prefix| key.strip_prefix(prefix));
            self.push(name.unwrap_or(key).to_uppercase());
            self.key = key;
        }
        Ok(())
    }

    fn serialize_f32(self, v: f32) -> Result<(), Full> {
        self.push(v.to_string());
        Ok(())
    }

    fn serialize_f64(self, v: f64) -> Result<(), Full> {
        self.push(v.to_string());
        Ok(())
    }

    fn serialize_char(self, v: char) -> Result<(), Full> {
        self.text(v.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, v: &str) -> Result<(), Full> {
        if self.wants() {
            self.text(v);
        }
        Ok(())
    }

    /// Opaque data comes here, as hexadecimal digits.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Full> {
        if !self.wants() {
            return Ok(());
        }
        let room = if self.whole { usize::MAX } else { 512 };
        let mut start = Start { room, ..Start::default() };
        write!(start, "{value}").map_err(|_| Full)?;
        self.digits(&start);
        Ok(())
    }

    fn serialize_bytes(self, v: &[u8]) -> Result<(), Full> {
        self.push(format!("{} bytes", v.len()));
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Full> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Full> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Full> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Full> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Full> {
        self.text(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Full> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Full> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'f>, Full> {
        Ok(Items { fields: self, texts: Vec::new(), count: 0 })
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'f>, Full> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'f>, Full> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Full> {
        Err(Full)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Bytes<'f>, Full> {
        Ok(Bytes(self))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'f>, Full> {
        let wanted = name == "fattr4" || (self.show == Show::Line && ONE_VALUE.contains(&name));
        let parts = (wanted || self.whole).then(|| self.part());
        Ok(Struct { fields: self, name, parts })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Full> {
        Err(Full)
    }
}

/// A sequence: how many elements it has, and the first of them; or a set.
#[derive(Debug)]
pub(crate) struct Items<'f> {
    fields: &'f mut OpFields,
    texts: Vec<String>,
    count: usize,
}

impl Items<'_> {
    fn is_set(&self) -> bool {
        let key = self.fields.key;
        self.fields.whole
            || [ATTRIBUTE_SETS, OPERATION_SETS, SETS].iter().any(|sets| sets.contains(&key))
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Full> {
        self.count = self.count.saturating_add(1);
        let mut element = OpFields::new(self.fields.show);
        element.whole = self.is_set();
        value.serialize(&mut element)?;
        self.fields.absorb(&mut element);
        if (element.whole || self.texts.len() < MAX_ELEMENTS)
            && let Some(text) = element.in_words()
        {
            self.texts.push(text);
        }
        Ok(())
    }

    fn done(self) {
        let Self { fields, texts, count } = self;
        let words = || -> Vec<u32> { texts.iter().filter_map(|it| it.parse().ok()).collect() };
        let text = match fields.key {
            _ if fields.whole => texts.join(","),
            _ if !fields.wants() => return,
            key if ATTRIBUTE_SETS.contains(&key) => nfs4_attrs::set(&words(), nfs4_attrs::name),
            key if OPERATION_SETS.contains(&key) => nfs4_attrs::set(&words(), operation),
            key if SETS.contains(&key) => nfs4_attrs::set(&words(), |bit| bit.to_string()),
            _ if count == 0 => return,
            _ => {
                let more = if texts.len() < count { ", ..." } else { "" };
                if texts.is_empty() {
                    let plural = if count == 1 { "y" } else { "ies" };
                    format!("{count} entr{plural}")
                } else {
                    format!("{count} [{}{more}]", texts.join(", "))
                }
            }
        };
        fields.push(text);
    }
}

/// Name of an operation, or its number.
pub(crate) fn operation(number: u32) -> String {
    let name = OpNum(number).name().and_then(|name| name.strip_prefix("OP_"));
    name.map_or_else(|| format!("op-{number}"), Into::into)
}

macro_rules! items {
    ($($t:ident $method:ident),*) => {$(
        impl $t for Items<'_> {
            type Ok = ();
            type Error = Full;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Full> {
                self.element(value)
            }

            fn end(self) -> Result<(), Full> {
                self.done();
                Ok(())
            }
        }
    )*};
}

items!(SerializeSeq serialize_element, SerializeTuple serialize_element);
items!(SerializeTupleStruct serialize_field);

/// A text that is not UTF-8, in hexadecimal digits.
#[derive(Debug)]
pub(crate) struct Bytes<'f>(&'f mut OpFields);

impl SerializeMap for Bytes<'_> {
    type Ok = ();
    type Error = Full;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Full> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Full> {
        value.serialize(&mut *self.0)
    }

    fn end(self) -> Result<(), Full> {
        Ok(())
    }
}

/// A struct: its fields, one after the other.
#[derive(Debug)]
pub(crate) struct Struct<'f> {
    fields: &'f mut OpFields,
    name: &'static str,
    /// What makes up one value.
    parts: Option<OpFields>,
}

impl SerializeStruct for Struct<'_> {
    type Ok = ();
    type Error = Full;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Full> {
        let fields = self.parts.as_mut().unwrap_or(&mut *self.fields);
        let outer = core::mem::replace(&mut fields.key, key);
        let result = value.serialize(&mut *fields);
        fields.key = outer;
        result
    }

    fn end(self) -> Result<(), Full> {
        if let Some(parts) = self.parts {
            self.fields.one_value(self.name, parts);
        }
        Ok(())
    }
}
