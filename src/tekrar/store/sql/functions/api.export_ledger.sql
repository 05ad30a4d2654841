-- Entries of the ledger from a number on, at most a page of them, as they stand.
CREATE OR REPLACE FUNCTION api.export_ledger(from_seq bigint, page integer)
    RETURNS TABLE (seq bigint, kind text, payload bytea, previous bytea, entry_hash bytea)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM api.require_scope(current_user, '*');
    RETURN QUERY SELECT l.seq, l.kind, l.payload, l.previous, l.entry_hash FROM curation.ledger l
        WHERE l.seq >= from_seq ORDER BY l.seq LIMIT api.page_size(page);
END
$$;
REVOKE ALL ON FUNCTION api.export_ledger(bigint, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.export_ledger(bigint, integer) TO tekrar_auditor, tekrar_administrator;
