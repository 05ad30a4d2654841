-- One line a fact of the schema; run by tekrar.store.snapshot. What differs between PostgreSQL 15 and 18 is left out
-- or written in one way: not-null constraints (catalogued from 18 on) stand with their columns, bodies of views
-- (printed differently from 16 on) are left to the migrations' digests, memberships have no options.
WITH space AS (
    SELECT oid, nspname, nspowner, nspacl
    FROM pg_catalog.pg_namespace
    WHERE nspname NOT LIKE 'pg\_%' AND nspname NOT IN ('information_schema', 'public')
),
relation AS (
    SELECT c.*, space.nspname, pg_catalog.format('%I.%I', space.nspname, c.relname) AS name
    FROM pg_catalog.pg_class AS c JOIN space ON space.oid = c.relnamespace
),
routine AS (
    SELECT p.*, pg_catalog.format('%I.%I(%s)', space.nspname, p.proname,
                                  pg_catalog.pg_get_function_identity_arguments(p.oid)) AS name
    FROM pg_catalog.pg_proc AS p JOIN space ON space.oid = p.pronamespace
),
line (text) AS (
    SELECT pg_catalog.format('role %I%s%s%s%s%s%s%s', rolname,
        CASE WHEN rolcanlogin THEN ' login' END, CASE WHEN rolsuper THEN ' superuser' END,
        CASE WHEN rolbypassrls THEN ' bypassrls' END, CASE WHEN rolcreaterole THEN ' createrole' END,
        CASE WHEN rolinherit THEN ' inherit' END, CASE WHEN rolcreatedb THEN ' createdb' END,
        CASE WHEN rolreplication THEN ' replication' END)
    FROM pg_catalog.pg_roles WHERE rolname LIKE 'tekrar\_%'
    UNION
    SELECT pg_catalog.format('member %I of %I', m.rolname, r.rolname)
    FROM pg_catalog.pg_auth_members AS a
    JOIN pg_catalog.pg_roles AS r ON r.oid = a.roleid
    JOIN pg_catalog.pg_roles AS m ON m.oid = a.member
    WHERE r.rolname LIKE 'tekrar\_%' AND m.rolname LIKE 'tekrar\_%'
    UNION ALL
    SELECT pg_catalog.format('schema %I owner %I', nspname, pg_catalog.pg_get_userbyid(nspowner)) FROM space
    UNION ALL
    SELECT pg_catalog.format('%s %s owner %I%s%s%s%s',
        CASE relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'matview'
                     WHEN 'S' THEN 'sequence' WHEN 'c' THEN 'rowtype' ELSE 'relation' END,
        name, pg_catalog.pg_get_userbyid(relowner),
        CASE WHEN relrowsecurity THEN ' rls' END, CASE WHEN relforcerowsecurity THEN ' forced' END,
        CASE WHEN reloptions IS NOT NULL THEN ' with ' || reloptions::text END,
        CASE WHEN relkind = 'p' THEN ' partition by ' || pg_catalog.pg_get_partkeydef(oid) END)
    FROM relation WHERE relkind NOT IN ('i', 'I', 't')
    UNION ALL
    SELECT pg_catalog.format('column %s.%I %s%s%s%s%s', r.name, a.attname,
        pg_catalog.format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN ' not null' END,
        CASE WHEN a.attcollation <> t.typcollation
             THEN (SELECT ' collate ' || collname FROM pg_catalog.pg_collation WHERE oid = a.attcollation) END,
        CASE WHEN a.attidentity <> '' THEN ' identity' WHEN a.attgenerated <> '' THEN ' generated' END,
        ' default ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid))
    FROM relation AS r
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = r.oid AND d.adnum = a.attnum
    WHERE r.relkind IN ('r', 'p', 'v', 'm', 'c')
    UNION ALL
    SELECT pg_catalog.format('constraint %s %I %s%s', r.name, k.conname, pg_catalog.pg_get_constraintdef(k.oid),
        CASE WHEN NOT k.convalidated THEN ' not valid' END)
    FROM relation AS r JOIN pg_catalog.pg_constraint AS k ON k.conrelid = r.oid WHERE k.contype NOT IN ('n', 't')
    UNION ALL
    SELECT 'index ' || pg_catalog.pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid THEN '' ELSE ' invalid' END
    FROM relation AS r JOIN pg_catalog.pg_index AS i ON i.indrelid = r.oid
    WHERE r.relkind <> 't'
    UNION ALL
    SELECT pg_catalog.format('trigger %s %s enabled %s', r.name, pg_catalog.pg_get_triggerdef(g.oid), g.tgenabled)
    FROM relation AS r JOIN pg_catalog.pg_trigger AS g ON g.tgrelid = r.oid AND NOT g.tgisinternal
    UNION ALL
    SELECT pg_catalog.format('policy %s %I %s %s to %s using %s check %s', r.name, p.polname,
        CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END,
        CASE p.polcmd WHEN 'r' THEN 'select' WHEN 'a' THEN 'insert' WHEN 'w' THEN 'update' WHEN 'd' THEN 'delete'
                      ELSE 'all' END,
        (SELECT pg_catalog.string_agg(CASE o WHEN 0 THEN 'public' ELSE pg_catalog.pg_get_userbyid(o)::text END, ','
                                      ORDER BY pg_catalog.pg_get_userbyid(o)::text COLLATE "C")
         FROM pg_catalog.unnest(p.polroles) AS o),
        coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), '-'),
        coalesce(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), '-'))
    FROM relation AS r JOIN pg_catalog.pg_policy AS p ON p.polrelid = r.oid
    UNION ALL
    SELECT pg_catalog.format('function %s returns %s owner %I language %s %s%s%s%s%s%s body %s', f.name,
        pg_catalog.pg_get_function_result(f.oid), pg_catalog.pg_get_userbyid(f.proowner),
        (SELECT lanname FROM pg_catalog.pg_language WHERE oid = f.prolang),
        CASE f.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
        CASE WHEN f.prosecdef THEN ' definer' END, CASE WHEN f.proleakproof THEN ' leakproof' END,
        CASE WHEN f.proisstrict THEN ' strict' END,
        CASE f.proparallel WHEN 's' THEN ' parallel safe' WHEN 'r' THEN ' parallel restricted' END,
        CASE WHEN f.proconfig IS NOT NULL THEN ' set ' || f.proconfig::text END,
        pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(f.prosrc, 'UTF8')), 'hex'))
    FROM routine AS f
    UNION ALL
    SELECT pg_catalog.format('type %I.%I %s', space.nspname, t.typname,
        CASE t.typtype WHEN 'e' THEN (SELECT 'enum ' || pg_catalog.string_agg(enumlabel, ',' ORDER BY enumsortorder)
                                      FROM pg_catalog.pg_enum WHERE enumtypid = t.oid)
             ELSE 'domain ' || pg_catalog.format_type(t.typbasetype, t.typtypmod) ||
                  CASE WHEN t.typnotnull THEN ' not null' ELSE '' END ||
                  coalesce((SELECT pg_catalog.string_agg(' ' || pg_catalog.pg_get_constraintdef(k.oid), ''
                                                         ORDER BY k.conname COLLATE "C")
                            FROM pg_catalog.pg_constraint AS k WHERE k.contypid = t.oid AND k.contype = 'c'), '') END)
    FROM pg_catalog.pg_type AS t JOIN space ON space.oid = t.typnamespace WHERE t.typtype IN ('e', 'd')
    UNION ALL
    SELECT pg_catalog.format('grant %s on %s to %s%s', g.privilege_type, g.name,
        CASE g.grantee WHEN 0 THEN 'public' ELSE pg_catalog.pg_get_userbyid(g.grantee)::text END,
        CASE WHEN g.is_grantable THEN ' grantable' END)
    FROM (
        SELECT 'schema ' || nspname AS name, nspowner AS owner, x.*
        FROM space, pg_catalog.aclexplode(coalesce(nspacl, pg_catalog.acldefault('n', nspowner))) AS x
        UNION ALL
        SELECT 'relation ' || name, relowner, x.*
        FROM relation, pg_catalog.aclexplode(coalesce(
            relacl, pg_catalog.acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner))) AS x
        WHERE relkind NOT IN ('i', 'I', 't', 'c')
        UNION ALL
        SELECT pg_catalog.format('column %s.%I', r.name, a.attname), r.relowner, x.*
        FROM relation AS r JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid AND a.attacl IS NOT NULL,
             pg_catalog.aclexplode(a.attacl) AS x
        UNION ALL
        SELECT 'function ' || name, proowner, x.*
        FROM routine, pg_catalog.aclexplode(coalesce(proacl, pg_catalog.acldefault('f', proowner))) AS x
    ) AS g
    WHERE g.grantee <> g.owner
    UNION ALL
    SELECT pg_catalog.format('default %s of %I%s', d.defaclobjtype, pg_catalog.pg_get_userbyid(d.defaclrole),
        ' ' || d.defaclacl::text)
    FROM pg_catalog.pg_default_acl AS d
)
SELECT folded
FROM line, pg_catalog.regexp_replace(text, '\s+', ' ', 'g') AS folded
ORDER BY folded COLLATE "C"
