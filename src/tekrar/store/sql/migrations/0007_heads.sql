-- The heads that belong to no profile, at their start: 32 zero bytes for chains, the empty manifest's root (no scope)
-- for the inventory of propagation policies. Heads of a profile are created when its artifact is sealed.
INSERT INTO curation.head (name, scope, value, version)
    SELECT name, '', decode(repeat('00', 32), 'hex'), 0
    FROM unnest(ARRAY['repetition', 'curation', 'ledger', 'authority', 'freeze', 'provenance', 'transformation']) AS name;
INSERT INTO curation.head (name, scope, value, version)
    SELECT 'propagation-policies', '', sha256(
        int4send(23) || 'tekrar/manifest-root/v1'::bytea || int4send(20) || 'propagation-policies'::bytea
        || '\x00'::bytea || int8send(0) || sha256(''::bytea)), 0;
