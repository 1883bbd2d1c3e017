//! Bodies of files layouts (RFC 8881, section 13).

use nfswire_nfs4::layout::files;

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "nfl_util4" => files::Util,
    "filelayout_hint_care4" => files::HintCare,
    "nfsv4_1_file_layouthint4" => files::LayoutHint,
    "multipath_list4" => files::MultipathList<'_>,
    "nfsv4_1_file_layout_ds_addr4" => files::DeviceAddr<'_>,
    "nfsv4_1_file_layout4" => files::Layout<'_>,
};
