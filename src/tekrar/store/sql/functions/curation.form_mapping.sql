-- The form of a member mapping: [{"member": {"tag", "id"}, "to": ["0", …] or "residue"}], ascending, a member once; one
-- successor for each member but in a restructure.
CREATE OR REPLACE FUNCTION curation.form_mapping(operation text, value jsonb, successors integer, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    one record;
BEGIN
    called := curation.form_array(value, place, 1) IS NULL;
    FOR one IN SELECT e.line, format('%s[%s]', place, e.n - 1) AS at, lag(e.line) OVER (ORDER BY e.n) AS before
               FROM jsonb_array_elements(value) WITH ORDINALITY AS e(line, n) LOOP
        called := curation.form_object(one.line, one.at, '{member,to}') IS NULL;
        called := curation.form_object(one.line -> 'member', one.at || '.member', '{tag,id}') IS NULL;
        called := curation.form_text(one.line #> '{member,tag}', one.at || '.member.tag', '^(class|occurrence|quotation)$') IS NULL;
        called := curation.form_text(one.line #> '{member,id}', one.at || '.member.id', 'uuid') IS NULL;
        IF concat_ws(' ', one.line #>> '{member,tag}', one.line #>> '{member,id}') COLLATE "C"
           <= concat_ws(' ', one.before #>> '{member,tag}', one.before #>> '{member,id}') COLLATE "C" THEN
            PERFORM curation.refuse('malformed', 'the mapping is not ascending, each member once', one.at);
        ELSIF one.line -> 'to' = '"residue"' THEN
            CONTINUE;
        END IF;
        called := curation.form_array(one.line -> 'to', one.at || '.to', 1) IS NULL;
        PERFORM curation.form_text(t, one.at || '.to', '^(0|[1-9][0-9]{0,8})$') FROM jsonb_array_elements(one.line -> 'to') AS t;
        IF (SELECT bool_or(x.i <= x.before OR x.i >= successors) FROM (SELECT t::integer AS i, lag(t::integer) OVER (ORDER BY n)
                AS before FROM jsonb_array_elements_text(one.line -> 'to') WITH ORDINALITY AS l(t, n)) AS x)
           OR (jsonb_array_length(one.line -> 'to') > 1
               AND (operation <> 'restructure' OR one.line #>> '{member,tag}' = 'occurrence')) THEN
            PERFORM curation.refuse('malformed', 'a member goes to successors of the action, ascending, to one alone but in a '
                'restructure', one.at || '.to', 'numbers below the count of successors', (one.line -> 'to')::text);
        END IF;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION curation.form_mapping(text, jsonb, integer, text) FROM PUBLIC;
