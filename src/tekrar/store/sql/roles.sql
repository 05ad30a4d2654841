-- The roles of contract C5. They belong to the whole server, not to one database: another database of it may
-- have made them, even at this moment, so every step stands on its own and may have been done before.
DO $roles$
DECLARE
    wanted text;
    more text;
    grantable CONSTANT text[] := ARRAY['tekrar_reader', 'tekrar_curator', 'tekrar_reviewer', 'tekrar_publisher',
        'tekrar_auditor', 'tekrar_administrator'];
    -- From 16 on whoever made a role administers it without being it.
    being text := CASE WHEN pg_catalog.current_setting('server_version_num')::int4 >= 160000
        THEN 'SET' ELSE 'MEMBER' END;
BEGIN
    FOREACH wanted IN ARRAY ARRAY[
        'tekrar_owner', 'tekrar_builder', 'tekrar_reader', 'tekrar_curator', 'tekrar_reviewer',
        'tekrar_publisher', 'tekrar_auditor', 'tekrar_administrator', 'tekrar_login'
    ] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE pg_catalog.format(
                    'CREATE ROLE %I %s NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS',
                    wanted, CASE wanted WHEN 'tekrar_login' THEN 'LOGIN' ELSE 'NOLOGIN' END);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
        -- Somebody may have made it with more: then row-level security would bind nobody who acts as it.
        SELECT pg_catalog.concat_ws(', ', CASE WHEN r.rolsuper THEN 'SUPERUSER' END, CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END,
                CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END, CASE WHEN r.rolcreatedb THEN 'CREATEDB' END,
                CASE WHEN r.rolreplication THEN 'REPLICATION' END,
                CASE WHEN r.rolcanlogin <> (wanted = 'tekrar_login') THEN
                    CASE WHEN r.rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END END,
                CASE WHEN r.rolinherit AND wanted = 'tekrar_login' THEN 'INHERIT' END,
                (SELECT 'member of ' || pg_catalog.string_agg(g.rolname::text, ', ' ORDER BY g.rolname)
                 FROM pg_catalog.pg_auth_members AS m JOIN pg_catalog.pg_roles AS g ON g.oid = m.roleid
                 WHERE m.member = r.oid AND g.rolname <> ALL (grantable)))
            INTO more FROM pg_catalog.pg_roles AS r WHERE r.rolname = wanted;
        IF more <> '' THEN
            RAISE EXCEPTION USING ERRCODE = 'TK037',
                MESSAGE = pg_catalog.format('the role %s of this server is %s', wanted, more),
                DETAIL = pg_catalog.jsonb_build_object('kind', 'role_attributes', 'fact', wanted, 'expected',
                    'a role without privileges of its own', 'found', more)::text,
                HINT = pg_catalog.format('take that away from %s (ALTER ROLE, REVOKE), or drop the role; it belongs to the store',
                    wanted);
        END IF;
    END LOOP;
    FOREACH wanted IN ARRAY grantable LOOP
        IF NOT pg_catalog.pg_has_role('tekrar_login', wanted, 'MEMBER') THEN
            EXECUTE pg_catalog.format('GRANT %I TO tekrar_login', wanted);
        END IF;
    END LOOP;
    -- The owner opens the grantable roles to the logins of actors (curation.synchronize_login), and is none of them. Whoever
    -- only uses roles that others made may not give it that; then no login of an actor's own can be opened.
    FOREACH wanted IN ARRAY grantable LOOP
        IF NOT pg_catalog.pg_has_role('tekrar_owner', wanted, 'MEMBER WITH ADMIN OPTION') THEN
            BEGIN
                EXECUTE pg_catalog.format('GRANT %I TO tekrar_owner WITH ADMIN %s', wanted,
                    CASE being WHEN 'SET' THEN 'TRUE, INHERIT FALSE, SET FALSE' ELSE 'OPTION' END);
            EXCEPTION WHEN insufficient_privilege OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
    -- Whoever migrates becomes the owner, and whoever reads the schema's state a reader; a superuser may anyway.
    FOREACH wanted IN ARRAY ARRAY['tekrar_owner', 'tekrar_builder', 'tekrar_reader'] LOOP
        IF NOT pg_catalog.pg_has_role(session_user, wanted, being) THEN
            EXECUTE pg_catalog.format('GRANT %I TO %I', wanted, session_user);
        END IF;
    END LOOP;
    IF NOT pg_catalog.has_database_privilege(
        'tekrar_owner', pg_catalog.current_database()::text, 'CREATE'
    ) THEN
        EXECUTE pg_catalog.format(
            'GRANT CREATE ON DATABASE %I TO tekrar_owner', pg_catalog.current_database());
    END IF;
    IF NOT pg_catalog.has_database_privilege(
        'tekrar_login', pg_catalog.current_database()::text, 'CONNECT'
    ) THEN
        EXECUTE pg_catalog.format(
            'GRANT CONNECT ON DATABASE %I TO tekrar_login', pg_catalog.current_database());
    END IF;
    IF NOT pg_catalog.has_database_privilege(
        'tekrar_owner', pg_catalog.current_database()::text, 'CONNECT WITH GRANT OPTION'
    ) AND pg_catalog.has_database_privilege(
        session_user, pg_catalog.current_database()::text, 'CONNECT WITH GRANT OPTION'
    ) THEN
        EXECUTE pg_catalog.format(
            'GRANT CONNECT ON DATABASE %I TO tekrar_owner WITH GRANT OPTION', pg_catalog.current_database());
    END IF;
END
$roles$;
