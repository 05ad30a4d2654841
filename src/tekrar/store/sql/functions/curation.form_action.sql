-- Refuses an action that is not of its form, as far as its bytes alone tell (docs/encoding.md section 13).
-- A function without a result is asked in an expression (`... IS NULL`) here and elsewhere: that needs no query of its own.
CREATE OR REPLACE FUNCTION curation.form_action(a jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    operation CONSTANT text := a ->> 'operation';
    body CONSTANT text := CASE WHEN operation = 'accept_family' THEN 'family' WHEN operation = 'accept_quotation' THEN 'quotation'
        WHEN operation = 'choose_canonical' THEN 'choice' WHEN operation = 'compensate_choice' THEN 'compensation'
        WHEN operation = 'override_false_positive' THEN 'override'
        WHEN operation IN ('replace', 'split', 'merge', 'restructure', 'retire') THEN 'supersession' END;
BEGIN
    IF body IS NULL THEN
        PERFORM curation.refuse('unknown_operation', format('%s is no operation of curation', operation), 'operation',
            'accept_family, accept_quotation, choose_canonical, compensate_choice, override_false_positive, replace, split, '
            'merge, restructure or retire', operation);
    END IF;
    called := curation.form_object(a, 'action', ARRAY['format', 'operation', 'edition', 'profile', 'text_release', 'rationale',
        'expected', 'candidates', 'evidence', 'policy_of_review', body]) IS NULL;
    called := curation.form_object(a -> 'expected', 'expected', '{occurrences,structures}') IS NULL;
    called := curation.form_array(a #> '{expected,structures}', 'expected.structures') IS NULL;
    called := curation.form_ids(a -> 'candidates', 'candidates') IS NULL;
    called := curation.form_ids(a -> 'evidence', 'evidence') IS NULL;
    -- All of it at once; one by one only where that does not hold, to say what.
    IF concat_ws(' ', a ->> 'format', a ->> 'policy_of_review', a ->> 'profile', a ->> 'text_release',
                 a #>> '{expected,occurrences}') !~ ('^tekrar/curation-action/v1 (default|two-approvals)[.]v1'
            '( [0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}){2} [0-9a-f]{64}$')
       OR (jsonb_typeof(a -> 'edition') = 'string' AND octet_length(a ->> 'edition') BETWEEN 1 AND 65536
           AND jsonb_typeof(a -> 'rationale') = 'string' AND octet_length(a ->> 'rationale') BETWEEN 1 AND 65536) IS NOT true THEN
        called := curation.form_text(a -> 'format', 'format', '^tekrar/curation-action/v1$') IS NULL;
        called := curation.form_text(a -> 'edition', 'edition', 'words') IS NULL;
        called := curation.form_text(a -> 'profile', 'profile', 'uuid') IS NULL;
        called := curation.form_text(a -> 'text_release', 'text_release', 'uuid') IS NULL;
        called := curation.form_text(a -> 'rationale', 'rationale', 'words') IS NULL;
        called := curation.form_text(a -> 'policy_of_review', 'policy_of_review', '^(default|two-approvals)[.]v1$') IS NULL;
        called := curation.form_text(a #> '{expected,occurrences}', 'expected.occurrences', 'digest') IS NULL;
    END IF;
    CASE body
        WHEN 'family' THEN called := curation.form_family(a -> body, body) IS NULL;
        WHEN 'quotation' THEN called := curation.form_quotation(a -> body, body) IS NULL;
        WHEN 'choice' THEN called := curation.form_choice(a -> body, body) IS NULL;
        WHEN 'supersession' THEN called := curation.form_supersession(operation, a -> body, body) IS NULL;
        WHEN 'compensation' THEN
            called := curation.form_object(a -> body, body, '{choice,reason}') IS NULL;
            called := curation.form_text(a #> '{compensation,choice}', 'compensation.choice', 'uuid') IS NULL;
            called := curation.form_text(a #> '{compensation,reason}', 'compensation.reason', 'words') IS NULL;
        WHEN 'override' THEN
            called := curation.form_object(a -> body, body, '{candidate,generator,participants,event}') IS NULL;
            called := curation.form_text(a #> '{override,candidate}', 'override.candidate', 'uuid') IS NULL;
            PERFORM curation.form_text(a -> body -> k, 'override.' || k, 'digest')
                FROM unnest('{generator,participants,event}'::text[]) AS k;
    END CASE;
END
$$;
REVOKE ALL ON FUNCTION curation.form_action(jsonb) FROM PUBLIC;
