//! The crate has all that the inventory of the protocol lists, under the right numbers, and nothing
//! else.

use std::{collections::HashMap, fs};

use crate::common::{all, testdata};
use nfswire_nfs4::{attrs, callback, layout, ops, procedures};

struct Row {
    area: String,
    kind: String,
    name: String,
    number: Option<u64>,
    parent: String,
}

/// The rows of NFSv4 and its layouts.
fn rows() -> Vec<Row> {
    let text = fs::read_to_string(testdata("protocol.tsv")).unwrap();
    let parse = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |i: usize| cells[i].to_owned();
        let number = (!cells[3].is_empty()).then(|| cells[3].parse().unwrap());
        Row { area: cell(0), kind: cell(1), name: cell(2), number, parent: cell(4) }
    };
    let ours = |row: &Row| row.area.starts_with("nfs4") || row.area.starts_with("layout-");
    text.lines().skip(1).map(parse).filter(ours).collect()
}

type Values = Vec<(&'static str, u64)>;

fn open(all: &'static [(&'static str, u32)]) -> Values {
    all.iter().map(|(name, value)| (*name, u64::from(*value))).collect()
}

fn closed(all: &'static [(&'static str, i32)]) -> Values {
    let value = |v: &i32| u64::from(v.cast_unsigned());
    all.iter().map(|(name, v)| (*name, value(v))).collect()
}

/// Enumerations by their RFC names.
fn enums() -> Vec<(&'static str, Values)> {
    vec![
        ("fs4_status_type", closed(attrs::FsStatusType::ALL)),
        ("open_args_share_access4", open(attrs::OpenArgsShareAccess::ALL)),
        ("open_args_share_deny4", open(attrs::OpenArgsShareDeny::ALL)),
        ("open_args_share_access_want4", open(attrs::OpenArgsShareAccessWant::ALL)),
        ("open_args_open_claim4", open(attrs::OpenArgsOpenClaim::ALL)),
        ("open_args_createmode4", open(attrs::OpenArgsCreateMode::ALL)),
        ("Attr", open(attrs::Attr::ALL)),
        ("change_attr_type4", closed(attrs::ChangeAttrType::ALL)),
        ("layoutrecall_type4", closed(callback::layout::LayoutRecallType::ALL)),
        ("notify_type4", open(callback::notify::NotifyType::ALL)),
        ("notify_deviceid_type4", open(callback::notify::NotifyDeviceidType::ALL)),
        ("nfs_cb_opnum4", open(callback::CbOpNum::ALL)),
        ("pnfs_block_volume_type4", closed(layout::block::VolumeType::ALL)),
        ("pnfs_block_extent_state4", closed(layout::block::ExtentState::ALL)),
        ("filelayout_hint_care4", open(layout::files::HintCare::ALL)),
        ("ff_cb_recall_any_mask", closed(layout::flexfiles::RecallAnyMask::ALL)),
        ("pnfs_osd_version4", closed(layout::objects::OsdVersion::ALL)),
        ("pnfs_osd_cap_key_sec4", closed(layout::objects::CapKeySec::ALL)),
        ("pnfs_osd_raid_algorithm4", closed(layout::objects::RaidAlgorithm::ALL)),
        ("pnfs_osd_targetid_type4", open(layout::objects::TargetIdType::ALL)),
        ("pnfs_osd_errno4", open(layout::objects::Errno::ALL)),
        ("pnfs_osd_cb_recall_any_mask", closed(layout::objects::RecallAnyMask::ALL)),
        ("pnfs_scsi_volume_type4", closed(layout::scsi::VolumeType::ALL)),
        ("pnfs_scsi_code_set", open(layout::scsi::CodeSet::ALL)),
        ("pnfs_scsi_designator_type", open(layout::scsi::DesignatorType::ALL)),
        ("pnfs_scsi_extent_state4", closed(layout::scsi::ExtentState::ALL)),
        ("nfs_opnum4", open(nfswire_nfs4::OpNum::ALL)),
        ("state_protect_how4", closed(ops::client::StateProtectHow::ALL)),
        ("ssv_subkey4", closed(ops::client::SsvSubkey::ALL)),
        ("netloc_type4", closed(ops::copy::NetlocType::ALL)),
        ("gddrnf4_status", closed(ops::deleg::GetDirDelegationStatus::ALL)),
        ("data_content4", open(ops::io::DataContent::ALL)),
        ("IO_ADVISE_type4", open(ops::io::IoAdvise::ALL)),
        ("layoutreturn_type4", closed(ops::layout::LayoutReturnType::ALL)),
        ("nfs_lock_type4", closed(ops::lock::LockType::ALL)),
        ("createmode4", closed(ops::open::CreateMode::ALL)),
        ("opentype4", closed(ops::open::OpenType::ALL)),
        ("limit_by4", closed(ops::open::LimitBy::ALL)),
        ("open_delegation_type4", closed(ops::open::OpenDelegationType::ALL)),
        ("why_no_delegation4", open(ops::open::WhyNoDelegation::ALL)),
        ("open_claim_type4", closed(ops::open::OpenClaimType::ALL)),
        ("rpc_gss_svc_t", closed(ops::secinfo::GssService::ALL)),
        ("secinfo_style4", closed(ops::secinfo::SecinfoStyle::ALL)),
        ("channel_dir_from_client4", closed(ops::session::ChannelDirFromClient::ALL)),
        ("channel_dir_from_server4", closed(ops::session::ChannelDirFromServer::ALL)),
        ("setxattr_option4", closed(ops::xattr::SetxattrOption::ALL)),
        ("nfsstat4", open(nfswire_nfs4::Status::ALL)),
        ("nfs_ftype4", closed(nfswire_nfs4::FileType::ALL)),
        ("time_how4", closed(nfswire_nfs4::TimeHow::ALL)),
        ("layouttype4", open(nfswire_nfs4::LayoutType::ALL)),
        ("layoutiomode4", closed(nfswire_nfs4::LayoutIomode::ALL)),
        ("stable_how4", closed(nfswire_nfs4::StableHow::ALL)),
    ]
}

/// Words of flags, and registries that the RFCs have as constants.
fn flags() -> Vec<Values> {
    vec![
        open(attrs::AceFlag::ALL),
        open(attrs::AceMask::ALL),
        open(attrs::AclFlag::ALL),
        open(attrs::AclSupport::ALL),
        open(attrs::FsLocationsFlags::ALL),
        open(attrs::FhExpireType::ALL),
        open(attrs::FsCharsetCap::ALL),
        open(layout::files::Util::ALL),
        open(layout::flexfiles::Flags::ALL),
        open(ops::attr::Access::ALL),
        open(ops::client::ExchangeFlags::ALL),
        open(ops::open::ShareAccess::ALL),
        open(ops::open::ShareDeny::ALL),
        open(ops::open::OpenResultFlags::ALL),
        open(ops::session::CreateSessionFlags::ALL),
        open(ops::session::SequenceStatus::ALL),
        open(attrs::AceType::ALL),                  // acetype4
        open(callback::recall::RecallAnyType::ALL), // RCA4_TYPE_MASK
        open(ops::layout::ThresholdHint::ALL),      // None
    ]
}

/// A constant of any type.
fn number<T: TryInto<u64>>(value: T) -> u64 {
    value.try_into().unwrap_or_else(|_| panic!("a negative constant"))
}

/// Other constants.
fn constants() -> Values {
    vec![
        ("ACE4_LIST_DIRECTORY", number(attrs::AceMask::LIST_DIRECTORY.0)),
        ("ACE4_ADD_FILE", number(attrs::AceMask::ADD_FILE.0)),
        ("ACE4_ADD_SUBDIRECTORY", number(attrs::AceMask::ADD_SUBDIRECTORY.0)),
        ("ACE4_GENERIC_READ", number(attrs::AceMask::GENERIC_READ.0)),
        ("ACE4_GENERIC_WRITE", number(attrs::AceMask::GENERIC_WRITE.0)),
        ("ACE4_GENERIC_EXECUTE", number(attrs::AceMask::GENERIC_EXECUTE.0)),
        ("FSLI4BX_GFLAGS", number(attrs::fsli::GFLAGS)),
        ("FSLI4BX_TFLAGS", number(attrs::fsli::TFLAGS)),
        ("FSLI4BX_CLSIMUL", number(attrs::fsli::CLSIMUL)),
        ("FSLI4BX_CLHANDLE", number(attrs::fsli::CLHANDLE)),
        ("FSLI4BX_CLFILEID", number(attrs::fsli::CLFILEID)),
        ("FSLI4BX_CLWRITEVER", number(attrs::fsli::CLWRITEVER)),
        ("FSLI4BX_CLCHANGE", number(attrs::fsli::CLCHANGE)),
        ("FSLI4BX_CLREADDIR", number(attrs::fsli::CLREADDIR)),
        ("FSLI4BX_READRANK", number(attrs::fsli::READRANK)),
        ("FSLI4BX_WRITERANK", number(attrs::fsli::WRITERANK)),
        ("FSLI4BX_READORDER", number(attrs::fsli::READORDER)),
        ("FSLI4BX_WRITEORDER", number(attrs::fsli::WRITEORDER)),
        ("FSLI4GF_WRITABLE", number(attrs::fsli::GF_WRITABLE)),
        ("FSLI4GF_CUR_REQ", number(attrs::fsli::GF_CUR_REQ)),
        ("FSLI4GF_ABSENT", number(attrs::fsli::GF_ABSENT)),
        ("FSLI4GF_GOING", number(attrs::fsli::GF_GOING)),
        ("FSLI4GF_SPLIT", number(attrs::fsli::GF_SPLIT)),
        ("FSLI4TF_RDMA", number(attrs::fsli::TF_RDMA)),
        ("FH4_PERSISTENT", number(attrs::FhExpireType::PERSISTENT.0)),
        ("MODE4_SUID", number(attrs::mode::SUID)),
        ("MODE4_SGID", number(attrs::mode::SGID)),
        ("MODE4_SVTX", number(attrs::mode::SVTX)),
        ("MODE4_RUSR", number(attrs::mode::RUSR)),
        ("MODE4_WUSR", number(attrs::mode::WUSR)),
        ("MODE4_XUSR", number(attrs::mode::XUSR)),
        ("MODE4_RGRP", number(attrs::mode::RGRP)),
        ("MODE4_WGRP", number(attrs::mode::WGRP)),
        ("MODE4_XGRP", number(attrs::mode::XGRP)),
        ("MODE4_ROTH", number(attrs::mode::ROTH)),
        ("MODE4_WOTH", number(attrs::mode::WOTH)),
        ("MODE4_XOTH", number(attrs::mode::XOTH)),
        ("RET4_DURATION_INFINITE", number(attrs::RETENTION_INFINITE)),
        ("NFS4_CALLBACK", number(callback::procedures::PROGRAM)),
        ("NFS_CB", number(callback::procedures::VERSION)),
        ("PNFS_BLOCK_MAX_SIG_COMP", number(layout::block::MAX_SIG_COMP)),
        ("NFL4_UFLG_MASK", number(layout::files::Util::FLAGS_MASK)),
        ("NFL4_UFLG_STRIPE_UNIT_SIZE_MASK", number(layout::files::Util::STRIPE_UNIT_SIZE_MASK)),
        ("LAYOUT4_RET_REC_FILE", number(ops::layout::RET_REC_FILE)),
        ("LAYOUT4_RET_REC_FSID", number(ops::layout::RET_REC_FSID)),
        ("LAYOUT4_RET_REC_ALL", number(ops::layout::RET_REC_ALL)),
        ("NFS4_PROGRAM", number(procedures::PROGRAM)),
        ("NFS_V4", number(procedures::VERSION)),
        ("NFS4_FHSIZE", number(nfswire_nfs4::FHSIZE)),
        ("NFS4_VERIFIER_SIZE", number(nfswire_nfs4::VERIFIER_SIZE)),
        ("NFS4_OPAQUE_LIMIT", number(nfswire_nfs4::OPAQUE_LIMIT)),
        ("NFS4_SESSIONID_SIZE", number(nfswire_nfs4::SESSIONID_SIZE)),
        ("NFS4_DEVICEID4_SIZE", number(nfswire_nfs4::DEVICEID_SIZE)),
        ("NFS4_OTHER_SIZE", number(nfswire_nfs4::OTHER_SIZE)),
        ("NFS4_INT32_MAX", number(nfswire_nfs4::INT32_MAX)),
        ("NFS4_UINT32_MAX", number(nfswire_nfs4::UINT32_MAX)),
        ("NFS4_INT64_MAX", number(nfswire_nfs4::INT64_MAX)),
        ("NFS4_UINT64_MAX", number(nfswire_nfs4::UINT64_MAX)),
        ("NFS4_MAXFILELEN", number(nfswire_nfs4::MAXFILELEN)),
        ("NFS4_MAXFILEOFF", number(nfswire_nfs4::MAXFILEOFF)),
    ]
}

const PROCEDURES: &[(&str, &[(u32, &str)])] = &[
    ("NFS4_PROGRAM/4", procedures::PROCEDURES),
    ("NFS4_CALLBACK/1", callback::procedures::PROCEDURES),
];

const TYPES: &[&str] = &["struct", "union", "typedef", "enum"];
const VALUES: &[&str] = &["enum_value", "status", "op", "cb_op"];

#[test]
fn every_row_is_in_the_crate() {
    let (enums, flags, constants) = (enums(), flags(), constants());
    let values = |name: &str| {
        let found = enums.iter().find(|(known, _)| *known == name);
        found.map(|(_, values)| values.as_slice()).unwrap_or_default()
    };
    let mut counts: HashMap<String, u32> = HashMap::new();
    for row in rows() {
        let what = format!("{} {} {} {:?}", row.area, row.kind, row.name, row.number);
        let kind = row.kind.as_str();
        let pair = |all: &Values| all.contains(&(row.name.as_str(), row.number.unwrap()));
        let found = match kind {
            _ if TYPES.contains(&kind) => {
                all().any(|ty| ty.area == row.area && ty.name == row.name)
            }
            _ if VALUES.contains(&kind) => {
                values(&row.parent).contains(&(row.name.as_str(), row.number.unwrap()))
            }
            "attr" => values("Attr").contains(&(row.name.as_str(), row.number.unwrap())),
            "const" => {
                // The RFCs have some of them twice: as constants, and as an enumeration.
                flags.iter().any(pair)
                    || pair(&constants)
                    || enums.iter().any(|(_, values)| pair(values))
            }
            "program" | "version" => pair(&constants),
            "proc" => PROCEDURES.iter().any(|(parent, table)| {
                let number = u32::try_from(row.number.unwrap()).unwrap();
                *parent == row.parent && table.contains(&(number, row.name.as_str()))
            }),
            _ => panic!("{what}: a kind of row that this test does not know"),
        };
        assert!(found, "{what} is missing or has another number");
        *counts.entry(row.kind).or_default() += 1;
    }
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    assert_eq!((count("op"), count("cb_op"), count("attr"), count("proc")), (75, 14, 87, 4));
    assert_eq!((count("status"), count("enum_value"), count("const")), (122, 187, 179));
    assert_eq!(TYPES.iter().map(|kind| count(kind)).sum::<u32>(), 567);
}

#[test]
fn the_crate_has_nothing_else() {
    let rows = rows();
    let has = |kinds: &[&str], parent: Option<&str>, name: &str| {
        rows.iter().any(|row| {
            kinds.contains(&row.kind.as_str())
                && row.name == name
                && parent.is_none_or(|parent| row.parent == parent)
        })
    };
    for ty in all() {
        assert!(has(TYPES, None, ty.name), "type {}.{}", ty.area, ty.name);
    }
    for (parent, values) in enums() {
        for (name, _) in values {
            let known = if parent == "Attr" {
                has(&["attr"], None, name)
            } else {
                has(VALUES, Some(parent), name)
            };
            assert!(known, "{name} of {parent}");
        }
    }
    for (name, _) in flags().into_iter().flatten() {
        assert!(has(&["const", "enum_value"], None, name), "flag {name}");
    }
    for (name, _) in constants() {
        assert!(has(&["const", "program", "version"], None, name), "constant {name}");
    }
}
