-- Refuses a database login that is not to be an actor's own: one that is none, that is a role of this store, that is
-- another actor's (one login, one actor), or that can do more than its grants by itself or by a role that it is in. Null is
-- no login.
CREATE OR REPLACE FUNCTION curation.check_login(login text) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    wrong text;
    mend text := 'name a login of its own that holds nothing (CREATE ROLE … LOGIN NOINHERIT)';
BEGIN
    IF check_login.login IS NULL THEN
        RETURN;
    END IF;
    SELECT CASE WHEN NOT r.rolcanlogin THEN 'a role that cannot log in'
                WHEN starts_with(r.rolname, 'tekrar_') THEN 'a role of this store'
                WHEN r.rolinherit AND current_setting('server_version_num')::integer < 160000
                    THEN 'a role that inherits what it may become' END
        INTO wrong FROM pg_roles r WHERE r.rolname = check_login.login;
    IF NOT FOUND THEN
        wrong := 'no role of this server';
    ELSIF wrong LIKE '%inherits%' THEN
        mend := format('ALTER ROLE %I NOINHERIT', check_login.login);
    ELSIF wrong IS NULL THEN
        SELECT CASE WHEN EXISTS (SELECT FROM curation.actor a WHERE a.login = check_login.login)
                        THEN 'the login of another actor'
                    WHEN bool_or(r.rolsuper) THEN 'a superuser'
                    WHEN bool_or(r.rolbypassrls) THEN 'a role that bypasses row-level security'
                    WHEN bool_or(r.rolcreaterole) THEN 'a role that makes roles'
                    WHEN bool_or(r.rolreplication) THEN 'a role that replicates'
                    WHEN bool_or(r.rolname IN ('tekrar_owner', 'tekrar_builder')) THEN 'a member of owner or builder'
                    WHEN bool_or(r.rolname IN ('pg_read_all_data', 'pg_write_all_data', 'pg_read_server_files',
                                               'pg_write_server_files', 'pg_execute_server_program'))
                        THEN 'a member of a role that reads or writes everything'
                    -- The owner of the database is one of pg_database_owner.
                    WHEN bool_or(r.rolname = 'pg_database_owner') THEN 'the owner of the database'
                    WHEN bool_or(starts_with(r.rolname, 'pg_')) THEN 'a member of a role of the server'
                    WHEN bool_or(r.rolcreatedb) THEN 'a role that makes databases' END
            INTO wrong FROM pg_roles r WHERE pg_has_role(check_login.login, r.oid, 'MEMBER');
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'TK035',
            MESSAGE = format('%s is %s', check_login.login, wrong),
            DETAIL = jsonb_build_object('kind', 'actor_login', 'fact', 'login', 'expected',
                'a login that holds nothing and is nobody else''s', 'found', wrong)::text,
            HINT = mend;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_login(text) FROM PUBLIC;
