-- The fact `approvals` of a publication: 'valid', or which decision lacks them and whose grant was revoked.
CREATE OR REPLACE FUNCTION curation.approvals(profile_key integer) RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one CONSTANT record := curation.unapproved(profile_key);
BEGIN
    RETURN CASE WHEN one.decision IS NULL THEN 'valid' ELSE format('decision %s (%s %s): the grant of %s, who approved it, was revoked',
        one.decision, one.operation, one.structure, one.reviewer) END;
END
$$;
REVOKE ALL ON FUNCTION curation.approvals(integer) FROM PUBLIC;
