"""Packs a folder into a zip that depends on nothing but the files' names and bytes and the given time.

usage: python3 .ci/zip.py FOLDER ARCHIVE SECONDS_SINCE_1970
"""
import pathlib
import sys
import time
import zipfile

folder, archive = map(pathlib.Path, sys.argv[1:3])
moment = time.gmtime(int(sys.argv[3]))[:6]
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), moment)
        entry.external_attr = 0o644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        out.writestr(entry, path.read_bytes())
