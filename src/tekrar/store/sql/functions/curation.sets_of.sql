-- Sets of candidates of a profile that count at an entry of the ledger: those whose own entry is before it (null: all).
CREATE OR REPLACE FUNCTION curation.sets_of(profile_key integer, before bigint) RETURNS integer[]
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT s.set_key FROM curation.candidate_set s JOIN curation.candidate_entry e USING (set_key)
                 WHERE s.profile_key = sets_of.profile_key AND (before IS NULL OR e.ledger_seq < before)
                 ORDER BY e.ledger_seq)
$$;
REVOKE ALL ON FUNCTION curation.sets_of(integer, bigint) FROM PUBLIC;
