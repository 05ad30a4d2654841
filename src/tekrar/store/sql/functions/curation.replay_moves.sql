-- Keeps moves of the global heads: what they were moved by so far is one statement of many rows.
CREATE OR REPLACE FUNCTION curation.replay_moves(names text[], versions bigint[], before bytea[], after bytea[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO curation.head_move (name, scope, version, previous, value)
        SELECT m.name, '', m.version, m.previous, m.value
        FROM unnest(names, versions, before, after) WITH ORDINALITY AS m(name, version, previous, value, place) ORDER BY m.place;
END
$$;
REVOKE ALL ON FUNCTION curation.replay_moves(text[], bigint[], bytea[], bytea[]) FROM PUBLIC;
