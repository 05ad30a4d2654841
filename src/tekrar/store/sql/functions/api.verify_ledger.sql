-- Recomputes the chain of the ledger and its head; the first entry that does not follow is named, null when all do.
-- The chain is one for all editions, so a grant for all of them is asked for.
CREATE OR REPLACE FUNCTION api.verify_ledger() RETURNS TABLE (entries bigint, first_broken bigint, head_matches boolean)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT api.require_scope(current_user, '*');
    WITH chained AS (
        SELECT l.seq, l.entry_hash, row_number() OVER w - 1 AS place,
               lag(l.entry_hash, 1, decode(repeat('00', 32), 'hex')) OVER w = l.previous AS follows,
               l.entry_hash = sha256('\x00000016'::bytea || 'tekrar/ledger-entry/v1'::bytea || int8send(l.seq)
                   || int4send(octet_length(l.kind)) || convert_to(l.kind, 'UTF8') || l.previous
                   || int4send(octet_length(l.payload)) || l.payload) AS hashed
        FROM curation.ledger l WINDOW w AS (ORDER BY l.seq))
    SELECT count(*), min(c.seq) FILTER (WHERE NOT (c.follows AND c.hashed AND c.seq = c.place)),
           (SELECT h.value = coalesce((SELECT l.entry_hash FROM curation.ledger l ORDER BY l.seq DESC LIMIT 1),
                                      decode(repeat('00', 32), 'hex'))
            FROM curation.head h WHERE h.name = 'ledger')
    FROM chained c
$$;
REVOKE ALL ON FUNCTION api.verify_ledger() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.verify_ledger() TO tekrar_auditor, tekrar_administrator;
