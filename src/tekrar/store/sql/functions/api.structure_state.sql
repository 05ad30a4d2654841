-- State of a family, quotation or choice as of a ledger entry (null: now): effective, superseded, retired, compensated;
-- null where it was not issued yet, or never. Whoever may not read what ended a choice, since nothing published binds it yet,
-- is told what was published last.
CREATE OR REPLACE FUNCTION api.structure_state(structure uuid, at bigint DEFAULT NULL) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    moment CONSTANT bigint := coalesce(at, 9223372036854775807);
    e record;
    operation text;
BEGIN
    SELECT c.until, c.structure INTO e FROM curation.effective_choice c WHERE c.choice = structure AND c.since <= moment;
    IF FOUND THEN
        RETURN CASE WHEN e.until IS NULL OR e.until > moment THEN 'effective'
            WHEN EXISTS (SELECT FROM curation.compensation x WHERE x.choice = structure) THEN 'compensated'
            WHEN EXISTS (SELECT FROM curation.canonical_choice x WHERE x.supersedes = structure) THEN 'superseded'
            WHEN EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = e.structure AND s.decision = e.until)
                THEN 'retired'
            ELSE 'effective' END;
    ELSIF NOT EXISTS (SELECT FROM curation.family f WHERE f.family = structure AND f.decision <= moment)
          AND NOT EXISTS (SELECT FROM curation.quotation q WHERE q.quotation = structure AND q.decision <= moment) THEN
        RETURN NULL;
    END IF;
    SELECT s.operation INTO operation FROM curation.supersession s WHERE s.predecessor = structure AND s.decision <= moment;
    RETURN CASE WHEN operation IS NULL THEN 'effective' WHEN operation = 'retire' THEN 'retired' ELSE 'superseded' END;
END
$$;
REVOKE ALL ON FUNCTION api.structure_state(uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.structure_state(uuid, bigint) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
