-- Artifacts: profiles, occurrences with their part of the exact work, exact classes, mask witnesses. Numbers are those
-- of docs/encoding.md. No table holds a byte of the text (CORE-06).
CREATE TABLE repetition.artifact (
    artifact_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    artifact_root bytea NOT NULL UNIQUE CHECK (octet_length(artifact_root) = 32),
    release_key integer NOT NULL REFERENCES core.release,
    policy_name text COLLATE "C" NOT NULL,
    policy_digest bytea NOT NULL CHECK (octet_length(policy_digest) = 32),
    language text COLLATE "C" NOT NULL,
    manifest bytea NOT NULL,
    provenance bytea NOT NULL
);

-- The root list in its order (docs/encoding.md section 8); artifact_root covers exactly these.
CREATE TABLE repetition.root (
    artifact_key integer NOT NULL REFERENCES repetition.artifact,
    position integer NOT NULL CHECK (position >= 0),
    name text COLLATE "C" NOT NULL,
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    PRIMARY KEY (artifact_key, position),
    UNIQUE (artifact_key, name)
);

CREATE TABLE repetition.profile (
    profile_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    artifact_key integer NOT NULL REFERENCES repetition.artifact,
    short text COLLATE "C" NOT NULL,
    profile uuid NOT NULL,
    rule bytea NOT NULL,
    document bytea NOT NULL,
    projection text COLLATE "C" NOT NULL,
    enumerator text COLLATE "C" NOT NULL,
    predicate text COLLATE "C" NOT NULL,
    partial boolean NOT NULL,
    exact_status text COLLATE "C" NOT NULL CHECK (exact_status IN ('complete', 'partial')),
    coverage bytea NOT NULL,
    projection_root bytea NOT NULL CHECK (octet_length(projection_root) = 32),
    -- The initial matrix of ADR-009 is exactly these four (PRO-12).
    CONSTRAINT initial_matrix CHECK ((short, projection, enumerator, predicate) IN (
        ('FP', 'full_context_v1', 'whole_paragraph_v1', 'exact_passage_bytes'),
        ('FS', 'full_context_v1', 'sentence_run_2_12_v1', 'exact_sentence_sequence'),
        ('PP', 'prose_only_v1', 'whole_paragraph_v1', 'exact_passage_bytes'),
        ('PS', 'prose_only_v1', 'sentence_run_2_12_v1', 'exact_sentence_sequence'))),
    CONSTRAINT rule_is_the_document_s_digest CHECK (sha256(document) = rule),
    UNIQUE (artifact_key, short),
    UNIQUE (artifact_key, profile),
    UNIQUE (profile_key, artifact_key)
);
CREATE INDEX profile_by_id ON repetition.profile (profile);

CREATE TABLE repetition.validation (
    profile_key integer NOT NULL REFERENCES repetition.profile,
    position smallint NOT NULL,
    name text COLLATE "C" NOT NULL,
    digest bytea NOT NULL CHECK (octet_length(digest) IN (32, 64)),
    CHECK ((position, name) IN ((1, 'profile'), (2, 'text-release'), (3, 'inventory-count'), (4, 'compiler-vectors'),
                                (5, 'preimages-verified'))),
    PRIMARY KEY (profile_key, position)
);

-- One row an occurrence, in work-key order (row_no from 0). `part` is its place in the five-way partition:
-- 1 matched, 2 evaluated_unique, 3 not_evaluated, 4 excluded, 5 failed. `code`: 3 -> 1..3 pending, 4 -> the primary
-- exclusion reason, 5 -> 1..2 failure. `presentation` of the matched: 1 published, 2 dominated, 3 provisional.
CREATE TABLE repetition.occurrence (
    profile_key integer NOT NULL,
    row_no integer NOT NULL CHECK (row_no >= 0),
    occurrence uuid NOT NULL,
    selection uuid NOT NULL,
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    extent integer NOT NULL CHECK (extent > 0),
    unit integer NOT NULL CHECK (unit >= 0),                -- paragraph ordinal, or first sentence of the run
    witness integer NOT NULL CHECK (witness >= 0),
    class_no integer,
    length smallint NOT NULL CHECK (length BETWEEN 1 AND 12),    -- sentences; 1 for a paragraph
    part smallint NOT NULL,
    code smallint,
    presentation smallint,
    fingerprint bytea CHECK (octet_length(fingerprint) = 32),
    CONSTRAINT one_state CHECK (CASE part
        WHEN 1 THEN class_no >= 0 AND class_no IS NOT NULL AND presentation IN (1, 2, 3) AND presentation IS NOT NULL
                    AND code IS NULL AND fingerprint IS NOT NULL
        WHEN 2 THEN class_no IS NULL AND presentation IS NULL AND code IS NULL AND fingerprint IS NOT NULL
        WHEN 3 THEN class_no IS NULL AND presentation IS NULL AND code IN (1, 2, 3) AND code IS NOT NULL
        WHEN 4 THEN class_no IS NULL AND presentation IS NULL AND code IN (2, 3) AND code IS NOT NULL
                    AND fingerprint IS NULL
        WHEN 5 THEN class_no IS NULL AND presentation IS NULL AND code IN (1, 2) AND code IS NOT NULL
        ELSE false END),
    PRIMARY KEY (profile_key, row_no),
    UNIQUE (profile_key, occurrence)                        -- one state and at most one class an occurrence (CL-03)
) PARTITION BY LIST (profile_key);
CREATE INDEX occurrence_by_class ON repetition.occurrence (profile_key, class_no, row_no) WHERE class_no IS NOT NULL;

-- Exact classes, or provisional groups of a partial profile (then without UUID and members digest).
CREATE TABLE repetition.class (
    profile_key integer NOT NULL,
    class_no integer NOT NULL CHECK (class_no >= 0),
    class uuid,
    size integer NOT NULL,
    length smallint NOT NULL CHECK (length BETWEEN 1 AND 12),
    members bytea CHECK (octet_length(members) = 32),
    witness bytea NOT NULL CHECK (octet_length(witness) = 32),
    winner integer,
    left_extension smallint,
    right_extension smallint,
    first_row integer NOT NULL CHECK (first_row >= 0),
    CONSTRAINT at_least_two_members CHECK (size >= 2),
    CONSTRAINT issued_or_provisional CHECK ((class IS NULL) = (members IS NULL)),
    CONSTRAINT dominance CHECK (CASE WHEN winner IS NULL THEN left_extension IS NULL AND right_extension IS NULL
        ELSE class IS NOT NULL AND winner >= 0 AND winner <> class_no AND left_extension >= 0 AND left_extension IS NOT NULL
             AND right_extension >= 0 AND right_extension IS NOT NULL
             AND left_extension + right_extension BETWEEN 1 AND 10 END),
    PRIMARY KEY (profile_key, class_no),
    UNIQUE (profile_key, class),
    UNIQUE (profile_key, witness)
) PARTITION BY LIST (profile_key);

-- Listings, longest and then largest first: what is shown, and what is dominated.
CREATE INDEX class_shown ON repetition.class (profile_key, length DESC, size DESC, class_no) WHERE winner IS NULL;
CREATE INDEX class_dominated ON repetition.class (profile_key, length DESC, size DESC, class_no) WHERE winner IS NOT NULL;

CREATE TABLE repetition.witness (
    profile_key integer NOT NULL,
    witness integer NOT NULL CHECK (witness >= 0),
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    PRIMARY KEY (profile_key, witness)
) PARTITION BY LIST (profile_key);

-- Masks and exclusions a witness lists: treatment 2 excluded_from_extent with reasons 2, 3; 3 masked with reason 16.
CREATE TABLE repetition.witness_span (
    profile_key integer NOT NULL,
    witness integer NOT NULL CHECK (witness >= 0),
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    end_byte bigint NOT NULL,
    kind smallint NOT NULL,
    treatment smallint NOT NULL,
    reason smallint NOT NULL,
    selection uuid NOT NULL,
    CHECK (end_byte > start_byte),
    CONSTRAINT closed_reasons CHECK ((kind, treatment, reason) IN ((1, 2, 2), (2, 2, 3), (3, 3, 16))),
    PRIMARY KEY (profile_key, witness, start_byte, end_byte, kind, selection)
) PARTITION BY LIST (profile_key);

-- Paragraphs that the enumerator visited and did not emit: reason 1 empty_core_extent (EN-03).
CREATE TABLE repetition.enumeration_exclusion (
    profile_key integer NOT NULL,
    paragraph integer NOT NULL CHECK (paragraph >= 0),
    reason smallint NOT NULL CONSTRAINT closed_reasons CHECK (reason = 1),
    PRIMARY KEY (profile_key, paragraph)
) PARTITION BY LIST (profile_key);

-- Ends a load: the root recomputed from the rows in the database. Without it the artifact is invisible.
CREATE TABLE repetition.seal (
    artifact_key integer PRIMARY KEY REFERENCES repetition.artifact,
    artifact_root bytea NOT NULL REFERENCES repetition.artifact (artifact_root),
    counts bytea NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

SELECT tekrar_meta.guard_append_only(t) FROM unnest(ARRAY['repetition.artifact', 'repetition.root',
    'repetition.profile', 'repetition.validation', 'repetition.seal']::regclass[]) AS t;
SELECT tekrar_meta.guard_sealed(t) FROM unnest(ARRAY['repetition.occurrence', 'repetition.class', 'repetition.witness',
    'repetition.witness_span', 'repetition.enumeration_exclusion']::regclass[]) AS t;

-- After the seal no row of the artifact can be added: also not to the tables that are no partitions.
CREATE FUNCTION repetition.refuse_after_seal() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    artifact integer;
BEGIN
    IF tg_table_name = 'validation' THEN
        SELECT p.artifact_key INTO artifact FROM repetition.profile p WHERE p.profile_key = new.profile_key;
    ELSE
        artifact := new.artifact_key;
    END IF;
    IF EXISTS (SELECT FROM repetition.seal s WHERE s.artifact_key = artifact) THEN
        RAISE EXCEPTION USING ERRCODE = 'TK002',
            MESSAGE = format('artifact %s is sealed: no row of repetition.%s can be added', artifact, tg_table_name),
            DETAIL = jsonb_build_object('kind', 'sealed', 'relation', 'repetition.' || tg_table_name,
                                        'artifact_key', artifact)::text,
            HINT = 'build and load another artifact';
    END IF;
    RETURN new;
END
$$;
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['root', 'profile', 'validation'] LOOP
        EXECUTE format('CREATE TRIGGER after_seal BEFORE INSERT ON repetition.%I '
                       'FOR EACH ROW EXECUTE FUNCTION repetition.refuse_after_seal()', name);
        EXECUTE format('ALTER TABLE repetition.%I ENABLE ALWAYS TRIGGER after_seal', name);
    END LOOP;
END
$$;
CREATE CONSTRAINT TRIGGER sealed_at_commit AFTER INSERT ON repetition.artifact DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION tekrar_meta.require_seal('repetition.seal', 'artifact_key');
ALTER TABLE repetition.artifact ENABLE ALWAYS TRIGGER sealed_at_commit;
