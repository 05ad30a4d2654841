-- Ends a replay: as many entries and the same head as the export says, and the roles of actors' logins brought to what the
-- ledger grants. Gives the heads.
CREATE OR REPLACE FUNCTION api.replay_end(entries bigint, head bytea) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own record;
BEGIN
    SELECT h.version, h.value INTO own FROM curation.head h WHERE h.name = 'ledger' AND h.scope = '';
    PERFORM tekrar_meta.compare('ledger_chain', 'entries', entries::text, own.version::text);
    PERFORM tekrar_meta.compare('ledger_chain', 'head of the ledger', encode(head, 'hex'), encode(own.value, 'hex'));
    PERFORM curation.synchronize_roles();
    RETURN (SELECT jsonb_object_agg(h.name, encode(h.value, 'hex')) FROM curation.head h WHERE h.scope = '')
        || jsonb_build_object('entries', entries);
END
$$;
REVOKE ALL ON FUNCTION api.replay_end(bigint, bytea) FROM PUBLIC;
