-- Refuses a fact that is not the expected one, naming it with both values.
CREATE OR REPLACE FUNCTION tekrar_meta.compare(kind text, fact text, expected text, actual text, state text DEFAULT 'TK003')
    RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF expected IS DISTINCT FROM actual THEN
        RAISE EXCEPTION USING ERRCODE = state,
            MESSAGE = format('%s: expected %s, found %s', fact, coalesce(expected, 'none'), coalesce(actual, 'none')),
            DETAIL = jsonb_build_object('kind', kind, 'fact', fact, 'expected', expected, 'found', actual)::text;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.compare(text, text, text, text, text) FROM PUBLIC;
