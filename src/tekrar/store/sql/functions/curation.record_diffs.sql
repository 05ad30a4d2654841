-- The rows of the diffs that a `proposal` entry carries, from its payload alone. They are exactly those that the action
-- names. An entry of a version before carries none: whoever replays it derives them from the text.
CREATE OR REPLACE FUNCTION curation.record_diffs(payload jsonb, a jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    carried jsonb;
    named record;
BEGIN
    IF NOT payload ? 'diffs' OR payload ->> 'diffs' = '[]' AND NOT a ?| '{family,quotation,supersession}' THEN
        RETURN;
    END IF;
    carried := (payload ->> 'diffs')::jsonb;
    SELECT '[' || coalesce(string_agg(format('{"left":"%s","right":"%s","script":"%s"}', n.lhs, n.rhs, c.one ->> 'script'),
                                      ',' ORDER BY n.place), '') || ']' AS text, array_agg(n.diff::uuid ORDER BY n.place) AS ids
        INTO named FROM curation.named_diffs(a) AS n
        LEFT JOIN jsonb_array_elements(CASE jsonb_typeof(carried) WHEN 'array' THEN carried END) WITH ORDINALITY AS c(one, place)
            USING (place);
    IF named.text IS DISTINCT FROM payload ->> 'diffs' THEN
        PERFORM curation.refuse('ledger_entry', 'the diffs that the entry carries are not those that the action names', 'diffs',
            named.text, payload ->> 'diffs');
    END IF;
    IF carried = '[]' THEN
        RETURN;
    END IF;
    called := curation.keep_diffs((a ->> 'profile')::uuid, carried, '{*}', named.ids) IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.record_diffs(jsonb, jsonb) FROM PUBLIC;
