-- A plan's entry for one profile of a loaded artifact: {"artifact_root", "short", "release", "facts"}. `facts` is every
-- fact of REL-04 with its expected value; api.publish compares each of them again under its lock.
CREATE OR REPLACE FUNCTION api.prepare_publication(artifact_root text, short text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    what CONSTANT record := repetition.sealed_profile(artifact_root, short);
    grant_key integer;
    inventories jsonb;
    facts jsonb;
BEGIN
    grant_key := curation.require_grant(curation.current_actor(), 'publisher', what.edition);
    inventories := curation.inventory_roots(what.profile_key);
    facts := repetition.publication_facts(what.profile_key, grant_key, inventories);
    PERFORM curation.require_approvals(what.profile_key, facts ->> 'approvals');
    -- The ID follows from the facts of the plan itself: outside one snapshot a second look could find others, and the plan
    -- would be refused for its ID where the fact that moved is the word to say.
    RETURN jsonb_build_object('artifact_root', artifact_root, 'short', short, 'facts', facts,
        'release', repetition.release_id(what.profile, sha256(tekrar_meta.canonical(facts - ARRAY['repetition-head',
            'publisher-grant', 'approvals', 'freeze-epoch', 'seal', 'text-seal', 'rows/occurrence', 'rows/class', 'visible'])),
            decode(facts ->> 'root/compiler', 'hex')));
END
$$;
REVOKE ALL ON FUNCTION api.prepare_publication(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.prepare_publication(text, text) TO tekrar_publisher;
