-- What a publication rests on (REL-04): the bound facts, and what can change while they stay: the repetition head, the
-- publisher's grant, the approvals of what was decided, the freeze epoch, the seals, the rows, the visibility pointer. Computed when a plan is prepared and
-- again under the lock. `grant_key` is the grant that was found.
DROP FUNCTION IF EXISTS repetition.publication_facts(integer, integer);
CREATE OR REPLACE FUNCTION repetition.publication_facts(profile_key integer, grant_key integer, inventories jsonb DEFAULT NULL)
    RETURNS jsonb
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT repetition.bound_facts(p.profile_key, inventories) || jsonb_build_object(
        'repetition-head', (SELECT encode(h.value, 'hex') FROM curation.head h WHERE h.name = 'repetition'),
        'publisher-grant', publication_facts.grant_key::text,
        'approvals', curation.approvals(p.profile_key),
        'freeze-epoch', (SELECT coalesce(max(f.epoch), 0)::text FROM curation.freeze f),
        'seal', coalesce((SELECT encode(s.artifact_root || sha256(s.counts), 'hex') FROM repetition.seal s
                          WHERE s.artifact_key = p.artifact_key), 'none'),
        'text-seal', coalesce((SELECT encode(s.certified_digest || s.manifest_root || sha256(s.counts), 'hex')
                               FROM core.release_seal s WHERE s.release_key = a.release_key), 'none'),
        'rows/occurrence', (SELECT count(*)::text FROM repetition.occurrence o WHERE o.profile_key = p.profile_key),
        'rows/class', (SELECT count(*)::text FROM repetition.class c WHERE c.profile_key = p.profile_key),
        'visible', coalesce((SELECT coalesce(v.release::text, 'none') || ' ' || v.version
                             FROM repetition.series s JOIN repetition.visible v USING (series_key)
                             WHERE (s.edition, s.policy_digest, s.projection, s.enumerator)
                                 = (t.edition, a.policy_digest, p.projection, p.enumerator)), 'none'))
    FROM repetition.profile p
    JOIN repetition.artifact a ON a.artifact_key = p.artifact_key
    JOIN core.release t ON t.release_key = a.release_key
    WHERE p.profile_key = publication_facts.profile_key
$$;
REVOKE ALL ON FUNCTION repetition.publication_facts(integer, integer, jsonb) FROM PUBLIC;
