-- The rows of one accepted family.
CREATE OR REPLACE FUNCTION curation.record_family(seq bigint, structure uuid, a jsonb, body jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    profile CONSTANT uuid := (a ->> 'profile')::uuid;
    key CONSTANT integer := (curation.action_profile(a)).profile_key;
BEGIN
    INSERT INTO curation.family (family, profile, text_release, kind, members, expansion, size, decision)
        VALUES (structure, profile, (a ->> 'text_release')::uuid, body ->> 'kind',
                -- The canonical bytes of the members: no ID, digest or number has anything to escape.
                (SELECT sha256(convert_to('[' || string_agg('{' || coalesce('"count":"' || (m ->> 'count') || '",', '')
                    || '"id":"' || (m ->> 'id') || coalesce('","inventory":"' || (m ->> 'inventory'), '') || '","tag":"'
                    || (m ->> 'tag') || '","witness":"' || (m ->> 'witness') || '"}', ',' ORDER BY n) || ']', 'UTF8'))
                 FROM jsonb_array_elements(body -> 'members') WITH ORDINALITY AS e(m, n)),
                decode(body #>> '{expansion,root}', 'hex'), (body #>> '{expansion,count}')::integer, seq);
    called := tekrar_meta.step('apply/family') IS NULL;
    INSERT INTO curation.family_member (family, "position", occurrence, class, witness, size, inventory)
        SELECT structure, m.n - 1, CASE m.one ->> 'tag' WHEN 'occurrence' THEN (m.one ->> 'id')::uuid END,
               CASE m.one ->> 'tag' WHEN 'class' THEN (m.one ->> 'id')::uuid END, decode(m.one ->> 'witness', 'hex'),
               coalesce((m.one ->> 'count')::integer, 1), decode(m.one ->> 'inventory', 'hex')
        FROM jsonb_array_elements(body -> 'members') WITH ORDINALITY AS m(one, n);
    INSERT INTO curation.family_diff (family, left_occurrence, right_occurrence, diff)
        SELECT structure, (d ->> 'left')::uuid, (d ->> 'right')::uuid, (d ->> 'diff')::uuid
        FROM jsonb_array_elements(body -> 'diffs') AS d;
    called := tekrar_meta.step('apply/members') IS NULL;
    INSERT INTO curation.effective_membership (profile, occurrence, family, "position", since)
        SELECT profile, e.occurrence, structure, e."position", seq FROM curation.expanded(key, body) AS e;
    called := tekrar_meta.step('apply/expansion') IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.record_family(bigint, uuid, jsonb, jsonb) FROM PUBLIC;
