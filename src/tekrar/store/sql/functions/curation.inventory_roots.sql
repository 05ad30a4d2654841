-- Roots of a profile's inventories of evidence and curation (docs/encoding.md section 14) at an entry of the ledger (null:
-- now), by the names under which a release binds them. Without candidates and decisions each is the root of no record.
CREATE OR REPLACE FUNCTION curation.inventory_roots(profile_key integer, before bigint DEFAULT NULL) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    sets CONSTANT integer[] := curation.sets_of(profile_key, before);
    profile uuid;
    predicate text;
    records bytea[];
    roots jsonb;
BEGIN
    SELECT p.profile, p.predicate INTO STRICT profile, predicate FROM repetition.profile p
        WHERE p.profile_key = inventory_roots.profile_key;
    -- Written out: a function that sets its search path is called for every row.
    records := ARRAY(SELECT '\x00000010'::bytea || uuid_send(c.candidate) || '\x00000020'::bytea || c.result_digest
                     FROM curation.candidate c WHERE c.set_key = ANY (sets) ORDER BY c.candidate);
    roots := jsonb_build_object('candidates', encode(tekrar_meta.manifest_root('candidates', profile, predicate, records), 'hex'));
    records := ARRAY(SELECT tekrar_meta.record(uuid_send(c.candidate), c.event)
                     FROM curation.closed_candidates(sets, profile, before) AS c
                     WHERE c.disposition = 'false_positive' ORDER BY c.candidate);
    roots := roots || jsonb_build_object('false-positives',
        encode(tekrar_meta.manifest_root('false-positives', profile, predicate, records), 'hex'));
    records := ARRAY(SELECT tekrar_meta.record(u.key, u.value)
                     FROM curation.unresolved_records(profile_key, sets, before) AS u ORDER BY u.key);
    roots := roots || jsonb_build_object('unresolved-review',
        encode(tekrar_meta.manifest_root('unresolved-review', profile, predicate, records), 'hex'));
    RETURN roots || curation.structure_roots(profile_key, before);
END
$$;
REVOKE ALL ON FUNCTION curation.inventory_roots(integer, bigint) FROM PUBLIC;
