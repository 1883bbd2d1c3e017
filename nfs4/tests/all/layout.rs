//! Bodies of layouts: by the layout type beside them, within their limits, and the places that files
//! layouts and extents give.

use std::{collections::HashMap, fs};

use crate::common::{encode, testdata, vectors};
use nfswire_nfs4::{
    FileHandle, LayoutType, NetAddr,
    callback::{
        CbOpNum,
        layout::LayoutRecallType,
        notify::{NotifyDeviceidType, NotifyType},
    },
    layout::{
        ContentBody, DeviceAddrBody, HintBody, ReturnBody, StatsBody, UpdateBody, WccBody, block,
        files::{self, LocateError, Util},
        flexfiles, objects, scsi,
    },
    ops::layout::{DeviceAddr, LayoutContent, LayoutHint, LayoutUpdate},
};
use nfswire_xdr::{Array, EncodeError, ErrorKind, Limits, Opaque, Text, from_bytes};

//--- Bodies by type ---

/// Every vector of a body comes back through the enum of its opaque: `kept` counts those.
macro_rules! bodies {
    ($area:literal $layout_type:ident: $($name:literal => $body:ident::$arm:ident;)+) => {$(
        let mut kept = 0;
        for vector in vectors($area).iter().filter(|v| v.type_name == $name) {
            let bytes = Opaque::new(&vector.bytes).unwrap();
            let body = $body::decode(LayoutType::$layout_type, bytes).unwrap();
            assert!(matches!(body, $body::$arm(_)), "{}", vector.origin);
            assert_eq!(body.layout_type(), LayoutType::$layout_type);
            assert_eq!(body.encoded_len(), vector.bytes.len() as u64);

            let mut scratch = vec![0xff; vector.bytes.len() + 4];
            assert_eq!(body.encode(&mut scratch), Ok(bytes), "{}", vector.origin);
            let short = vector.bytes.len() - 1;
            let error = Err(EncodeError::NoSpace { missing: 1 });
            assert_eq!(body.encode(&mut scratch[..short]), error);

            // All of the bytes, no more and no less.
            let cut = Opaque::new(&vector.bytes[..short]).unwrap();
            assert!($body::decode(LayoutType::$layout_type, cut).is_err());
            let longer = [&vector.bytes[..], &[0; 4]].concat();
            let longer = Opaque::new(&longer).unwrap();
            let error = $body::decode(LayoutType::$layout_type, longer).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Trailing(4));
            let body = $body::decode_with(LayoutType::$layout_type, longer, &Limits::LENIENT);
            assert_eq!(body.unwrap().encode(&mut scratch), Ok(bytes));

            let other = $body::decode(LayoutType(0x1234), bytes).unwrap();
            assert_eq!(other, $body::Other(LayoutType(0x1234), bytes));
            kept += 1;
        }
        assert!(kept > 0, $name);
    )+};
}

#[test]
fn bodies_are_those_of_their_layout_type() {
    bodies! {
        "layout-files" NFSV4_1_FILES:
        "nfsv4_1_file_layout4" => ContentBody::Files;
        "nfsv4_1_file_layout_ds_addr4" => DeviceAddrBody::Files;
        "nfsv4_1_file_layouthint4" => HintBody::Files;
    }
    bodies! {
        "layout-objects" OSD2_OBJECTS:
        "pnfs_osd_layout4" => ContentBody::Objects;
        "pnfs_osd_deviceaddr4" => DeviceAddrBody::Objects;
        "pnfs_osd_layouthint4" => HintBody::Objects;
        "pnfs_osd_layoutupdate4" => UpdateBody::Objects;
        "pnfs_osd_layoutreturn4" => ReturnBody::Objects;
    }
    bodies! {
        "layout-block" BLOCK_VOLUME:
        "pnfs_block_layout4" => ContentBody::BlockVolume;
        "pnfs_block_deviceaddr4" => DeviceAddrBody::BlockVolume;
        "pnfs_block_layouthint4" => HintBody::BlockVolume;
        "pnfs_block_layoutupdate4" => UpdateBody::BlockVolume;
    }
    bodies! {
        "layout-flexfiles" FLEX_FILES:
        "ff_layout4" => ContentBody::FlexFiles;
        "ff_device_addr4" => DeviceAddrBody::FlexFiles;
        "ff_layouthint4" => HintBody::FlexFiles;
        "ff_layoutupdate4" => StatsBody::FlexFiles;
        "ff_layoutreturn4" => ReturnBody::FlexFiles;
        "ff_layout_wcc4" => WccBody::FlexFiles;
    }
    bodies! {
        "layout-scsi" SCSI:
        "pnfs_scsi_layout4" => ContentBody::Scsi;
        "pnfs_scsi_deviceaddr4" => DeviceAddrBody::Scsi;
        "pnfs_scsi_layoutupdate4" => UpdateBody::Scsi;
    }
}

/// Where an RFC says that a body is empty, bytes in it are an error.
#[test]
fn bodies_that_must_be_empty_are() {
    let empty = Opaque::default();
    let bytes = Opaque::try_from(&[0; 4]).unwrap();
    for layout_type in [LayoutType::NFSV4_1_FILES, LayoutType::FLEX_FILES] {
        let body = UpdateBody::decode(layout_type, empty).unwrap();
        assert_eq!(body, UpdateBody::Empty(layout_type));
        assert_eq!(body.encode(&mut []), Ok(empty));
        let error = UpdateBody::decode(layout_type, bytes).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Trailing(4));
    }
    for layout_type in [LayoutType::NFSV4_1_FILES, LayoutType::BLOCK_VOLUME, LayoutType::SCSI] {
        let body = ReturnBody::decode(layout_type, empty).unwrap();
        assert_eq!((body, body.layout_type()), (ReturnBody::Empty(layout_type), layout_type));
        assert!(ReturnBody::decode(layout_type, bytes).is_err());
    }
    // There is no hint of SCSI layouts: what is there all the same is kept.
    let hint = HintBody::decode(LayoutType::SCSI, bytes).unwrap();
    assert_eq!(hint, HintBody::Other(LayoutType::SCSI, bytes));
}

#[test]
fn bodies_of_other_types_are_bytes() {
    let layout_type = LayoutType(0x8000_0001);
    let bytes = Opaque::try_from(b"any").unwrap();
    let content = ContentBody::try_from(LayoutContent { layout_type, body: bytes }).unwrap();
    assert_eq!(content, ContentBody::Other(layout_type, bytes));
    assert_eq!((content.layout_type(), content.encoded_len()), (layout_type, 3));
    assert_eq!(content.encode(&mut [0; 3]), Ok(bytes));
    assert_eq!(content.encode(&mut [0; 2]), Err(EncodeError::NoSpace { missing: 1 }));

    let addr = DeviceAddrBody::try_from(DeviceAddr { layout_type, body: bytes }).unwrap();
    assert_eq!(addr, DeviceAddrBody::Other(layout_type, bytes));
    let hint = HintBody::try_from(LayoutHint { layout_type, body: bytes }).unwrap();
    assert_eq!(hint, HintBody::Other(layout_type, bytes));
    let update = LayoutUpdate { layout_type, body: bytes };
    assert_eq!(UpdateBody::try_from(update), Ok(UpdateBody::Other(layout_type, bytes)));
    assert_eq!(StatsBody::try_from(update), Ok(StatsBody::Other(layout_type, bytes)));
}

//--- Limits, and what is open ---

#[test]
fn a_signature_has_at_most_sixteen_components() {
    let simple = |count: u32| {
        let mut bytes = count.to_be_bytes().to_vec();
        bytes.resize(4 + 12 * count as usize, 0);
        bytes
    };
    let bytes = simple(16);
    let info: block::SimpleVolumeInfo<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(info.signature.len(), block::MAX_SIG_COMP);
    assert_eq!(encode(&info), bytes);
    let error = from_bytes::<block::SimpleVolumeInfo<'_>>(&simple(17)).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::TooMany { count: 17, limit: 16 }, 0));
    let components = [block::SigComponent { sig_offset: -1, contents: Opaque::default() }; 17];
    assert_eq!(Array::<'_, block::SigComponent<'_>, 16>::from_slice(&components), None);
}

#[test]
fn handles_and_counts_are_bounded() {
    // A handle of 129 bytes in a layout of flexible files and in one of files.
    let mut server = [0; 16 + 4 + 16].to_vec();
    server.extend(1u32.to_be_bytes());
    server.extend(129u32.to_be_bytes());
    server.extend([0; 132 + 8]);
    let error = from_bytes::<flexfiles::DataServer<'_>>(&server).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::TooLong { len: 129, limit: 128 }, 40));

    // A count that the bytes do not pay for.
    let mut layout = [0; 16 + 4 + 4 + 8].to_vec();
    layout.extend(0x000f_ffffu32.to_be_bytes());
    let error = from_bytes::<files::Layout<'_>>(&layout).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Short { needed: 0x003f_fffc, left: 0 });
}

/// Numbers of other registries survive; those of a closed set are errors.
#[test]
fn registries_are_open_and_sets_are_closed() {
    let ninety = 90u32.to_be_bytes();
    assert_eq!(from_bytes(&ninety), Ok(objects::Errno(90)));
    assert_eq!(from_bytes(&ninety), Ok(scsi::DesignatorType(90)));
    assert_eq!(from_bytes(&ninety), Ok(scsi::CodeSet(90)));
    let target: objects::TargetId<'_> = from_bytes(&ninety).unwrap();
    assert_eq!(target, objects::TargetId::Other(objects::TargetIdType(90)));
    assert_eq!(encode(&target), ninety);

    let closed = ErrorKind::Enum(90);
    assert_eq!(from_bytes::<block::ExtentState>(&ninety).unwrap_err().kind, closed);
    assert_eq!(from_bytes::<scsi::ExtentState>(&ninety).unwrap_err().kind, closed);
    assert_eq!(from_bytes::<objects::RaidAlgorithm>(&ninety).unwrap_err().kind, closed);
    assert_eq!(from_bytes::<objects::OsdVersion>(&ninety).unwrap_err().kind, closed);
    assert!(from_bytes::<block::Volume<'_>>(&ninety).is_err());
    assert!(from_bytes::<scsi::Volume<'_>>(&[0; 4]).is_err(), "volumes of SCSI start at 1");
}

/// Names and numbers of the inventory, by the enum that it says they belong to.
#[test]
fn numbers_are_those_of_the_inventory() {
    fn signed(all: &[(&'static str, i32)]) -> Vec<(&'static str, u32)> {
        all.iter().map(|(name, value)| (*name, value.cast_unsigned())).collect()
    }
    let tables: HashMap<&str, Vec<(&str, u32)>> = [
        ("nfs_cb_opnum4", CbOpNum::ALL.to_vec()),
        ("notify_type4", NotifyType::ALL.to_vec()),
        ("notify_deviceid_type4", NotifyDeviceidType::ALL.to_vec()),
        ("layoutrecall_type4", signed(LayoutRecallType::ALL)),
        ("filelayout_hint_care4", files::HintCare::ALL.to_vec()),
        ("pnfs_block_volume_type4", signed(block::VolumeType::ALL)),
        ("pnfs_block_extent_state4", signed(block::ExtentState::ALL)),
        ("pnfs_osd_version4", signed(objects::OsdVersion::ALL)),
        ("pnfs_osd_cap_key_sec4", signed(objects::CapKeySec::ALL)),
        ("pnfs_osd_raid_algorithm4", signed(objects::RaidAlgorithm::ALL)),
        ("pnfs_osd_targetid_type4", objects::TargetIdType::ALL.to_vec()),
        ("pnfs_osd_errno4", objects::Errno::ALL.to_vec()),
        ("pnfs_osd_cb_recall_any_mask", signed(objects::RecallAnyMask::ALL)),
        ("pnfs_scsi_volume_type4", signed(scsi::VolumeType::ALL)),
        ("pnfs_scsi_code_set", scsi::CodeSet::ALL.to_vec()),
        ("pnfs_scsi_designator_type", scsi::DesignatorType::ALL.to_vec()),
        ("pnfs_scsi_extent_state4", signed(scsi::ExtentState::ALL)),
        ("ff_cb_recall_any_mask", signed(flexfiles::RecallAnyMask::ALL)),
    ]
    .into();
    let mut found: HashMap<String, usize> = HashMap::new();
    for line in fs::read_to_string(testdata("protocol.tsv")).unwrap().lines() {
        let columns: Vec<_> = line.split('\t').collect();
        let &[area, _, name, number, parent, ..] = &columns[..] else { panic!("{line}") };
        if let Some(table) = tables.get(parent)
            && (area == "nfs4cb" || area.starts_with("layout-"))
        {
            let number = number.parse().unwrap();
            assert!(table.contains(&(name, number)), "{name} = {number}");
            *found.entry(parent.to_owned()).or_default() += 1;
        }
    }
    for (parent, table) in tables {
        assert_eq!(found.get(parent), Some(&table.len()), "{parent}");
    }
}

//--- Files: where a byte is ---

/// The example of RFC 8881, section 13.4.2: servers in three classes, each with as many addresses as
/// the RFC names.
fn example<R>(f: impl FnOnce(&files::DeviceAddr<'_>) -> R) -> R {
    let addr = NetAddr { netid: Text::new(b"tcp").unwrap(), addr: Text::default() };
    let addrs = [addr; 4];
    let list = |count: usize| Array::from_slice(&addrs[..count]).unwrap();
    let lists = [list(4), list(1), list(2)];
    let device = files::DeviceAddr {
        stripe_indices: Array::from_slice(&[2, 0, 1, 0]).unwrap(),
        multipath_ds_list: Array::from_slice(&lists).unwrap(),
    };
    // As it comes from the wire.
    f(&from_bytes(&encode(&device)).unwrap())
}

fn layout<'a>(util: Util, fh_list: &'a [FileHandle<'a>]) -> files::Layout<'a> {
    let fh_list = Array::from_slice(fh_list).unwrap();
    files::Layout { deviceid: [0; 16], util, first_stripe_index: 2, pattern_offset: 1000, fh_list }
}

fn handle(byte: &[u8; 1]) -> FileHandle<'_> {
    FileHandle::new(byte).unwrap()
}

/// RFC 8881, table 9.
#[test]
fn sparse_stripes_are_where_the_rfc_has_them() {
    let handles = [handle(b"\x36"), handle(b"\x87"), handle(b"\x67")];
    let of_units = [(0x87, 1), (0x36, 4), (0x67, 2), (0x36, 4)];
    example(|device| {
        for unit in 0..13u64 {
            let offset = 1000 + unit * 4096 + 5;
            let place = layout(Util(4096), &handles).locate(device, offset).unwrap();
            let (fh, addresses) = of_units[unit as usize % 4];
            assert_eq!((place.unit, place.fh), (unit, Some(handle(&[fh]))));
            let server = device.multipath_ds_list.iter().nth(place.server as usize).unwrap();
            assert_eq!(server.len(), addresses);
            assert_eq!((place.offset, place.left), (offset, 4091));
        }
        // One handle for all, and that of the metadata server.
        let place = layout(Util(4096), &handles[..1]).locate(device, 1000 + 4096).unwrap();
        assert_eq!((place.server, place.fh), (0, Some(handles[0])));
        let place = layout(Util(4096), &[]).locate(device, 1000 + 4096).unwrap();
        assert_eq!((place.server, place.fh), (0, None));
    });
}

/// RFC 8881, table 10, and the offsets of section 13.4.4.
#[test]
fn dense_stripes_are_where_the_rfc_has_them() {
    let handles = [handle(b"\x67"), handle(b"\x37"), handle(b"\x87"), handle(b"\x36")];
    let of_units = [(0x87, 1), (0x36, 4), (0x67, 2), (0x37, 4)];
    example(|device| {
        for unit in 0..13u64 {
            let offset = 1000 + unit * 4096 + 5;
            let dense = layout(Util(4096) | Util::DENSE, &handles);
            let place = dense.locate(device, offset).unwrap();
            let (fh, addresses) = of_units[unit as usize % 4];
            assert_eq!((place.unit, place.fh), (unit, Some(handle(&[fh]))));
            assert_eq!(u64::from(place.stripe_index), (unit + 2) % 4);
            let server = device.multipath_ds_list.iter().nth(place.server as usize).unwrap();
            assert_eq!(server.len(), addresses);
            assert_eq!((place.offset, place.left), (unit / 4 * 4096 + 5, 4091));
        }
    });
}

#[test]
fn layouts_that_are_none_give_no_place() {
    let handles = [handle(b"\x01"), handle(b"\x02")];
    example(|device| {
        let good = layout(Util(64), &handles[..1]);
        let error = good.locate(device, 999).unwrap_err();
        assert_eq!(error, LocateError::BeforePattern { offset: 999, pattern: 1000 });
        assert_eq!(
            error.to_string(),
            "byte 999 is before byte 1000, where the stripes start: ask for a layout there"
        );
        let none = layout(Util::DENSE, &handles[..1]).locate(device, 1000);
        assert_eq!(none, Err(LocateError::NoStripeUnit));

        let bare = files::DeviceAddr { stripe_indices: Array::default(), ..*device };
        assert_eq!(good.locate(&bare, 1000), Err(LocateError::NoStripes));
        let stripe_indices = Array::from_slice(&[3]).unwrap();
        let astray = files::DeviceAddr { stripe_indices, ..*device };
        let error = LocateError::NoServer { index: 3, servers: 3 };
        assert_eq!(good.locate(&astray, 1000), Err(error));

        let error = LocateError::Handles { handles: 2, stripes: 4, servers: 3 };
        assert_eq!(layout(Util(64), &handles).locate(device, 1000), Err(error));
        let dense = Util(64) | Util::DENSE;
        assert_eq!(layout(dense, &handles).locate(device, 1000), Err(error));
        for count in [0, 1] {
            let handles = &handles[..count];
            let error = LocateError::Handles { handles: count as u32, stripes: 4, servers: 3 };
            assert_eq!(layout(dense, handles).locate(device, 1000), Err(error));
        }
    });
}

/// The ends of every number, against the RFC's formulas in 128 bits.
#[test]
fn places_do_not_overflow() {
    let stripes = [0u32; 3];
    let servers = [files::MultipathList::default()];
    let device = files::DeviceAddr {
        stripe_indices: Array::from_slice(&stripes).unwrap(),
        multipath_ds_list: Array::from_slice(&servers).unwrap(),
    };
    let handles = [handle(b"\x01"), handle(b"\x02"), handle(b"\x03")];
    for size in [64u32, 4096, 0x8000_0000, 0xffff_ffc0] {
        for first_stripe_index in [0, 1, u32::MAX] {
            for pattern_offset in [0, 1, 1 << 63] {
                for offset in [1 << 63, u64::MAX - 1, u64::MAX] {
                    let layout = files::Layout {
                        util: Util(size) | Util::DENSE,
                        first_stripe_index,
                        pattern_offset,
                        ..layout(Util(0), &handles)
                    };
                    let place = layout.locate(&device, offset).unwrap();
                    let (relative, size) = (u128::from(offset - pattern_offset), u128::from(size));
                    let unit = relative / size;
                    assert_eq!(u128::from(place.unit), unit);
                    let index = (unit + u128::from(first_stripe_index)) % 3;
                    assert_eq!(u128::from(place.stripe_index), index);
                    assert_eq!(place.fh, Some(handles[index as usize]));
                    let in_file = relative / (size * 3) * size + relative % size;
                    assert_eq!(u128::from(place.offset), in_file);
                    assert_eq!(u128::from(place.left), size - relative % size);
                }
            }
        }
    }
}

#[test]
fn hints_say_what_counts() {
    let words = [0x82u32, 0x43, 7];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let hint: files::LayoutHint = from_bytes(&bytes).unwrap();
    assert!(hint.cares(files::HintCare::COMMIT_THRU_MDS));
    assert!(hint.cares(files::HintCare::STRIPE_COUNT));
    assert!(!hint.cares(files::HintCare::STRIPE_UNIT_SIZE));
    assert_eq!((hint.util.stripe_unit_size(), hint.stripe_count), (64, 7));
    assert_eq!(hint.util.0 & Util::FLAGS_MASK, (Util::DENSE | Util::COMMIT_THRU_MDS).0);
    assert_eq!(Util::FLAGS_MASK, !Util::STRIPE_UNIT_SIZE_MASK);
    assert_eq!(encode(&hint), bytes);
}

//--- Extents: where a byte is ---

/// Both kinds of extents, which are alike but for their types.
macro_rules! extents {
    ($test:ident $module:ident) => {
        #[test]
        fn $test() {
            use $module::{Extent, ExtentState, Layout};
            let extent = |file_offset, length, storage_offset, state| Extent {
                vol_id: [7; 16],
                file_offset,
                length,
                storage_offset,
                state,
            };
            let read = extent(0, 100, 5000, ExtentState::ReadData);
            let write = extent(0, 200, 9000, ExtentState::InvalidData);
            let hole = extent(200, 50, 1, ExtentState::NoneData);
            let end = extent(u64::MAX - 9, 9, 0, ExtentState::ReadWriteData);
            let extents = [read, write, hole, end];
            let layout = Layout { extents: Array::from_slice(&extents).unwrap() };
            let at = |offset| layout.at(offset).collect::<Vec<_>>();
            assert_eq!(at(0), [read, write]);
            assert_eq!(at(99), [read, write]);
            assert_eq!(at(100), [write]);
            assert_eq!(at(200), [hole]);
            assert_eq!(at(250), []);
            assert_eq!(at(u64::MAX - 1), [end]);
            assert_eq!(at(u64::MAX), []);

            assert_eq!(read.locate(99), Some(5099));
            assert_eq!(read.locate(100), None);
            assert_eq!(hole.locate(200), None);
            assert_eq!(end.locate(u64::MAX - 1), Some(8));
            let beyond = extent(0, 100, u64::MAX - 1, ExtentState::ReadWriteData);
            assert_eq!((beyond.locate(1), beyond.locate(2)), (Some(u64::MAX), None));
            // A length that goes beyond the largest offset holds all up to it.
            let all = extent(1, u64::MAX, 0, ExtentState::ReadWriteData);
            assert!(all.contains(u64::MAX) && !all.contains(0));
        }
    };
}

extents! { extents_of_volumes_are_found block }
extents! { extents_of_logical_units_are_found scsi }
