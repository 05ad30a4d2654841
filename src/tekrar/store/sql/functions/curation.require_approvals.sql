-- Refuses the publication of a profile of which a decision lacks approvals; `approvals` is what curation.approvals gave.
CREATE OR REPLACE FUNCTION curation.require_approvals(profile_key integer, approvals text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one record;
BEGIN
    IF approvals = 'valid' THEN
        RETURN;
    END IF;
    one := curation.unapproved(profile_key);
    RAISE EXCEPTION USING ERRCODE = 'TK032', MESSAGE = approvals,
        DETAIL = jsonb_build_object('kind', 'grant_revoked', 'fact', 'approvals', 'expected', 'valid', 'found', approvals,
            'decision', one.decision, 'operation', one.operation, 'structure', one.structure, 'reviewer', one.reviewer, 'role', 'reviewer',
            'scope', one.edition)::text,
        HINT = format('grant %s the role reviewer again (tekrar grant), or retire or replace what was decided (tekrar propose)',
                      one.reviewer);
END
$$;
REVOKE ALL ON FUNCTION curation.require_approvals(integer, text) FROM PUBLIC;
