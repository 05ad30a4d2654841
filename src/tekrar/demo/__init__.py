"""The demonstration: a real corpus from an installed package, an invented sample, and what was found in them.

Nothing here is part of a build, and no record of it has an identity.
"""
