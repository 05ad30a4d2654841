-- The row of a `crosswalk` entry, from its payload alone.
CREATE OR REPLACE FUNCTION curation.record_crosswalk(seq bigint, payload jsonb) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO curation.crosswalk (namespace, external, structure, recorded_by, recorded_at, ledger_seq)
        VALUES (payload ->> 'namespace', payload ->> 'external', (payload ->> 'structure')::uuid,
                curation.actor_named(payload ->> 'by'), (payload ->> 'recorded_at')::timestamptz, seq)
$$;
REVOKE ALL ON FUNCTION curation.record_crosswalk(bigint, jsonb) FROM PUBLIC;
