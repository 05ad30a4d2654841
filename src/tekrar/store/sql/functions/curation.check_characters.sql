-- Refuses spans (start, end, start, end …) of which one begins or ends inside a character: a byte of UTF-8 that goes on with
-- one stands there. The spans lie inside the text, which is valid.
CREATE OR REPLACE FUNCTION curation.check_characters(release_key integer, spans bigint[], place text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    inside bigint;
BEGIN
    -- One look-up a place, whatever the plan knows of the text; only the byte is read of its block.
    SELECT min(s.at) INTO inside FROM (SELECT DISTINCT v.at FROM unnest(spans) AS v(at)) AS s
        CROSS JOIN LATERAL (SELECT substring(b.data FROM (s.at % 32768)::integer + 1 FOR 1) AS sign FROM core.text_block b
                            WHERE b.release_key = release_key AND b.block = (s.at / 32768)::integer LIMIT 1) AS t
        WHERE t.sign BETWEEN '\x80' AND '\xbf';
    IF inside IS NOT NULL THEN
        PERFORM curation.refuse('not_a_character', format('byte %s stands inside a character', inside), place,
                                'ends between characters', inside::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_characters(integer, bigint[], text) FROM PUBLIC;
