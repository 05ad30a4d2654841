-- The workflow of curation: drafts, proposals, reviews, decisions, and what decisions make. The tables of 0006 for these
-- are empty in every database (no function wrote them), so they are made again, with every column they need.
DROP TABLE curation.supersession, curation.canonical_choice, curation.quotation, curation.family_member, curation.family,
    curation.decision, curation.review, curation.proposal;

-- Drafts are scratch and no entry of the ledger; every version is kept, so that no edit is lost.
CREATE TABLE curation.draft (
    author integer NOT NULL REFERENCES curation.actor,
    draft text COLLATE "C" NOT NULL CHECK (draft <> ''),
    version bigint NOT NULL CHECK (version > 0),
    document bytea NOT NULL CHECK (octet_length(document) <= 16777216),
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (author, draft, version)
);

-- How many must approve, by the policy that a proposal names (contract C5).
CREATE TABLE curation.review_policy (
    policy text COLLATE "C" PRIMARY KEY CHECK (policy ~ '^[a-z0-9-]+[.]v[0-9]+$'),
    approvals smallint NOT NULL CHECK (approvals > 0)
);
INSERT INTO curation.review_policy (policy, approvals) VALUES ('default.v1', 1);

-- A proposal freezes exact action bytes; its digest covers author, draft and revision too (docs/encoding.md section 13).
CREATE TABLE curation.proposal (
    proposal_digest bytea PRIMARY KEY CHECK (octet_length(proposal_digest) = 32),
    operation text COLLATE "C" NOT NULL CHECK (operation IN ('accept_family', 'accept_quotation', 'choose_canonical',
        'compensate_choice', 'override_false_positive', 'replace', 'split', 'merge', 'restructure', 'retire')),
    edition text COLLATE "C" NOT NULL,
    profile uuid NOT NULL,
    text_release uuid NOT NULL,
    policy text COLLATE "C" NOT NULL REFERENCES curation.review_policy,
    action bytea NOT NULL,
    author integer NOT NULL REFERENCES curation.actor,
    draft text COLLATE "C" NOT NULL,
    revision integer NOT NULL CHECK (revision > 0),
    freeze_epoch bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger,
    UNIQUE (author, draft, revision)
);
CREATE INDEX proposal_by_edition ON curation.proposal (edition, ledger_seq);

CREATE TABLE curation.review (
    review uuid PRIMARY KEY CHECK (curation.is_uuid7(review)),
    proposal_digest bytea NOT NULL REFERENCES curation.proposal,
    outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('approve', 'reject', 'request_changes')),
    reviewer integer NOT NULL REFERENCES curation.actor,
    note text COLLATE "C" NOT NULL CHECK (octet_length(note) <= 65536),
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger,
    UNIQUE (proposal_digest, reviewer, outcome)
);
CREATE INDEX review_by_proposal ON curation.review (proposal_digest, ledger_seq);

-- One decision a proposal; its bytes are canonical JSON. `decision` is the number of its ledger entry.
CREATE TABLE curation.decision (
    decision bigint PRIMARY KEY REFERENCES curation.ledger,
    decision_digest bytea NOT NULL UNIQUE,
    document bytea NOT NULL,
    proposal_digest bytea NOT NULL UNIQUE REFERENCES curation.proposal,
    operation text COLLATE "C" NOT NULL CHECK (operation IN ('accept_family', 'accept_quotation', 'choose_canonical',
        'compensate_choice', 'override_false_positive', 'replace', 'split', 'merge', 'restructure', 'retire')),
    applied_by integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    CHECK (sha256(document) = decision_digest)
);
-- The approvals a decision rests on, each in one decision alone (CUR-09).
CREATE TABLE curation.decision_review (
    review uuid PRIMARY KEY REFERENCES curation.review,
    decision bigint NOT NULL REFERENCES curation.decision
);
CREATE INDEX decision_review_by_decision ON curation.decision_review (decision);

CREATE TABLE curation.family (
    family uuid PRIMARY KEY CHECK (curation.is_uuid7(family)),
    profile uuid NOT NULL,
    text_release uuid NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('near_exact', 'variant')),
    members bytea NOT NULL CHECK (octet_length(members) = 32),      -- digest of the tagged members' canonical bytes
    expansion bytea NOT NULL CHECK (octet_length(expansion) = 32),
    size integer NOT NULL CHECK (size >= 2),
    decision bigint NOT NULL REFERENCES curation.decision
);
CREATE INDEX family_by_profile ON curation.family (profile, decision);
CREATE INDEX family_by_decision ON curation.family (decision);
CREATE TABLE curation.family_member (
    family uuid NOT NULL REFERENCES curation.family,
    position integer NOT NULL CHECK (position >= 0),
    occurrence uuid,
    class uuid,
    witness bytea NOT NULL CHECK (octet_length(witness) = 32),
    size integer NOT NULL CHECK (size >= 1),
    inventory bytea CHECK (octet_length(inventory) = 32),
    PRIMARY KEY (family, position),
    UNIQUE (family, occurrence),
    UNIQUE (family, class),
    CONSTRAINT one_tagged_reference CHECK (num_nonnulls(occurrence, class) = 1),
    CONSTRAINT inventory_of_a_class CHECK ((inventory IS NULL) = (class IS NULL) AND (class IS NOT NULL OR size = 1))
);
CREATE INDEX family_member_by_class ON curation.family_member (class) WHERE class IS NOT NULL;
CREATE TABLE curation.family_diff (
    family uuid NOT NULL REFERENCES curation.family,
    left_occurrence uuid NOT NULL,
    right_occurrence uuid NOT NULL,
    diff uuid NOT NULL REFERENCES curation.passage_diff,
    PRIMARY KEY (family, left_occurrence, right_occurrence)
);

-- Every occurrence that a family expands to, from the decision `since` until the decision `until`. The index is the last
-- guard of one effective family an occurrence (FAM-08).
CREATE TABLE curation.effective_membership (
    profile uuid NOT NULL,
    occurrence uuid NOT NULL,
    family uuid NOT NULL REFERENCES curation.family,
    position integer NOT NULL,
    since bigint NOT NULL,
    until bigint,
    PRIMARY KEY (family, occurrence),
    CHECK (until > since)
);
CREATE UNIQUE INDEX one_effective_family ON curation.effective_membership (profile, occurrence) WHERE until IS NULL;
CREATE INDEX membership_by_occurrence ON curation.effective_membership (occurrence);

CREATE TABLE curation.quotation (
    quotation uuid PRIMARY KEY CHECK (curation.is_uuid7(quotation)),
    profile uuid NOT NULL,
    text_release uuid NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('verbatim_quotation', 'adapted_quotation', 'formulaic_reuse')),
    source_occurrence uuid NOT NULL,
    source_witness bytea NOT NULL CHECK (octet_length(source_witness) = 32),
    source_selection uuid NOT NULL,
    source_ranges bigint[] NOT NULL,                                -- start, end, start, end … in bytes of the release
    quoting_occurrence uuid NOT NULL,
    quoting_witness bytea NOT NULL CHECK (octet_length(quoting_witness) = 32),
    quoting_selection uuid NOT NULL,
    quoting_ranges bigint[] NOT NULL,
    extent_mapping bigint[] NOT NULL,                               -- source start, end, quoting start, end, …
    diff uuid REFERENCES curation.passage_diff,
    attribution text COLLATE "C" NOT NULL CHECK (attribution <> ''),
    decision bigint NOT NULL REFERENCES curation.decision,
    CHECK (cardinality(source_ranges) > 0 AND cardinality(source_ranges) % 2 = 0),
    CHECK (cardinality(quoting_ranges) > 0 AND cardinality(quoting_ranges) % 2 = 0),
    CHECK (cardinality(extent_mapping) > 0 AND cardinality(extent_mapping) % 4 = 0)
);
CREATE INDEX quotation_by_source ON curation.quotation (source_occurrence);
CREATE INDEX quotation_by_quoting ON curation.quotation (quoting_occurrence);
CREATE INDEX quotation_by_profile ON curation.quotation (profile, decision);
CREATE INDEX quotation_by_decision ON curation.quotation (decision);

CREATE TABLE curation.canonical_choice (
    choice uuid PRIMARY KEY CHECK (curation.is_uuid7(choice)),
    profile uuid NOT NULL,
    exact_class uuid,
    family uuid REFERENCES curation.family,
    release uuid NOT NULL REFERENCES repetition.repetition_release,
    member uuid NOT NULL,
    policy text COLLATE "C" NOT NULL CHECK (policy ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
    policy_version text COLLATE "C" NOT NULL CHECK (policy_version ~
        '^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)$'),
    rule text COLLATE "C" NOT NULL CHECK (rule IN ('declared_source_edition', 'author_primary_placement',
        'fullest_context', 'editorially_designated')),
    policy_document bytea NOT NULL CHECK (octet_length(policy_document) = 32),
    supersedes uuid UNIQUE REFERENCES curation.canonical_choice,
    decision bigint NOT NULL REFERENCES curation.decision,
    CONSTRAINT one_structure CHECK (num_nonnulls(exact_class, family) = 1)
);
CREATE INDEX canonical_choice_by_structure ON curation.canonical_choice (coalesce(exact_class, family));
CREATE INDEX canonical_choice_by_policy ON curation.canonical_choice (policy, policy_version);
CREATE INDEX canonical_choice_by_decision ON curation.canonical_choice (decision);
-- From the decision `since` until the decision `until`; one in force a structure and policy (CAN-01).
CREATE TABLE curation.effective_choice (
    choice uuid PRIMARY KEY REFERENCES curation.canonical_choice,
    profile uuid NOT NULL,
    structure uuid NOT NULL,
    policy text COLLATE "C" NOT NULL,
    since bigint NOT NULL,
    until bigint,
    CHECK (until > since)
);
CREATE UNIQUE INDEX one_effective_choice ON curation.effective_choice (structure, policy) WHERE until IS NULL;
CREATE INDEX effective_choice_by_profile ON curation.effective_choice (profile, structure);

-- A choice that was mistaken: none of its structure and policy is in force afterwards (CAN-08).
CREATE TABLE curation.compensation (
    choice uuid PRIMARY KEY REFERENCES curation.canonical_choice,
    reason text COLLATE "C" NOT NULL CHECK (reason <> ''),
    decision bigint NOT NULL UNIQUE REFERENCES curation.decision
);

-- A false positive that a decision overrides: the one disposition event that `event` names (AMB-46).
CREATE TABLE curation.false_positive_override (
    candidate uuid NOT NULL,
    event bytea NOT NULL CHECK (octet_length(event) = 32),
    generator bytea NOT NULL CHECK (octet_length(generator) = 32),
    participants bytea NOT NULL CHECK (octet_length(participants) = 32),
    profile uuid NOT NULL,
    decision bigint NOT NULL UNIQUE REFERENCES curation.decision,
    PRIMARY KEY (candidate, event)
);

-- Typed; a predecessor is superseded at most once, by one decision, and its successors are issued by that decision, so
-- that there is no circle (AMB-31).
CREATE TABLE curation.supersession (
    predecessor uuid PRIMARY KEY,
    operation text COLLATE "C" NOT NULL CHECK (operation IN ('replace', 'split', 'merge', 'restructure', 'retire')),
    reason text COLLATE "C" NOT NULL CHECK (reason <> ''),
    decision bigint NOT NULL REFERENCES curation.decision
);
CREATE INDEX supersession_by_decision ON curation.supersession (decision);
CREATE TABLE curation.succession (
    predecessor uuid NOT NULL REFERENCES curation.supersession,
    successor uuid NOT NULL CHECK (curation.is_uuid7(successor)),
    PRIMARY KEY (predecessor, successor),
    CHECK (successor <> predecessor)
);
CREATE INDEX succession_by_successor ON curation.succession (successor);
-- Where each member of a predecessor went; no successor is the residue.
CREATE TABLE curation.succession_member (
    predecessor uuid NOT NULL REFERENCES curation.supersession,
    tag text COLLATE "C" NOT NULL CHECK (tag IN ('class', 'occurrence', 'quotation')),
    member uuid NOT NULL,
    successor uuid,
    UNIQUE NULLS NOT DISTINCT (predecessor, tag, member, successor)
);

-- A name that somebody else gave to a structure; never an ID of ours (ID-08).
CREATE TABLE curation.crosswalk (
    namespace text COLLATE "C" NOT NULL CHECK (namespace ~ '^[a-z0-9][a-z0-9._:-]{0,99}$'),
    external text COLLATE "C" NOT NULL CHECK (external <> ''),
    structure uuid NOT NULL,
    recorded_by integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger,
    PRIMARY KEY (namespace, external)
);
CREATE INDEX crosswalk_by_structure ON curation.crosswalk (structure);

SELECT tekrar_meta.guard_append_only(t) FROM unnest(ARRAY['curation.draft', 'curation.review_policy', 'curation.proposal',
    'curation.review', 'curation.decision', 'curation.decision_review', 'curation.family', 'curation.family_member',
    'curation.family_diff', 'curation.quotation', 'curation.canonical_choice', 'curation.compensation',
    'curation.false_positive_override', 'curation.supersession', 'curation.succession', 'curation.succession_member',
    'curation.crosswalk']::regclass[]) AS t;

-- The one change that a row of an effective index takes: its end, once.
CREATE FUNCTION curation.refuse_but_end() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'TK001',
        MESSAGE = format('%s.%s is append-only: a row ends once and is never changed', tg_table_schema, tg_table_name),
        DETAIL = jsonb_build_object('kind', 'append_only', 'relation', tg_table_schema || '.' || tg_table_name,
                                    'operation', tg_op)::text,
        HINT = 'supersede the structure; records that were written are never edited';
END
$$;
CREATE TRIGGER ends_once BEFORE UPDATE ON curation.effective_membership FOR EACH ROW
    WHEN (old.until IS NOT NULL OR new.until IS NULL OR new.profile <> old.profile OR new.occurrence <> old.occurrence
          OR new.family <> old.family OR new.position <> old.position OR new.since <> old.since)
    EXECUTE FUNCTION curation.refuse_but_end();
CREATE TRIGGER ends_once BEFORE UPDATE ON curation.effective_choice FOR EACH ROW
    WHEN (old.until IS NOT NULL OR new.until IS NULL OR new.choice <> old.choice OR new.profile <> old.profile
          OR new.structure <> old.structure OR new.policy <> old.policy OR new.since <> old.since)
    EXECUTE FUNCTION curation.refuse_but_end();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON curation.effective_membership
    FOR EACH STATEMENT EXECUTE FUNCTION tekrar_meta.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON curation.effective_choice
    FOR EACH STATEMENT EXECUTE FUNCTION tekrar_meta.refuse_change();
ALTER TABLE curation.effective_membership ENABLE ALWAYS TRIGGER ends_once;
ALTER TABLE curation.effective_membership ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE curation.effective_choice ENABLE ALWAYS TRIGGER ends_once;
ALTER TABLE curation.effective_choice ENABLE ALWAYS TRIGGER append_only;



ALTER TABLE curation.ledger DROP CONSTRAINT ledger_kind_check, ADD CONSTRAINT ledger_kind_check CHECK (kind IN ('actor',
    'grant', 'revocation', 'freeze', 'publication', 'withdrawal', 'candidates', 'disposition', 'proposal', 'review', 'apply',
    'crosswalk'));
