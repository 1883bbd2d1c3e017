//! Fuzz targets come with the codecs they attack.
