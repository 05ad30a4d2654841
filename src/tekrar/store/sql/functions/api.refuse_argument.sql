-- Refuses an argument outside its closed list, in the place of a value.
CREATE OR REPLACE FUNCTION api.refuse_argument(argument text, expected text, given text) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'TK012', MESSAGE = format('%s is no %s', coalesce(given, 'null'), argument),
        DETAIL = jsonb_build_object('kind', 'bad_argument', 'argument', argument, 'expected', expected,
                                    'found', given)::text,
        HINT = 'give one of them as it stands here';
END
$$;
REVOKE ALL ON FUNCTION api.refuse_argument(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.refuse_argument(text, text, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
