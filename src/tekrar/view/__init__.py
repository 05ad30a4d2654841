"""Reading what was proved: places, classes, answers, coverage, differences; nothing is decided here."""
