-- Submits an action as the next revision of a draft of the caller's (null: a draft of its own). `base` is the revision that
-- the caller read, 0 for none; null says nothing, and takes the place of none but one with the same bytes. `version` is the
-- one of the saved draft that the caller read; null where it was none. Where there is another newest revision or version,
-- nothing is lost: the refusal shows both. The same action again, while its revision is open, is `already_submitted`.
-- Returns {"outcome", "proposal", "draft", "revision"}.
DROP FUNCTION IF EXISTS api.submit_proposal(bytea, text);
CREATE OR REPLACE FUNCTION api.submit_proposal(action bytea, draft text, base integer DEFAULT NULL, version bigint DEFAULT NULL)
    RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
    SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    actor CONSTANT integer := curation.current_actor();
    a CONSTANT jsonb := curation.read_action(action);
    named text := draft;
    latest curation.proposal;
    epoch bigint;
    payload jsonb;
    seq bigint;
    state text;
BEGIN
    called := curation.form_action(a) IS NULL;
    called := curation.require_grant(actor, 'curator', a ->> 'edition') IS NULL;
    -- A draft from before, of a name that none may have now, goes on.
    IF named IS NOT NULL AND NOT curation.is_name(named)
       AND NOT EXISTS (SELECT FROM curation.draft d WHERE d.author = actor AND d.draft = named)
       AND NOT EXISTS (SELECT FROM curation.proposal p WHERE p.author = actor AND p.draft = named) THEN
        PERFORM tekrar_meta.bad_argument('draft', 'a name of 1 to 200 characters in one line', named);
    END IF;
    called := curation.lock_heads('{}') IS NULL;
    called := tekrar_meta.step('propose/locked') IS NULL;
    named := coalesce(named, curation.new_uuid7(clock_timestamp())::text);
    epoch := coalesce((SELECT f.epoch FROM curation.freeze f ORDER BY f.epoch DESC LIMIT 1), 0);
    SELECT * INTO latest FROM curation.proposal p WHERE p.author = actor AND p.draft = named ORDER BY p.revision DESC LIMIT 1;
    IF FOUND THEN
        state := curation.proposal_state(latest);
        IF latest.action = action AND (state = 'applied' OR state IN ('submitted', 'approved') AND latest.freeze_epoch = epoch) THEN
            RETURN jsonb_build_object('outcome', 'already_submitted', 'proposal', encode(latest.proposal_digest, 'hex'),
                                      'draft', named, 'revision', latest.revision);
        END IF;
    END IF;
    IF state IS DISTINCT FROM 'applied' THEN  -- such a draft takes no revision at all
        called := curation.require_base(latest, actor, named, action, base, version) IS NULL;
    END IF;
    payload := jsonb_build_object('action', convert_from(action, 'UTF8'), 'author', curation.name_of(actor), 'draft', named,
        'revision', (1 + coalesce(latest.revision, 0))::text, 'freeze', epoch::text,
        'recorded_at', tekrar_meta.instant(clock_timestamp()), 'diffs', curation.carried_diffs(a));
    payload := payload || jsonb_build_object('digest', encode(curation.proposal_digest(action, payload ->> 'author', named,
        payload ->> 'revision'), 'hex'));
    called := curation.admit_proposal(payload, a) IS NULL;
    seq := curation.append('proposal', payload);
    called := tekrar_meta.step('propose/ledger') IS NULL;
    called := curation.record_proposal(seq, payload, a) IS NULL;
    called := tekrar_meta.step('propose/done') IS NULL;
    RETURN jsonb_build_object('outcome', 'submitted', 'proposal', payload -> 'digest', 'draft', named,
                              'revision', 1 + coalesce(latest.revision, 0));
END
$$;
REVOKE ALL ON FUNCTION api.submit_proposal(bytea, text, integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.submit_proposal(bytea, text, integer, bigint) TO tekrar_curator;
