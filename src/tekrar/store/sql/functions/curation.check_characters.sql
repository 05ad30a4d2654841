-- Refuses spans (start, end, start, end …) of which one begins or ends inside a character: a byte of UTF-8 that goes on with
-- one stands there. The spans lie inside the text, which is valid.
CREATE OR REPLACE FUNCTION curation.check_characters(release_key integer, spans bigint[], place text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_variable
DECLARE
    inside bigint;
BEGIN
    SELECT min(s.at) INTO inside FROM (SELECT DISTINCT v.at FROM unnest(spans) AS v(at)) AS s
        JOIN core.text_block b ON b.release_key = release_key AND b.block = (s.at / 32768)::integer
        WHERE s.at % 32768 < octet_length(b.data)
          AND get_byte(b.data, (s.at % 32768)::integer) BETWEEN 128 AND 191;
    IF inside IS NOT NULL THEN
        PERFORM curation.refuse('not_a_character', format('byte %s stands inside a character', inside), place,
                                'ends between characters', inside::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_characters(integer, bigint[], text) FROM PUBLIC;
