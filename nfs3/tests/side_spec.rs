//! NLM, NSM and NFS_ACL: the crate has all that the inventory of these protocols lists, under the
//! right numbers, and nothing else.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

use std::{collections::HashMap, fs};

use common::{find, of_nfs2, testdata};
use nfswire_nfs3::{
    acl,
    nlm::{self, ShareAccess, ShareMode},
    nsm,
};
use nfswire_rpc::Procedure;

struct Row {
    area: String,
    kind: String,
    name: String,
    number: Option<u32>,
    parent: String,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(testdata("side.tsv")).unwrap();
    let parse = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |i: usize| cells[i].to_owned();
        let number = (!cells[3].is_empty()).then(|| cells[3].parse().expect("a number"));
        Row { area: cell(0), kind: cell(1), name: cell(2), number, parent: cell(4) }
    };
    text.lines().skip(1).map(parse).collect()
}

fn is_built(row: &Row) -> bool {
    let of_nfs2 = row.area == "nfsacl"
        && (row.parent.ends_with("/2") || row.name == "NFS_ACL_V2" || of_nfs2(&row.name))
        || row.name.starts_with("ACCESS2_");
    cfg!(feature = "v2") || !of_nfs2
}

/// Values of the enums: enum, value, number.
fn enum_values() -> Vec<(&'static str, &'static str, u32)> {
    let open = [
        ("nlm_stats", nlm::v1::Status::ALL),
        ("nlm4_stats", nlm::v4::Status::ALL),
        ("res", nsm::Res::ALL),
    ];
    let closed = [("fsh_mode", ShareMode::ALL), ("fsh_access", ShareAccess::ALL)];
    let closed = closed.iter().flat_map(|(e, all)| all.iter().map(|(n, v)| (*e, *n, *v as u32)));
    open.iter().flat_map(|(e, all)| all.iter().map(|(n, v)| (*e, *n, *v))).chain(closed).collect()
}

const PROGRAMS: &[(&str, &[(u32, &str)])] = &[
    ("NLM_PROG/1", nlm::v1::procedures::PROCEDURES),
    ("NLM_PROG/3", nlm::v3::procedures::PROCEDURES),
    ("NLM_PROG/4", nlm::v4::procedures::PROCEDURES),
    ("SM_PROG/1", nsm::PROCEDURES),
    #[cfg(feature = "v2")]
    ("NFS_ACL_PROGRAM/2", acl::v2::PROCEDURES),
    ("NFS_ACL_PROGRAM/3", acl::v3::PROCEDURES),
];

const CONSTANTS: &[(&str, &str, u32)] = &[
    ("program", "NLM_PROG", nlm::PROGRAM),
    ("version", "NLM_VERS", nlm::v1::VERSION),
    ("version", "NLM_VERSX", nlm::v3::VERSION),
    ("version", "NLM4_VERS", nlm::v4::VERSION),
    ("const", "LM_MAXSTRLEN", nlm::MAXSTRLEN),
    ("const", "LM_MAXNAMELEN", nlm::MAXNAMELEN),
    ("const", "MAXNETOBJ_SZ", nlm::MAX_NETOBJ_SIZE),
    ("program", "SM_PROG", nsm::PROGRAM),
    ("version", "SM_VERS", nsm::VERSION),
    ("const", "SM_MAXSTRLEN", nsm::MAXSTRLEN),
    ("program", "NFS_ACL_PROGRAM", acl::PROGRAM),
    #[cfg(feature = "v2")]
    ("version", "NFS_ACL_V2", acl::v2::VERSION),
    ("version", "NFS_ACL_V3", acl::v3::VERSION),
    ("const", "NFS_ACL_MAX_ENTRIES", acl::MAX_ENTRIES),
    ("const", "NFS_ACL_PORT", acl::PORT as u32),
    ("const", "NA_USER_OBJ", acl::USER_OBJ),
    ("const", "NA_USER", acl::USER),
    ("const", "NA_GROUP_OBJ", acl::GROUP_OBJ),
    ("const", "NA_GROUP", acl::GROUP),
    ("const", "NA_CLASS_OBJ", acl::CLASS_OBJ),
    ("const", "NA_OTHER_OBJ", acl::OTHER_OBJ),
    ("const", "NA_ACL_DEFAULT", acl::ACL_DEFAULT),
    ("const", "NA_READ", acl::READ),
    ("const", "NA_WRITE", acl::WRITE),
    ("const", "NA_EXEC", acl::EXEC),
    ("const", "NA_ACL", acl::ACL),
    ("const", "NA_ACLCNT", acl::ACLCNT),
    ("const", "NA_DFACL", acl::DFACL),
    ("const", "NA_DFACLCNT", acl::DFACLCNT),
    #[cfg(feature = "v2")]
    ("const", "ACCESS2_READ", acl::v2::ACCESS_READ),
    #[cfg(feature = "v2")]
    ("const", "ACCESS2_LOOKUP", acl::v2::ACCESS_LOOKUP),
    #[cfg(feature = "v2")]
    ("const", "ACCESS2_MODIFY", acl::v2::ACCESS_MODIFY),
    #[cfg(feature = "v2")]
    ("const", "ACCESS2_EXTEND", acl::v2::ACCESS_EXTEND),
    #[cfg(feature = "v2")]
    ("const", "ACCESS2_DELETE", acl::v2::ACCESS_DELETE),
    #[cfg(feature = "v2")]
    ("const", "ACCESS2_EXECUTE", acl::v2::ACCESS_EXECUTE),
];

#[test]
fn every_row_is_in_the_crate() {
    let values = enum_values();
    let mut counts: HashMap<String, u32> = HashMap::new();
    for row in rows().into_iter().filter(is_built) {
        let what = format!("{} {} {} {:?}", row.area, row.kind, row.name, row.number);
        let name = row.name.as_str();
        let found = match row.kind.as_str() {
            "struct" | "union" | "typedef" | "enum" => find(&row.area, name).is_some(),
            "status" | "enum_value" => {
                values.contains(&(row.parent.as_str(), name, row.number.unwrap()))
            }
            "proc" => PROGRAMS
                .iter()
                .find(|(program, _)| *program == row.parent)
                .is_some_and(|(_, table)| table.contains(&(row.number.unwrap(), name))),
            kind @ ("program" | "version" | "const") => {
                CONSTANTS.contains(&(kind, name, row.number.unwrap()))
            }
            _ => panic!("{what}: a kind of row that this test does not know"),
        };
        assert!(found, "{what} is missing or has another number");
        *counts.entry(row.kind).or_default() += 1;
    }
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    let v2 = |with, without| if cfg!(feature = "v2") { with } else { without };
    assert_eq!((count("proc"), count("version")), (v2(57, 51), v2(6, 5)));
    assert_eq!((count("status"), count("enum_value"), count("const")), (17, 8, v2(26, 20)));
    assert_eq!((count("struct"), count("union")), (v2(54, 44), v2(10, 5)));
    assert_eq!((count("enum"), count("typedef"), count("program")), (5, 5, 3));
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
    for ty in common::all().filter(|ty| matches!(ty.area, "nlm" | "nsm" | "nfsacl")) {
        assert!(has(&["struct", "union", "typedef", "enum"], None, ty.name), "type {}", ty.name);
    }
    for (parent, name, _) in enum_values() {
        assert!(has(&["status", "enum_value"], Some(parent), name), "value {name}");
    }
    for (parent, table) in PROGRAMS {
        for (number, name) in *table {
            // Version 3 of NLM has the procedures of version 1, which the inventory lists once.
            let again = *parent == "NLM_PROG/3" && *number <= 15;
            let parent = if again { "NLM_PROG/1" } else { parent };
            assert!(has(&["proc"], Some(parent), name), "procedure {name} of {parent}");
        }
    }
    for (kind, name, _) in CONSTANTS {
        assert!(has(&[kind], None, name), "{kind} {name}");
    }
}

#[test]
fn procedure_tables_are_in_order() {
    for (program, table) in PROGRAMS {
        assert!(table.windows(2).all(|pair| pair[0].0 < pair[1].0), "{program}");
        assert_eq!(table[0].0, 0, "{program} has a null procedure");
    }
    use nlm::{v1, v3, v4};
    assert_eq!(v1::procedures::PROCEDURES[..], v3::procedures::PROCEDURES[..16]);
    assert_eq!(v4::procedures::name(23), Some("NLMPROC4_FREE_ALL"));
    for unused in [16, 19, 24] {
        assert_eq!((v3::procedures::name(unused), v4::procedures::name(unused)), (None, None));
    }
    assert_eq!((v1::procedures::name(16), v1::procedures::name(20)), (None, None));
    type Granted = v4::procedures::Granted;
    assert_eq!((Granted::PROGRAM, Granted::VERSION, Granted::NUMBER), (100_021, 4, 5));
    type Notify = nsm::Notify;
    assert_eq!((Notify::PROGRAM, Notify::VERSION, Notify::NUMBER), (100_024, 1, 6));
    type Setacl = acl::v3::Setacl;
    assert_eq!((Setacl::PROGRAM, Setacl::VERSION, Setacl::NUMBER), (100_227, 3, 2));
}

#[test]
fn statuses_have_names() {
    use nlm::{v1, v4};
    for n in 0..100 {
        let (status, known) = (v4::Status(n), n < 10);
        assert_eq!(status.name().is_some(), known, "{n}");
        assert_eq!(status.name().and_then(v4::Status::from_name), known.then_some(status), "{n}");
        let (status, known) = (v1::Status(n), n < 5);
        assert_eq!(status.name().and_then(v1::Status::from_name), known.then_some(status), "{n}");
    }
    assert_eq!(v4::Status::from_name("nlm_denied"), None);
    assert_eq!(
        format!("{} {}", v4::Status::STALE_FH, v4::Status(77)),
        "NLM4_STALE_FH nlm4_stats(77)"
    );
}
