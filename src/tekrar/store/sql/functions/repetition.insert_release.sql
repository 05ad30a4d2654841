-- Inserts one release of an artifact's profile that the caller may publish, now; see repetition.insert_bound.
DROP FUNCTION IF EXISTS repetition.insert_release(text, text, integer, bigint);
CREATE OR REPLACE FUNCTION repetition.insert_release(artifact_root text, short text, actor_key integer, ledger_seq bigint,
    inventories jsonb) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT repetition.insert_bound((repetition.sealed_profile(artifact_root, short)).profile_key, actor_key, ledger_seq,
                                   inventories, now())
$$;
REVOKE ALL ON FUNCTION repetition.insert_release(text, text, integer, bigint, jsonb) FROM PUBLIC;
