-- How many rows a page holds: 1 to 10000. None, fewer or more is refused as an argument, and not by PostgreSQL's own words.
CREATE OR REPLACE FUNCTION api.page_size(page integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF page IS NULL OR page NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = 'TK012', MESSAGE = format('%s is no size of a page', coalesce(page::text, 'null')),
            DETAIL = jsonb_build_object('kind', 'bad_argument', 'argument', 'page', 'expected', '1 to 10000',
                                        'found', page::text)::text,
            HINT = 'ask for 1 to 10000 rows at once';
    END IF;
    RETURN page;
END
$$;
REVOKE ALL ON FUNCTION api.page_size(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.page_size(integer) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher,
    tekrar_auditor, tekrar_administrator;
