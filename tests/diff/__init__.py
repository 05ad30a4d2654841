"""Tests of tokens' users: units, scripts, records, the verb and its views."""
