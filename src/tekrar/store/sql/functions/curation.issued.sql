-- How many structures an action issues when it is applied: one, or one a successor, or none.
CREATE OR REPLACE FUNCTION curation.issued(a jsonb) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN CASE WHEN a ? 'supersession' THEN jsonb_array_length(a #> '{supersession,successors}')
        WHEN a ?| '{family,quotation,choice}' THEN 1 ELSE 0 END;
END
$$;
REVOKE ALL ON FUNCTION curation.issued(jsonb) FROM PUBLIC;
