-- Makes the releases of a `publication` entry again from what is loaded and decided, and compares their IDs; or withdraws
-- one. The heads stand where they stood before the entry. Gives what the head of publication is moved by, in order.
CREATE OR REPLACE FUNCTION curation.replay_publication(seq bigint, kind text, payload jsonb) RETURNS bytea[]
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    moment CONSTANT timestamptz := (payload ->> 'recorded_at')::timestamptz;
    actor CONSTANT integer := curation.actor_named(payload ->> 'actor');
    happened bytea[] := '{}';
    wanted uuid;
    made jsonb := '{}';
    fit record;
    one record;
BEGIN
    IF kind = 'withdrawal' THEN
        SELECT s.edition, s.series_key INTO one FROM repetition.repetition_release r JOIN repetition.series s
            USING (series_key) WHERE r.release::text = payload ->> 'release';
        IF NOT FOUND THEN
            PERFORM curation.refuse('ledger_entry', format('no release %s was published before', payload ->> 'release'),
                'release', 'a release of an earlier entry', payload ->> 'release');
        ELSIF btrim(payload ->> 'reason') = '' THEN
            PERFORM curation.refuse('ledger_entry', 'a withdrawal without a reason', 'reason', 'words that say why',
                                    payload ->> 'reason');
        ELSIF EXISTS (SELECT FROM repetition.incident i WHERE i.release::text = payload ->> 'release') THEN
            PERFORM curation.refuse('ledger_entry', format('release %s was withdrawn before', payload ->> 'release'),
                'release', 'a release that was not withdrawn', payload ->> 'release');
        END IF;
        PERFORM curation.require_grant_at(actor, '{publisher}', one.edition, moment);
        INSERT INTO repetition.incident (release, reason, withdrawn_by, recorded_at, ledger_seq)
            VALUES ((payload ->> 'release')::uuid, payload ->> 'reason', actor, moment, seq);
        UPDATE repetition.visible v SET release = NULL, version = v.version + 1
            WHERE v.series_key = one.series_key AND v.release = (payload ->> 'release')::uuid;
        RETURN ARRAY[uuid_send((payload ->> 'release')::uuid) || convert_to(payload ->> 'reason', 'UTF8')];
    END IF;
    IF payload ->> 'releases' = '' AND payload ->> 'set' = '' THEN
        PERFORM curation.refuse('ledger_entry', 'a publication of nothing', 'releases', 'a release, or a set', '');
    END IF;
    -- What would be published now, by ID: nothing of one release changes what another binds.
    FOR one IN SELECT p.profile_key, t.edition, i.roots, (repetition.bound_release(p.profile_key, i.roots)).release
               FROM repetition.profile p JOIN repetition.seal USING (artifact_key) JOIN repetition.artifact a USING (artifact_key)
               JOIN core.release t USING (release_key)
               CROSS JOIN LATERAL (SELECT curation.inventory_roots(p.profile_key) AS roots) AS i
               WHERE payload ->> 'releases' <> '' LOOP
        made := made || jsonb_build_object(one.release::text, to_jsonb(one));
    END LOOP;
    FOREACH wanted IN ARRAY string_to_array(payload ->> 'releases', ',')::uuid[] LOOP
        SELECT (m ->> 'profile_key')::integer AS profile_key, m ->> 'edition' AS edition, m -> 'roots' AS roots
            INTO fit FROM (SELECT made -> wanted::text AS m) AS x WHERE m IS NOT NULL;
        IF NOT FOUND THEN
            PERFORM curation.refuse('ledger_entry', format('release %s does not come out of what is loaded and decided', wanted),
                'releases', wanted::text, (SELECT string_agg(k, ', ') FROM jsonb_object_keys(made) AS k));
        END IF;
        PERFORM curation.require_grant_at(actor, '{publisher}', fit.edition, moment);
        PERFORM repetition.insert_bound(fit.profile_key, actor, seq, fit.roots, moment);
        happened := happened || uuid_send(wanted);
    END LOOP;
    IF payload ->> 'set' <> '' THEN
        PERFORM curation.replay_set(payload ->> 'set', moment);
    END IF;
    RETURN happened;
END
$$;
REVOKE ALL ON FUNCTION curation.replay_publication(bigint, text, jsonb) FROM PUBLIC;
