//! Tests that run the fuzz targets over their corpus.
