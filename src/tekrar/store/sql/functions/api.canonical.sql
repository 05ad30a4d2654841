-- The canonical occurrence of an exact class or a family, under a named policy in a named release; without either there is
-- no answer, and no default picks one (CAN-02, CAN-07). {"status": "resolved", "choice", "member", …} where there is one, and
-- `unselected` where release, structure and policy are there and nobody chose. Else why there is no answer (AMB-25):
-- `unavailable` with its `reason`; `stale_evidence` of a family that another took the place of, `ambiguous` where several
-- did, `retired` where none did, with {"state", "successors"}, none of which is followed (QRY-02, AMB-31);
-- `integrity_error` of a release that was withdrawn.
CREATE OR REPLACE FUNCTION api.canonical(release uuid, structure uuid, policy text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    told jsonb := jsonb_build_object('release', release, 'structure', structure, 'policy', policy);
    incident CONSTANT jsonb := api.incident(release);
    r record;
    c record;
    why jsonb;
BEGIN
    IF release IS NULL OR policy IS NULL OR structure IS NULL THEN
        PERFORM api.refuse_argument('question', 'a release, a structure and a policy', NULL);
    ELSIF incident IS NOT NULL THEN
        RETURN told || jsonb_build_object('status', 'integrity_error', 'code', 'withdrawn_release', 'withdrawn', incident);
    END IF;
    r := api.bound_release(release);
    why := coalesce(api.why_no_structure(r.profile_key, r.profile, r.seq, structure), '{}');
    IF why <> '{}' THEN
        RETURN told || why;
    END IF;
    SELECT x.choice, x.member, x.policy_version, x.rule, x.policy_document,
           CASE WHEN x.family IS NULL THEN 'class' ELSE 'family' END AS tag
        INTO c FROM curation.effective_choice e JOIN curation.canonical_choice x USING (choice)
        WHERE e.structure = structure AND e.policy = policy AND e.profile = r.profile AND e.since < r.seq
          AND (e.until IS NULL OR e.until > r.seq);
    IF FOUND THEN
        told := told || jsonb_build_object('choice', c.choice, 'policy_version', c.policy_version);
        IF NOT api.in_force(r.profile_key, c.choice) THEN
            RETURN told || '{"status": "unavailable", "reason": "choice_outside_release"}';
        END IF;
        RETURN told || jsonb_build_object('status', 'resolved', 'tag', c.tag, 'member', c.member, 'rule', c.rule,
            'policy_document', encode(c.policy_document, 'hex'), 'policy_text', CASE WHEN EXISTS (
                SELECT FROM curation.choice_policy p WHERE p.name = policy AND p.version = c.policy_version)
                THEN 'kept' ELSE 'not_kept' END);
    END IF;
    RETURN told || CASE
        WHEN EXISTS (SELECT FROM curation.choice_policy p WHERE p.name = policy AND p.ledger_seq < r.seq)
             OR EXISTS (SELECT FROM curation.canonical_choice x JOIN curation.choice_policy p
                            ON p.name = x.policy AND p.version = x.policy_version
                        WHERE x.policy = policy AND x.decision < r.seq) THEN '{"status": "unselected"}'::jsonb
        WHEN EXISTS (SELECT FROM curation.canonical_choice x WHERE x.policy = policy AND x.decision < r.seq)
            THEN '{"status": "unavailable", "reason": "policy_text_not_kept"}'
        WHEN EXISTS (SELECT FROM curation.choice_policy p WHERE p.name = policy)
            THEN '{"status": "unavailable", "reason": "policy_not_in_release"}'
        ELSE '{"status": "unavailable", "reason": "policy_not_registered"}' END;
END
$$;
REVOKE ALL ON FUNCTION api.canonical(uuid, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.canonical(uuid, uuid, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
