-- What else a published release binds as not resolved, for whoever may read it as the role `acting`: proposals that waited
-- (`open_proposal`, without anybody's verdict) and families that need a successor (`needs_successor`), as they were at the
-- release; the first thousand of each, with how many there are. Of a withdrawn release nothing.
CREATE OR REPLACE FUNCTION api.open_records(release uuid, acting name)
    RETURNS TABLE (kind text, id text, profile uuid, whole bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH r AS (
        SELECT e.profile_key, e.profile, e.ledger_seq FROM repetition.repetition_release e
        WHERE e.release = open_records.release AND e.release = ANY (api.releases_to_read(acting))
          AND NOT EXISTS (SELECT FROM repetition.incident i WHERE i.release = e.release)
    )
    (SELECT 'open_proposal', encode(p.proposal_digest, 'hex'), r.profile, count(*) OVER ()
     FROM r CROSS JOIN LATERAL curation.open_proposals(r.profile, r.ledger_seq) AS p ORDER BY 2 LIMIT 1000)
    UNION ALL
    (SELECT 'needs_successor', f.family::text, f.profile, count(*) OVER ()
     FROM r CROSS JOIN LATERAL curation.needs_successor(r.profile_key, r.ledger_seq) AS f ORDER BY 2 LIMIT 1000)
$$;
REVOKE ALL ON FUNCTION api.open_records(uuid, name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.open_records(uuid, name) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher,
    tekrar_auditor;
