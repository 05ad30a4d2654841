-- A plan's entry for one profile of a loaded artifact: {"artifact_root", "short", "release", "facts"}. `facts` is every
-- fact of REL-04 with its expected value; api.publish compares each of them again under its lock.
CREATE OR REPLACE FUNCTION api.prepare_publication(artifact_root text, short text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    what CONSTANT record := repetition.sealed_profile(artifact_root, short);
    grant_key integer;
    inventories jsonb;
BEGIN
    grant_key := curation.require_grant(curation.current_actor(), 'publisher', what.edition);
    inventories := curation.inventory_roots(what.profile_key);
    RETURN jsonb_build_object('artifact_root', artifact_root, 'short', short,
        'release', (repetition.bound_release(what.profile_key, inventories)).release,
        'facts', repetition.publication_facts(what.profile_key, grant_key, inventories));
END
$$;
REVOKE ALL ON FUNCTION api.prepare_publication(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.prepare_publication(text, text) TO tekrar_publisher;
