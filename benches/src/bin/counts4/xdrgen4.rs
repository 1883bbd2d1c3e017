//! Written by xdrgen 0.4.4 from `peers-c/nfs4.x`; its head was changed, and arrays that it leaves
//! uninitialized (which is unsafe) are zeros first.

use xdr_codec_peer::{self as xdr_codec, Pack as _};

pub const NFS4_FHSIZE : i64 = 128i64 ;

pub const NFS4_OPAQUE_LIMIT : i64 = 1024i64 ;

pub const NFS4_OTHER_SIZE : i64 = 12i64 ;

pub const NFS4_SESSIONID_SIZE : i64 = 16i64 ;

pub const NFS4_VERIFIER_SIZE : i64 = 8i64 ;

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct ACCESS4args { pub access : u32 , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum ACCESS4res { NFS4_OK ( ACCESS4resok ) , default , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct ACCESS4resok { pub supported : u32 , pub access : u32 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct COMPOUND4args { pub tag : Vec < u8 > , pub minorversion : u32 , pub argarray : Vec < nfs_argop4 > , }

pub struct COMPOUND4res { pub status : nfsstat4 , pub tag : Vec < u8 > , pub resarray : Vec < nfs_resop4 > , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct GETATTR4args { pub attr_request : bitmap4 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub enum GETATTR4res { NFS4_OK ( GETATTR4resok ) , default , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct GETATTR4resok { pub obj_attributes : fattr4 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub enum GETFH4res { NFS4_OK ( GETFH4resok ) , default , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct GETFH4resok { pub object : nfs_fh4 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct OPEN4args { pub seqid : u32 , pub share_access : u32 , pub share_deny : u32 , pub owner : open_owner4 , pub openhow : openflag4 , pub claim : open_claim4 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub enum OPEN4res { NFS4_OK ( OPEN4resok ) , default , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct OPEN4resok { pub stateid : stateid4 , pub cinfo : change_info4 , pub rflags : u32 , pub attrset : bitmap4 , pub delegation : open_delegation4 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct PUTFH4args { pub object : nfs_fh4 , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct PUTFH4res { pub status : nfsstat4 , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct READ4args { pub stateid : stateid4 , pub offset : u64 , pub count : u32 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub enum READ4res { NFS4_OK ( READ4resok ) , default , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct READ4resok { pub eof : bool , pub data : Vec < u8 > , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct READDIR4args { pub cookie : u64 , pub cookieverf : verifier4 , pub dircount : u32 , pub maxcount : u32 , pub attr_request : bitmap4 , }

pub enum READDIR4res { NFS4_OK ( READDIR4resok ) , default , }

pub struct READDIR4resok { pub cookieverf : verifier4 , pub reply : dirlist4 , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct SEQUENCE4args { pub sa_sessionid : sessionid4 , pub sa_sequenceid : u32 , pub sa_slotid : u32 , pub sa_highest_slotid : u32 , pub sa_cachethis : bool , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum SEQUENCE4res { NFS4_OK ( SEQUENCE4resok ) , default , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct SEQUENCE4resok { pub sr_sessionid : sessionid4 , pub sr_sequenceid : u32 , pub sr_slotid : u32 , pub sr_highest_slotid : u32 , pub sr_target_highest_slotid : u32 , pub sr_status_flags : u32 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct attrlist4 ( pub Vec < u8 > ) ;

#[derive( Clone , Debug , Eq , PartialEq )] pub struct bitmap4 ( pub Vec < u32 > ) ;

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct change_info4 { pub atomic : bool , pub before : u64 , pub after : u64 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct component4 ( pub Vec < u8 > ) ;

#[derive( Clone , Debug , Eq , PartialEq )] pub enum createhow4 { UNCHECKED4 ( fattr4 ) , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum createmode4 { UNCHECKED4 = 0isize , }

pub struct dirlist4 { pub entries : Option < Box < entry4 >> , pub eof : bool , }

pub struct entry4 { pub cookie : u64 , pub name : component4 , pub attrs : fattr4 , pub nextentry : Option < Box < entry4 >> , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct fattr4 { pub attrmask : bitmap4 , pub attr_vals : attrlist4 , }

#[derive( Clone , Debug , Eq , PartialEq )] pub enum nfs_argop4 { OP_ACCESS ( ACCESS4args ) , OP_GETATTR ( GETATTR4args ) , OP_GETFH , OP_OPEN ( OPEN4args ) , OP_PUTFH ( PUTFH4args ) , OP_READ ( READ4args ) , OP_READDIR ( READDIR4args ) , OP_SEQUENCE ( SEQUENCE4args ) , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct nfs_fh4 ( pub Vec < u8 > ) ;

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum nfs_opnum4 { OP_ACCESS = 3isize , OP_GETATTR = 9isize , OP_GETFH = 10isize , OP_OPEN = 18isize , OP_PUTFH = 22isize , OP_READ = 25isize , OP_READDIR = 26isize , OP_SEQUENCE = 53isize , }

pub enum nfs_resop4 { OP_ACCESS ( ACCESS4res ) , OP_GETATTR ( GETATTR4res ) , OP_GETFH ( GETFH4res ) , OP_OPEN ( OPEN4res ) , OP_PUTFH ( PUTFH4res ) , OP_READ ( READ4res ) , OP_READDIR ( READDIR4res ) , OP_SEQUENCE ( SEQUENCE4res ) , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum nfsstat4 { NFS4_OK = 0isize , NFS4ERR_PERM = 1isize , NFS4ERR_NOENT = 2isize , NFS4ERR_IO = 5isize , NFS4ERR_ACCESS = 13isize , NFS4ERR_STALE = 70isize , NFS4ERR_DELAY = 10008isize , NFS4ERR_OP_ILLEGAL = 10044isize , }

#[derive( Clone , Debug , Eq , PartialEq )] pub enum open_claim4 { CLAIM_NULL ( component4 ) , CLAIM_FH , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum open_claim_type4 { CLAIM_NULL = 0isize , CLAIM_FH = 4isize , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum open_delegation4 { OPEN_DELEGATE_NONE , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum open_delegation_type4 { OPEN_DELEGATE_NONE = 0isize , }

#[derive( Clone , Debug , Eq , PartialEq )] pub struct open_owner4 { pub clientid : u64 , pub owner : Vec < u8 > , }

#[derive( Clone , Debug , Eq , PartialEq )] pub enum openflag4 { OPEN4_CREATE ( createhow4 ) , OPEN4_NOCREATE , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub enum opentype4 { OPEN4_NOCREATE = 0isize , OPEN4_CREATE = 1isize , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct sessionid4 ( pub [ u8 ; NFS4_SESSIONID_SIZE as usize ] ) ;

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct stateid4 { pub seqid : u32 , pub other : [ u8 ; NFS4_OTHER_SIZE as usize ] , }

#[derive( Copy , Clone , Debug , Eq , PartialEq )] pub struct verifier4 ( pub [ u8 ; NFS4_VERIFIER_SIZE as usize ] ) ;

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for ACCESS4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . access . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for ACCESS4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & ACCESS4res :: NFS4_OK ( ref val ) => ( nfsstat4 :: NFS4_OK as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & ACCESS4res :: default => return Err ( xdr_codec :: Error :: invalidcase ( - 1 ) ) , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for ACCESS4resok { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . supported . pack ( out ) ? + self . access . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for COMPOUND4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( xdr_codec :: pack_opaque_flex ( & self . tag , None , out ) ? + self . minorversion . pack ( out ) ? + xdr_codec :: pack_flex ( & self . argarray , None , out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for COMPOUND4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . status . pack ( out ) ? + xdr_codec :: pack_opaque_flex ( & self . tag , None , out ) ? + xdr_codec :: pack_flex ( & self . resarray , None , out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for GETATTR4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . attr_request . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for GETATTR4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & GETATTR4res :: NFS4_OK ( ref val ) => ( nfsstat4 :: NFS4_OK as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & GETATTR4res :: default => return Err ( xdr_codec :: Error :: invalidcase ( - 1 ) ) , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for GETATTR4resok { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . obj_attributes . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for GETFH4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & GETFH4res :: NFS4_OK ( ref val ) => ( nfsstat4 :: NFS4_OK as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & GETFH4res :: default => return Err ( xdr_codec :: Error :: invalidcase ( - 1 ) ) , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for GETFH4resok { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . object . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for OPEN4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . seqid . pack ( out ) ? + self . share_access . pack ( out ) ? + self . share_deny . pack ( out ) ? + self . owner . pack ( out ) ? + self . openhow . pack ( out ) ? + self . claim . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for OPEN4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & OPEN4res :: NFS4_OK ( ref val ) => ( nfsstat4 :: NFS4_OK as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & OPEN4res :: default => return Err ( xdr_codec :: Error :: invalidcase ( - 1 ) ) , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for OPEN4resok { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . stateid . pack ( out ) ? + self . cinfo . pack ( out ) ? + self . rflags . pack ( out ) ? + self . attrset . pack ( out ) ? + self . delegation . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for PUTFH4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . object . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for PUTFH4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . status . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for READ4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . stateid . pack ( out ) ? + self . offset . pack ( out ) ? + self . count . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for READ4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & READ4res :: NFS4_OK ( ref val ) => ( nfsstat4 :: NFS4_OK as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & READ4res :: default => return Err ( xdr_codec :: Error :: invalidcase ( - 1 ) ) , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for READ4resok { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . eof . pack ( out ) ? + xdr_codec :: pack_opaque_flex ( & self . data , None , out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for READDIR4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . cookie . pack ( out ) ? + self . cookieverf . pack ( out ) ? + self . dircount . pack ( out ) ? + self . maxcount . pack ( out ) ? + self . attr_request . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for READDIR4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & READDIR4res :: NFS4_OK ( ref val ) => ( nfsstat4 :: NFS4_OK as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & READDIR4res :: default => return Err ( xdr_codec :: Error :: invalidcase ( - 1 ) ) , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for READDIR4resok { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . cookieverf . pack ( out ) ? + self . reply . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for SEQUENCE4args { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . sa_sessionid . pack ( out ) ? + self . sa_sequenceid . pack ( out ) ? + self . sa_slotid . pack ( out ) ? + self . sa_highest_slotid . pack ( out ) ? + self . sa_cachethis . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for SEQUENCE4res { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & SEQUENCE4res :: NFS4_OK ( ref val ) => ( nfsstat4 :: NFS4_OK as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & SEQUENCE4res :: default => return Err ( xdr_codec :: Error :: invalidcase ( - 1 ) ) , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for SEQUENCE4resok { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . sr_sessionid . pack ( out ) ? + self . sr_sequenceid . pack ( out ) ? + self . sr_slotid . pack ( out ) ? + self . sr_highest_slotid . pack ( out ) ? + self . sr_target_highest_slotid . pack ( out ) ? + self . sr_status_flags . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for attrlist4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( xdr_codec :: pack_opaque_flex ( & self . 0 , None , out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for bitmap4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( xdr_codec :: pack_flex ( & self . 0 , None , out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for change_info4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . atomic . pack ( out ) ? + self . before . pack ( out ) ? + self . after . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for component4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( xdr_codec :: pack_opaque_flex ( & self . 0 , None , out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for createhow4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & createhow4 :: UNCHECKED4 ( ref val ) => ( createmode4 :: UNCHECKED4 as i32 ) . pack ( out ) ? + val . pack ( out ) ? , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for createmode4 { # [ inline ] fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( ( * self as i32 ) . pack ( out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for dirlist4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . entries . pack ( out ) ? + self . eof . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for entry4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . cookie . pack ( out ) ? + self . name . pack ( out ) ? + self . attrs . pack ( out ) ? + self . nextentry . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for fattr4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . attrmask . pack ( out ) ? + self . attr_vals . pack ( out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for nfs_argop4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & nfs_argop4 :: OP_ACCESS ( ref val ) => ( nfs_opnum4 :: OP_ACCESS as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_argop4 :: OP_GETATTR ( ref val ) => ( nfs_opnum4 :: OP_GETATTR as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_argop4 :: OP_GETFH => ( nfs_opnum4 :: OP_GETFH as i32 ) . pack ( out ) ? , & nfs_argop4 :: OP_OPEN ( ref val ) => ( nfs_opnum4 :: OP_OPEN as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_argop4 :: OP_PUTFH ( ref val ) => ( nfs_opnum4 :: OP_PUTFH as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_argop4 :: OP_READ ( ref val ) => ( nfs_opnum4 :: OP_READ as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_argop4 :: OP_READDIR ( ref val ) => ( nfs_opnum4 :: OP_READDIR as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_argop4 :: OP_SEQUENCE ( ref val ) => ( nfs_opnum4 :: OP_SEQUENCE as i32 ) . pack ( out ) ? + val . pack ( out ) ? , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for nfs_fh4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( xdr_codec :: pack_opaque_flex ( & self . 0 , Some ( NFS4_FHSIZE as usize ) , out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for nfs_opnum4 { # [ inline ] fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( ( * self as i32 ) . pack ( out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for nfs_resop4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & nfs_resop4 :: OP_ACCESS ( ref val ) => ( nfs_opnum4 :: OP_ACCESS as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_resop4 :: OP_GETATTR ( ref val ) => ( nfs_opnum4 :: OP_GETATTR as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_resop4 :: OP_GETFH ( ref val ) => ( nfs_opnum4 :: OP_GETFH as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_resop4 :: OP_OPEN ( ref val ) => ( nfs_opnum4 :: OP_OPEN as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_resop4 :: OP_PUTFH ( ref val ) => ( nfs_opnum4 :: OP_PUTFH as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_resop4 :: OP_READ ( ref val ) => ( nfs_opnum4 :: OP_READ as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_resop4 :: OP_READDIR ( ref val ) => ( nfs_opnum4 :: OP_READDIR as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & nfs_resop4 :: OP_SEQUENCE ( ref val ) => ( nfs_opnum4 :: OP_SEQUENCE as i32 ) . pack ( out ) ? + val . pack ( out ) ? , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for nfsstat4 { # [ inline ] fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( ( * self as i32 ) . pack ( out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for open_claim4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & open_claim4 :: CLAIM_NULL ( ref val ) => ( open_claim_type4 :: CLAIM_NULL as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & open_claim4 :: CLAIM_FH => ( open_claim_type4 :: CLAIM_FH as i32 ) . pack ( out ) ? , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for open_claim_type4 { # [ inline ] fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( ( * self as i32 ) . pack ( out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for open_delegation4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & open_delegation4 :: OPEN_DELEGATE_NONE => ( open_delegation_type4 :: OPEN_DELEGATE_NONE as i32 ) . pack ( out ) ? , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for open_delegation_type4 { # [ inline ] fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( ( * self as i32 ) . pack ( out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for open_owner4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . clientid . pack ( out ) ? + xdr_codec :: pack_opaque_flex ( & self . owner , Some ( NFS4_OPAQUE_LIMIT as usize ) , out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for openflag4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( match self { & openflag4 :: OPEN4_CREATE ( ref val ) => ( opentype4 :: OPEN4_CREATE as i32 ) . pack ( out ) ? + val . pack ( out ) ? , & openflag4 :: OPEN4_NOCREATE => ( opentype4 :: OPEN4_NOCREATE as i32 ) . pack ( out ) ? , } ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for opentype4 { # [ inline ] fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( ( * self as i32 ) . pack ( out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for sessionid4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( xdr_codec :: pack_opaque_array ( & self . 0 [ .. ] , self . 0 . len ( ) , out ) ? ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for stateid4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( self . seqid . pack ( out ) ? + xdr_codec :: pack_opaque_array ( & self . other [ .. ] , self . other . len ( ) , out ) ? + 0 ) } }

impl < Out : xdr_codec :: Write > xdr_codec :: Pack < Out > for verifier4 { fn pack ( & self , out : & mut Out ) -> xdr_codec :: Result < usize > { Ok ( xdr_codec :: pack_opaque_array ( & self . 0 [ .. ] , self . 0 . len ( ) , out ) ? ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for ACCESS4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( ACCESS4args , usize ) > { let mut sz = 0 ; Ok ( ( ACCESS4args { access : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for ACCESS4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( ACCESS4res , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => ACCESS4res :: NFS4_OK ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , _ => ACCESS4res :: default } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for ACCESS4resok { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( ACCESS4resok , usize ) > { let mut sz = 0 ; Ok ( ( ACCESS4resok { supported : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , access : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for COMPOUND4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( COMPOUND4args , usize ) > { let mut sz = 0 ; Ok ( ( COMPOUND4args { tag : { let ( v , fsz ) = xdr_codec :: unpack_opaque_flex ( input , None ) ? ; sz += fsz ; v } , minorversion : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , argarray : { let ( v , fsz ) = xdr_codec :: unpack_flex ( input , None ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for COMPOUND4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( COMPOUND4res , usize ) > { let mut sz = 0 ; Ok ( ( COMPOUND4res { status : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , tag : { let ( v , fsz ) = xdr_codec :: unpack_opaque_flex ( input , None ) ? ; sz += fsz ; v } , resarray : { let ( v , fsz ) = xdr_codec :: unpack_flex ( input , None ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for GETATTR4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( GETATTR4args , usize ) > { let mut sz = 0 ; Ok ( ( GETATTR4args { attr_request : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for GETATTR4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( GETATTR4res , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => GETATTR4res :: NFS4_OK ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , _ => GETATTR4res :: default } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for GETATTR4resok { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( GETATTR4resok , usize ) > { let mut sz = 0 ; Ok ( ( GETATTR4resok { obj_attributes : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for GETFH4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( GETFH4res , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => GETFH4res :: NFS4_OK ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , _ => GETFH4res :: default } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for GETFH4resok { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( GETFH4resok , usize ) > { let mut sz = 0 ; Ok ( ( GETFH4resok { object : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for OPEN4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( OPEN4args , usize ) > { let mut sz = 0 ; Ok ( ( OPEN4args { seqid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , share_access : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , share_deny : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , owner : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , openhow : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , claim : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for OPEN4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( OPEN4res , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => OPEN4res :: NFS4_OK ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , _ => OPEN4res :: default } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for OPEN4resok { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( OPEN4resok , usize ) > { let mut sz = 0 ; Ok ( ( OPEN4resok { stateid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , cinfo : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , rflags : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , attrset : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , delegation : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for PUTFH4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( PUTFH4args , usize ) > { let mut sz = 0 ; Ok ( ( PUTFH4args { object : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for PUTFH4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( PUTFH4res , usize ) > { let mut sz = 0 ; Ok ( ( PUTFH4res { status : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for READ4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( READ4args , usize ) > { let mut sz = 0 ; Ok ( ( READ4args { stateid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , offset : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , count : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for READ4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( READ4res , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => READ4res :: NFS4_OK ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , _ => READ4res :: default } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for READ4resok { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( READ4resok , usize ) > { let mut sz = 0 ; Ok ( ( READ4resok { eof : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , data : { let ( v , fsz ) = xdr_codec :: unpack_opaque_flex ( input , None ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for READDIR4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( READDIR4args , usize ) > { let mut sz = 0 ; Ok ( ( READDIR4args { cookie : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , cookieverf : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , dircount : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , maxcount : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , attr_request : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for READDIR4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( READDIR4res , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => READDIR4res :: NFS4_OK ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , _ => READDIR4res :: default } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for READDIR4resok { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( READDIR4resok , usize ) > { let mut sz = 0 ; Ok ( ( READDIR4resok { cookieverf : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , reply : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for SEQUENCE4args { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( SEQUENCE4args , usize ) > { let mut sz = 0 ; Ok ( ( SEQUENCE4args { sa_sessionid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sa_sequenceid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sa_slotid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sa_highest_slotid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sa_cachethis : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for SEQUENCE4res { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( SEQUENCE4res , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => SEQUENCE4res :: NFS4_OK ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , _ => SEQUENCE4res :: default } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for SEQUENCE4resok { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( SEQUENCE4resok , usize ) > { let mut sz = 0 ; Ok ( ( SEQUENCE4resok { sr_sessionid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sr_sequenceid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sr_slotid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sr_highest_slotid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sr_target_highest_slotid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , sr_status_flags : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for attrlist4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( attrlist4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( v , usz ) = xdr_codec :: unpack_opaque_flex ( input , None ) ? ; sz = usz ; attrlist4 ( v ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for bitmap4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( bitmap4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( v , usz ) = xdr_codec :: unpack_flex ( input , None ) ? ; sz = usz ; bitmap4 ( v ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for change_info4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( change_info4 , usize ) > { let mut sz = 0 ; Ok ( ( change_info4 { atomic : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , before : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , after : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for component4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( component4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( v , usz ) = xdr_codec :: unpack_opaque_flex ( input , None ) ? ; sz = usz ; component4 ( v ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for createhow4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( createhow4 , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => createhow4 :: UNCHECKED4 ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , v => return Err ( xdr_codec :: Error :: invalidcase ( v as i32 ) ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for createmode4 { # [ inline ] fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( createmode4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( e , esz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += esz ; match e { x if x == createmode4 :: UNCHECKED4 as i32 => createmode4 :: UNCHECKED4 , e => return Err ( xdr_codec :: Error :: invalidenum ( e ) ) } } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for dirlist4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( dirlist4 , usize ) > { let mut sz = 0 ; Ok ( ( dirlist4 { entries : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , eof : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for entry4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( entry4 , usize ) > { let mut sz = 0 ; Ok ( ( entry4 { cookie : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , name : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , attrs : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , nextentry : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for fattr4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( fattr4 , usize ) > { let mut sz = 0 ; Ok ( ( fattr4 { attrmask : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , attr_vals : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for nfs_argop4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( nfs_argop4 , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 3i32 as i32 ) => nfs_argop4 :: OP_ACCESS ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 9i32 as i32 ) => nfs_argop4 :: OP_GETATTR ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 10i32 as i32 ) => nfs_argop4 :: OP_GETFH , x if x == ( 18i32 as i32 ) => nfs_argop4 :: OP_OPEN ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 22i32 as i32 ) => nfs_argop4 :: OP_PUTFH ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 25i32 as i32 ) => nfs_argop4 :: OP_READ ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 26i32 as i32 ) => nfs_argop4 :: OP_READDIR ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 53i32 as i32 ) => nfs_argop4 :: OP_SEQUENCE ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , v => return Err ( xdr_codec :: Error :: invalidcase ( v as i32 ) ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for nfs_fh4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( nfs_fh4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( v , usz ) = xdr_codec :: unpack_opaque_flex ( input , Some ( NFS4_FHSIZE as usize ) ) ? ; sz = usz ; nfs_fh4 ( v ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for nfs_opnum4 { # [ inline ] fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( nfs_opnum4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( e , esz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += esz ; match e { x if x == nfs_opnum4 :: OP_ACCESS as i32 => nfs_opnum4 :: OP_ACCESS , x if x == nfs_opnum4 :: OP_GETATTR as i32 => nfs_opnum4 :: OP_GETATTR , x if x == nfs_opnum4 :: OP_GETFH as i32 => nfs_opnum4 :: OP_GETFH , x if x == nfs_opnum4 :: OP_OPEN as i32 => nfs_opnum4 :: OP_OPEN , x if x == nfs_opnum4 :: OP_PUTFH as i32 => nfs_opnum4 :: OP_PUTFH , x if x == nfs_opnum4 :: OP_READ as i32 => nfs_opnum4 :: OP_READ , x if x == nfs_opnum4 :: OP_READDIR as i32 => nfs_opnum4 :: OP_READDIR , x if x == nfs_opnum4 :: OP_SEQUENCE as i32 => nfs_opnum4 :: OP_SEQUENCE , e => return Err ( xdr_codec :: Error :: invalidenum ( e ) ) } } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for nfs_resop4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( nfs_resop4 , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 3i32 as i32 ) => nfs_resop4 :: OP_ACCESS ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 9i32 as i32 ) => nfs_resop4 :: OP_GETATTR ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 10i32 as i32 ) => nfs_resop4 :: OP_GETFH ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 18i32 as i32 ) => nfs_resop4 :: OP_OPEN ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 22i32 as i32 ) => nfs_resop4 :: OP_PUTFH ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 25i32 as i32 ) => nfs_resop4 :: OP_READ ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 26i32 as i32 ) => nfs_resop4 :: OP_READDIR ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 53i32 as i32 ) => nfs_resop4 :: OP_SEQUENCE ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , v => return Err ( xdr_codec :: Error :: invalidcase ( v as i32 ) ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for nfsstat4 { # [ inline ] fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( nfsstat4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( e , esz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += esz ; match e { x if x == nfsstat4 :: NFS4_OK as i32 => nfsstat4 :: NFS4_OK , x if x == nfsstat4 :: NFS4ERR_PERM as i32 => nfsstat4 :: NFS4ERR_PERM , x if x == nfsstat4 :: NFS4ERR_NOENT as i32 => nfsstat4 :: NFS4ERR_NOENT , x if x == nfsstat4 :: NFS4ERR_IO as i32 => nfsstat4 :: NFS4ERR_IO , x if x == nfsstat4 :: NFS4ERR_ACCESS as i32 => nfsstat4 :: NFS4ERR_ACCESS , x if x == nfsstat4 :: NFS4ERR_STALE as i32 => nfsstat4 :: NFS4ERR_STALE , x if x == nfsstat4 :: NFS4ERR_DELAY as i32 => nfsstat4 :: NFS4ERR_DELAY , x if x == nfsstat4 :: NFS4ERR_OP_ILLEGAL as i32 => nfsstat4 :: NFS4ERR_OP_ILLEGAL , e => return Err ( xdr_codec :: Error :: invalidenum ( e ) ) } } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for open_claim4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( open_claim4 , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => open_claim4 :: CLAIM_NULL ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 4i32 as i32 ) => open_claim4 :: CLAIM_FH , v => return Err ( xdr_codec :: Error :: invalidcase ( v as i32 ) ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for open_claim_type4 { # [ inline ] fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( open_claim_type4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( e , esz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += esz ; match e { x if x == open_claim_type4 :: CLAIM_NULL as i32 => open_claim_type4 :: CLAIM_NULL , x if x == open_claim_type4 :: CLAIM_FH as i32 => open_claim_type4 :: CLAIM_FH , e => return Err ( xdr_codec :: Error :: invalidenum ( e ) ) } } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for open_delegation4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( open_delegation4 , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 0i32 as i32 ) => open_delegation4 :: OPEN_DELEGATE_NONE , v => return Err ( xdr_codec :: Error :: invalidcase ( v as i32 ) ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for open_delegation_type4 { # [ inline ] fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( open_delegation_type4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( e , esz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += esz ; match e { x if x == open_delegation_type4 :: OPEN_DELEGATE_NONE as i32 => open_delegation_type4 :: OPEN_DELEGATE_NONE , e => return Err ( xdr_codec :: Error :: invalidenum ( e ) ) } } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for open_owner4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( open_owner4 , usize ) > { let mut sz = 0 ; Ok ( ( open_owner4 { clientid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , owner : { let ( v , fsz ) = xdr_codec :: unpack_opaque_flex ( input , Some ( NFS4_OPAQUE_LIMIT as usize ) ) ? ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for openflag4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( openflag4 , usize ) > { let mut sz = 0 ; Ok ( ( match { let ( v , dsz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += dsz ; v } { x if x == ( 1i32 as i32 ) => openflag4 :: OPEN4_CREATE ( { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } ) , x if x == ( 0i32 as i32 ) => openflag4 :: OPEN4_NOCREATE , v => return Err ( xdr_codec :: Error :: invalidcase ( v as i32 ) ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for opentype4 { # [ inline ] fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( opentype4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( e , esz ) : ( i32 , _ ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += esz ; match e { x if x == opentype4 :: OPEN4_NOCREATE as i32 => opentype4 :: OPEN4_NOCREATE , x if x == opentype4 :: OPEN4_CREATE as i32 => opentype4 :: OPEN4_CREATE , e => return Err ( xdr_codec :: Error :: invalidenum ( e ) ) } } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for sessionid4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( sessionid4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( v , usz ) = { let mut buf : [ u8 ; NFS4_SESSIONID_SIZE as usize ] = [ 0 ; NFS4_SESSIONID_SIZE as usize ] ; let sz = xdr_codec :: unpack_opaque_array ( input , & mut buf [ .. ] , NFS4_SESSIONID_SIZE as usize ) ? ; ( buf , sz ) } ; sz = usz ; sessionid4 ( v ) } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for stateid4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( stateid4 , usize ) > { let mut sz = 0 ; Ok ( ( stateid4 { seqid : { let ( v , fsz ) = xdr_codec :: Unpack :: unpack ( input ) ? ; sz += fsz ; v } , other : { let ( v , fsz ) = { let mut buf : [ u8 ; NFS4_OTHER_SIZE as usize ] = [ 0 ; NFS4_OTHER_SIZE as usize ] ; let sz = xdr_codec :: unpack_opaque_array ( input , & mut buf [ .. ] , NFS4_OTHER_SIZE as usize ) ? ; ( buf , sz ) } ; sz += fsz ; v } , } , sz ) ) } }

impl < In : xdr_codec :: Read > xdr_codec :: Unpack < In > for verifier4 { fn unpack ( input : & mut In ) -> xdr_codec :: Result < ( verifier4 , usize ) > { let mut sz = 0 ; Ok ( ( { let ( v , usz ) = { let mut buf : [ u8 ; NFS4_VERIFIER_SIZE as usize ] = [ 0 ; NFS4_VERIFIER_SIZE as usize ] ; let sz = xdr_codec :: unpack_opaque_array ( input , & mut buf [ .. ] , NFS4_VERIFIER_SIZE as usize ) ? ; ( buf , sz ) } ; sz = usz ; verifier4 ( v ) } , sz ) ) } }

