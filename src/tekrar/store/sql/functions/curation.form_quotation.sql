-- The form of a quotation's body: closed kind, two ends with ascending coalesced ranges, a mapping in source order without
-- overlap on either side, every span of it inside one range of its side; a verbatim one maps both selections wholly.
CREATE OR REPLACE FUNCTION curation.form_quotation(body jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    side text;
    own bigint[];
    spans bigint[];
    mapped bigint[];
BEGIN
    called := curation.form_object(body, place, '{kind,source,quoting,mapping,attribution}', '{diff}') IS NULL;
    IF body ->> 'kind' IS NULL
       OR body ->> 'kind' <> ALL ('{verbatim_quotation,adapted_quotation,formulaic_reuse,source_uncertain}') THEN
        PERFORM curation.refuse('unknown_kind', format('a quotation is no %s', body ->> 'kind'), place || '.kind',
            'verbatim_quotation, adapted_quotation, formulaic_reuse or source_uncertain', body ->> 'kind');
    END IF;
    called := curation.form_text(body -> 'attribution', place || '.attribution', 'words') IS NULL;
    IF body ? 'diff' THEN
        called := curation.form_text(body -> 'diff', place || '.diff', 'uuid') IS NULL;
    END IF;
    mapped := curation.mapping_spans(body -> 'mapping', place || '.mapping');
    FOREACH side IN ARRAY '{source,quoting}'::text[] LOOP
        called := curation.form_object(body -> side, format('%s.%s', place, side), '{occurrence,witness,selection,ranges}') IS NULL;
        called := curation.form_text(body #> ARRAY[side, 'occurrence'], format('%s.%s.occurrence', place, side), 'uuid') IS NULL;
        called := curation.form_text(body #> ARRAY[side, 'witness'], format('%s.%s.witness', place, side), 'digest') IS NULL;
        called := curation.form_text(body #> ARRAY[side, 'selection'], format('%s.%s.selection', place, side), 'uuid') IS NULL;
        spans := curation.spans(body #> ARRAY[side, 'ranges'], format('%s.%s.ranges', place, side));
        IF EXISTS (SELECT FROM (SELECT u.at, lag(u.at) OVER (ORDER BY u.n) AS before
                                FROM unnest(spans) WITH ORDINALITY AS u(at, n)) AS s WHERE s.before >= s.at) THEN
            PERFORM curation.refuse('malformed', format('the ranges of %s.%s are not ascending and coalesced', place,
                side), format('%s.%s.ranges', place, side), 'ascending ranges that do not touch');
        END IF;
        own := ARRAY(SELECT v.e FROM generate_series(CASE side WHEN 'source' THEN 1 ELSE 3 END, cardinality(mapped), 4) AS i
                     CROSS JOIN LATERAL (VALUES (1, mapped[i]), (2, mapped[i + 1])) AS v(k, e) ORDER BY mapped[i], v.k);
        IF own IS DISTINCT FROM ARRAY(SELECT v FROM unnest(own) AS v ORDER BY v)
           OR (side = 'source' AND own <> ARRAY(SELECT mapped[4 * i + k] FROM generate_series(0, cardinality(mapped) / 4 - 1)
                   AS i CROSS JOIN generate_series(1, 2) AS k ORDER BY i, k))
           -- Both ascend, so the range that can hold a span is the last one that began at it or before it.
           OR EXISTS (SELECT FROM (
                SELECT b.own, b.until, max(b.until) FILTER (WHERE NOT b.own) OVER (ORDER BY b.at, b.own ROWS UNBOUNDED
                    PRECEDING) AS reach
                FROM (SELECT false AS own, spans[i] AS at, spans[i + 1] AS until FROM generate_series(1, cardinality(spans), 2) AS i
                      UNION ALL SELECT true, own[i], own[i + 1] FROM generate_series(1, cardinality(own), 2) AS i) AS b) AS c
                WHERE c.own AND c.until > coalesce(c.reach, 0)) THEN
            PERFORM curation.refuse('outside_occurrence', format('the mapping does not lie in order inside the ranges of '
                '%s.%s', place, side), place || '.mapping', 'spans in source order, without overlap, each in one range');
        ELSIF body ->> 'kind' = 'verbatim_quotation'
              AND (SELECT sum(own[i + 1] - own[i]) FROM generate_series(1, cardinality(own), 2) AS i)
                  <> (SELECT sum(spans[i + 1] - spans[i]) FROM generate_series(1, cardinality(spans), 2) AS i) THEN
            PERFORM curation.refuse('unequal_verbatim', format('a verbatim quotation maps the whole selection; %s.%s is not',
                place, side), place || '.mapping', 'a mapping of every byte of both selections');
        END IF;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION curation.form_quotation(jsonb, text) FROM PUBLIC;
