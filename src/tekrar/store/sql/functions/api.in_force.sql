-- Whether an artifact's profile bears a structure that no decision ended (core.curation.effective): a family expands, a
-- quotation has both its occurrences, the member of a choice is in its class, or in its family that expands.
CREATE OR REPLACE FUNCTION api.in_force(profile_key integer, structure uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    SELECT c.exact_class, c.family, c.member INTO one FROM curation.canonical_choice c WHERE c.choice = in_force.structure;
    IF FOUND AND one.family IS NULL THEN
        RETURN EXISTS (SELECT FROM repetition.class k JOIN repetition.occurrence o
                           ON o.profile_key = in_force.profile_key AND o.class_no = k.class_no
                       WHERE k.profile_key = in_force.profile_key AND k.class = one.exact_class
                         AND o.occurrence = one.member);
    ELSIF FOUND THEN
        RETURN EXISTS (SELECT FROM curation.effective_membership m WHERE m.family = one.family AND m.occurrence = one.member)
            AND api.expands(in_force.profile_key, one.family);
    END IF;
    SELECT q.source_occurrence, q.quoting_occurrence INTO one FROM curation.quotation q WHERE q.quotation = in_force.structure;
    IF FOUND THEN
        RETURN EXISTS (SELECT FROM repetition.occurrence o WHERE o.profile_key = in_force.profile_key
                         AND o.occurrence = one.source_occurrence)
            AND EXISTS (SELECT FROM repetition.occurrence o WHERE o.profile_key = in_force.profile_key
                          AND o.occurrence = one.quoting_occurrence);
    END IF;
    RETURN api.expands(in_force.profile_key, in_force.structure);
END
$$;
REVOKE ALL ON FUNCTION api.in_force(integer, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.in_force(integer, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher,
    tekrar_auditor;
