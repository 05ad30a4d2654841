-- What a curator says of candidates: `events` is [{"candidate", "disposition", "note"}…], and of an event that stood in a file
-- beside a package also "source_event", "source_author" and "source_time". Each is an entry of the ledger and accepts
-- nothing; one that was brought from a file before is nothing to do. Returns [{"candidate", "outcome", "event", "seq"}…].
CREATE OR REPLACE FUNCTION api.mark_candidates(events jsonb) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    author CONSTANT integer := curation.current_actor();
    one jsonb;
    about record;
    known bytea;
    payload jsonb;
    seq bigint;
    done jsonb := '[]';
BEGIN
    PERFORM curation.lock_heads('{}');
    PERFORM tekrar_meta.step('mark/locked');
    PERFORM api.require_scope('tekrar_curator');
    IF jsonb_typeof(mark_candidates.events) IS DISTINCT FROM 'array' THEN
        PERFORM tekrar_meta.bad_argument('events', 'a list of candidate and disposition', mark_candidates.events::text);
    END IF;
    FOR one IN SELECT * FROM jsonb_array_elements(mark_candidates.events) LOOP
        SELECT c.candidate, c.profile, c.generator, c.participants, t.edition INTO about
            FROM curation.candidate c JOIN curation.candidate_entry USING (set_key) JOIN curation.candidate_set s USING (set_key)
            JOIN repetition.artifact a USING (artifact_key) JOIN core.release t USING (release_key)
            WHERE c.candidate = CASE WHEN one ->> 'candidate' ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
                                    THEN (one ->> 'candidate')::uuid END
              AND ARRAY['*', t.edition] && api.scopes('tekrar_curator') COLLATE "C"
            ORDER BY c.set_key LIMIT 1;
        IF NOT FOUND THEN
            PERFORM api.not_found('candidate', coalesce(one ->> 'candidate', 'null'));
        END IF;
        PERFORM curation.require_grant(author, 'curator', about.edition);
        PERFORM curation.check_mark(one);
        SELECT d.event INTO known FROM curation.disposition d WHERE encode(d.source_event, 'hex') = one ->> 'source_event';
        IF FOUND THEN
            done := done || jsonb_build_object('candidate', about.candidate, 'outcome', 'already_marked',
                                               'event', encode(known, 'hex'));
            CONTINUE;
        END IF;
        payload := jsonb_build_object('candidate', about.candidate, 'profile', about.profile,
            'generator', encode(about.generator, 'hex'), 'participants', encode(about.participants, 'hex'),
            'disposition', one -> 'disposition', 'note', coalesce(one ->> 'note', ''), 'author', curation.name_of(author),
            'recorded_at', tekrar_meta.instant(clock_timestamp()), 'previous', encode(curation.last_event(about.profile), 'hex'))
            || coalesce((SELECT jsonb_object_agg(k, one -> k) FROM unnest(ARRAY['source_event', 'source_author', 'source_time'])
                         AS k WHERE one ? k), '{}');
        PERFORM curation.refuse_unreviewed_override(payload);
        seq := curation.append('disposition', payload);
        PERFORM tekrar_meta.step('mark/ledger');
        PERFORM curation.record_disposition(seq, payload);
        PERFORM tekrar_meta.step('mark/done');
        done := done || jsonb_build_object('candidate', about.candidate, 'outcome', 'marked', 'seq', seq,
                                           'event', encode(curation.last_event(about.profile), 'hex'));
    END LOOP;
    RETURN done;
END
$$;
REVOKE ALL ON FUNCTION api.mark_candidates(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.mark_candidates(jsonb) TO tekrar_curator;
