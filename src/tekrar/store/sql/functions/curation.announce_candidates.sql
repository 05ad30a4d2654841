-- Appends the entry `candidates` of a sealed set, under the locks of the global heads; false where the ledger has no first
-- entry yet, which is an administrator's. Announcing it again is nothing.
CREATE OR REPLACE FUNCTION curation.announce_candidates(set_key integer) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key CONSTANT integer := announce_candidates.set_key;
    payload jsonb;
BEGIN
    PERFORM curation.lock_heads('{}');
    IF EXISTS (SELECT FROM curation.candidate_entry e WHERE e.set_key = key) THEN
        RETURN true;
    END IF;
    IF NOT EXISTS (SELECT FROM curation.ledger) THEN
        RETURN false;
    END IF;
    SELECT jsonb_build_object('package', encode(s.package_root, 'hex'), 'profile', s.profile,
            'generator', encode(s.generator, 'hex'), 'artifact', encode(a.artifact_root, 'hex'),
            'recorded_at', tekrar_meta.instant(clock_timestamp()))
        INTO STRICT payload
        FROM curation.candidate_set s JOIN curation.candidate_seal USING (set_key) JOIN repetition.artifact a USING (artifact_key)
        WHERE s.set_key = key;
    PERFORM curation.record_candidates(curation.append('candidates', payload), payload);
    RETURN true;
END
$$;
REVOKE ALL ON FUNCTION curation.announce_candidates(integer) FROM PUBLIC;
