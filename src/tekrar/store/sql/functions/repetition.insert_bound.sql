-- Inserts one release of a sealed profile with its control record, moves the heads of its profile to the inventories that it
-- binds, and its series' pointer by compare-and-set. Live and at replay.
CREATE OR REPLACE FUNCTION repetition.insert_bound(profile_key integer, actor_key integer, ledger_seq bigint,
    inventories jsonb, moment timestamptz) RETURNS uuid
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    b CONSTANT record := repetition.bound_release(insert_bound.profile_key, inventories);
    what record;
    series repetition.series;
    old repetition.visible;
    moved integer;
BEGIN
    SELECT p.profile_key, p.profile, p.projection, p.enumerator, a.policy_digest, t.release_key, t.edition, t.language
        INTO STRICT what FROM repetition.profile p JOIN repetition.artifact a USING (artifact_key)
        JOIN core.release t USING (release_key) WHERE p.profile_key = insert_bound.profile_key;
    -- All series of an edition have one language (docs/decisions/0007): another one has another policy, and so a series of
    -- its own, which nothing else would refuse.
    PERFORM tekrar_meta.compare('series_language', 'language', s.language, what.language, 'TK024')
        FROM repetition.series s WHERE s.edition = what.edition ORDER BY s.series_key;
    INSERT INTO repetition.series (edition, policy_digest, projection, enumerator, language)
        VALUES (what.edition, what.policy_digest, what.projection, what.enumerator, what.language) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT series FROM repetition.series s WHERE (s.edition, s.policy_digest, s.projection, s.enumerator)
        = (what.edition, what.policy_digest, what.projection, what.enumerator);
    INSERT INTO repetition.visible (series_key, release, version) VALUES (series.series_key, NULL, 0)
        ON CONFLICT (series_key) DO NOTHING;
    PERFORM curation.move_inventories(what.profile, inventories);
    PERFORM tekrar_meta.step('publish/series');
    SELECT * INTO STRICT old FROM repetition.visible v WHERE v.series_key = series.series_key FOR UPDATE;
    INSERT INTO repetition.repetition_release (release, series_key, profile_key, artifact_key, release_key, short, profile,
                                               predicate, enumerator, text_release, bound, roots, compiler, published_by,
                                               recorded_at, ledger_seq)
        SELECT b.release, series.series_key, p.profile_key, p.artifact_key, t.release_key, p.short, p.profile, p.predicate,
               p.enumerator, t.text_release, b.bound, b.roots, b.compiler, insert_bound.actor_key, moment,
               insert_bound.ledger_seq
        FROM repetition.profile p, core.release t
        WHERE p.profile_key = what.profile_key AND t.release_key = what.release_key;
    PERFORM tekrar_meta.step('publish/release');
    INSERT INTO restricted.release_control (release, provenance_head, transformation_head, validation_head, evidence_root)
        SELECT b.release, decode(f.facts ->> 'head/provenance', 'hex'), decode(f.facts ->> 'head/transformation', 'hex'),
               decode(f.facts ->> 'root/validation', 'hex'), decode(f.facts ->> 'root/evidence', 'hex')
        FROM (SELECT convert_from(b.bound, 'UTF8')::jsonb AS facts) AS f;
    PERFORM tekrar_meta.step('publish/pointer');
    UPDATE repetition.visible v SET release = b.release, version = old.version + 1
        WHERE v.series_key = series.series_key AND v.release IS NOT DISTINCT FROM old.release AND v.version = old.version;
    GET DIAGNOSTICS moved = ROW_COUNT;
    PERFORM tekrar_meta.compare('fact_mismatch', 'visible', '1', moved::text, 'TK020');
    PERFORM tekrar_meta.step('publish/moved');
    RETURN b.release;
END
$$;
REVOKE ALL ON FUNCTION repetition.insert_bound(integer, integer, bigint, jsonb, timestamptz) FROM PUBLIC;
