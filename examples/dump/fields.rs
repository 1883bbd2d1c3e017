//! The fields of a message that fit a line, picked while serde walks the value: what is not shown is
//! not built.

use core::fmt::{self, Display, Write as _};

use nfswire_xdr::serde::{Serialize, Serializer};
use serde::ser::{
    self, Impossible, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
};

/// Fields of a line, at most.
const MAX_FIELDS: usize = 12;
/// Characters of a value, at most.
const MAX_VALUE: usize = 96;
/// Types of which nothing is shown, unless they are all there is.
const ATTRIBUTES: &[&str] = &["fattr3", "fattr", "wcc_data", "wcc_attr", "sattr"];
/// Fields of attributes that are shown when the attributes are what was asked for.
const SHOWN_ATTRIBUTES: &[&str] = &["type", "mode", "uid", "gid", "size"];
/// Fields that hold a file handle.
const HANDLES: &[&str] =
    &["file", "dir", "object", "symlink", "fsroot", "link", "fhandle", "obj", "fh", "handle"];
/// Fields that say nothing to a reader of lines.
const LEFT_OUT: &[&str] = &["cookieverf", "verf", "set_it", "seconds", "nseconds"];

/// The fields of a value.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// Names and values, in the order of the wire.
    pairs: Vec<(&'static str, String)>,
    /// The status of a reply, if it is no success.
    failed: Option<String>,
    /// The field whose value comes next.
    key: &'static str,
    /// The values that come next are those of attributes: how deep.
    attributes: usize,
    /// Nothing but attributes were asked for.
    only_attributes: bool,
}

impl Fields {
    /// How a procedure failed, by its RFC name.
    pub(crate) fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Appends a field that is no part of a value.
    pub(crate) fn add(&mut self, key: &'static str, value: String) {
        self.pairs.push((key, value));
    }

    /// The procedure failed.
    pub(crate) fn fail(&mut self, status: String) {
        self.failed = Some(status);
    }

    fn push(&mut self, value: String) {
        let key = self.key;
        let hidden = LEFT_OUT.contains(&key)
            || (self.attributes > 0 && !(self.only_attributes && SHOWN_ATTRIBUTES.contains(&key)));
        if !hidden && self.pairs.len() < MAX_FIELDS {
            self.pairs.push((key, value));
        }
    }

    fn wants(&self) -> bool {
        self.pairs.len() < MAX_FIELDS
    }

    /// A text as it may come from anybody: nothing that a terminal obeys is left in it.
    fn text(&mut self, text: &str) {
        let key = self.key;
        let status = matches!(key, "status" | "stat" | "fhs_status");
        if status && (text.ends_with("_OK") || text.ends_with("GRANTED") || text == "0") {
            return;
        }
        if status && self.attributes == 0 {
            self.failed = Some(escaped(text));
            return;
        }
        let quoted = matches!(
            key,
            "" | "name"
                | "filename"
                | "dirpath"
                | "ml_directory"
                | "ex_dir"
                | "caller_name"
                | "mon_name"
                | "my_name"
        );
        let text = escaped(text);
        self.push(if quoted { format!("\"{text}\"") } else { text });
    }
}

impl Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.pairs {
            if key.is_empty() { write!(f, ", {value}")? } else { write!(f, ", {key}: {value}")? }
        }
        Ok(())
    }
}

/// At most so many characters, control characters as escapes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped: String = text.chars().take(MAX_VALUE).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_VALUE).is_some() {
        escaped.push_str("...");
    }
    escaped
}

/// Collects the start of what is written, and counts the rest.
#[derive(Default)]
struct Start {
    text: String,
    len: usize,
}

impl fmt::Write for Start {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let room = MAX_VALUE.saturating_mul(2).saturating_sub(self.text.len());
        if let Some(part) = s.get(..s.len().min(room)) {
            self.text.push_str(part);
        }
        self.len = self.len.saturating_add(s.len());
        Ok(())
    }
}

/// Nothing more fits, which ends the walk.
#[derive(Debug)]
pub(crate) struct Full;

impl Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the line is full")
    }
}

impl core::error::Error for Full {}

impl ser::Error for Full {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

macro_rules! numbers {
    ($($method:ident $t:ty),*) => {$(
        fn $method(self, v: $t) -> Result<(), Full> {
            self.push(match self.key {
                "mode" => format!("{v:#o}").replacen("0o", "0", 1),
                "access" | "mask" => format!("{v:#x}"),
                _ => v.to_string(),
            });
            Ok(())
        }
    )*};
}

impl<'f> Serializer for &'f mut Fields {
    type Ok = ();
    type Error = Full;
    type SerializeSeq = Counted<'f>;
    type SerializeTuple = Counted<'f>;
    type SerializeTupleStruct = Counted<'f>;
    type SerializeTupleVariant = Impossible<(), Full>;
    type SerializeMap = Impossible<(), Full>;
    type SerializeStruct = Struct<'f>;
    type SerializeStructVariant = Impossible<(), Full>;

    numbers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64);
    numbers!(serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64);

    fn serialize_bool(self, v: bool) -> Result<(), Full> {
        // A flag is worth a word when it is set.
        if v {
            let key = self.key;
            self.key = "";
            self.push(key.to_uppercase());
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
        self.text(v);
        Ok(())
    }

    /// Opaque data comes here, as hexadecimal digits.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Full> {
        if !self.wants() {
            return Ok(());
        }
        let mut start = Start::default();
        write!(start, "{value}").map_err(|_| Full)?;
        let bytes = start.len / 2;
        if HANDLES.contains(&self.key)
            && start.len == start.text.len()
            && let Ok(handle) = hex::decode(&start.text)
        {
            let key = core::mem::replace(&mut self.key, "FH");
            // The hash by which Wireshark names a handle.
            self.push(format!("{:#010x}", crc32fast::hash(&handle)));
            self.key = key;
            return Ok(());
        }
        if self.key == "data" || bytes > 32 {
            self.push(format!("{bytes} bytes"));
        } else {
            self.push(start.text);
        }
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

    fn serialize_seq(self, _: Option<usize>) -> Result<Counted<'f>, Full> {
        Ok(Counted { fields: self, count: 0 })
    }

    fn serialize_tuple(self, _: usize) -> Result<Counted<'f>, Full> {
        Ok(Counted { fields: self, count: 0 })
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Counted<'f>, Full> {
        Ok(Counted { fields: self, count: 0 })
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

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Full> {
        Err(Full)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'f>, Full> {
        let attributes = ATTRIBUTES.contains(&name);
        if name == "GETATTR3resok" || name == "GETATTR3res" || name == "attrstat" {
            self.only_attributes = true;
        }
        if attributes {
            self.attributes = self.attributes.saturating_add(1);
        }
        Ok(Struct { fields: self, attributes })
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

/// A sequence: how many elements it has.
#[derive(Debug)]
pub(crate) struct Counted<'f> {
    fields: &'f mut Fields,
    count: usize,
}

impl Counted<'_> {
    fn done(self) {
        if self.count > 0 {
            let plural = if self.count == 1 { "y" } else { "ies" };
            self.fields.push(format!("{} entr{plural}", self.count));
        }
    }
}

macro_rules! counted {
    ($($t:ident $method:ident),*) => {$(
        impl $t for Counted<'_> {
            type Ok = ();
            type Error = Full;

            fn $method<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Full> {
                self.count = self.count.saturating_add(1);
                Ok(())
            }

            fn end(self) -> Result<(), Full> {
                self.done();
                Ok(())
            }
        }
    )*};
}

counted!(SerializeSeq serialize_element, SerializeTuple serialize_element);
counted!(SerializeTupleStruct serialize_field);

/// A struct: its fields, one after the other.
#[derive(Debug)]
pub(crate) struct Struct<'f> {
    fields: &'f mut Fields,
    attributes: bool,
}

impl SerializeStruct for Struct<'_> {
    type Ok = ();
    type Error = Full;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Full> {
        if !self.fields.wants() {
            return Ok(());
        }
        let outer = core::mem::replace(&mut self.fields.key, key);
        let result = value.serialize(&mut *self.fields);
        self.fields.key = outer;
        result
    }

    fn end(self) -> Result<(), Full> {
        if self.attributes {
            self.fields.attributes = self.fields.attributes.saturating_sub(1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use nfswire_nfs3::io::{ReadArgs, ReadOk, ReadReply, WriteArgs};
    use nfswire_nfs3::lookup::LookupArgs;
    use nfswire_nfs3::readdir::ReaddirReply;
    use nfswire_nfs3::{DirOpArgs, FileHandle, FileName, StableHow, Status};
    use nfswire_xdr::{Payload, serde::SerializeXdr};

    use super::*;
    use crate::programs::Shown;

    fn line<T: SerializeXdr>(value: &T) -> (String, Option<String>) {
        let mut fields = Fields::default();
        let _ = Shown(value).serialize(&mut fields);
        (fields.to_string(), fields.failed().map(Into::into))
    }

    #[test]
    fn what_a_line_says() {
        let file = FileHandle::new(b"123456789").unwrap();
        // The check value of CRC-32 is that of these nine digits.
        let args = ReadArgs { file, offset: 4096, count: 8 };
        assert_eq!(line(&args).0, ", FH: 0xcbf43926, offset: 4096, count: 8");

        let args = WriteArgs::new(file, 0, StableHow::FileSync, Payload::Borrowed(&[0; 100]));
        assert_eq!(
            line(&args).0,
            ", FH: 0xcbf43926, offset: 0, count: 100, stable: FILE_SYNC, data: 100 bytes"
        );
        let name = FileName::new(b"a\x1b[1mb\"").unwrap();
        let args = LookupArgs { what: DirOpArgs { dir: file, name } };
        assert_eq!(line(&args).0, ", FH: 0xcbf43926, name: \"a\\u{1b}[1mb\\\"\"");
        let reply = ReadReply::Ok(ReadOk::new(None, true, Payload::Borrowed(b"hi")));
        assert_eq!(line(&reply), (", count: 2, EOF, data: 2 bytes".into(), None));
        let reply = ReaddirReply::Fail(Status::NOENT, None);
        assert_eq!(line(&reply), (String::new(), Some("NFS3ERR_NOENT".into())));
    }

    #[test]
    fn a_value_is_as_long_as_it_may_be() {
        let long = "x".repeat(1000);
        assert_eq!(escaped(&long).len(), MAX_VALUE + 3);
    }
}
