-- Keeps passage diffs as evidence, as curation.keep_diffs says. Returns {"stored", "diffs": [ID…]} in the given order.
CREATE OR REPLACE FUNCTION api.store_diffs(profile uuid, diffs jsonb) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    scopes CONSTANT text[] := api.scopes('tekrar_curator');
    kept record;
BEGIN
    PERFORM api.require_scope('tekrar_curator');
    kept := curation.keep_diffs(store_diffs.profile, store_diffs.diffs, scopes, NULL);
    RETURN jsonb_build_object('stored', kept.stored, 'diffs', to_jsonb(kept.ids));
END
$$;
REVOKE ALL ON FUNCTION api.store_diffs(uuid, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.store_diffs(uuid, jsonb) TO tekrar_curator;
