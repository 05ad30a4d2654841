-- Refuses a plan that is none: what api.prepare_publication never writes. A release set is the four profiles of one
-- artifact, each once (docs/store.md, "Publication"); a set of other releases could not be taken back.
CREATE OR REPLACE FUNCTION repetition.check_plan(plan jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    entries CONSTANT jsonb := CASE jsonb_typeof(check_plan.plan -> 'publications') WHEN 'array'
        THEN check_plan.plan -> 'publications' END;
    together CONSTANT jsonb := coalesce(nullif(check_plan.plan -> 'set', 'null'), 'false');
    odd text;
BEGIN
    SELECT CASE WHEN entries IS NULL OR entries = '[]' THEN 'no list of publications'
                WHEN jsonb_typeof(together) <> 'boolean' THEN 'a set that is neither true nor false'
                WHEN bool_or(jsonb_typeof(e.entry -> 'facts') IS DISTINCT FROM 'object') THEN 'a publication without facts'
                WHEN count(*) <> count(DISTINCT (e.entry ->> 'artifact_root', e.entry ->> 'short'))
                    THEN 'a profile that stands in it twice'
                -- Of the plan alone: whether there is such an artifact is told to those who may see it.
                WHEN together = 'true' AND (count(DISTINCT e.entry ->> 'artifact_root') <> 1
                    OR array_agg(e.entry ->> 'short' ORDER BY e.entry ->> 'short' COLLATE "C")
                        IS DISTINCT FROM ARRAY['FP', 'FS', 'PP', 'PS'])
                    THEN 'a set that is not the four profiles of one artifact' END
        INTO odd FROM jsonb_array_elements(entries) AS e(entry);
    IF odd IS NOT NULL THEN
        PERFORM tekrar_meta.bad_argument('plan', 'a plan of api.prepare_publication', odd);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION repetition.check_plan(jsonb) FROM PUBLIC;
