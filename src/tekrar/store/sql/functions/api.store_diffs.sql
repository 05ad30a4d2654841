-- Keeps passage diffs as evidence: `diffs` is [{"left", "right", "script": hex}…] over occurrences of one profile. The
-- endpoints are looked up, the mask roots taken from them, the script checked, the ID made from its facts (DIF-01); one
-- that is there already is nothing to do. Returns {"stored", "diffs": [ID…]} in the given order.
CREATE OR REPLACE FUNCTION api.store_diffs(profile uuid, diffs jsonb) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    scopes CONSTANT text[] := api.scopes('tekrar_curator');
    one jsonb;
    script bytea;
    a record;
    b record;
    own uuid;
    added integer;
    stored integer := 0;
    ids jsonb := '[]';
BEGIN
    PERFORM api.require_scope('tekrar_curator');
    IF jsonb_typeof(store_diffs.diffs) IS DISTINCT FROM 'array' THEN
        PERFORM tekrar_meta.bad_argument('diffs', 'a list of left, right and script', store_diffs.diffs::text);
    END IF;
    FOR one IN SELECT * FROM jsonb_array_elements(store_diffs.diffs) LOOP
        IF coalesce(one ->> 'script', '') !~ '^([0-9a-f]{2})+$' THEN
            PERFORM tekrar_meta.bad_argument('script', 'bytes in hex', one ->> 'script');
        END IF;
        IF concat_ws(' ', one ->> 'left', one ->> 'right') !~
           '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12} [0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN
            PERFORM tekrar_meta.bad_argument('left and right', 'two UUIDs', concat_ws(' ', one ->> 'left', one ->> 'right'));
        END IF;
        script := decode(one ->> 'script', 'hex');
        a := curation.occurrence_of(store_diffs.profile, (one ->> 'left')::uuid, scopes);
        b := curation.occurrence_of(store_diffs.profile, (one ->> 'right')::uuid, scopes);
        PERFORM curation.check_script(script, a.extent, b.extent);
        own := tekrar_meta.uuid5('v1/kind=passage-diff/left=' || (one ->> 'left')::uuid || '/right=' || (one ->> 'right')::uuid
            || '/algorithm=adr009.diff-lcs-move.1/script=' || encode(sha256(script), 'hex'));
        INSERT INTO curation.passage_diff (diff, left_occurrence, right_occurrence, left_witness, right_witness, algorithm,
                                           script_digest, script)
            VALUES (own, (one ->> 'left')::uuid, (one ->> 'right')::uuid, a.witness, b.witness, 'adr009.diff-lcs-move.1',
                    sha256(script), script)
            ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS added = ROW_COUNT;
        stored := stored + added;
        ids := ids || to_jsonb(own);
    END LOOP;
    RETURN jsonb_build_object('stored', stored, 'diffs', ids);
END
$$;
REVOKE ALL ON FUNCTION api.store_diffs(uuid, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.store_diffs(uuid, jsonb) TO tekrar_curator;
