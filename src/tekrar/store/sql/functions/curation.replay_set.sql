-- Records the release set of a `publication` entry: the four visible releases of one artifact that have this digest.
CREATE OR REPLACE FUNCTION curation.replay_set(digest text, moment timestamptz) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    together uuid[];
BEGIN
    SELECT s.releases INTO together FROM (
            SELECT array_agg(r.release ORDER BY r.short COLLATE "C") AS releases
            FROM repetition.visible v JOIN repetition.repetition_release r USING (release) GROUP BY r.artifact_key) AS s
        WHERE cardinality(s.releases) = 4 AND encode(sha256(repetition.set_document(s.releases)), 'hex') = digest;
    IF NOT FOUND THEN
        PERFORM curation.refuse('ledger_entry', 'no four visible releases of an artifact have the digest of the set', 'set', digest);
    END IF;
    PERFORM repetition.insert_set(together, moment);
END
$$;
REVOKE ALL ON FUNCTION curation.replay_set(text, timestamptz) FROM PUBLIC;
