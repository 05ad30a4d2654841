"""`python -m tekrar` is the command line."""

from tekrar.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
