-- ID of the release that a profile would be published as, from what it binds at this moment; `compiler` is the root of
-- its artifact's compiler record.
DROP FUNCTION IF EXISTS repetition.bound_release(integer);
CREATE OR REPLACE FUNCTION repetition.bound_release(profile_key integer, inventories jsonb DEFAULT NULL, OUT release uuid,
    OUT bound bytea, OUT roots bytea, OUT compiler bytea)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    facts CONSTANT jsonb := repetition.bound_facts(profile_key, inventories);
BEGIN
    bound := tekrar_meta.canonical(facts);
    roots := sha256(bound);
    compiler := decode(facts ->> 'root/compiler', 'hex');
    release := repetition.release_id((facts ->> 'profile')::uuid, roots, compiler);
END
$$;
REVOKE ALL ON FUNCTION repetition.bound_release(integer, jsonb) FROM PUBLIC;
