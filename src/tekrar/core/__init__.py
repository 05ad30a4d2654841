"""The pure core: bytes, arrays and records in, frozen values out. No I/O, clock, randomness or process
lives here."""
