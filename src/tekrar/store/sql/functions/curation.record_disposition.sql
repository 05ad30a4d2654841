-- The row of an entry `disposition`, from its payload alone. It follows the event before it of its profile.
CREATE OR REPLACE FUNCTION curation.record_disposition(seq bigint, payload jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
BEGIN
    called := tekrar_meta.compare('ledger_chain', 'disposition event before entry ' || seq,
        encode(curation.last_event((payload ->> 'profile')::uuid), 'hex'), payload ->> 'previous') IS NULL;
    INSERT INTO curation.disposition (ledger_seq, candidate, profile, generator, participants, disposition, author, recorded_at,
                                      note, previous, event, source_event, source_author, source_time)
        VALUES (seq, (payload ->> 'candidate')::uuid, (payload ->> 'profile')::uuid, decode(payload ->> 'generator', 'hex'),
                decode(payload ->> 'participants', 'hex'), payload ->> 'disposition',
                curation.actor_named(payload ->> 'author'), (payload ->> 'recorded_at')::timestamptz, payload ->> 'note',
                decode(payload ->> 'previous', 'hex'),
                sha256(tekrar_meta.lp('tekrar/disposition-event/v1') || tekrar_meta.canonical(payload)),
                decode(payload ->> 'source_event', 'hex'), payload ->> 'source_author', payload ->> 'source_time');
END
$$;
REVOKE ALL ON FUNCTION curation.record_disposition(bigint, jsonb) FROM PUBLIC;
