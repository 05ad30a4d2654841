-- Refuses a choice that is not so: its structure is of a published release of the profile that was not withdrawn, and in
-- force; the member is a member; its policy is registered and says the same; the choice in force is the one it supersedes.
CREATE OR REPLACE FUNCTION curation.check_choice(profile uuid, body jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    structure CONSTANT uuid := (body #>> '{structure,id}')::uuid;
    member CONSTANT uuid := (body ->> 'member')::uuid;
    r record;
    k record;
    present uuid;
    called boolean;
BEGIN
    SELECT e.profile_key, e.ledger_seq INTO r FROM repetition.repetition_release e
        WHERE e.release = (body #>> '{structure,release}')::uuid AND e.profile = profile
          AND NOT EXISTS (SELECT FROM repetition.incident i WHERE i.release = e.release);
    IF NOT FOUND THEN
        PERFORM curation.refuse('not_found', format('no release %s of the profile is published', body #>> '{structure,release}'),
            'choice.structure.release', 'a published release of the profile', body #>> '{structure,release}');
    END IF;
    IF body #>> '{structure,tag}' = 'class' THEN
        SELECT c.class_no, c.winner INTO k FROM repetition.class c WHERE c.profile_key = r.profile_key AND c.class = structure;
        IF NOT FOUND THEN
            PERFORM curation.refuse(CASE WHEN EXISTS (SELECT FROM curation.family f WHERE f.family = structure)
                THEN 'tag_mismatch' ELSE 'not_found' END, format('the release has no exact class %s', structure),
                'choice.structure.id', 'an exact class of the release', structure::text);
        ELSIF k.winner IS NOT NULL AND NOT body ? 'allow_dominated' THEN
            PERFORM curation.refuse('dominated_class', format('class %s is dominated', structure), 'choice.structure.id',
                'a class that is not, or allow_dominated', structure::text);
        END IF;
        PERFORM FROM repetition.occurrence o WHERE o.profile_key = r.profile_key AND o.occurrence = member
            AND o.class_no = k.class_no;
    ELSE
        PERFORM FROM curation.family f WHERE f.family = structure AND f.profile = profile AND f.decision < r.ledger_seq
            AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = structure);
        IF NOT FOUND THEN
            PERFORM curation.refuse('not_found', format('the release has no family %s in force', structure),
                'choice.structure.id', 'a family of the release that is in force', structure::text);
        END IF;
        PERFORM FROM curation.effective_membership m WHERE m.family = structure AND m.occurrence = member;
    END IF;
    IF NOT FOUND THEN
        PERFORM curation.refuse('not_a_member', format('%s is no member of %s', member, structure), 'choice.member',
            'an occurrence of the structure', member::text);
    END IF;
    called := curation.check_policy(body -> 'policy') IS NULL;
    SELECT e.choice INTO present FROM curation.effective_choice e
        WHERE e.structure = structure AND e.policy = body #>> '{policy,name}' AND e.until IS NULL;
    IF present::text IS DISTINCT FROM body ->> 'supersedes' THEN
        PERFORM curation.refuse(CASE WHEN body ? 'supersedes' AND EXISTS (SELECT FROM curation.effective_choice e
                WHERE e.choice::text = body ->> 'supersedes' AND e.until IS NOT NULL) THEN 'superseded_twice'
                ELSE 'competing_choice' END,
            'another choice is in force for this structure and policy than the one that is superseded', 'choice.supersedes',
            coalesce(present::text, 'none in force'), coalesce(body ->> 'supersedes', 'none named'));
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_choice(uuid, jsonb) FROM PUBLIC;
