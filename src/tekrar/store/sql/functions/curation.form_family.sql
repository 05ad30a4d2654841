-- The form of a family's body: closed kind, tagged members ascending, each once, required keys of each tag, diffs ascending.
CREATE OR REPLACE FUNCTION curation.form_family(body jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    wrong record;
BEGIN
    called := curation.form_object(body, place, '{kind,members,expansion,diffs}', '{allow_dominated}') IS NULL;
    IF body ->> 'kind' IS NULL OR body ->> 'kind' <> ALL ('{near_exact,variant}') THEN
        PERFORM curation.refuse('unknown_kind', format('a family is no %s', body ->> 'kind'), place || '.kind',
            'near_exact or variant', body ->> 'kind');
    ELSIF body ? 'allow_dominated' AND body ->> 'allow_dominated' IS DISTINCT FROM 'yes' THEN
        PERFORM curation.refuse('malformed', 'allow_dominated says yes or is not there', place || '.allow_dominated', 'yes');
    END IF;
    called := curation.form_array(body -> 'members', place || '.members', 2) IS NULL;
    SELECT m.n, m.one, CASE
            WHEN jsonb_typeof(m.one) <> 'object' OR m.one ->> 'tag' IS NULL THEN 'tag_mismatch'
            WHEN m.one ->> 'tag' NOT IN ('class', 'occurrence') THEN 'tag_mismatch'
            WHEN m.key = m.before THEN 'double_membership'
            ELSE 'malformed' END AS kind
        INTO wrong FROM (
            SELECT n, one, CASE jsonb_typeof(one) WHEN 'object' THEN concat_ws(' ', one ->> 'tag', one ->> 'id') END
                       COLLATE "C" AS key,
                   lag(CASE jsonb_typeof(one) WHEN 'object' THEN concat_ws(' ', one ->> 'tag', one ->> 'id') END
                       COLLATE "C") OVER (ORDER BY n) AS before
            FROM jsonb_array_elements(body -> 'members') WITH ORDINALITY AS e(one, n)) AS m
        WHERE jsonb_typeof(m.one) <> 'object' OR m.key <= m.before
           OR coalesce(m.one ->> 'id', '') !~ '^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
           OR coalesce(m.one ->> 'witness', '') !~ '^[0-9a-f]{64}$'
           OR CASE m.one ->> 'tag'
                WHEN 'occurrence' THEN (SELECT count(*) FROM jsonb_object_keys(m.one)) <> 3
                WHEN 'class' THEN (SELECT count(*) FROM jsonb_object_keys(m.one)) <> 5
                    OR coalesce(m.one ->> 'count', '') !~ '^[1-9][0-9]{0,8}$'
                    OR coalesce(m.one ->> 'inventory', '') !~ '^[0-9a-f]{64}$'
                ELSE true END
        ORDER BY m.n LIMIT 1;
    IF FOUND THEN
        PERFORM curation.refuse(wrong.kind, format('member %s of %s is no tagged member in its place', wrong.n, place),
            format('%s.members[%s]', place, wrong.n - 1),
            'tag occurrence with id and witness, or class with count and inventory too; ascending by tag and id, each once',
            wrong.one::text);
    END IF;
    called := curation.form_object(body -> 'expansion', place || '.expansion', '{count,root}') IS NULL;
    called := curation.form_text(body #> '{expansion,count}', place || '.expansion.count', 'number') IS NULL;
    called := curation.form_text(body #> '{expansion,root}', place || '.expansion.root', 'digest') IS NULL;
    called := curation.form_diffs(body -> 'diffs', place || '.diffs') IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.form_family(jsonb, text) FROM PUBLIC;
