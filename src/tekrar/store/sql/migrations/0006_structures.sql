-- Record classes of curation, empty until candidates and reviews exist. Five stores for five layers (LAY-10); every
-- closed list of the ADR is a CHECK.
CREATE FUNCTION curation.is_uuid7(value uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    RETURN get_byte(uuid_send(value), 6) >> 4 = 7 AND get_byte(uuid_send(value), 8) >> 6 = 2;

CREATE TABLE curation.candidate (
    candidate uuid PRIMARY KEY,
    profile uuid NOT NULL,
    generator bytea NOT NULL CHECK (octet_length(generator) = 32),
    participants bytea NOT NULL CHECK (octet_length(participants) = 32),
    result_digest bytea NOT NULL,
    result bytea NOT NULL,
    CHECK (sha256(result) = result_digest)
);
CREATE TABLE curation.candidate_participant (
    candidate uuid NOT NULL REFERENCES curation.candidate,
    position smallint NOT NULL CHECK (position >= 0),
    occurrence uuid NOT NULL,
    PRIMARY KEY (candidate, position),
    UNIQUE (candidate, occurrence)
);
CREATE INDEX candidate_participant_by_occurrence ON curation.candidate_participant (occurrence);

-- Append-only events; the current disposition is the last one in the bound head (AMB-36).
CREATE TABLE curation.disposition (
    disposition_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    candidate uuid NOT NULL REFERENCES curation.candidate,
    disposition text COLLATE "C" NOT NULL CHECK (disposition IN ('pending_review', 'probable_near_exact',
        'probable_variant', 'probable_quotation', 'uncertain', 'false_positive', 'superseded_candidate')),
    author integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL
);
CREATE INDEX disposition_by_candidate ON curation.disposition (candidate, disposition_key);

CREATE TABLE curation.evidence (
    evidence uuid PRIMARY KEY,
    kind text COLLATE "C" NOT NULL CHECK (kind ~ '^[a-z0-9-]+$'),
    participants bytea NOT NULL CHECK (octet_length(participants) = 32),
    producer bytea NOT NULL CHECK (octet_length(producer) = 32),
    payload_digest bytea NOT NULL,
    payload bytea NOT NULL,
    CHECK (sha256(payload) = payload_digest)
);

CREATE TABLE curation.passage_diff (
    diff uuid PRIMARY KEY,
    left_occurrence uuid NOT NULL,
    right_occurrence uuid NOT NULL,
    left_witness bytea NOT NULL CHECK (octet_length(left_witness) = 32),
    right_witness bytea NOT NULL CHECK (octet_length(right_witness) = 32),
    algorithm text COLLATE "C" NOT NULL CHECK (algorithm ~ '^[a-z0-9._-]+$'),
    script_digest bytea NOT NULL,
    script bytea NOT NULL,
    CHECK (sha256(script) = script_digest),
    UNIQUE (left_occurrence, right_occurrence, algorithm, script_digest)
);

-- A proposal freezes exact action bytes, a review binds their digest, a decision is issued once a review.
CREATE TABLE curation.proposal (
    proposal_digest bytea PRIMARY KEY,
    action bytea NOT NULL,
    author integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger,
    CHECK (sha256(action) = proposal_digest)
);
CREATE TABLE curation.review (
    review uuid PRIMARY KEY CHECK (curation.is_uuid7(review)),
    proposal_digest bytea NOT NULL REFERENCES curation.proposal,
    outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('approve', 'reject', 'request_changes')),
    reviewer integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger
);
CREATE TABLE curation.decision (
    review uuid PRIMARY KEY REFERENCES curation.review,
    structure uuid NOT NULL CHECK (curation.is_uuid7(structure)),
    operation text COLLATE "C" NOT NULL CHECK (operation IN ('accept_family', 'accept_quotation', 'choose_canonical',
        'override_false_positive', 'replace', 'split', 'merge', 'restructure', 'retire')),
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger
);

CREATE TABLE curation.family (
    family uuid PRIMARY KEY CHECK (curation.is_uuid7(family)),
    profile uuid NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('near_exact', 'variant')),
    members bytea NOT NULL CHECK (octet_length(members) = 32),
    expansion bytea NOT NULL CHECK (octet_length(expansion) = 32),
    review uuid NOT NULL REFERENCES curation.decision
);
CREATE TABLE curation.family_member (
    family uuid NOT NULL REFERENCES curation.family,
    position integer NOT NULL CHECK (position >= 0),
    occurrence uuid,
    class uuid,
    PRIMARY KEY (family, position),
    UNIQUE (family, occurrence),
    UNIQUE (family, class),
    CONSTRAINT one_tagged_reference CHECK (num_nonnulls(occurrence, class) = 1)
);

CREATE TABLE curation.quotation (
    quotation uuid PRIMARY KEY CHECK (curation.is_uuid7(quotation)),
    profile uuid NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('verbatim_quotation', 'adapted_quotation', 'formulaic_reuse')),
    source_occurrence uuid NOT NULL,
    source_selection uuid NOT NULL,
    quoting_occurrence uuid NOT NULL,
    quoting_selection uuid NOT NULL,
    extent_mapping bytea NOT NULL,
    review uuid NOT NULL REFERENCES curation.decision
);

CREATE TABLE curation.canonical_choice (
    choice uuid PRIMARY KEY CHECK (curation.is_uuid7(choice)),
    exact_class uuid,
    family uuid REFERENCES curation.family,
    member uuid NOT NULL,
    policy text COLLATE "C" NOT NULL,
    review uuid NOT NULL REFERENCES curation.decision,
    CONSTRAINT one_structure CHECK (num_nonnulls(exact_class, family) = 1)
);

-- Typed, acyclic by construction: a successor exists only from its decision on, and is superseded at most once.
CREATE TABLE curation.supersession (
    predecessor uuid NOT NULL,
    successor uuid,
    operation text COLLATE "C" NOT NULL CHECK (operation IN ('replace', 'split', 'merge', 'restructure', 'retire')),
    review uuid NOT NULL REFERENCES curation.decision,
    CHECK ((successor IS NULL) = (operation = 'retire') AND successor <> predecessor),
    UNIQUE NULLS NOT DISTINCT (predecessor, successor)
);

CREATE TABLE curation.propagation_policy (
    policy uuid PRIMARY KEY,
    rule bytea NOT NULL,
    document bytea NOT NULL,
    semver text COLLATE "C" NOT NULL CHECK (semver ~ '^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)$'),
    CHECK (sha256(document) = rule),
    UNIQUE (rule, semver)
);

SELECT tekrar_meta.guard_append_only(t) FROM unnest(ARRAY['curation.candidate', 'curation.candidate_participant',
    'curation.disposition', 'curation.evidence', 'curation.passage_diff', 'curation.proposal', 'curation.review',
    'curation.decision', 'curation.family', 'curation.family_member', 'curation.quotation', 'curation.canonical_choice',
    'curation.supersession', 'curation.propagation_policy']::regclass[]) AS t;
