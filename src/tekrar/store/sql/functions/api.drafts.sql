-- The caller's drafts at their newest versions, or one of them (`draft`) with every version.
CREATE OR REPLACE FUNCTION api.drafts(draft text) RETURNS TABLE (name text, version bigint, recorded_at timestamptz,
                                                                 document bytea, submitted integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    actor CONSTANT integer := curation.current_actor();
BEGIN
    PERFORM curation.require_grant(actor, 'curator', NULL);
    RETURN QUERY SELECT d.draft, d.version, d.recorded_at, d.document,
            (SELECT max(p.revision) FROM curation.proposal p WHERE p.author = actor AND p.draft = d.draft)
        FROM curation.draft d
        WHERE d.author = actor AND CASE WHEN drafts.draft IS NULL
            THEN d.version = (SELECT max(n.version) FROM curation.draft n WHERE n.author = actor AND n.draft = d.draft)
            ELSE d.draft = drafts.draft END
        ORDER BY d.draft, d.version DESC;
END
$$;
REVOKE ALL ON FUNCTION api.drafts(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.drafts(text) TO tekrar_curator;
