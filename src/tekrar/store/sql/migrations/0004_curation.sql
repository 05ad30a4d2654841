-- Who may do what, and the ledger of it (contract C5). Every entry is chained by hash to the one before.
CREATE TABLE curation.ledger (
    seq bigint PRIMARY KEY CHECK (seq >= 0),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('actor', 'grant', 'revocation', 'freeze', 'publication', 'withdrawal',
                                                   'proposal', 'review', 'apply')),
    payload bytea NOT NULL,
    previous bytea NOT NULL CHECK (octet_length(previous) = 32),
    entry_hash bytea NOT NULL UNIQUE,
    CONSTRAINT entry_hash_covers_the_entry CHECK (entry_hash = sha256(
        '\x00000016'::bytea || 'tekrar/ledger-entry/v1'::bytea || int8send(seq)
        || int4send(octet_length(kind)) || convert_to(kind, 'UTF8') || previous
        || int4send(octet_length(payload)) || payload))
);

-- The entry hash of the previous entry, 32 zero bytes before entry 0.
CREATE FUNCTION curation.check_chain() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    expected bytea;
BEGIN
    IF new.seq = 0 THEN
        expected := decode(repeat('00', 32), 'hex');
    ELSE
        SELECT l.entry_hash INTO expected FROM curation.ledger l WHERE l.seq = new.seq - 1;
    END IF;
    IF expected IS DISTINCT FROM new.previous THEN
        RAISE EXCEPTION USING ERRCODE = 'TK003', MESSAGE = format('ledger entry %s does not follow its predecessor', new.seq),
            DETAIL = jsonb_build_object('kind', 'ledger_chain', 'seq', new.seq, 'expected', encode(expected, 'hex'),
                                        'found', encode(new.previous, 'hex'))::text;
    END IF;
    RETURN new;
END
$$;
CREATE TRIGGER chain BEFORE INSERT ON curation.ledger FOR EACH ROW EXECUTE FUNCTION curation.check_chain();
ALTER TABLE curation.ledger ENABLE ALWAYS TRIGGER chain;

CREATE TABLE curation.actor (
    actor_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE CHECK (name ~ '^[^[:cntrl:]]{1,200}$'),
    login text COLLATE "C" UNIQUE,                        -- the database login, null for a token of the web application
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger
);

CREATE TABLE curation.grant_entry (
    grant_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    actor_key integer NOT NULL REFERENCES curation.actor,
    role text COLLATE "C" NOT NULL CHECK (role IN ('reader', 'curator', 'reviewer', 'publisher', 'auditor',
                                                   'administrator')),
    scope text COLLATE "C" NOT NULL CHECK (scope <> ''),  -- '*' or the name of one edition
    valid_from timestamptz NOT NULL,
    valid_to timestamptz,
    granted_by integer REFERENCES curation.actor,         -- null for the first grant alone
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger,
    CHECK (valid_to > valid_from)
);
CREATE INDEX grant_entry_by_actor ON curation.grant_entry (actor_key, role);
CREATE UNIQUE INDEX one_first_grant ON curation.grant_entry ((true)) WHERE granted_by IS NULL;

CREATE TABLE curation.revocation (
    grant_key integer PRIMARY KEY REFERENCES curation.grant_entry,
    revoked_by integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger
);

-- Epoch 0 is the start and has no row; each freeze raises the epoch by one (CUR-11).
CREATE TABLE curation.freeze (
    epoch bigint PRIMARY KEY CHECK (epoch > 0),
    reason text COLLATE "C" NOT NULL,
    frozen_by integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger
);

-- Heads: one row a name and scope, locked FOR UPDATE by whoever publishes, grants, revokes, freezes or applies.
-- Scope is '' or a profile's UUID. The only rows of the store that change, and every change is kept in head_move.
CREATE TABLE curation.head (
    name text COLLATE "C" NOT NULL CHECK (name IN ('repetition', 'curation', 'ledger', 'authority', 'freeze',
        'provenance', 'transformation', 'propagation-policies',
        'candidates', 'false-positives', 'families', 'quotations', 'canonical-choices', 'unresolved-review',
        'public-projection')),
    scope text COLLATE "C" NOT NULL,
    value bytea NOT NULL CHECK (octet_length(value) = 32),
    version bigint NOT NULL CHECK (version >= 0),
    PRIMARY KEY (name, scope),
    CHECK ((scope = '') = (name IN ('repetition', 'curation', 'ledger', 'authority', 'freeze', 'provenance',
                                    'transformation', 'propagation-policies')))
);

CREATE TABLE curation.head_move (
    name text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    previous bytea,
    value bytea NOT NULL,
    PRIMARY KEY (name, scope, version),
    FOREIGN KEY (name, scope) REFERENCES curation.head,
    CHECK ((previous IS NULL) = (version = 0))
);

CREATE FUNCTION curation.move_head() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF tg_op = 'UPDATE' AND ((new.name, new.scope) <> (old.name, old.scope) OR new.version <> old.version + 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'TK001',
            MESSAGE = format('head %s moves one version at a time and keeps its name', old.name),
            DETAIL = jsonb_build_object('kind', 'head_move', 'head', old.name, 'expected', old.version + 1,
                                        'found', new.version)::text;
    END IF;
    IF tg_op = 'INSERT' AND new.version <> 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'TK001', MESSAGE = format('head %s starts at version 0', new.name);
    END IF;
    INSERT INTO curation.head_move (name, scope, version, previous, value)
        VALUES (new.name, new.scope, new.version, CASE WHEN tg_op = 'UPDATE' THEN old.value END, new.value);
    RETURN NULL;
END
$$;
CREATE TRIGGER kept AFTER INSERT OR UPDATE ON curation.head FOR EACH ROW EXECUTE FUNCTION curation.move_head();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON curation.head
    FOR EACH STATEMENT EXECUTE FUNCTION tekrar_meta.refuse_change();
ALTER TABLE curation.head ENABLE ALWAYS TRIGGER kept;
ALTER TABLE curation.head ENABLE ALWAYS TRIGGER append_only;

SELECT tekrar_meta.guard_append_only(t) FROM unnest(ARRAY['curation.ledger', 'curation.actor', 'curation.grant_entry',
    'curation.revocation', 'curation.freeze', 'curation.head_move']::regclass[]) AS t;
