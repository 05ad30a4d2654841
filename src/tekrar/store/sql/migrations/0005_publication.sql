-- Published releases: one a profile (AMB-35), immutable; what moves is the pointer of the series, by compare-and-set.
CREATE TABLE repetition.series (
    series_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    edition text COLLATE "C" NOT NULL CHECK (edition NOT IN ('', 'unnamed')),
    policy_digest bytea NOT NULL CHECK (octet_length(policy_digest) = 32),
    projection text COLLATE "C" NOT NULL,
    enumerator text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    UNIQUE (edition, policy_digest, projection, enumerator)
);

CREATE TABLE repetition.repetition_release (
    release uuid PRIMARY KEY,
    series_key integer NOT NULL REFERENCES repetition.series,
    profile_key integer NOT NULL,
    artifact_key integer NOT NULL REFERENCES repetition.seal,
    release_key integer NOT NULL REFERENCES core.release_seal,
    -- What every answer names, beside the keys, so that a query needs no other row to say it.
    short text COLLATE "C" NOT NULL,
    profile uuid NOT NULL,
    predicate text COLLATE "C" NOT NULL,
    enumerator text COLLATE "C" NOT NULL,
    text_release uuid NOT NULL,
    bound bytea NOT NULL,                                    -- canonical JSON of every fact of REL-01
    roots bytea NOT NULL,
    compiler bytea NOT NULL CHECK (octet_length(compiler) = 32),
    published_by integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL REFERENCES curation.ledger,
    CONSTRAINT roots_are_the_bound_facts CHECK (sha256(bound) = roots),
    FOREIGN KEY (profile_key, artifact_key) REFERENCES repetition.profile (profile_key, artifact_key),
    UNIQUE (series_key, release)
);
-- The policies of readers look here for every table of a release.
CREATE INDEX repetition_release_by_profile ON repetition.repetition_release (profile_key);
CREATE INDEX repetition_release_by_artifact ON repetition.repetition_release (artifact_key);
CREATE INDEX repetition_release_by_text ON repetition.repetition_release (release_key);

-- Names the four releases that are shown together. `release_set` is the SHA-256 of its canonical JSON.
CREATE TABLE repetition.release_set (
    release_set bytea PRIMARY KEY,
    document bytea NOT NULL,
    recorded_at timestamptz NOT NULL,
    CONSTRAINT set_is_its_document CHECK (sha256(document) = release_set)
);

CREATE TABLE repetition.release_set_member (
    release_set bytea NOT NULL REFERENCES repetition.release_set,
    position smallint NOT NULL CHECK (position BETWEEN 1 AND 4),
    release uuid NOT NULL REFERENCES repetition.repetition_release,
    PRIMARY KEY (release_set, position),
    UNIQUE (release_set, release)
);

-- The visibility pointer of a series. Null after a withdrawal. Every move is kept in pointer_move.
CREATE TABLE repetition.visible (
    series_key integer PRIMARY KEY REFERENCES repetition.series,
    release uuid,
    version bigint NOT NULL CHECK (version >= 0),
    FOREIGN KEY (series_key, release) REFERENCES repetition.repetition_release (series_key, release)
);

CREATE TABLE repetition.pointer_move (
    series_key integer NOT NULL REFERENCES repetition.series,
    version bigint NOT NULL,
    previous uuid REFERENCES repetition.repetition_release,
    release uuid REFERENCES repetition.repetition_release,
    PRIMARY KEY (series_key, version)
);

-- An integrity incident withdraws a release; its rows stay.
CREATE TABLE repetition.incident (
    release uuid PRIMARY KEY REFERENCES repetition.repetition_release,
    reason text COLLATE "C" NOT NULL CHECK (reason <> ''),
    withdrawn_by integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL REFERENCES curation.ledger
);

CREATE FUNCTION repetition.move_pointer() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF tg_op = 'UPDATE' AND (new.series_key <> old.series_key OR new.version <> old.version + 1
                             OR new.release IS NOT DISTINCT FROM old.release) THEN
        RAISE EXCEPTION USING ERRCODE = 'TK001', MESSAGE = 'a visibility pointer moves one version at a time',
            DETAIL = jsonb_build_object('kind', 'pointer_move', 'series_key', old.series_key,
                                        'expected', old.version + 1, 'found', new.version)::text;
    END IF;
    IF tg_op = 'INSERT' AND new.version <> 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'TK001', MESSAGE = 'a visibility pointer starts at version 0';
    END IF;
    INSERT INTO repetition.pointer_move (series_key, version, previous, release)
        VALUES (new.series_key, new.version, CASE WHEN tg_op = 'UPDATE' THEN old.release END, new.release);
    RETURN NULL;
END
$$;
CREATE TRIGGER kept AFTER INSERT OR UPDATE ON repetition.visible FOR EACH ROW EXECUTE FUNCTION repetition.move_pointer();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON repetition.visible
    FOR EACH STATEMENT EXECUTE FUNCTION tekrar_meta.refuse_change();
ALTER TABLE repetition.visible ENABLE ALWAYS TRIGGER kept;
ALTER TABLE repetition.visible ENABLE ALWAYS TRIGGER append_only;

-- Control record of a release: what is bound and never shown (PUB-01).
CREATE TABLE restricted.release_control (
    release uuid PRIMARY KEY REFERENCES repetition.repetition_release,
    provenance_head bytea NOT NULL CHECK (octet_length(provenance_head) = 32),
    transformation_head bytea NOT NULL CHECK (octet_length(transformation_head) = 32),
    validation_head bytea NOT NULL CHECK (octet_length(validation_head) = 32),
    evidence_root bytea NOT NULL CHECK (octet_length(evidence_root) = 32)
);

SELECT tekrar_meta.guard_append_only(t) FROM unnest(ARRAY['repetition.series', 'repetition.repetition_release',
    'repetition.release_set', 'repetition.release_set_member', 'repetition.pointer_move', 'repetition.incident',
    'restricted.release_control']::regclass[]) AS t;
