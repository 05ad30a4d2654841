-- Refuses to publish again what an incident took back (CL-08). Where what the artifact says was at fault, nothing of this
-- profile of it is published, whatever was decided since: a corrected source, profile or compiler makes another artifact. Where
-- what was decided was at fault, another release of the profile may follow once its inventories are others. A withdrawn
-- release itself never is.
CREATE OR REPLACE FUNCTION repetition.refuse_withdrawn(profile_key integer, published uuid, inventories jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    SELECT i.release, i.cause, i.reason INTO one FROM repetition.incident i
        JOIN repetition.repetition_release r USING (release)
        JOIN repetition.profile p ON p.profile_key = refuse_withdrawn.profile_key
        WHERE i.release = refuse_withdrawn.published
           OR i.cause = 'exact' AND r.profile_key = p.profile_key
           OR i.cause = 'curation' AND r.profile = p.profile AND NOT EXISTS (
                SELECT FROM jsonb_each_text(refuse_withdrawn.inventories) AS n(name, root)
                WHERE n.root IS DISTINCT FROM convert_from(r.bound, 'UTF8')::jsonb ->> ('head/' || n.name))
        ORDER BY i.cause = 'exact' DESC, i.ledger_seq LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'TK023',
        MESSAGE = CASE WHEN one.release = refuse_withdrawn.published THEN format('release %s was withdrawn', one.release)
            WHEN one.cause = 'exact' THEN format('release %s of this artifact''s profile was withdrawn for what the artifact says', one.release)
            ELSE format('release %s, which binds the same inventories, was withdrawn for what was decided', one.release) END,
        DETAIL = jsonb_build_object('kind', 'withdrawn', 'release', one.release, 'cause', one.cause, 'reason', one.reason)::text,
        HINT = CASE one.cause WHEN 'exact' THEN 'correct the source, the profile or the compiler, and publish the successor that is built anew'
            ELSE 'correct what was decided (retire, replace, compensate), and publish the release that binds it' END;
END
$$;
REVOKE ALL ON FUNCTION repetition.refuse_withdrawn(integer, uuid, jsonb) FROM PUBLIC;
