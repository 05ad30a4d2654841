-- Inserts one release of an artifact's profile that the caller may publish, at the moment of its entry; see
-- repetition.insert_bound.
DROP FUNCTION IF EXISTS repetition.insert_release(text, text, integer, bigint);
CREATE OR REPLACE FUNCTION repetition.insert_release(artifact_root text, short text, actor_key integer, ledger_seq bigint,
    inventories jsonb) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT repetition.insert_bound((repetition.sealed_profile(artifact_root, short)).profile_key, actor_key, ledger_seq,
                                   inventories, (SELECT (convert_from(l.payload, 'UTF8')::jsonb ->> 'recorded_at')::timestamptz
                                                 FROM curation.ledger l WHERE l.seq = ledger_seq))
$$;
REVOKE ALL ON FUNCTION repetition.insert_release(text, text, integer, bigint, jsonb) FROM PUBLIC;
