-- Candidates in the store: one set a package, its rows partitioned by set and loaded like an artifact's. No function ever
-- wrote a row of the tables that are made again here.
DO $$
DECLARE
    name text;
    rows bigint;
BEGIN
    FOREACH name IN ARRAY ARRAY['candidate', 'candidate_participant', 'disposition', 'evidence'] LOOP
        EXECUTE format('SELECT count(*) FROM curation.%I', name) INTO rows;
        IF rows > 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'TK001', MESSAGE = format('curation.%s holds %s rows that no function wrote', name, rows),
                DETAIL = jsonb_build_object('kind', 'append_only', 'relation', 'curation.' || name)::text,
                HINT = 'restore a backup of this database from before they were written, then migrate that';
        END IF;
    END LOOP;
END
$$;
DROP TABLE curation.disposition, curation.candidate_participant, curation.candidate, curation.evidence;

GRANT USAGE ON SCHEMA curation TO tekrar_builder, tekrar_reader;

ALTER TABLE curation.ledger DROP CONSTRAINT ledger_kind_check;
ALTER TABLE curation.ledger ADD CONSTRAINT ledger_kind_check CHECK (kind IN ('actor', 'grant', 'revocation', 'freeze',
    'publication', 'withdrawal', 'proposal', 'review', 'apply', 'candidates', 'disposition'));

-- A package of candidates over one profile of a sealed artifact. A generator gives one package of an artifact, so another
-- one of the same generator is a mistake.
CREATE TABLE curation.candidate_set (
    set_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    package_root bytea NOT NULL UNIQUE CHECK (octet_length(package_root) = 32),
    artifact_key integer NOT NULL REFERENCES repetition.seal,
    profile_key integer NOT NULL,
    profile uuid NOT NULL,
    generator bytea NOT NULL CHECK (octet_length(generator) = 32),
    manifest bytea NOT NULL,                              -- the package's, canonical JSON
    FOREIGN KEY (profile_key, artifact_key) REFERENCES repetition.profile (profile_key, artifact_key),
    CONSTRAINT one_package_a_generator UNIQUE (artifact_key, generator)
);
CREATE INDEX candidate_set_by_profile ON curation.candidate_set (profile_key);

-- Written last by a load, with what was made again from the rows; without it the set is invisible.
CREATE TABLE curation.candidate_seal (
    set_key integer PRIMARY KEY REFERENCES curation.candidate_set,
    package_root bytea NOT NULL CHECK (octet_length(package_root) = 32),
    candidates integer NOT NULL CHECK (candidates >= 0),
    recorded_at timestamptz NOT NULL DEFAULT now()
);

-- From its entry of the ledger on a set counts. A set that is loaded before there is a ledger has none until the ledger is
-- replayed, or it is loaded again.
CREATE TABLE curation.candidate_entry (
    set_key integer PRIMARY KEY REFERENCES curation.candidate_seal,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger
);

-- Rank from 1, best first; it hangs on the other candidates of the set and enters no ID.
CREATE TABLE curation.candidate (
    set_key integer NOT NULL,
    rank integer NOT NULL CHECK (rank > 0),
    candidate uuid NOT NULL,
    profile uuid NOT NULL,
    generator bytea NOT NULL CHECK (octet_length(generator) = 32),
    participants bytea NOT NULL CHECK (octet_length(participants) = 32),
    result_digest bytea NOT NULL,
    result bytea NOT NULL,
    CONSTRAINT result_is_its_digest CHECK (sha256(result) = result_digest),
    PRIMARY KEY (set_key, rank),
    UNIQUE (set_key, candidate)
) PARTITION BY LIST (set_key);
CREATE INDEX candidate_by_id ON curation.candidate (candidate);
CREATE INDEX candidate_by_participants ON curation.candidate (participants);

-- Sides are apart: both sides of a repeat within one paragraph touch the same occurrence.
CREATE TABLE curation.candidate_participant (
    set_key integer NOT NULL,
    candidate uuid NOT NULL,
    side integer NOT NULL CHECK (side >= 0),
    position integer NOT NULL CHECK (position >= 0),
    occurrence uuid NOT NULL,
    PRIMARY KEY (set_key, candidate, side, position)
) PARTITION BY LIST (set_key);
CREATE INDEX candidate_participant_by_occurrence ON curation.candidate_participant (occurrence);

CREATE TABLE curation.evidence (
    set_key integer NOT NULL,
    rank integer NOT NULL CHECK (rank > 0),
    evidence uuid NOT NULL,
    kind text COLLATE "C" NOT NULL DEFAULT 'lexical-similarity' CHECK (kind ~ '^[a-z0-9-]+$'),
    participants bytea NOT NULL CHECK (octet_length(participants) = 32),
    producer bytea NOT NULL CHECK (octet_length(producer) = 32),
    payload_digest bytea NOT NULL,
    payload bytea NOT NULL,
    CONSTRAINT payload_is_its_digest CHECK (sha256(payload) = payload_digest),
    PRIMARY KEY (set_key, rank),
    UNIQUE (set_key, evidence)
) PARTITION BY LIST (set_key);
CREATE INDEX evidence_by_id ON curation.evidence (evidence);

-- Append-only events; the current disposition is the last one at the ledger entry that a release follows (AMB-36). `event`
-- is the hash of the entry's payload under the tag of encoding section 12; `previous` chains the events of a profile.
CREATE TABLE curation.disposition (
    ledger_seq bigint PRIMARY KEY REFERENCES curation.ledger,
    candidate uuid NOT NULL,
    profile uuid NOT NULL,
    generator bytea NOT NULL CHECK (octet_length(generator) = 32),
    participants bytea NOT NULL CHECK (octet_length(participants) = 32),
    disposition text COLLATE "C" NOT NULL CHECK (disposition IN ('pending_review', 'probable_near_exact',
        'probable_variant', 'probable_quotation', 'uncertain', 'false_positive', 'superseded_candidate')),
    author integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    note text COLLATE "C" NOT NULL,
    previous bytea NOT NULL CHECK (octet_length(previous) = 32),
    event bytea NOT NULL UNIQUE CHECK (octet_length(event) = 32),
    -- Of an event that stood in a file beside a package: its hash there, whom it names, when.
    source_event bytea UNIQUE CHECK (octet_length(source_event) = 32),
    source_author text COLLATE "C",
    source_time text COLLATE "C",
    CONSTRAINT source_whole CHECK (num_nulls(source_event, source_author, source_time) IN (0, 3))
);
CREATE INDEX disposition_by_profile ON curation.disposition (profile, ledger_seq);
CREATE INDEX disposition_by_candidate ON curation.disposition (candidate, ledger_seq);

SELECT tekrar_meta.guard_append_only(t) FROM unnest(ARRAY['curation.candidate_set', 'curation.candidate_seal',
    'curation.candidate_entry', 'curation.disposition']::regclass[]) AS t;
SELECT tekrar_meta.guard_sealed(t) FROM unnest(ARRAY['curation.candidate', 'curation.candidate_participant',
    'curation.evidence']::regclass[]) AS t;
CREATE CONSTRAINT TRIGGER sealed_at_commit AFTER INSERT ON curation.candidate_set DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION tekrar_meta.require_seal('curation.candidate_seal', 'set_key');
ALTER TABLE curation.candidate_set ENABLE ALWAYS TRIGGER sealed_at_commit;
