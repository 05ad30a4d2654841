-- Everything that was decided of an ID, in the order of the ledger: submissions, reviews and applies of the decisions that
-- made it, ended it or rest on it. `id` is a structure's, an exact class's, an occurrence's, a candidate's or a review's
-- UUID, or a proposal's digest; of that also the other revisions of its draft. Of a release, its publication and, where it
-- was withdrawn, that. A reviewer who may still review sees no verdict before their own.
CREATE OR REPLACE FUNCTION api.history(id text)
    RETURNS TABLE (seq bigint, kind text, actor text, recorded_at timestamptz, proposal text, facts jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
    SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    acting CONSTANT name := curation.acting();
    scopes CONSTANT text[] := api.scopes(acting);
    caller CONSTANT integer := (curation.caller()).actor_key;
    about bytea[];
BEGIN
    PERFORM api.require_scope(acting);
    IF id ~ '^[0-9a-f]{64}$' THEN
        about := ARRAY(SELECT o.proposal_digest FROM curation.proposal p JOIN curation.proposal o ON o.author = p.author
            AND o.draft = p.draft WHERE p.proposal_digest = decode(history.id, 'hex') AND ARRAY['*', o.edition] && scopes COLLATE "C");
    ELSIF id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' THEN
        about := ARRAY(SELECT d.proposal_digest FROM curation.concerning(history.id::uuid) AS c
            JOIN curation.decision d ON d.decision = c JOIN curation.proposal p USING (proposal_digest)
            WHERE ARRAY['*', p.edition] && scopes COLLATE "C"
            UNION SELECT r.proposal_digest FROM curation.review r JOIN curation.proposal p USING (proposal_digest)
            WHERE r.review = history.id::uuid AND ARRAY['*', p.edition] && scopes COLLATE "C");
    ELSE
        PERFORM tekrar_meta.bad_argument('ID', 'a UUID or the digest of a proposal, as tekrar prints it', id);
    END IF;
    IF cardinality(about) = 0 AND id !~ '^[0-9a-f]{64}$' AND history.id::uuid = ANY (api.releases_to_read(acting)) THEN
        RETURN QUERY
        SELECT r.ledger_seq, 'publication', (SELECT n.name FROM curation.actor n WHERE n.actor_key = r.published_by),
               r.recorded_at, NULL::text, jsonb_build_object('release', r.release, 'profile', r.short)
            FROM repetition.repetition_release r WHERE r.release = history.id::uuid
        UNION ALL
        SELECT i.ledger_seq, 'withdrawal', (SELECT n.name FROM curation.actor n WHERE n.actor_key = i.withdrawn_by),
               i.recorded_at, NULL, jsonb_build_object('release', i.release, 'note', i.reason, 'cause', i.cause)
            FROM repetition.incident i WHERE i.release = history.id::uuid
        ORDER BY 1;
        RETURN;
    ELSIF cardinality(about) = 0 THEN
        PERFORM api.not_found('record of curation', id);
    END IF;
    RETURN QUERY
    SELECT p.ledger_seq, 'proposal', (SELECT n.name FROM curation.actor n WHERE n.actor_key = p.author), p.recorded_at, encode(p.proposal_digest, 'hex'),
           jsonb_build_object('operation', p.operation, 'draft', p.draft, 'revision', p.revision)
        FROM curation.proposal p WHERE p.proposal_digest = ANY (about)
    UNION ALL
    SELECT r.ledger_seq, 'review', (SELECT n.name FROM curation.actor n WHERE n.actor_key = r.reviewer), r.recorded_at, encode(r.proposal_digest, 'hex'),
           jsonb_build_object('review', r.review, 'outcome', r.outcome, 'note', r.note)
        FROM curation.review r WHERE r.proposal_digest = ANY (about) AND (acting <> 'tekrar_reviewer'
            OR (SELECT curation.verdicts_shown(p, caller) FROM curation.proposal p
                WHERE p.proposal_digest = r.proposal_digest))
    UNION ALL
    SELECT d.decision, 'apply', (SELECT n.name FROM curation.actor n WHERE n.actor_key = d.applied_by), d.recorded_at, encode(d.proposal_digest, 'hex'),
           jsonb_build_object('operation', d.operation, 'decision', encode(d.decision_digest, 'hex'), 'structures',
               convert_from(d.document, 'UTF8')::jsonb -> 'structures')
        FROM curation.decision d WHERE d.proposal_digest = ANY (about)
    ORDER BY 1;
END
$$;
REVOKE ALL ON FUNCTION api.history(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.history(text) TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
