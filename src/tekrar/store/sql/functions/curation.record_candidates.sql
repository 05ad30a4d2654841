-- The row of an entry `candidates`, from its payload and the set that is loaded (docs/store.md, "Candidates").
CREATE OR REPLACE FUNCTION curation.record_candidates(seq bigint, payload jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO curation.candidate_entry (set_key, recorded_at, ledger_seq)
        SELECT s.set_key, (payload ->> 'recorded_at')::timestamptz, seq
        FROM curation.candidate_set s JOIN curation.candidate_seal USING (set_key) JOIN repetition.artifact a USING (artifact_key)
        WHERE (s.package_root, s.profile, s.generator, a.artifact_root) = (decode(payload ->> 'package', 'hex'),
            (payload ->> 'profile')::uuid, decode(payload ->> 'generator', 'hex'), decode(payload ->> 'artifact', 'hex'));
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010',
            MESSAGE = format('the candidates %s of ledger entry %s are not loaded', payload ->> 'package', seq),
            DETAIL = jsonb_build_object('kind', 'candidates_not_loaded', 'package', payload ->> 'package', 'seq', seq)::text,
            HINT = 'load this package of candidates (tekrar load CANDIDATES) before the ledger is replayed';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.record_candidates(bigint, jsonb) FROM PUBLIC;
