-- Withdraws a release by an integrity incident; its rows stay and answer integrity_error. Where it was visible, nothing of
-- its series is visible any more. A second withdrawal changes nothing. `cause` is `exact`, what the artifact says is at fault, or
-- `curation`, what was decided is (CL-08): repetition.refuse_withdrawn says what may be published afterwards.
DROP FUNCTION IF EXISTS api.withdraw(uuid, text);
CREATE OR REPLACE FUNCTION api.withdraw(release uuid, reason text, cause text DEFAULT 'exact') RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    actor CONSTANT integer := curation.current_actor();
    scopes text[];
    one record;
    moment timestamptz;
    seq bigint;
BEGIN
    PERFORM curation.lock_heads('{}');
    PERFORM tekrar_meta.step('withdraw/locked');
    PERFORM api.require_scope('tekrar_publisher');
    IF coalesce(btrim(reason), '') = '' THEN
        PERFORM tekrar_meta.bad_argument('reason', 'words that say why', reason);
    END IF;
    IF cause IS NULL OR cause NOT IN ('exact', 'curation') THEN
        PERFORM tekrar_meta.bad_argument('cause', 'exact or curation', cause);
    END IF;
    scopes := api.scopes('tekrar_publisher');
    SELECT s.edition, s.series_key INTO one FROM repetition.repetition_release r JOIN repetition.series s USING (series_key)
        WHERE r.release = withdraw.release AND ARRAY['*', s.edition] && scopes COLLATE "C";
    IF NOT FOUND THEN
        PERFORM api.not_found('repetition release', withdraw.release::text);
    END IF;
    PERFORM curation.require_grant(actor, 'publisher', one.edition);
    IF EXISTS (SELECT FROM repetition.incident i WHERE i.release = withdraw.release) THEN
        RETURN jsonb_build_object('outcome', 'already_withdrawn', 'release', withdraw.release);
    END IF;
    moment := clock_timestamp();
    seq := curation.append('withdrawal', jsonb_build_object('actor', (SELECT a.name FROM curation.actor a
        WHERE a.actor_key = actor), 'recorded_at', tekrar_meta.instant(moment), 'release', withdraw.release,
        'reason', withdraw.reason, 'cause', withdraw.cause));
    PERFORM tekrar_meta.step('withdraw/ledger');
    INSERT INTO repetition.incident (release, reason, cause, withdrawn_by, recorded_at, ledger_seq)
        VALUES (withdraw.release, withdraw.reason, withdraw.cause, actor, moment, seq);
    PERFORM tekrar_meta.step('withdraw/incident');
    UPDATE repetition.visible v SET release = NULL, version = v.version + 1
        WHERE v.series_key = one.series_key AND v.release = withdraw.release;
    PERFORM tekrar_meta.step('withdraw/pointer');
    PERFORM curation.move_to('repetition', uuid_send(withdraw.release) || convert_to(withdraw.reason, 'UTF8'));
    PERFORM tekrar_meta.step('withdraw/done');
    RETURN jsonb_build_object('outcome', 'withdrawn', 'release', withdraw.release);
END
$$;
REVOKE ALL ON FUNCTION api.withdraw(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.withdraw(uuid, text, text) TO tekrar_publisher;
