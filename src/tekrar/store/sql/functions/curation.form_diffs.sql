-- The form of a family's diffs: ordered pairs with the ID of each, ascending, a pair once.
CREATE OR REPLACE FUNCTION curation.form_diffs(value jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    wrong record;
BEGIN
    called := curation.form_array(value, place) IS NULL;
    SELECT d.n, d.one INTO wrong FROM (
            SELECT n, one, CASE jsonb_typeof(one) WHEN 'object' THEN concat_ws(' ', one ->> 'left', one ->> 'right') END
                       COLLATE "C" AS key,
                   lag(CASE jsonb_typeof(one) WHEN 'object' THEN concat_ws(' ', one ->> 'left', one ->> 'right') END
                       COLLATE "C") OVER (ORDER BY n) AS before
            FROM jsonb_array_elements(value) WITH ORDINALITY AS e(one, n)) AS d
        WHERE jsonb_typeof(d.one) <> 'object' OR d.key <= d.before OR NOT d.one ?& '{left,right,diff}'
           OR (SELECT count(*) <> 3 OR bool_or(x.value !~
                   '^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$') FROM jsonb_each_text(
                   CASE jsonb_typeof(d.one) WHEN 'object' THEN d.one END) AS x)
        ORDER BY d.n LIMIT 1;
    IF FOUND THEN
        PERFORM curation.refuse('malformed', format('%s has no diff in its place at %s', place, wrong.n),
            format('%s[%s]', place, wrong.n - 1), 'left, right and diff, ascending, a pair once', wrong.one::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_diffs(jsonb, text) FROM PUBLIC;
