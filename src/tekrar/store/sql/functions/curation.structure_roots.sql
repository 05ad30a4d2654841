-- Roots of the effective structures of a profile (docs/encoding.md section 14): families, quotations, canonical choices.
CREATE OR REPLACE FUNCTION curation.structure_roots(profile_key integer, before bigint) RETURNS jsonb
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_object_agg(k, encode(tekrar_meta.empty_root(k, p.profile, p.predicate), 'hex'))
    FROM repetition.profile p, unnest(ARRAY['families', 'quotations', 'canonical-choices']) AS k
    WHERE p.profile_key = structure_roots.profile_key
$$;
REVOKE ALL ON FUNCTION curation.structure_roots(integer, bigint) FROM PUBLIC;
