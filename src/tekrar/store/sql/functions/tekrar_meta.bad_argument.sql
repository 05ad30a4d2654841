-- Refuses an argument, naming what was expected.
CREATE OR REPLACE FUNCTION tekrar_meta.bad_argument(argument text, expected text, given text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'TK012',
        MESSAGE = format('%s is no %s', coalesce(quote_literal(left(given, 80)), 'nothing'), argument),
        DETAIL = jsonb_build_object('kind', 'bad_argument', 'argument', argument, 'expected', expected,
                                    'found', left(given, 80))::text,
        HINT = format('correct the %s, and run it again; nothing was changed', argument);
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.bad_argument(text, text, text) FROM PUBLIC;
