-- One refusal for what is not there and for what the role may not see (threat T14); another one for a caller that may see
-- nothing at all.
CREATE OR REPLACE FUNCTION api.not_found(what text, id text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM api.require_scope(current_user);
    RAISE EXCEPTION USING ERRCODE = 'TK010', MESSAGE = format('there is no %s %s', what, id),
        DETAIL = jsonb_build_object('kind', 'not_found', 'what', what, 'id', id, 'expected',
            CASE what WHEN 'grant' THEN 'the number of a grant in your scope' END)::text,
        HINT = CASE what WHEN 'grant' THEN 'tekrar grant lists the grants with their numbers'
            ELSE 'nothing is said about any text; copy the ID as tekrar printed it' END;
END
$$;
REVOKE ALL ON FUNCTION api.not_found(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.not_found(text, text) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
