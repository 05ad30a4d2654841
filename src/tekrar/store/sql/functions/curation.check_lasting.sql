-- Refuses an action whose body says what is not so of rows that never change: those of a sealed profile (members, witness
-- roots, classes, extents), diffs, and what a predecessor has had since it was issued. Nothing of it can become otherwise, so an
-- apply asks it before it takes the lock. Gives the occurrences that the action's families expand to, ascending.
CREATE OR REPLACE FUNCTION curation.check_lasting(a jsonb) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    here CONSTANT record := curation.action_profile(a);
BEGIN
    IF a ? 'family' THEN
        RETURN curation.check_family(here.profile_key, a -> 'family', 'family');
    ELSIF a ? 'supersession' THEN
        RETURN curation.check_supersession(here.profile_key, here.release_key, a);
    ELSIF a ? 'quotation' THEN
        called := curation.check_quotation(here.profile_key, here.release_key, (a ->> 'text_release')::uuid, a -> 'quotation',
                                           'quotation') IS NULL;
    END IF;
    RETURN '{}';
END
$$;
REVOKE ALL ON FUNCTION curation.check_lasting(jsonb) FROM PUBLIC;
