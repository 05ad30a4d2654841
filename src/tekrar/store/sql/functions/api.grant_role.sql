-- Grants a role for one edition or '*', from valid_from (null: now) until valid_to (null: for good), and opens the database
-- role to the actor's own login.
CREATE OR REPLACE FUNCTION api.grant_role(actor text, role text, scope text, valid_from timestamptz, valid_to timestamptz)
    RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    author CONSTANT integer := curation.authorize_administrator(scope);
    -- Under the lock: the transaction may have begun before the author's own grant did.
    moment CONSTANT timestamptz := clock_timestamp();
    start CONSTANT timestamptz := coalesce(valid_from, moment);
    seq bigint;
    key integer;
BEGIN
    IF role IS NULL OR role <> ALL (ARRAY['reader', 'curator', 'reviewer', 'publisher', 'auditor', 'administrator']) THEN
        PERFORM tekrar_meta.bad_argument('role', 'reader, curator, reviewer, publisher, auditor or administrator', role);
    ELSIF coalesce(scope, '') = '' THEN
        PERFORM tekrar_meta.bad_argument('scope', 'the name of one edition, or *', scope);
    ELSIF NOT (isfinite(start) AND isfinite(coalesce(valid_to, start))) THEN
        PERFORM tekrar_meta.bad_argument('validity', 'two moments, or none', concat_ws(' ', start, valid_to));
    ELSIF least(start, valid_to) < '0001-01-01Z' OR greatest(start, valid_to) >= '10000-01-01Z' THEN
        -- The entry writes years with four digits, and no era: it would say another moment.
        PERFORM tekrar_meta.bad_argument('validity', 'moments of the years 1 to 9999', concat_ws(' ', start, valid_to));
    ELSIF valid_to <= start THEN
        PERFORM tekrar_meta.bad_argument('end of a grant that begins ' || CASE WHEN valid_from IS NULL THEN 'now'
            ELSE 'at ' || tekrar_meta.instant(start) END, CASE WHEN valid_from IS NULL
            THEN 'an end that is still to come (--to), or a start before it (--from)' ELSE 'an end after the start' END,
            tekrar_meta.instant(valid_to));
    END IF;
    PERFORM curation.actor_named(actor);
    seq := curation.append('grant', jsonb_build_object('actor', actor, 'role', role, 'scope', scope,
        'valid_from', tekrar_meta.instant(start), 'valid_to', coalesce(tekrar_meta.instant(valid_to), ''),
        'by', curation.name_of(author), 'recorded_at', tekrar_meta.instant(moment)));
    INSERT INTO curation.grant_entry AS g (grant_key, actor_key, role, scope, valid_from, valid_to, granted_by, recorded_at, ledger_seq)
        -- Numbered by the ledger and not by a sequence, so that a replay gives the same numbers.
        OVERRIDING SYSTEM VALUE
        VALUES (1 + (SELECT max(n.grant_key) FROM curation.grant_entry n), curation.actor_named(grant_role.actor), grant_role.role, grant_role.scope, start, grant_role.valid_to, author,
                moment, seq)
        RETURNING g.grant_key INTO key;
    PERFORM curation.move_to('authority', int8send(seq));
    PERFORM curation.synchronize_login((SELECT a.login FROM curation.actor a WHERE a.name = grant_role.actor));
    RETURN jsonb_build_object('outcome', 'granted', 'grant', key);
END
$$;
REVOKE ALL ON FUNCTION api.grant_role(text, text, text, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.grant_role(text, text, text, timestamptz, timestamptz) TO tekrar_administrator;
