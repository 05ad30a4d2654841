"""`python -m tests.golden [--write]`: compare the pinned roots, or pin them anew."""

import argparse

from tests.golden import CORPORA, ROOTS, differences, write

parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
parser.add_argument("--write", action="store_true", help="pin the roots of this checkout")
if parser.parse_args().write:
    write()
    print(f"wrote {ROOTS.name}; read the difference and announce it in the changelog section Identity")
    raise SystemExit(0)
found = [line for name in CORPORA for line in differences(name)]
print("\n".join(found) or f"{len(CORPORA)} corpora as pinned")
raise SystemExit(bool(found))
