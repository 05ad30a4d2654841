-- Checks and records an entry of authority at replay: actor, grant, revocation or freeze.
CREATE OR REPLACE FUNCTION curation.replay_authority(seq bigint, kind text, payload jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    moment CONSTANT timestamptz := (payload ->> 'recorded_at')::timestamptz;
    first CONSTANT boolean := seq = 0 AND kind = 'grant' AND payload ? 'login' AND payload ->> 'role' = 'administrator'
        AND payload ->> 'scope' = '*';
    author CONSTANT integer := CASE WHEN NOT first THEN curation.actor_named(payload ->> 'by') END;
    given record;
BEGIN
    IF NOT first THEN
        called := curation.require_grant_at(author, '{administrator}', CASE WHEN kind IN ('grant', 'revocation')
            THEN payload ->> 'scope' ELSE '*' END, moment) IS NULL;
    END IF;
    IF kind = 'actor' OR first THEN
        -- As when it was named: a login that can do more than its grants gets none. One that is not on this server gets
        -- nothing either way; the first administrator may be whoever set the store up.
        IF NOT first AND EXISTS (SELECT FROM pg_roles r WHERE r.rolname = payload ->> 'login') THEN
            called := curation.check_login(payload ->> 'login') IS NULL;
        END IF;
        INSERT INTO curation.actor (name, login, recorded_at, ledger_seq)
            VALUES (payload ->> 'actor', nullif(payload ->> 'login', ''), moment, seq);
    END IF;
    CASE kind
    WHEN 'actor' THEN
        NULL;
    WHEN 'grant' THEN
        IF payload ->> 'role' <> ALL ('{reader,curator,reviewer,publisher,auditor,administrator}') OR payload ->> 'scope' = '' THEN
            PERFORM curation.refuse('ledger_entry', 'the role or the scope of the grant is none', 'role',
                'reader, curator, reviewer, publisher, auditor or administrator of an edition or *',
                concat_ws(' ', payload ->> 'role', payload ->> 'scope'));
        END IF;
        INSERT INTO curation.grant_entry (grant_key, actor_key, role, scope, valid_from, valid_to, granted_by, recorded_at,
                                          ledger_seq)
            OVERRIDING SYSTEM VALUE
            VALUES (1 + coalesce((SELECT max(n.grant_key) FROM curation.grant_entry n), 0),
                curation.actor_named(payload ->> 'actor'), payload ->> 'role', payload ->> 'scope',
                (payload ->> 'valid_from')::timestamptz, nullif(payload ->> 'valid_to', '')::timestamptz, author, moment, seq);
    WHEN 'revocation' THEN
        SELECT g.grant_key INTO given FROM curation.grant_entry g WHERE g.grant_key = (payload ->> 'grant')::integer
            AND g.actor_key = curation.actor_named(payload ->> 'actor') AND g.role = payload ->> 'role'
            AND g.scope = payload ->> 'scope';
        IF NOT FOUND THEN
            PERFORM curation.refuse('ledger_entry', 'the grant that is revoked is another one', 'grant', NULL, payload ->> 'grant');
        END IF;
        INSERT INTO curation.revocation (grant_key, revoked_by, recorded_at, ledger_seq)
            VALUES (given.grant_key, author, moment, seq);
    WHEN 'freeze' THEN
        IF coalesce(btrim(payload ->> 'reason'), '') = '' THEN
            PERFORM curation.refuse('ledger_entry', 'a freeze without a reason', 'reason', 'words that say why',
                                    payload ->> 'reason');
        END IF;
        PERFORM tekrar_meta.compare('ledger_entry', 'epoch', (1 + coalesce((SELECT max(f.epoch) FROM curation.freeze f), 0))::text,
                                    payload ->> 'epoch', 'TK044');
        INSERT INTO curation.freeze (epoch, reason, frozen_by, recorded_at, ledger_seq)
            VALUES ((payload ->> 'epoch')::bigint, payload ->> 'reason', author, moment, seq);
    END CASE;
END
$$;
REVOKE ALL ON FUNCTION curation.replay_authority(bigint, text, jsonb) FROM PUBLIC;
