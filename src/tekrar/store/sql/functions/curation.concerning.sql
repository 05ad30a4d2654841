-- Ledger entries of the decisions that made, ended or rest on an ID: of a structure, an exact class, an occurrence or a
-- candidate; and of the proposal, where it is its draft's.
CREATE OR REPLACE FUNCTION curation.concerning(id uuid) RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE ROWS 8 SET search_path = pg_catalog, pg_temp
AS $$
-- In PL/pgSQL, whose plans are kept: that of so many tables takes longer than the look-ups.
BEGIN
    RETURN QUERY
    SELECT f.decision FROM curation.family f WHERE f.family = concerning.id
    UNION SELECT q.decision FROM curation.quotation q WHERE q.quotation = concerning.id
    UNION SELECT q.decision FROM curation.quotation q WHERE q.source_occurrence = concerning.id
    UNION SELECT q.decision FROM curation.quotation q WHERE q.quoting_occurrence = concerning.id
    UNION SELECT c.decision FROM curation.canonical_choice c WHERE c.choice = concerning.id
    UNION SELECT c.decision FROM curation.canonical_choice c WHERE c.supersedes = concerning.id
    UNION SELECT c.decision FROM curation.canonical_choice c WHERE coalesce(c.exact_class, c.family) = concerning.id
    UNION SELECT x.decision FROM curation.compensation x WHERE x.choice = concerning.id
    UNION SELECT s.decision FROM curation.supersession s WHERE s.predecessor = concerning.id
    UNION SELECT m.since FROM curation.effective_membership m WHERE m.occurrence = concerning.id
    UNION SELECT m.until FROM curation.effective_membership m WHERE m.occurrence = concerning.id AND m.until IS NOT NULL
    UNION SELECT f.decision FROM curation.family_member m JOIN curation.family f USING (family) WHERE m.class = concerning.id
    UNION SELECT o.decision FROM curation.false_positive_override o WHERE o.candidate = concerning.id;
END
$$;
REVOKE ALL ON FUNCTION curation.concerning(uuid) FROM PUBLIC;
