-- Refuses a mark whose disposition is in no list or whose words cannot be kept in one line.
CREATE OR REPLACE FUNCTION curation.check_mark(one jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    known CONSTANT text[] := ARRAY['pending_review', 'probable_near_exact', 'probable_variant', 'probable_quotation',
                                   'uncertain', 'false_positive', 'superseded_candidate'];
    sources CONSTANT integer := (SELECT count(*) FROM unnest(ARRAY['source_event', 'source_author', 'source_time']) AS k
                                 WHERE one ? k);
BEGIN
    IF one ->> 'disposition' IS NULL OR one ->> 'disposition' <> ALL (known) THEN
        PERFORM tekrar_meta.bad_argument('disposition', array_to_string(known, ', '), one ->> 'disposition');
    END IF;
    IF coalesce(one ->> 'note', '') ~ '[[:cntrl:]]' OR char_length(one ->> 'note') > 4000 THEN
        PERFORM tekrar_meta.bad_argument('note', 'at most 4000 characters in one line', one ->> 'note');
    END IF;
    IF sources NOT IN (0, 3) OR coalesce(one ->> 'source_event', repeat('0', 64)) !~ '^[0-9a-f]{64}$'
        OR coalesce(one ->> 'source_author', 'x') !~ '^[^[:cntrl:]]{1,200}$'
        OR coalesce(one ->> 'source_time', '2000-01-01T00:00:00Z') !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$' THEN
        PERFORM tekrar_meta.bad_argument('event', 'source_event, source_author and source_time of an event in a file', one::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_mark(jsonb) FROM PUBLIC;
