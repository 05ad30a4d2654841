-- Schemas and the guards that every table of facts carries. Run as tekrar_owner.
CREATE SCHEMA core;
CREATE SCHEMA repetition;
CREATE SCHEMA curation;
CREATE SCHEMA restricted;
CREATE SCHEMA api;

ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC;

GRANT USAGE ON SCHEMA api, core, repetition TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT USAGE ON SCHEMA curation TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor,
    tekrar_administrator;
GRANT USAGE ON SCHEMA restricted TO tekrar_auditor;

-- Refuses a statement before it touches a row, whoever runs it (ADR-009: "Published records are immutable").
CREATE FUNCTION tekrar_meta.refuse_change() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'TK001',
        MESSAGE = format('%s.%s is append-only: %s refused', tg_table_schema, tg_table_name, tg_op),
        DETAIL = jsonb_build_object('kind', 'append_only', 'relation', tg_table_schema || '.' || tg_table_name,
                                    'operation', tg_op)::text,
        HINT = 'publish a successor release; records that were written are never edited';
END
$$;

-- Facts may be added, never changed or taken away: no UPDATE, DELETE or TRUNCATE statement, not even of no row.
CREATE FUNCTION tekrar_meta.guard_append_only(relation regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %s '
                   'FOR EACH STATEMENT EXECUTE FUNCTION tekrar_meta.refuse_change()', relation);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only', relation);
END
$$;

-- A filled partition, and the parent of partitions: nothing goes in any more either. Rows enter by COPY into a
-- partition that is not attached yet (docs/store.md, "Load").
CREATE FUNCTION tekrar_meta.guard_sealed(relation regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER sealed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s '
                   'FOR EACH STATEMENT EXECUTE FUNCTION tekrar_meta.refuse_change()', relation);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER sealed', relation);
END
$$;

-- A load is one transaction: what it writes is sealed when it commits, or nothing of it is there. The tables are named
-- by the trigger's arguments: the seal's, and its key.
CREATE FUNCTION tekrar_meta.require_seal() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    sealed boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE %I = $1)', tg_argv[0]::regclass, tg_argv[1])
        INTO sealed USING (to_jsonb(new) ->> tg_argv[1])::integer;
    IF NOT sealed THEN
        RAISE EXCEPTION USING ERRCODE = 'TK004',
            MESSAGE = format('%s.%s was loaded and not sealed', tg_table_schema, tg_table_name),
            DETAIL = jsonb_build_object('kind', 'not_sealed', 'relation', tg_table_schema || '.' || tg_table_name)::text,
            HINT = 'load, verify and seal in one transaction; nothing of this load was kept';
    END IF;
    RETURN NULL;
END
$$;

-- Row-level security on, for the owner too. Policies and grants stand in sql/policies.
CREATE FUNCTION tekrar_meta.secure(relation regclass) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', relation);
END
$$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tekrar_meta FROM PUBLIC;
