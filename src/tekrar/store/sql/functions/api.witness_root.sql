-- The root of one mask witness of a profile. Planned at each call, over that profile's partition alone.
CREATE OR REPLACE FUNCTION api.witness_root(profile_key integer, witness integer) RETURNS bytea
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_variable
DECLARE
    root bytea;
BEGIN
    SELECT w.root INTO root FROM repetition.witness w
        WHERE w.profile_key = witness_root.profile_key AND w.witness = witness_root.witness;
    IF root IS NULL THEN
        PERFORM api.refuse_torn('witness', witness_root.witness::text);
    END IF;
    RETURN root;
END
$$;
REVOKE ALL ON FUNCTION api.witness_root(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.witness_root(integer, integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
