-- Keeps passage diffs as evidence: `diffs` is [{"left", "right", "script": hex}…] over occurrences of one profile. The
-- endpoints are looked up, the mask roots taken from them, the script checked. The ID is made from these facts (DIF-01), or
-- is the one `known` for it: a replay's, which whoever replays has made again (SHA-1 is slow here). One that is there already
-- is nothing to do. Gives how many were not, and the IDs in the given order.
CREATE OR REPLACE FUNCTION curation.keep_diffs(profile uuid, diffs jsonb, scopes text[], known uuid[], OUT stored integer,
    OUT ids uuid[])
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    called boolean;
    one jsonb;
    script bytea;
    a record;
    b record;
    own uuid;
    added integer;
BEGIN
    stored := 0;
    ids := '{}';
    IF jsonb_typeof(keep_diffs.diffs) IS DISTINCT FROM 'array' THEN
        PERFORM tekrar_meta.bad_argument('diffs', 'a list of left, right and script', keep_diffs.diffs::text);
    END IF;
    FOR one IN SELECT * FROM jsonb_array_elements(keep_diffs.diffs) LOOP
        IF coalesce(one ->> 'script', '') !~ '^[0-9a-f]+$' OR length(one ->> 'script') % 2 = 1 THEN
            PERFORM tekrar_meta.bad_argument('script', 'bytes in hex', one ->> 'script');
        END IF;
        IF concat_ws(' ', one ->> 'left', one ->> 'right') !~
           '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12} [0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN
            PERFORM tekrar_meta.bad_argument('left and right', 'two UUIDs', concat_ws(' ', one ->> 'left', one ->> 'right'));
        END IF;
        script := decode(one ->> 'script', 'hex');
        a := curation.occurrence_of(keep_diffs.profile, (one ->> 'left')::uuid, keep_diffs.scopes);
        b := curation.occurrence_of(keep_diffs.profile, (one ->> 'right')::uuid, keep_diffs.scopes);
        called := curation.check_script(script, a.extent, b.extent) IS NULL;
        own := coalesce(keep_diffs.known[cardinality(ids) + 1], tekrar_meta.uuid5('v1/kind=passage-diff/left='
            || (one ->> 'left')::uuid || '/right=' || (one ->> 'right')::uuid
            || '/algorithm=adr009.diff-lcs-move.1/script=' || encode(sha256(script), 'hex')));
        INSERT INTO curation.passage_diff (diff, left_occurrence, right_occurrence, left_witness, right_witness, algorithm,
                                           script_digest, script)
            VALUES (own, (one ->> 'left')::uuid, (one ->> 'right')::uuid, a.witness, b.witness, 'adr009.diff-lcs-move.1',
                    sha256(script), script)
            ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS added = ROW_COUNT;
        stored := stored + added;
        ids := ids || own;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION curation.keep_diffs(uuid, jsonb, text[], uuid[]) FROM PUBLIC;
