-- Ends the load of a set of candidates with the root that was made again from the rows in the database; counts rows itself,
-- and looks for every participant among the occurrences of the profile. Where there is a ledger, the set's entry follows.
CREATE OR REPLACE FUNCTION api.seal_candidates(set_key integer, package_root bytea, candidates integer) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key CONSTANT integer := seal_candidates.set_key;
    one curation.candidate_set;
    stranger uuid;
BEGIN
    SELECT * INTO one FROM curation.candidate_set s WHERE s.set_key = key;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010', MESSAGE = format('no set of candidates %s is being loaded', key),
            DETAIL = jsonb_build_object('kind', 'not_found', 'set_key', key)::text;
    END IF;
    PERFORM tekrar_meta.compare('seal_mismatch', 'package root', encode(one.package_root, 'hex'),
                                encode(seal_candidates.package_root, 'hex'));
    PERFORM tekrar_meta.compare('seal_mismatch', 'candidates', seal_candidates.candidates::text,
        (SELECT count(*)::text FROM curation.candidate c WHERE c.set_key = key AND (c.profile, c.generator) = (one.profile, one.generator)));
    PERFORM tekrar_meta.compare('seal_mismatch', 'evidence of candidates', seal_candidates.candidates::text,
        (SELECT count(*)::text FROM curation.evidence e JOIN curation.candidate c USING (set_key, rank)
         WHERE e.set_key = key AND e.participants = c.participants AND e.producer = c.generator));
    SELECT p.occurrence INTO stranger FROM curation.candidate_participant p
        WHERE p.set_key = key AND NOT EXISTS (SELECT FROM repetition.occurrence o
            WHERE o.profile_key = one.profile_key AND o.occurrence = p.occurrence) LIMIT 1;
    PERFORM tekrar_meta.compare('seal_mismatch', 'participant that is no occurrence of the profile', NULL, stranger::text);
    INSERT INTO curation.candidate_seal (set_key, package_root, candidates)
        VALUES (key, seal_candidates.package_root, seal_candidates.candidates);
    RETURN jsonb_build_object('announced', curation.announce_candidates(key));
END
$$;
REVOKE ALL ON FUNCTION api.seal_candidates(integer, bytea, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.seal_candidates(integer, bytea, integer) TO tekrar_builder;
