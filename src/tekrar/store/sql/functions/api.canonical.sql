-- The canonical occurrence of an exact class or a family, under a named policy in a named release; without either there is
-- no answer, and no default picks one (CAN-02, CAN-07). {"status": "resolved", "choice", "member", …} or {"status":
-- "unselected"}; of a family that is in force no more at the release `ambiguous`, where several took its place, else
-- `retired`, with {"state", "successors"}: none of them is followed (QRY-02, AMB-31).
CREATE OR REPLACE FUNCTION api.canonical(release uuid, structure uuid, policy text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    r record;
    c record;
    gone jsonb;
BEGIN
    IF release IS NULL OR policy IS NULL OR structure IS NULL THEN
        PERFORM api.refuse_argument('question', 'a release, a structure and a policy', NULL);
    END IF;
    r := api.bound_release(release);
    SELECT * INTO c FROM api.list_choices(release, structure, policy, NULL, 1);
    IF FOUND THEN
        RETURN jsonb_build_object('status', 'resolved', 'release', release, 'structure', structure, 'tag', c.tag, 'choice',
            c.choice, 'member', c.member, 'policy', c.policy_name, 'policy_version', c.policy_version, 'rule', c.rule);
    ELSIF NOT EXISTS (SELECT FROM repetition.class k WHERE k.profile_key = r.profile_key AND k.class = structure)
          AND NOT EXISTS (SELECT FROM curation.family f WHERE f.family = structure AND f.profile = r.profile
                            AND f.decision < r.seq) THEN
        PERFORM api.not_found('class or family', structure::text);
    END IF;
    IF api.structure_state(structure, r.seq) IN ('superseded', 'retired') THEN
        gone := api.resolve(structure, release);
        RETURN jsonb_build_object('status', CASE WHEN jsonb_array_length(gone -> 'successors') > 1 THEN 'ambiguous' ELSE 'retired'
            END, 'release', release, 'structure', structure, 'policy', policy, 'state', gone -> 'state', 'successors',
            gone -> 'successors');
    END IF;
    RETURN jsonb_build_object('status', 'unselected', 'release', release, 'structure', structure, 'policy', policy);
END
$$;
REVOKE ALL ON FUNCTION api.canonical(uuid, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.canonical(uuid, uuid, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
