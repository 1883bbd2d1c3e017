//! Bodies of flexible files layouts (RFC 8435).

use nfswire_nfs4::layout::flexfiles;

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "ff_device_versions4" => flexfiles::DeviceVersions,
    "ff_device_addr4" => flexfiles::DeviceAddr<'_>,
    "ff_flags4" => flexfiles::Flags,
    "ff_data_server4" => flexfiles::DataServer<'_>,
    "ff_mirror4" => flexfiles::Mirror<'_>,
    "ff_layout4" => flexfiles::Layout<'_>,
    "ff_ioerr4" => flexfiles::IoErr<'_>,
    "ff_io_latency4" => flexfiles::IoLatency,
    "ff_layoutupdate4" => flexfiles::LayoutUpdate<'_>,
    "ff_iostats4" => flexfiles::IoStats<'_>,
    "ff_layoutreturn4" => flexfiles::LayoutReturn<'_>,
    "ff_mirrors_hint" => flexfiles::MirrorsHint,
    "ff_layouthint4" => flexfiles::LayoutHint,
    "ff_cb_recall_any_mask" => flexfiles::RecallAnyMask,
    "ff_data_server_wcc4" => flexfiles::DataServerWcc<'_>,
    "ff_mirror_wcc4" => flexfiles::MirrorWcc<'_>,
    "ff_layout_wcc4" => flexfiles::LayoutWcc<'_>,
};
