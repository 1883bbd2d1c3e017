//! The crate has all that the inventory of the protocol lists, under the right numbers, and nothing
//! else.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

use std::{collections::HashMap, fs};

use common::{TYPES, find, testdata};
use nfswire_nfs3::{
    FileType, StableHow, Status, TimeHow, create, fs as nfs_fs, lookup, mount, procedures,
};

struct Row {
    area: String,
    kind: String,
    name: String,
    number: Option<u32>,
    parent: String,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(testdata("protocol.tsv")).unwrap();
    let parse = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |i: usize| cells[i].to_owned();
        let number = (!cells[3].is_empty()).then(|| cells[3].parse().expect("a number"));
        Row { area: cell(0), kind: cell(1), name: cell(2), number, parent: cell(4) }
    };
    text.lines().skip(1).map(parse).collect()
}

/// Values of the enums: enum, value, number.
fn enum_values() -> Vec<(&'static str, &'static str, u32)> {
    let open = [("nfsstat3", Status::ALL), ("mountstat3", mount::MountStatus::ALL)];
    let closed = [
        ("ftype3", FileType::ALL),
        ("time_how", TimeHow::ALL),
        ("stable_how", StableHow::ALL),
        ("createmode3", create::CreateMode::ALL),
    ];
    let open =
        open.iter().flat_map(|(e, all)| all.iter().map(|(name, number)| (*e, *name, *number)));
    let closed = closed
        .iter()
        .flat_map(|(e, all)| all.iter().map(|(name, number)| (*e, *name, number.cast_unsigned())));
    open.chain(closed).collect()
}

const PROGRAMS: &[(&str, &[(u32, &str)])] = &[
    ("NFS_PROGRAM/3", procedures::PROCEDURES),
    ("MOUNT_PROGRAM/3", mount::v3::PROCEDURES),
    ("MOUNTPROG/1", mount::v1::PROCEDURES),
];

/// In use everywhere, but in no RFC.
const NOT_IN_AN_RFC: &[&str] = &["MOUNTPROC_EXPORTALL"];

const CONSTANTS: &[(&str, &str, u32)] = &[
    ("program", "NFS_PROGRAM", procedures::PROGRAM),
    ("version", "NFS_V3", procedures::VERSION),
    ("program", "MOUNT_PROGRAM", mount::PROGRAM),
    ("version", "MOUNT_V3", mount::v3::VERSION),
    ("program", "MOUNTPROG", mount::PROGRAM),
    ("version", "MOUNTVERS", mount::v1::VERSION),
    ("const", "NFS port", nfswire_nfs3::PORT as u32),
    ("const", "NFS3_FHSIZE", nfswire_nfs3::FHSIZE),
    ("const", "NFS3_COOKIEVERFSIZE", nfswire_nfs3::COOKIEVERFSIZE),
    ("const", "NFS3_CREATEVERFSIZE", nfswire_nfs3::CREATEVERFSIZE),
    ("const", "NFS3_WRITEVERFSIZE", nfswire_nfs3::WRITEVERFSIZE),
    ("const", "ACCESS3_READ", lookup::ACCESS_READ),
    ("const", "ACCESS3_LOOKUP", lookup::ACCESS_LOOKUP),
    ("const", "ACCESS3_MODIFY", lookup::ACCESS_MODIFY),
    ("const", "ACCESS3_EXTEND", lookup::ACCESS_EXTEND),
    ("const", "ACCESS3_DELETE", lookup::ACCESS_DELETE),
    ("const", "ACCESS3_EXECUTE", lookup::ACCESS_EXECUTE),
    ("const", "FSF3_LINK", nfs_fs::FSF_LINK),
    ("const", "FSF3_SYMLINK", nfs_fs::FSF_SYMLINK),
    ("const", "FSF3_HOMOGENEOUS", nfs_fs::FSF_HOMOGENEOUS),
    ("const", "FSF3_CANSETTIME", nfs_fs::FSF_CANSETTIME),
    ("const", "MNTPATHLEN", mount::MNTPATHLEN),
    ("const", "MNTNAMLEN", mount::MNTNAMLEN),
    ("const", "FHSIZE", mount::v1::FHSIZE),
    ("const", "FHSIZE3", mount::v3::FHSIZE),
];

#[test]
fn every_row_is_in_the_crate() {
    let values = enum_values();
    let mut counts: HashMap<String, u32> = HashMap::new();
    for row in rows() {
        let what = format!("{} {} {} {:?}", row.area, row.kind, row.name, row.number);
        let found =
            match row.kind.as_str() {
                "struct" | "union" | "typedef" | "enum" => find(&row.area, &row.name).is_some(),
                "status" | "enum_value" => {
                    values.contains(&(row.parent.as_str(), row.name.as_str(), row.number.unwrap()))
                }
                "proc" => PROGRAMS.iter().find(|(name, _)| *name == row.parent).is_some_and(
                    |(_, table)| table.contains(&(row.number.unwrap(), row.name.as_str())),
                ),
                "program" | "version" | "const" => {
                    CONSTANTS.contains(&(row.kind.as_str(), row.name.as_str(), row.number.unwrap()))
                }
                _ => panic!("{what}: a kind of row that this test does not know"),
            };
        assert!(found, "{what} is missing or has another number");
        *counts.entry(row.kind).or_default() += 1;
    }
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    assert_eq!(
        (count("proc"), count("status"), count("enum_value"), count("const")),
        (34, 39, 16, 19)
    );
    assert_eq!((count("enum"), count("struct"), count("union"), count("typedef")), (6, 80, 35, 25));
}

#[test]
fn the_crate_has_nothing_else() {
    let rows = rows();
    let has = |kinds: &[&str], parent: Option<&str>, name: &str| {
        rows.iter().any(|row| {
            kinds.contains(&row.kind.as_str())
                && row.name == name
                && parent.is_none_or(|p| row.parent == p)
        })
    };
    for ty in TYPES {
        assert!(has(&["struct", "union", "typedef", "enum"], None, ty.name), "type {}", ty.name);
    }
    for (parent, name, _) in enum_values() {
        assert!(has(&["status", "enum_value"], Some(parent), name), "value {name}");
    }
    for (parent, table) in PROGRAMS {
        for (_, name) in *table {
            assert!(
                has(&["proc"], Some(parent), name) || NOT_IN_AN_RFC.contains(name),
                "procedure {name}"
            );
        }
    }
    for (kind, name, _) in CONSTANTS {
        assert!(has(&[kind], None, name), "{kind} {name}");
    }
}

/// A number is found at its own place, in order, without a gap.
#[test]
fn procedure_tables_are_dense() {
    for (program, table) in PROGRAMS {
        for (i, (number, name)) in table.iter().enumerate() {
            assert_eq!(*number as usize, i, "{program} {name}");
        }
    }
    assert_eq!(procedures::name(21), Some("NFSPROC3_COMMIT"));
    assert_eq!(procedures::name(22), None);
    assert_eq!(mount::v1::name(6), Some("MOUNTPROC_EXPORTALL"));
    assert_eq!(mount::v3::name(6), None);
}

/// The table of a closed enum is what it decodes, and a name leads back to its number.
#[test]
fn enum_tables_agree_with_the_types() {
    for n in 0..10_020 {
        let name = Status::ALL.iter().find(|(_, number)| *number == n).map(|(name, _)| *name);
        assert_eq!(Status(n).name(), name, "nfsstat3 {n}");
        let name =
            mount::MountStatus::ALL.iter().find(|(_, number)| *number == n).map(|(name, _)| *name);
        assert_eq!(mount::MountStatus(n).name(), name, "mountstat3 {n}");
    }
    for n in -1..=8 {
        let known = FileType::ALL.iter().any(|(_, number)| *number == n);
        assert_eq!(
            nfswire_xdr::from_bytes::<FileType>(&n.to_be_bytes()).is_ok(),
            known,
            "ftype3 {n}"
        );
        let known = StableHow::ALL.iter().any(|(_, number)| *number == n);
        assert_eq!(
            nfswire_xdr::from_bytes::<StableHow>(&n.to_be_bytes()).is_ok(),
            known,
            "stable_how {n}"
        );
    }
}
