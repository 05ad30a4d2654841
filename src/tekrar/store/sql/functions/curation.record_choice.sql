-- The rows of one canonical choice; the one that it supersedes ends.
CREATE OR REPLACE FUNCTION curation.record_choice(seq bigint, structure uuid, a jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    body CONSTANT jsonb := a -> 'choice';
    whom CONSTANT uuid := (body #>> '{structure,id}')::uuid;
BEGIN
    UPDATE curation.effective_choice e SET until = seq WHERE e.choice = (body ->> 'supersedes')::uuid AND e.until IS NULL;
    called := tekrar_meta.step('apply/ended') IS NULL;
    INSERT INTO curation.canonical_choice (choice, profile, exact_class, family, release, member, policy, policy_version,
                                           rule, policy_document, supersedes, decision)
        VALUES (structure, (a ->> 'profile')::uuid, CASE body #>> '{structure,tag}' WHEN 'class' THEN whom END,
            CASE body #>> '{structure,tag}' WHEN 'family' THEN whom END, (body #>> '{structure,release}')::uuid,
            (body ->> 'member')::uuid, body #>> '{policy,name}', body #>> '{policy,version}', body #>> '{policy,rule}',
            decode(body #>> '{policy,document}', 'hex'), (body ->> 'supersedes')::uuid, seq);
    called := tekrar_meta.step('apply/choice') IS NULL;
    INSERT INTO curation.effective_choice (choice, profile, structure, policy, since)
        VALUES (structure, (a ->> 'profile')::uuid, whom, body #>> '{policy,name}', seq);
    called := tekrar_meta.step('apply/in_force') IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.record_choice(bigint, uuid, jsonb) FROM PUBLIC;
