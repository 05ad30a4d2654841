-- Refuses an action for what other decisions, marks and publications may change at any time: a choice, a compensation or an
-- override that does not fit what is in force, occurrences that are in other families than it expects, or in one already; and
-- candidates or evidence that are not there, or candidates of other passages. `ids` are the occurrences that its families expand to, ascending.
CREATE OR REPLACE FUNCTION curation.check_now(a jsonb, ids uuid[]) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    profile CONSTANT uuid := (a ->> 'profile')::uuid;
    expected text;
    odd text;
BEGIN
    IF a ? 'choice' THEN
        called := curation.check_choice(profile, a -> 'choice') IS NULL;
    ELSIF a ? 'override' THEN
        called := curation.check_override(profile, a -> 'override') IS NULL;
    ELSIF a ? 'compensation' THEN
        PERFORM FROM curation.effective_choice c WHERE c.choice = (a #>> '{compensation,choice}')::uuid
            AND c.profile = profile;
        IF NOT FOUND THEN
            PERFORM curation.refuse('tag_mismatch', format('%s is no choice of the profile', a #>> '{compensation,choice}'),
                'compensation.choice', 'a canonical choice of the profile', a #>> '{compensation,choice}');
        END IF;
    END IF;
    expected := encode(curation.expected_occurrences(profile, ids), 'hex');
    IF expected <> a #>> '{expected,occurrences}' THEN
        PERFORM curation.refuse('expected_state_mismatch', 'the occurrences are not in the families that the proposal expects',
            'expected.occurrences', expected, a #>> '{expected,occurrences}');
    END IF;
    -- Occurrence by occurrence: however many memberships there are, the plan looks each one up. Of none there is nothing to ask.
    IF ids <> '{}' THEN
        SELECT o.id || ' in ' || m.family INTO odd FROM unnest(ids) AS o(id)
            CROSS JOIN LATERAL (SELECT e.family FROM curation.effective_membership e WHERE e.profile = profile
                                  AND e.occurrence = o.id AND e.until IS NULL LIMIT 1) AS m
            WHERE NOT coalesce(a #> '{supersession,predecessors}' ? m.family::text, false) LIMIT 1;
    END IF;
    IF odd IS NOT NULL THEN
        PERFORM curation.refuse('competing_membership', format('an occurrence is in another family already: %s', odd),
            'expected.occurrences', 'occurrences of no family in force, or of a predecessor', odd);
    END IF;
    IF a -> 'candidates' <> '[]' THEN
        SELECT 'candidate ' || c INTO odd FROM jsonb_array_elements_text(a -> 'candidates') AS c
            WHERE NOT EXISTS (SELECT FROM curation.candidate k WHERE k.candidate = c::uuid AND k.profile = profile) LIMIT 1;
    END IF;
    IF odd IS NULL AND a -> 'evidence' <> '[]' THEN
        SELECT 'evidence ' || e INTO odd FROM jsonb_array_elements_text(a -> 'evidence') AS e
            WHERE NOT EXISTS (SELECT FROM curation.evidence k JOIN curation.candidate_set s USING (set_key)
                              WHERE k.evidence = e::uuid AND s.profile = profile) LIMIT 1;
    END IF;
    IF odd IS NOT NULL THEN
        PERFORM curation.refuse('not_found', format('there is no %s', odd), split_part(odd, ' ', 1), 'what is loaded', odd);
    END IF;
    IF a -> 'candidates' <> '[]' THEN
        called := curation.check_candidates(a, ids) IS NULL;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_now(jsonb, uuid[]) FROM PUBLIC;
