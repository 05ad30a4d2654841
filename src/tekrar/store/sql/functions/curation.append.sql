-- Appends one entry to the hash-chained ledger under the lock of its head; the payload is a flat object of strings.
CREATE OR REPLACE FUNCTION curation.append(kind text, payload jsonb) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    bytes CONSTANT bytea := tekrar_meta.canonical(append.payload);
    head record;
    place bigint;
    entry bytea;
BEGIN
    SELECT h.value, h.version INTO STRICT head FROM curation.head h WHERE h.name = 'ledger' AND h.scope = '' FOR UPDATE;
    place := head.version;
    entry := sha256('\x00000016'::bytea || 'tekrar/ledger-entry/v1'::bytea || int8send(place)
        || int4send(octet_length(append.kind)) || convert_to(append.kind, 'UTF8') || head.value
        || int4send(octet_length(bytes)) || bytes);
    INSERT INTO curation.ledger (seq, kind, payload, previous, entry_hash)
        VALUES (place, append.kind, bytes, head.value, entry);
    UPDATE curation.head h SET value = entry, version = h.version + 1 WHERE h.name = 'ledger' AND h.scope = '';
    RETURN place;
END
$$;
REVOKE ALL ON FUNCTION curation.append(text, jsonb) FROM PUBLIC;
