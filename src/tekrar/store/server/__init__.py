"""The embedded PostgreSQL: found, started, watched and stopped by us; its programs are only ever programs.

The server is a direct child that outlives the command that started it. It listens on a Unix socket in a
private folder, never on TCP, and lets in by the operating system's word (peer) only the OS user who started
it, so that row-level security means something on the machine it runs on.
"""
