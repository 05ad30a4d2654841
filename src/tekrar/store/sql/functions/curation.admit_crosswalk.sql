-- Every check of a crosswalk that is a function of the ledger: a structure that is there, a curator of its edition.
CREATE OR REPLACE FUNCTION curation.admit_crosswalk(payload jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    made bigint;
    edition text;
BEGIN
    SELECT f.decision INTO made FROM curation.family f WHERE f.family = (payload ->> 'structure')::uuid
        UNION ALL SELECT q.decision FROM curation.quotation q WHERE q.quotation = (payload ->> 'structure')::uuid
        UNION ALL SELECT c.decision FROM curation.canonical_choice c WHERE c.choice = (payload ->> 'structure')::uuid;
    IF NOT FOUND THEN
        PERFORM api.not_found('structure', payload ->> 'structure');
    END IF;
    SELECT p.edition INTO edition FROM curation.decision d JOIN curation.proposal p USING (proposal_digest)
        WHERE d.decision = made;
    called := curation.require_grant_at(curation.actor_named(payload ->> 'by'), '{curator}', edition,
                                      (payload ->> 'recorded_at')::timestamptz) IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.admit_crosswalk(jsonb) FROM PUBLIC;
