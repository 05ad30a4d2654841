-- Publishes a plan whole or not at all: {"publications": [api.prepare_publication(…)…], "set": true|false}.
-- Locks the heads, compares every fact of REL-04 with the plan, inserts the releases, moves the pointers. A plan whose
-- releases are all visible already is 'already_visible' and changes nothing, but for their set where it is a new one.
-- Returns {"outcome", "releases": [{"short", "release", "outcome"}…], "set"}.
CREATE OR REPLACE FUNCTION api.publish(plan jsonb) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    actor CONSTANT integer := curation.current_actor();
    entries CONSTANT jsonb := plan -> 'publications';
    entry jsonb;
    what record;
    inventories jsonb := '{}';
    outcome text;
    done jsonb := '[]';
    waiting jsonb := '[]';
    together uuid[];
    seq bigint;
    moment timestamptz;
    this_set bytea;
    new_set boolean := false;
BEGIN
    PERFORM api.require_scope('tekrar_publisher');
    PERFORM repetition.check_plan(plan);
    PERFORM curation.lock_heads(ARRAY(SELECT (repetition.sealed_profile(e ->> 'artifact_root', e ->> 'short')).profile::text
                                      FROM jsonb_array_elements(entries) AS e));
    PERFORM tekrar_meta.step('publish/locked');
    FOR entry IN SELECT * FROM jsonb_array_elements(entries) LOOP
        what := repetition.sealed_profile(entry ->> 'artifact_root', entry ->> 'short');
        -- Computed once, under the lock: what is compared is what is bound, and what the heads move to.
        inventories := inventories || jsonb_build_object(what.profile_key::text, curation.inventory_roots(what.profile_key));
        outcome := repetition.check_publication(entry, what.profile_key, curation.require_grant(actor, 'publisher', what.edition),
                                                false, inventories -> what.profile_key::text);
        done := done || jsonb_build_object('short', entry -> 'short', 'release', entry -> 'release', 'outcome', outcome);
        IF outcome = 'publish' THEN
            waiting := waiting || entry;
        END IF;
    END LOOP;
    moment := clock_timestamp();
    PERFORM tekrar_meta.step('publish/checked');
    IF (plan ->> 'set')::boolean THEN
        together := ARRAY(SELECT (d ->> 'release')::uuid FROM jsonb_array_elements(done) AS d
                          ORDER BY (d ->> 'short') COLLATE "C");
        this_set := sha256(repetition.set_document(together));
        new_set := NOT EXISTS (SELECT FROM repetition.release_set s WHERE s.release_set = this_set);
    END IF;
    -- Releases that are visible already and were never shown together are an entry too: that of their set; so every fact
    -- of them is compared as well.
    IF new_set THEN
        FOR entry IN SELECT e FROM jsonb_array_elements(entries) AS e WHERE NOT waiting @> jsonb_build_array(e) LOOP
            what := repetition.sealed_profile(entry ->> 'artifact_root', entry ->> 'short');
            PERFORM repetition.check_publication(entry, what.profile_key, curation.require_grant(actor, 'publisher', what.edition),
                                                 true, inventories -> what.profile_key::text);
        END LOOP;
    END IF;
    IF jsonb_array_length(waiting) > 0 OR new_set THEN
        seq := curation.append('publication', jsonb_build_object('actor', (SELECT a.name FROM curation.actor a
            WHERE a.actor_key = actor), 'recorded_at', tekrar_meta.instant(moment), 'releases',
            coalesce((SELECT string_agg(w ->> 'release', ',' ORDER BY place) FROM jsonb_array_elements(waiting)
                      WITH ORDINALITY AS listed(w, place)), ''), 'set', coalesce(encode(this_set, 'hex'), '')));
        PERFORM tekrar_meta.step('publish/ledger');
    END IF;
    FOR entry IN SELECT * FROM jsonb_array_elements(waiting) LOOP
        what := repetition.sealed_profile(entry ->> 'artifact_root', entry ->> 'short');
        PERFORM curation.move_to('repetition', uuid_send(repetition.insert_release(
            entry ->> 'artifact_root', entry ->> 'short', actor, seq, inventories -> what.profile_key::text)));
        PERFORM tekrar_meta.step('publish/' || (entry ->> 'short'));
    END LOOP;
    IF together IS NOT NULL THEN
        this_set := repetition.insert_set(together, moment);
        PERFORM tekrar_meta.step('publish/set');
    END IF;
    PERFORM tekrar_meta.step('publish/done');
    RETURN jsonb_build_object('outcome', CASE WHEN jsonb_array_length(waiting) = 0 THEN 'already_visible' ELSE 'published' END,
                              'releases', done, 'set', encode(this_set, 'hex'));
END
$$;
REVOKE ALL ON FUNCTION api.publish(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.publish(jsonb) TO tekrar_publisher;
