-- Refuses candidates that an action names as its grounds and that are of other passages (FAM-02, QUO-01). One is of this action
-- where a passage of it is one that the action is about, shares a byte with it, or is exactly equal to it: a side of a candidate
-- stands for its whole class. What an action is about: the members of its families (`ids`, ascending) and of those that it
-- ends, both ends of quotations, a choice's member and structure, the candidate whose mark is overridden. Naming none is
-- allowed: somebody may find what no generator found.
CREATE OR REPLACE FUNCTION curation.check_candidates(a jsonb, ids uuid[]) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_variable
DECLARE
    profile CONSTANT uuid := (a ->> 'profile')::uuid;
    key CONSTANT integer := (curation.action_profile(a)).profile_key;
    choice CONSTANT uuid := (a #>> '{compensation,choice}')::uuid;
    before CONSTANT uuid[] := ARRAY(SELECT p::uuid
        FROM jsonb_array_elements_text(coalesce(a #> '{supersession,predecessors}', '[]')) AS p);
    structure uuid := (a #>> '{choice,structure,id}')::uuid;
    member uuid := (a #>> '{choice,member}')::uuid;
    about uuid[];
    odd record;
BEGIN
    IF choice IS NOT NULL THEN
        SELECT k.member, coalesce(k.family, k.exact_class) INTO member, structure FROM curation.canonical_choice k
            WHERE k.choice = choice;
    END IF;
    -- The members of a chosen class are exactly equal to the one that is chosen, so it stands for all of them.
    about := ids || member
        || ARRAY(SELECT (e #>> '{}')::uuid FROM jsonb_path_query(a, '$.quotation.*.occurrence') AS e)
        || ARRAY(SELECT (e #>> '{}')::uuid FROM jsonb_path_query(a, '$.supersession.successors[*].quotation.*.occurrence') AS e)
        || ARRAY(SELECT m.occurrence FROM curation.effective_membership m WHERE m.family = ANY (before || structure))
        || ARRAY(SELECT unnest(ARRAY[q.source_occurrence, q.quoting_occurrence]) FROM curation.quotation q
                 WHERE q.quotation = ANY (before))
        || ARRAY(SELECT p.occurrence FROM curation.candidate k JOIN curation.candidate_participant p USING (set_key, candidate)
                 WHERE k.candidate = (a #>> '{override,candidate}')::uuid AND k.profile = profile);
    SELECT c.own, c.n INTO odd FROM (SELECT e.one::uuid AS own, e.n FROM jsonb_array_elements_text(a -> 'candidates')
                                     WITH ORDINALITY AS e(one, n)) AS c
        WHERE NOT EXISTS (
            SELECT FROM curation.candidate k JOIN curation.candidate_participant p USING (set_key, candidate)
            WHERE k.candidate = c.own AND k.profile = profile AND p.occurrence = ANY (about))
        AND NOT EXISTS (
            SELECT FROM curation.candidate k JOIN curation.candidate_participant p USING (set_key, candidate)
            JOIN repetition.occurrence x ON x.profile_key = key AND x.occurrence = p.occurrence
            JOIN repetition.occurrence y ON y.profile_key = key AND y.occurrence = ANY (about)
                AND (y.class_no = x.class_no OR (y.start_byte < x.start_byte + x.extent AND x.start_byte < y.start_byte + y.extent))
            WHERE k.candidate = c.own AND k.profile = profile)
        ORDER BY c.n LIMIT 1;
    IF FOUND THEN
        PERFORM curation.refuse('candidate_mismatch', format('candidate %s is of other passages: %s', odd.own, (
                SELECT string_agg(DISTINCT p.occurrence::text, ', ') FROM curation.candidate k
                JOIN curation.candidate_participant p USING (set_key, candidate) WHERE k.candidate = odd.own AND k.profile = profile)),
            format('candidates[%s]', odd.n - 1), 'a candidate of a passage that the action is about', odd.own::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_candidates(jsonb, uuid[]) FROM PUBLIC;
