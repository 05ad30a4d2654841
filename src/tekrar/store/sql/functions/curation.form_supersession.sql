-- The form of a supersession: predecessors ascending, successors of one sort ascending by their bytes, a mapping with one
-- line a member, and the shape of its operation (AMB-31).
CREATE OR REPLACE FUNCTION curation.form_supersession(operation text, body jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    m integer;
    n integer;
    one record;
BEGIN
    called := curation.form_object(body, place, '{predecessors,successors,mapping,reason}') IS NULL;
    called := curation.form_text(body -> 'reason', place || '.reason', 'words') IS NULL;
    called := curation.form_ids(body -> 'predecessors', place || '.predecessors') IS NULL;
    called := curation.form_array(body -> 'predecessors', place || '.predecessors', 1) IS NULL;
    called := curation.form_array(body -> 'successors', place || '.successors') IS NULL;
    m := jsonb_array_length(body -> 'predecessors');
    n := jsonb_array_length(body -> 'successors');
    IF NOT (CASE operation WHEN 'replace' THEN m = 1 AND n = 1 WHEN 'split' THEN m = 1 AND n >= 2
            WHEN 'merge' THEN m >= 2 AND n = 1 WHEN 'retire' THEN m = 1 AND n = 0
            ELSE n >= 2 AND (m >= 2 OR coalesce(jsonb_path_exists(body,
                'strict $.mapping[*].to ? (@.type() == "array" && @.size() > 1)', silent => true), false))
            END) THEN
        PERFORM curation.refuse('shape', format('%s predecessors and %s successors are no %s', m, n, operation), place,
            'replace 1 to 1, split 1 to 2 or more, merge 2 or more to 1, retire 1 to 0, restructure otherwise');
    END IF;
    FOR one IN SELECT s, i, tekrar_meta.canonical_json(s) COLLATE "C" <= lag(tekrar_meta.canonical_json(s) COLLATE "C")
                   OVER (ORDER BY i) AS disorder, body #> '{successors,0}' ? 'family' AS of_family
               FROM jsonb_array_elements(body -> 'successors') WITH ORDINALITY AS e(s, i) LOOP
        called := curation.form_object(one.s, format('%s.successors[%s]', place, one.i - 1),
                                     CASE WHEN one.of_family THEN '{family}'::text[] ELSE '{quotation}' END) IS NULL;
        IF one.disorder THEN
            PERFORM curation.refuse('malformed', 'the successors are not ascending by their bytes, each once',
                                    place || '.successors');
        ELSIF one.of_family THEN
            called := curation.form_family(one.s -> 'family', format('%s.successors[%s].family', place, one.i - 1)) IS NULL;
        ELSE
            called := curation.form_quotation(one.s -> 'quotation', format('%s.successors[%s].quotation', place, one.i - 1)) IS NULL;
        END IF;
    END LOOP;
    called := curation.form_mapping(operation, body -> 'mapping', n, place || '.mapping') IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.form_supersession(text, jsonb, text) FROM PUBLIC;
