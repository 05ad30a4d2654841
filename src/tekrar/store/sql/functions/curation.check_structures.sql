-- Refuses an action whose structures are not those it must expect, or of which one is not in force now. `late` at the
-- apply, where the proposal was right when it was made.
CREATE OR REPLACE FUNCTION curation.check_structures(a jsonb, late boolean) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    named CONSTANT jsonb := curation.expected_structures(a);
    one record;
BEGIN
    IF named IS DISTINCT FROM a #> '{expected,structures}' THEN
        PERFORM curation.refuse('expected_state_mismatch', 'the expected structures are not those of the action',
            'expected.structures', named::text, (a #> '{expected,structures}')::text);
    END IF;
    IF named = '[]' THEN
        RETURN;
    END IF;
    FOR one IN SELECT e ->> 'id' AS id, api.structure_state((e ->> 'id')::uuid) AS state
               FROM jsonb_array_elements(named) AS e LOOP
        IF one.state IS NULL THEN
            PERFORM curation.refuse('not_found', format('there is no structure %s', one.id), 'expected.structures',
                'a family, quotation or choice', one.id);
        ELSIF one.state <> 'effective' THEN
            PERFORM curation.refuse(CASE WHEN late THEN 'expected_state_mismatch' ELSE 'superseded_twice' END,
                format('%s is %s already', one.id, one.state), 'expected.structures', 'effective', one.state);
        END IF;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION curation.check_structures(jsonb, boolean) FROM PUBLIC;
