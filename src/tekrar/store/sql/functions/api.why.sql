-- The facts behind a status, for a plain account: the item's part, the root of that part and of the whole work, the counts
-- of every part, the validation records, the release's place. Only facts; the words are the program's. Planned at each
-- call, over the partitions of its release alone.
CREATE OR REPLACE FUNCTION api.why(release uuid, occurrence uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
    facts jsonb;
BEGIN
    SELECT jsonb_build_object(
        'part', api.token('part', o.part), 'profile', p.profile, 'short', p.short,
        'profile_name', concat_ws('/', p.projection, p.enumerator, p.predicate), 'text_release', t.text_release,
        'edition', t.edition, 'certified_digest', encode(t.certified_digest, 'hex'), 'exact_status', p.exact_status,
        'artifact_root', encode(a.artifact_root, 'hex'), 'work_key', jsonb_build_object('start', o.start_byte,
        'length', o.extent, 'occurrence', o.occurrence), 'counts', convert_from(z.counts, 'UTF8')::jsonb -> p.short,
        'roots', (SELECT jsonb_object_agg(split_part(k.name, '/', 4), encode(k.root, 'hex')) FROM repetition.root k
                  WHERE k.artifact_key = a.artifact_key
                    AND starts_with(k.name, concat_ws('/', p.projection, p.enumerator, p.predicate) || '/')),
        'validation', (SELECT jsonb_object_agg(n.name, encode(n.digest, 'hex')) FROM repetition.validation n
                       WHERE n.profile_key = p.profile_key),
        'spans', (SELECT coalesce(jsonb_agg(jsonb_build_object('start', s.start_byte, 'end', s.end_byte, 'annotation',
                         api.token('annotation', s.kind), 'treatment', api.token('treatment', s.treatment), 'reason',
                         api.token('reason', s.reason), 'selection', s.selection) ORDER BY s.start_byte, s.end_byte, s.kind),
                         '[]'::jsonb)
                  FROM repetition.witness_span s WHERE s.profile_key = o.profile_key AND s.witness = o.witness),
        'class', (SELECT jsonb_build_object('class', c.class, 'witness', encode(c.witness, 'hex'), 'size', c.size,
                         'length', c.length, 'winner', d.class, 'winner_length', d.length, 'left', c.left_extension,
                         'right', c.right_extension)
                  FROM repetition.class c
                  LEFT JOIN repetition.class d ON d.profile_key = c.profile_key AND d.class_no = c.winner
                  WHERE c.profile_key = o.profile_key AND c.class_no = o.class_no),
        'fingerprint', encode(o.fingerprint, 'hex'), 'release', r.release, 'published_at', r.recorded_at,
        'state', CASE WHEN i.release IS NOT NULL THEN 'withdrawn' WHEN v.release = r.release THEN 'visible'
                 ELSE 'earlier' END)
    INTO facts
    FROM repetition.repetition_release r
    JOIN repetition.visible v USING (series_key)
    JOIN repetition.profile p USING (profile_key)
    JOIN repetition.artifact a ON a.artifact_key = r.artifact_key
    JOIN repetition.seal z ON z.artifact_key = r.artifact_key
    JOIN core.release t ON t.release_key = r.release_key
    JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = why.occurrence
    LEFT JOIN repetition.incident i ON i.release = r.release
    WHERE r.release = why.release;
    IF facts IS NULL THEN
        PERFORM api.refuse_absent(why.release, 'occurrence', why.occurrence::text);
    END IF;
    RETURN facts || (SELECT jsonb_build_object('status', s.status, 'presentation', s.presentation, 'code', s.code,
                                               'reasons', s.reasons)
                     FROM api.occurrence_status(why.release, why.occurrence) AS s);
END
$$;
REVOKE ALL ON FUNCTION api.why(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.why(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
