-- The text that a choice policy is: choices bind its digest, and until now nothing kept what it says (CAN-03). One version of
-- one name has one rule and one text for ever. Choices that were made before keep their digest; the text of each may be
-- registered later, and must then be that one.
CREATE TABLE curation.choice_policy (
    name text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
    version text COLLATE "C" NOT NULL CHECK (version ~ '^(0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})$'),
    rule text COLLATE "C" NOT NULL CHECK (rule IN ('declared_source_edition', 'author_primary_placement', 'fullest_context',
        'editorially_designated')),
    document text COLLATE "C" NOT NULL CHECK (octet_length(document) BETWEEN 1 AND 65536),
    digest bytea NOT NULL,
    author integer NOT NULL REFERENCES curation.actor,
    recorded_at timestamptz NOT NULL,
    ledger_seq bigint NOT NULL UNIQUE REFERENCES curation.ledger,
    PRIMARY KEY (name, version),
    CHECK (sha256(convert_to(document, 'UTF8')) = digest)
);
SELECT tekrar_meta.guard_append_only('curation.choice_policy');

ALTER TABLE curation.ledger DROP CONSTRAINT ledger_kind_check, ADD CONSTRAINT ledger_kind_check CHECK (kind IN ('actor',
    'grant', 'revocation', 'freeze', 'publication', 'withdrawal', 'candidates', 'disposition', 'proposal', 'review', 'apply',
    'crosswalk', 'policy'));
