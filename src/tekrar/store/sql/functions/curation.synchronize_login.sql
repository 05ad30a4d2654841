-- Gives a login the database roles of which its actor holds a grant that is not revoked and not over, and takes the others
-- away (contract C5). The login inherits none of them: it takes one for a transaction. What it then sees and does is asked
-- again of the ledger each time. Superusers and the store's own roles are left alone, and so is a login that is not there.
CREATE OR REPLACE FUNCTION curation.synchronize_login(login text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    options CONSTANT boolean := current_setting('server_version_num')::integer >= 160000;
    base CONSTANT text := current_database();
    one record;
    opened boolean := false;
BEGIN
    IF starts_with(synchronize_login.login, 'tekrar_')
       OR NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = synchronize_login.login AND NOT r.rolsuper) THEN
        RETURN;
    END IF;
    FOR one IN
        SELECT 'tekrar_' || w.role AS role,
               EXISTS (SELECT FROM curation.actor a JOIN curation.grant_entry g USING (actor_key)
                       WHERE a.login = synchronize_login.login AND g.role = w.role
                         AND (g.valid_to IS NULL OR clock_timestamp() < g.valid_to)
                         AND NOT EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key)) AS due,
               EXISTS (SELECT FROM pg_auth_members m WHERE m.roleid = ('tekrar_' || w.role)::regrole
                         AND m.member = quote_ident(synchronize_login.login)::regrole
                         AND (NOT options OR m.grantor = 'tekrar_owner'::regrole)) AS held
        FROM unnest(ARRAY['reader', 'curator', 'reviewer', 'publisher', 'auditor', 'administrator']) AS w(role)
    LOOP
        opened := opened OR one.due;
        IF one.due AND NOT one.held THEN
            EXECUTE format('GRANT %I TO %I', one.role, synchronize_login.login)
                || CASE WHEN options THEN ' WITH INHERIT FALSE, SET TRUE' ELSE '' END;
        ELSIF one.held AND NOT one.due THEN
            EXECUTE format('REVOKE %I FROM %I', one.role, synchronize_login.login);
        END IF;
    END LOOP;
    IF NOT has_database_privilege('tekrar_owner', base, 'CONNECT WITH GRANT OPTION') THEN
        RETURN; -- who may connect is the database's owner's to say
    ELSIF opened AND NOT has_database_privilege(synchronize_login.login, base, 'CONNECT') THEN
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', base, synchronize_login.login);
    ELSIF NOT opened AND EXISTS (
        SELECT FROM pg_database d, aclexplode(d.datacl) AS x WHERE d.datname = base
          AND (x.grantor, x.grantee) = ('tekrar_owner'::regrole, quote_ident(synchronize_login.login)::regrole)) THEN
        EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM %I', base, synchronize_login.login);
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION USING ERRCODE = 'TK036', MESSAGE = 'tekrar_owner may not open its roles to logins',
        DETAIL = jsonb_build_object('kind', 'role_admin', 'fact', 'admin option of tekrar_owner', 'expected', 'held',
                                    'found', 'none')::text,
        HINT = 'run tekrar db migrate once as a superuser, or as the user that made the roles';
END
$$;
REVOKE ALL ON FUNCTION curation.synchronize_login(text) FROM PUBLIC;
