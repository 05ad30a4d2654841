-- The form of a choice policy: name, version and rule. A rule by which an order or a score would choose is refused by name
-- (CAN-04).
CREATE OR REPLACE FUNCTION curation.form_policy(policy jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    rule CONSTANT text := policy ->> 'rule';
BEGIN
    called := curation.form_text(policy -> 'name', place || '.name', '^[a-z0-9][a-z0-9._-]{0,99}$') IS NULL;
    called := curation.form_text(policy -> 'version', place || '.version',
                               '^(0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})$') IS NULL;
    IF rule IN ('corpus_order', 'shortest_uuid', 'highest_similarity', 'earliest_discovery') THEN
        PERFORM curation.refuse('silent_rule', format('%s cannot choose what is canonical', rule), place || '.rule',
            'declared_source_edition, author_primary_placement, fullest_context or editorially_designated', rule);
    ELSIF rule IS NULL OR rule NOT IN ('declared_source_edition', 'author_primary_placement', 'fullest_context',
                                       'editorially_designated') THEN
        PERFORM curation.refuse('unknown_kind', format('%s is no rule of a choice', rule), place || '.rule',
            'declared_source_edition, author_primary_placement, fullest_context or editorially_designated', rule);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_policy(jsonb, text) FROM PUBLIC;
