-- Refuses a quotation's body that is not so: both ends are evaluated occurrences with these witness roots, the ranges lie
-- inside them, end between characters, share no byte and are the selections named, a verbatim one has equal bytes pair by
-- pair, a diff is of these two.
CREATE OR REPLACE FUNCTION curation.check_quotation(profile_key integer, release_key integer, text_release uuid, body jsonb,
                                                    place text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    side text;
    o record;
    spans bigint[];
    other bigint[];
    mapped CONSTANT bigint[] := curation.mapping_spans(body -> 'mapping', place || '.mapping');
BEGIN
    FOREACH side IN ARRAY '{source,quoting}'::text[] LOOP
        spans := curation.spans(body #> ARRAY[side, 'ranges'], format('%s.%s.ranges', place, side));
        SELECT c.occurrence, c.part, c.start_byte, c.start_byte + c.extent AS end_byte, c.selection, w.root INTO o
            FROM repetition.occurrence c
            LEFT JOIN repetition.witness w ON w.profile_key = c.profile_key AND w.witness = c.witness
            WHERE c.profile_key = profile_key AND c.occurrence = (body #>> ARRAY[side, 'occurrence'])::uuid;
        IF NOT FOUND THEN
            PERFORM curation.refuse('not_found', format('there is no occurrence %s in the profile', body #>> ARRAY[side,
                'occurrence']), format('%s.%s.occurrence', place, side), 'an occurrence of the profile',
                body #>> ARRAY[side, 'occurrence']);
        ELSIF o.part NOT IN (1, 2, 3) THEN
            PERFORM curation.refuse('excluded_occurrence', format('occurrence %s is excluded or failed in this profile',
                o.occurrence), format('%s.%s.occurrence', place, side), 'an occurrence that the profile evaluates');
        ELSIF encode(o.root, 'hex') IS DISTINCT FROM body #>> ARRAY[side, 'witness'] THEN
            PERFORM curation.refuse('witness_mismatch', format('occurrence %s has another witness root', o.occurrence),
                format('%s.%s.witness', place, side), encode(o.root, 'hex'), body #>> ARRAY[side, 'witness']);
        ELSIF spans[1] < o.start_byte OR spans[cardinality(spans)] > o.end_byte THEN
            PERFORM curation.refuse('outside_occurrence', format('the ranges of %s.%s lie outside its occurrence', place, side),
                format('%s.%s.ranges', place, side), format('%s to %s', o.start_byte, o.end_byte), spans::text);
        ELSIF (CASE WHEN spans = ARRAY[o.start_byte, o.end_byte] THEN o.selection
                   ELSE curation.selection_id(text_release, spans) END)::text <> body #>> ARRAY[side, 'selection'] THEN
            PERFORM curation.refuse('selection_mismatch', format('the selection of %s.%s is not that of its ranges', place,
                side), format('%s.%s.selection', place, side), 'the ID of the ranges', body #>> ARRAY[side, 'selection']);
        END IF;
        called := curation.check_characters(release_key, spans, format('%s.%s.ranges', place, side)) IS NULL;
        -- No two of one side overlap, so whatever begins before an end does so across the sides.
        IF EXISTS (SELECT FROM (SELECT b.at, max(b.until) OVER (ORDER BY b.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                                    AS reach
                FROM (SELECT spans[i] AS at, spans[i + 1] AS until FROM generate_series(1, cardinality(spans), 2) AS i
                      UNION ALL SELECT other[i], other[i + 1] FROM generate_series(1, cardinality(other), 2) AS i) AS b) AS c
                   WHERE c.at < c.reach) THEN
            PERFORM curation.refuse('self_quotation', 'source and quoting side share bytes', place || '.quoting',
                                    'two selections that share no byte');
        END IF;
        other := spans;
    END LOOP;
    called := curation.check_characters(release_key, mapped, place || '.mapping') IS NULL;
    IF body ->> 'kind' = 'verbatim_quotation' THEN
        FOR i IN 1 .. cardinality(mapped) BY 4 LOOP
            IF api.text_slice(release_key, mapped[i], mapped[i + 1])
               <> api.text_slice(release_key, mapped[i + 2], mapped[i + 3]) THEN
                PERFORM curation.refuse('unequal_verbatim', 'a verbatim quotation has unequal bytes', format('%s.mapping[%s]',
                    place, i / 4), 'equal bytes', mapped[i : i + 3]::text);
            END IF;
        END LOOP;
    END IF;
    IF body ? 'diff' AND NOT EXISTS (SELECT FROM curation.passage_diff p WHERE p.diff = (body ->> 'diff')::uuid
            AND p.left_occurrence = (body #>> '{source,occurrence}')::uuid
            AND p.right_occurrence = (body #>> '{quoting,occurrence}')::uuid
            AND encode(p.left_witness, 'hex') = body #>> '{source,witness}'
            AND encode(p.right_witness, 'hex') = body #>> '{quoting,witness}') THEN
        PERFORM curation.refuse('stale_diff', format('diff %s is not of these two', body ->> 'diff'), place || '.diff',
            'a diff from the source to the quoting occurrence, with their witnesses', body ->> 'diff');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_quotation(integer, integer, uuid, jsonb, text) FROM PUBLIC;
