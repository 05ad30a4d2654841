-- The roles of contract C5. They belong to the whole server, not to one database: another database of it may
-- have made them, even at this moment, so every step stands on its own and may have been done before.
DO $roles$
DECLARE
    wanted text;
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
    END LOOP;
    FOREACH wanted IN ARRAY ARRAY[
        'tekrar_reader', 'tekrar_curator', 'tekrar_reviewer', 'tekrar_publisher', 'tekrar_auditor',
        'tekrar_administrator'
    ] LOOP
        IF NOT pg_catalog.pg_has_role('tekrar_login', wanted, 'MEMBER') THEN
            EXECUTE pg_catalog.format('GRANT %I TO tekrar_login', wanted);
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
END
$roles$;
