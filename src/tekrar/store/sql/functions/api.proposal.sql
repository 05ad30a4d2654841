-- One proposal with its action, its reviews and what came of it. A reviewer who may still review it sees no verdict of
-- anybody else before their own.
CREATE OR REPLACE FUNCTION api.proposal(digest text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    actor CONSTANT integer := (curation.caller()).actor_key;
    p curation.proposal;
    state text;
    hidden boolean;
BEGIN
    PERFORM api.require_scope(curation.acting());
    p := curation.require_digest(digest);
    IF NOT ARRAY['*', p.edition] && api.scopes(curation.acting()) THEN
        PERFORM api.not_found('proposal', digest);
    END IF;
    state := curation.proposal_state(p);
    hidden := curation.acting() = 'tekrar_reviewer' AND NOT curation.verdicts_shown(p, actor);
    RETURN jsonb_build_object('proposal', digest, 'operation', p.operation, 'edition', p.edition, 'profile', p.profile,
        'text_release', p.text_release, 'policy_of_review', p.policy, 'approvals_needed', (SELECT v.approvals
        FROM curation.review_policy v WHERE v.policy = p.policy), 'author', curation.name_of(p.author), 'draft', p.draft,
        'revision', p.revision, 'freeze', p.freeze_epoch, 'recorded_at', tekrar_meta.instant(p.recorded_at),
        'seq', p.ledger_seq, 'action', convert_from(p.action, 'UTF8'), 'state', CASE WHEN hidden THEN 'open' ELSE state END,
        'stale', state IN ('submitted', 'approved') AND curation.is_stale(p))
        || jsonb_build_object('reviews', CASE WHEN NOT hidden THEN coalesce((SELECT jsonb_agg(jsonb_build_object('review',
            r.review, 'outcome', r.outcome, 'reviewer', curation.name_of(r.reviewer), 'note', r.note, 'recorded_at',
            tekrar_meta.instant(r.recorded_at), 'counts', state <> 'outdated') ORDER BY r.ledger_seq)
            FROM curation.review r WHERE r.proposal_digest = p.proposal_digest), '[]') END)
        || coalesce((SELECT jsonb_build_object('decision', encode(d.decision_digest, 'hex'), 'structures',
            convert_from(d.document, 'UTF8')::jsonb -> 'structures', 'applied_by', curation.name_of(d.applied_by),
            'applied_at', tekrar_meta.instant(d.recorded_at), 'applied_seq', d.decision)
            FROM curation.decision d WHERE d.proposal_digest = p.proposal_digest), '{}');
END
$$;
REVOKE ALL ON FUNCTION api.proposal(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.proposal(text) TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
