-- What an ID of curation names, exactly, with its state as of a published release (null: now) and its direct successors. It
-- never follows them: the record of a superseded structure is its own (CAN-06, AMB-31). {"kind", "id", "state", "record",
-- "successors", "predecessors", "also"}, the last of them the first 100 names that others gave to it now (ID-08); and of one that
-- ended "ended", as api.ending says it. One that no decision ended and that the release does not bear is not `effective` there
-- (AMB-28, AMB-30): a family of its series needs_successor, anything else is not_in_release. Of a withdrawn release the state
-- was that, and `withdrawn` says since when and why.
CREATE OR REPLACE FUNCTION api.resolve(id uuid, release uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
    SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
    at bigint;
    r record;
    own uuid;
    found_kind text;
    kept jsonb;
    state text;
BEGIN
    IF release IS NOT NULL THEN
        SELECT e.ledger_seq, e.profile_key, e.profile, e.series_key INTO r FROM repetition.repetition_release e
            WHERE e.release = release;
        IF NOT FOUND THEN
            PERFORM api.not_found('repetition release', release::text);
        END IF;
        at := r.ledger_seq;
    END IF;
    SELECT 'repeat_family', jsonb_build_object('kind', f.kind, 'profile', f.profile, 'text_release', f.text_release,
            'expansion', jsonb_build_object('count', f.size, 'root', encode(f.expansion, 'hex')), 'decision', f.decision,
            'members', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('tag', CASE WHEN m.class IS NULL
                THEN 'occurrence' ELSE 'class' END, 'id', coalesce(m.class, m.occurrence), 'witness', encode(m.witness, 'hex'),
                'count', CASE WHEN m.class IS NOT NULL THEN m.size END, 'inventory', encode(m.inventory, 'hex')))
                ORDER BY m."position") FROM curation.family_member m WHERE m.family = f.family))
        INTO found_kind, kept FROM curation.family f WHERE f.family = id;
    IF NOT FOUND THEN
        SELECT 'quotation_relation', jsonb_build_object('kind', q.kind, 'profile', q.profile, 'text_release', q.text_release,
                'source', jsonb_build_object('occurrence', q.source_occurrence, 'selection', q.source_selection, 'ranges',
                    q.source_ranges), 'quoting', jsonb_build_object('occurrence', q.quoting_occurrence, 'selection',
                    q.quoting_selection, 'ranges', q.quoting_ranges), 'mapping', q.extent_mapping, 'diff', q.diff,
                'attribution', q.attribution, 'decision', q.decision)
            INTO found_kind, kept FROM curation.quotation q WHERE q.quotation = id;
    END IF;
    IF found_kind IS NULL THEN
        SELECT 'canonical_choice', jsonb_build_object('profile', c.profile, 'structure', jsonb_build_object('tag', CASE WHEN
                c.family IS NULL THEN 'class' ELSE 'family' END, 'id', coalesce(c.family, c.exact_class), 'release', c.release),
                'member', c.member, 'policy', jsonb_build_object('name', c.policy, 'version', c.policy_version, 'rule', c.rule,
                'document', encode(c.policy_document, 'hex')), 'supersedes', c.supersedes, 'decision', c.decision)
            INTO found_kind, kept FROM curation.canonical_choice c WHERE c.choice = id;
    END IF;
    state := api.structure_state(id, at);
    IF found_kind IS NULL OR state IS NULL THEN
        PERFORM api.not_found('structure', id::text);
    END IF;
    IF release IS NOT NULL AND state = 'effective' THEN
        own := (kept ->> 'profile')::uuid;
        IF own <> r.profile OR NOT api.in_force(r.profile_key, id) THEN
            state := CASE WHEN found_kind = 'repeat_family' AND (own = r.profile OR EXISTS (
                    SELECT FROM repetition.repetition_release e WHERE e.profile = own AND e.series_key = r.series_key))
                THEN 'needs_successor' ELSE 'not_in_release' END;
        END IF;
    END IF;
    RETURN jsonb_strip_nulls(jsonb_build_object('withdrawn', api.incident(release), 'ended', api.ending(id, at)))
        || jsonb_build_object('kind', found_kind, 'id', id, 'state', state, 'record', kept, 'successors', coalesce((
        SELECT jsonb_agg(x.s ORDER BY x.s) FROM (
            SELECT n.successor AS s FROM curation.succession n JOIN curation.supersession p USING (predecessor)
                WHERE n.predecessor = id AND (at IS NULL OR p.decision <= at)
            UNION ALL SELECT c.choice FROM curation.canonical_choice c WHERE c.supersedes = id
                AND (at IS NULL OR c.decision <= at)) AS x), '[]'),
        'predecessors', coalesce((SELECT jsonb_agg(n.predecessor ORDER BY n.predecessor) FROM curation.succession n
            WHERE n.successor = id), '[]'),
        'also', coalesce((SELECT jsonb_agg(jsonb_build_object('namespace', x.in_namespace, 'external', x.named)
            ORDER BY x.in_namespace COLLATE "C", x.named COLLATE "C")
            FROM api.list_crosswalk(id, NULL, NULL, NULL, NULL, 100) AS x), '[]'));
END
$$;
REVOKE ALL ON FUNCTION api.resolve(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.resolve(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher,
    tekrar_auditor;
