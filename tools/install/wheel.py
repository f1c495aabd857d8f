# Writes a wheel of what `cmake --install` has put below PREFIX; wheel.sh calls it, and has auditwheel add the libraries.
#
#   wheel.py PREFIX VERSION LAUNCHER FOLDER      prints the wheel that it wrote to FOLDER; times are that of SOURCE_DATE_EPOCH
#
# Programs, recipes and data scripts lie in the package `headwater` as they do below a prefix; manual pages and completions go to share/ of
# the environment into which the wheel is installed.
import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

prefix, version, launcher, folder = sys.argv[1:]
prefix = pathlib.Path(prefix)
tag = "py3-none-linux_" + os.uname().machine
info = f"headwater-{version}.dist-info"
programs = sorted(path.name for path in (prefix / "bin").iterdir())
summary = "A tool chain for Transformers made of small Unix programs"
when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]

files = {"headwater/__init__.py": pathlib.Path(launcher)}
for path in sorted(path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink()):
    below = path.relative_to(prefix)
    if below.parts[0] == "bin" or below.parts[:2] == ("share", "headwater"):
        files[f"headwater/{below}"] = path
    elif below.parts[:2] != ("share", "doc"):
        files[f"headwater-{version}.data/data/{below}"] = path
files[f"{info}/LICENSE"] = prefix / "share/doc/headwater/LICENSE"
del files["headwater/share/headwater/installed"]  # the record of make uninstall: pip has its own

texts = {
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: headwater\nVersion: {version}\nSummary: {summary}\nLicense: MIT\n"
    f"License-File: LICENSE\nRequires-Python: >=3.8\n",
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: headwater\nRoot-Is-Purelib: false\nTag: {tag}\n",
    f"{info}/entry_points.txt": "[console_scripts]\n" + "".join(f"{name} = headwater:main\n" for name in programs),
}
wheel = pathlib.Path(folder) / f"headwater-{version}-{tag}.whl"
records = []
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

    def put(name, content, mode):
        entry = zipfile.ZipInfo(name, when)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        records.append(f"{name},sha256={digest},{len(content)}\n")

    for name, path in files.items():
        put(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else 0o644)
    for name, text in texts.items():
        put(name, text.encode(), 0o644)
    records.append(f"{info}/RECORD,,\n")
    archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", when), "".join(records))
print(wheel)
