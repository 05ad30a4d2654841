-- The form of a plan beyond that of its entries: each profile of an artifact once; a set is the four of one artifact (AMB-35).
CREATE OR REPLACE FUNCTION repetition.check_plan(plan jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    listed text;
    roots bigint;
    twice bigint;
BEGIN
    SELECT string_agg(e ->> 'short', ' ' ORDER BY (e ->> 'short') COLLATE "C"), count(DISTINCT e ->> 'artifact_root'),
           count(*) - count(DISTINCT (e ->> 'artifact_root', e ->> 'short'))
        INTO listed, roots, twice FROM jsonb_array_elements(plan -> 'publications') AS e;
    IF twice > 0 THEN
        PERFORM tekrar_meta.bad_argument('plan', 'each profile of an artifact once', listed);
    ELSIF jsonb_typeof(plan -> 'set') NOT IN ('boolean', 'null') THEN
        PERFORM tekrar_meta.bad_argument('plan', 'a set that is true or false', plan ->> 'set');
    ELSIF (plan ->> 'set')::boolean AND (listed, roots) IS DISTINCT FROM ('FP FS PP PS', 1) THEN
        PERFORM tekrar_meta.bad_argument('plan', 'the four profiles of one artifact as a set', listed);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION repetition.check_plan(jsonb) FROM PUBLIC;
