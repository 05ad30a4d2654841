-- Names that others gave to structures (ID-08), by namespace and name behind (`after_namespace`, `after_external`; null starts);
-- of one structure, in one namespace, or one name in it, where they are named. Whoever may not read a structure is told no name of
-- it; the public is told those that were there at a publication of its profile, and nobody's who recorded them.
CREATE OR REPLACE FUNCTION api.list_crosswalk(structure uuid, namespace text, external text, after_namespace text,
    after_external text, page integer)
    RETURNS TABLE (in_namespace text, named text, of_structure uuid, recorded_by text, recorded_at timestamptz, ledger_seq bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
    acting CONSTANT name := curation.acting();
    is_public CONSTANT boolean := acting = 'tekrar_reader';
    everything CONSTANT boolean := '*' = ANY (api.scopes(acting));
    most CONSTANT integer := api.page_size(page);
    profiles CONSTANT uuid[] := CASE WHEN NOT is_public AND NOT everything THEN api.profiles_in_scope(acting) END;
    published CONSTANT uuid[] := CASE WHEN is_public THEN api.releases_to_read(acting) END;
BEGIN
    RETURN QUERY
    SELECT c.namespace, c.external, c.structure,
           CASE WHEN NOT is_public THEN curation.name_of(c.recorded_by) END, c.recorded_at, c.ledger_seq
    FROM curation.crosswalk c
    CROSS JOIN LATERAL (SELECT f.profile FROM curation.family f WHERE f.family = c.structure
        UNION ALL SELECT q.profile FROM curation.quotation q WHERE q.quotation = c.structure
        UNION ALL SELECT k.profile FROM curation.canonical_choice k WHERE k.choice = c.structure) AS s
    WHERE (list_crosswalk.structure IS NULL OR c.structure = list_crosswalk.structure)
      AND (list_crosswalk.namespace IS NULL OR c.namespace = list_crosswalk.namespace)
      AND (list_crosswalk.external IS NULL OR c.external = list_crosswalk.external)
      AND (after_namespace IS NULL OR (c.namespace, c.external) > (after_namespace, coalesce(after_external, '')))
      AND CASE WHEN is_public THEN EXISTS (SELECT FROM repetition.repetition_release r WHERE r.profile = s.profile
                                             AND r.ledger_seq > c.ledger_seq AND r.release = ANY (published))
               ELSE everything OR s.profile = ANY (profiles) END
    ORDER BY c.namespace, c.external LIMIT most;
    -- A lost grant is not taken for an absence. What acts as no role of the program, as its owner's tests do, reads none.
    IF NOT FOUND AND acting::text ~ '^tekrar_' THEN
        PERFORM api.require_scope(acting);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION api.list_crosswalk(uuid, text, text, text, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_crosswalk(uuid, text, text, text, text, integer) TO tekrar_reader, tekrar_curator,
    tekrar_reviewer, tekrar_publisher, tekrar_auditor;
