-- Registered choice policies that the caller may read, by name and version; of `policy` alone where it is named. Who
-- registered one is told to whom the ledger's people are: the public reader learns no names.
CREATE OR REPLACE FUNCTION api.list_policies(policy text, version text)
    RETURNS TABLE (name text, policy_version text, rule text, digest bytea, document text, author text, recorded_at timestamptz,
                   ledger_seq bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    acting CONSTANT name := curation.acting();
    is_public CONSTANT boolean := acting = 'tekrar_reader';
    published CONSTANT uuid[] := CASE WHEN acting = 'tekrar_reader' THEN api.releases_to_read(acting) END;
    last CONSTANT bigint := (SELECT max(r.ledger_seq) FROM repetition.repetition_release r WHERE r.release = ANY (published));
BEGIN
    IF NOT is_public THEN
        PERFORM api.require_scope(acting);
    END IF;
    RETURN QUERY
    SELECT p.name, p.version, p.rule, p.digest, p.document,
           CASE WHEN NOT is_public THEN (SELECT a.name FROM curation.actor a WHERE a.actor_key = p.author) END, p.recorded_at,
           p.ledger_seq
    FROM curation.choice_policy p
    WHERE (list_policies.policy IS NULL OR p.name = list_policies.policy)
      AND (list_policies.version IS NULL OR p.version = list_policies.version)
      AND (NOT is_public OR p.ledger_seq < last OR EXISTS (
              SELECT FROM curation.canonical_choice c JOIN repetition.repetition_release r ON r.profile = c.profile
              WHERE c.policy = p.name AND c.policy_version = p.version AND c.decision < r.ledger_seq
                AND r.release = ANY (published)))
    ORDER BY p.name, string_to_array(p.version, '.')::integer[];
END
$$;
REVOKE ALL ON FUNCTION api.list_policies(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.list_policies(text, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher,
    tekrar_auditor;
