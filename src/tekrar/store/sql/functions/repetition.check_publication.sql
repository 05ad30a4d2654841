DROP FUNCTION IF EXISTS repetition.check_publication(jsonb, integer, integer),
    repetition.check_publication(jsonb, integer, integer, boolean);
-- One entry of a plan against the database, under the lock: 'publish' or 'already_visible', or a refusal that names the
-- fact with what the plan expected and what was found. What is visible already is nothing to do, whatever else moved since
-- the plan; unless something is recorded of it all the same (`recorded`: a new set), which every fact must allow.
CREATE OR REPLACE FUNCTION repetition.check_publication(entry jsonb, profile_key integer, grant_key integer,
    recorded boolean, inventories jsonb) RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    published CONSTANT uuid := (repetition.bound_release(check_publication.profile_key, inventories)).release;
    facts CONSTANT jsonb := repetition.publication_facts(check_publication.profile_key, check_publication.grant_key, inventories);
    visible CONSTANT boolean := entry ->> 'release' = published::text
        AND starts_with(facts ->> 'visible', published || ' ');
    fact text;
BEGIN
    IF visible AND NOT recorded THEN
        RETURN 'already_visible';
    END IF;
    FOR fact IN SELECT k FROM (SELECT jsonb_object_keys(facts) UNION SELECT jsonb_object_keys(entry -> 'facts')) AS f(k)
                ORDER BY k LIKE '%/%', k COLLATE "C" LOOP
        PERFORM tekrar_meta.compare('fact_mismatch', fact, entry -> 'facts' ->> fact, facts ->> fact, 'TK020');
    END LOOP;
    -- Also where the plan says the same words.
    PERFORM curation.require_approvals(check_publication.profile_key, facts ->> 'approvals');
    PERFORM tekrar_meta.compare('release_id', 'release', entry ->> 'release', published::text, 'TK021');
    IF visible THEN
        RETURN 'already_visible';
    END IF;
    PERFORM repetition.refuse_withdrawn(check_publication.profile_key, published, check_publication.inventories);
    IF EXISTS (SELECT FROM repetition.repetition_release r WHERE r.release = published) THEN
        RAISE EXCEPTION USING ERRCODE = 'TK022',
            MESSAGE = format('release %s was published before and is no longer visible', published),
            DETAIL = jsonb_build_object('kind', 'already_published', 'release', published)::text,
            HINT = 'an earlier release is not made visible again; publish a successor';
    END IF;
    RETURN 'publish';
END
$$;
REVOKE ALL ON FUNCTION repetition.check_publication(jsonb, integer, integer, boolean, jsonb) FROM PUBLIC;
