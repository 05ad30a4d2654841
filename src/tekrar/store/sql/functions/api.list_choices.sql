-- Canonical choices in force in a published release, in the order of their IDs behind `after` (null starts); of one
-- structure, and under one policy, where they are named. One whose member its structure no longer has is not in force.
CREATE OR REPLACE FUNCTION api.list_choices(release uuid, structure uuid, policy text, after uuid, page integer)
    RETURNS TABLE (choice uuid, tag text, of_structure uuid, member uuid, policy_name text, policy_version text, rule text,
                   policy_document bytea, decision bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    r CONSTANT record := api.bound_release(list_choices.release);
    most CONSTANT integer := api.page_size(page);
    listed integer := 0;
BEGIN
    -- One after the other: what expands is asked of as many as the page takes.
    FOR list_choices.choice, list_choices.tag, list_choices.of_structure, list_choices.member, list_choices.policy_name,
        list_choices.policy_version, list_choices.rule, list_choices.policy_document, list_choices.decision IN
        SELECT c.choice, CASE WHEN c.family IS NULL THEN 'class' ELSE 'family' END, e.structure, c.member, c.policy,
               c.policy_version, c.rule, c.policy_document, c.decision
        FROM curation.effective_choice e JOIN curation.canonical_choice c USING (choice)
        WHERE e.profile = r.profile AND e.since < r.seq AND (e.until IS NULL OR e.until > r.seq)
          AND (list_choices.structure IS NULL OR e.structure = list_choices.structure)
          AND (list_choices.policy IS NULL OR e.policy = list_choices.policy)
          AND (list_choices.after IS NULL OR c.choice > list_choices.after)
        ORDER BY c.choice
    LOOP
        EXIT WHEN listed >= most;
        IF api.in_force(r.profile_key, list_choices.choice) THEN
            listed := listed + 1;
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION api.list_choices(uuid, uuid, text, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_choices(uuid, uuid, text, uuid, integer) TO tekrar_reader, tekrar_curator,
    tekrar_reviewer, tekrar_publisher, tekrar_auditor;
