-- Refuses something of curation: its kind, and what was expected and found. Nothing of the transaction is kept. The program
-- says more of each kind (store/refusal_words.py).
CREATE OR REPLACE FUNCTION curation.refuse(kind text, message text, fact text DEFAULT NULL, expected text DEFAULT NULL,
    found text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = CASE
            WHEN kind IN ('malformed', 'not_canonical', 'float', 'duplicate_key', 'unknown_kind', 'unknown_operation',
                          'silent_rule', 'shape') THEN 'TK040'
            WHEN kind IN ('expected_state_mismatch', 'competing_membership', 'competing_choice', 'superseded_twice',
                          'cyclic_supersession', 'policy_differs', 'source_uncertain', 'override_needs_decision') THEN 'TK042'
            WHEN kind IN ('self_review', 'digest_mismatch', 'outdated', 'not_approved', 'frozen', 'edit_conflict',
                          'draft_closed', 'already_reviewed', 'not_reviewable') THEN 'TK043'
            WHEN kind IN ('ledger_not_empty', 'ledger_entry', 'replay') THEN 'TK044'
            ELSE 'TK041' END,
        MESSAGE = refuse.message,
        -- The fifth parameter by its number: refuse.found is PL/pgSQL's own FOUND.
        DETAIL = jsonb_strip_nulls(jsonb_build_object('kind', refuse.kind, 'fact', refuse.fact, 'expected',
            left(refuse.expected, 400), 'found', left($5, 400)))::text,
        HINT = CASE refuse.kind
            WHEN 'expected_state_mismatch' THEN 'look at what was decided meanwhile, and propose again'
            WHEN 'frozen' THEN 'propose again under the present epoch'
            WHEN 'self_review' THEN 'someone else reviews it'
            WHEN 'edit_conflict' THEN 'read the newer version, bring both together, and save on top of it'
            WHEN 'outdated' THEN 'review and apply the newest revision'
            WHEN 'override_needs_decision' THEN 'propose override_false_positive, and have it reviewed'
            WHEN 'not_approved' THEN 'somebody else approves it first (tekrar review)'
            WHEN 'digest_mismatch' THEN 'name an approval of these bytes, as tekrar proposals show lists them'
            WHEN 'not_reviewable' THEN 'look at what came of it (tekrar history)'
            WHEN 'already_reviewed' THEN 'one verdict of each reviewer counts; the author may propose a new revision'
            WHEN 'source_uncertain' THEN 'propose a revision that names verbatim_quotation, adapted_quotation or formulaic_reuse'
            WHEN 'stale_diff' THEN 'derive the diffs again, and propose with their IDs'
            WHEN 'not_found' THEN 'copy the ID as tekrar printed it; what is not loaded is loaded first (tekrar load)'
            ELSE 'docs/curation.md says what this kind means; nothing was changed' END;
END
$$;
REVOKE ALL ON FUNCTION curation.refuse(text, text, text, text, text) FROM PUBLIC;
