-- Every fact that a release of a profile binds (REL-01), as a flat object of strings. Its canonical bytes are `bound`,
-- their SHA-256 the `roots` of the release's ID. No time, no actor and no order of publication is in it. `inventories` are the
-- roots that curation.inventory_roots gives, where the caller has them already.
DROP FUNCTION IF EXISTS repetition.bound_facts(integer);
CREATE OR REPLACE FUNCTION repetition.bound_facts(profile_key integer, inventories jsonb DEFAULT NULL) RETURNS jsonb
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
            'format', 'tekrar/repetition-release/v1', 'profile', p.profile, 'rule', encode(p.rule, 'hex'),
            'policy', encode(a.policy_digest, 'hex'), 'exact-status', p.exact_status,
            'projection-root', encode(p.projection_root, 'hex'), 'text-release', t.text_release,
            'certified-digest', encode(t.certified_digest, 'hex'),
            'core-release-manifest-root', encode(t.manifest_root, 'hex'), 'artifact-root', encode(a.artifact_root, 'hex'))
        || (SELECT jsonb_object_agg('root/' || split_part(r.name, '/', 4), encode(r.root, 'hex')) FROM repetition.root r
            WHERE r.artifact_key = p.artifact_key
              AND starts_with(r.name, concat_ws('/', p.projection, p.enumerator, p.predicate) || '/'))
        || (SELECT jsonb_object_agg('head/' || h.name, encode(h.value, 'hex')) FROM curation.head h
            WHERE (h.scope = '' AND h.name IN ('curation', 'provenance', 'transformation', 'propagation-policies'))
               OR (h.scope = p.profile::text AND h.name = 'public-projection'))
        || (SELECT jsonb_object_agg('head/' || i.name, i.root)
            FROM jsonb_each(coalesce(inventories, curation.inventory_roots(p.profile_key))) AS i(name, root))
    FROM repetition.profile p
    JOIN repetition.artifact a ON a.artifact_key = p.artifact_key
    JOIN core.release t ON t.release_key = a.release_key
    WHERE p.profile_key = bound_facts.profile_key
$$;
REVOKE ALL ON FUNCTION repetition.bound_facts(integer, jsonb) FROM PUBLIC;
