-- Brings the global heads to where a replay stands; their moves are kept already.
CREATE OR REPLACE FUNCTION curation.replay_heads(names text[], heads bytea[], versions bigint[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE curation.head h SET value = n.value, version = n.version
        FROM unnest(names, heads, versions) AS n(name, value, version)
        WHERE h.scope = '' AND h.name = n.name AND h.version <> n.version;
END
$$;
REVOKE ALL ON FUNCTION curation.replay_heads(text[], bytea[], bigint[]) FROM PUBLIC;
