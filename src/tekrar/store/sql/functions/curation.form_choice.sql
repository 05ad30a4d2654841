-- The form of a canonical choice's body. A rule by which an order or a score would choose is refused by name (CAN-04).
CREATE OR REPLACE FUNCTION curation.form_choice(body jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    rule CONSTANT text := body #>> '{policy,rule}';
BEGIN
    called := curation.form_object(body, place, '{structure,member,policy}', '{supersedes,allow_dominated}') IS NULL;
    called := curation.form_object(body -> 'structure', place || '.structure', '{tag,id,release}') IS NULL;
    IF body #>> '{structure,tag}' IS NULL OR body #>> '{structure,tag}' NOT IN ('class', 'family') THEN
        PERFORM curation.refuse('tag_mismatch', 'a choice is of a class or a family', place || '.structure.tag',
            'class or family', body #>> '{structure,tag}');
    END IF;
    called := curation.form_text(body #> '{structure,id}', place || '.structure.id', 'uuid') IS NULL;
    called := curation.form_text(body #> '{structure,release}', place || '.structure.release', 'uuid') IS NULL;
    called := curation.form_text(body -> 'member', place || '.member', 'uuid') IS NULL;
    called := curation.form_object(body -> 'policy', place || '.policy', '{name,version,rule,document}') IS NULL;
    called := curation.form_text(body #> '{policy,name}', place || '.policy.name', '^[a-z0-9][a-z0-9._-]{0,99}$') IS NULL;
    called := curation.form_text(body #> '{policy,version}', place || '.policy.version',
                               '^(0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})$') IS NULL;
    called := curation.form_text(body #> '{policy,document}', place || '.policy.document', 'digest') IS NULL;
    IF rule IN ('corpus_order', 'shortest_uuid', 'highest_similarity', 'earliest_discovery') THEN
        PERFORM curation.refuse('silent_rule', format('%s cannot choose what is canonical', rule), place || '.policy.rule',
            'declared_source_edition, author_primary_placement, fullest_context or editorially_designated', rule);
    ELSIF rule IS NULL OR rule NOT IN ('declared_source_edition', 'author_primary_placement', 'fullest_context',
                                       'editorially_designated') THEN
        PERFORM curation.refuse('unknown_kind', format('%s is no rule of a choice', rule), place || '.policy.rule',
            'declared_source_edition, author_primary_placement, fullest_context or editorially_designated', rule);
    END IF;
    IF body ? 'supersedes' THEN
        called := curation.form_text(body -> 'supersedes', place || '.supersedes', 'uuid') IS NULL;
    END IF;
    IF body ? 'allow_dominated' AND body ->> 'allow_dominated' IS DISTINCT FROM 'yes' THEN
        PERFORM curation.refuse('malformed', 'allow_dominated says yes or is not there', place || '.allow_dominated', 'yes');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_choice(jsonb, text) FROM PUBLIC;
