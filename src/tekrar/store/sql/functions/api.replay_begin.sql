-- Begins a replay in the caller's transaction: as the owner, on a database without entries. Artifacts and candidates are
-- loaded before; entries, and an end, follow in the same transaction, or nothing is kept.
CREATE OR REPLACE FUNCTION api.replay_begin() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM curation.lock_heads('{}');
    IF EXISTS (SELECT FROM curation.ledger) THEN
        PERFORM curation.refuse('ledger_not_empty', 'the ledger has entries already', 'ledger', 'no entry',
                                (SELECT count(*)::text FROM curation.ledger));
    END IF;
    PERFORM set_config('tekrar.replay', pg_current_xact_id()::text, true);
END
$$;
REVOKE ALL ON FUNCTION api.replay_begin() FROM PUBLIC;
