-- Hash of the last disposition event of a profile; 32 zero bytes before the first.
CREATE OR REPLACE FUNCTION curation.last_event(profile uuid) RETURNS bytea
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce((SELECT d.event FROM curation.disposition d WHERE d.profile = last_event.profile
                     ORDER BY d.ledger_seq DESC LIMIT 1), decode(repeat('00', 32), 'hex'))
$$;
REVOKE ALL ON FUNCTION curation.last_event(uuid) FROM PUBLIC;
