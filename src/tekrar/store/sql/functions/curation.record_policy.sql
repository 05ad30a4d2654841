-- The row of a `policy` entry, from its payload alone.
CREATE OR REPLACE FUNCTION curation.record_policy(seq bigint, payload jsonb) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO curation.choice_policy (name, version, rule, document, digest, author, recorded_at, ledger_seq)
        VALUES (payload ->> 'name', payload ->> 'version', payload ->> 'rule', payload ->> 'document',
                decode(payload ->> 'digest', 'hex'), curation.actor_named(payload ->> 'by'),
                (payload ->> 'recorded_at')::timestamptz, seq)
$$;
REVOKE ALL ON FUNCTION curation.record_policy(bigint, jsonb) FROM PUBLIC;
