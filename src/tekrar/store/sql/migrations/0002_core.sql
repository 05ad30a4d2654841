-- Core text (contract C1): the bytes once, the tree over them, the annotation datasets. Labels are bytes, so that
-- U+0000 and every other scalar survive; all order is by ordinal, never by collation. Ordinals count from 0.
CREATE TABLE core.release (
    release_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    text_release uuid NOT NULL UNIQUE,
    edition text COLLATE "C" NOT NULL CHECK (edition <> ''),
    language text COLLATE "C" NOT NULL CHECK (language ~ '^[A-Za-z0-9-]+$' AND language <> 'und'),
    segmenter text COLLATE "C" NOT NULL,
    certified_digest bytea NOT NULL CHECK (octet_length(certified_digest) = 32),
    manifest_root bytea NOT NULL CHECK (octet_length(manifest_root) = 32),
    manifest bytea NOT NULL,
    byte_count bigint NOT NULL CHECK (byte_count >= 0),
    CONSTRAINT manifest_hashes_to_its_root CHECK (sha256(manifest) = manifest_root)
);

-- Written last by a load, with what was recomputed from the rows; without it the release is invisible.
CREATE TABLE core.release_seal (
    release_key integer PRIMARY KEY REFERENCES core.release,
    certified_digest bytea NOT NULL CHECK (octet_length(certified_digest) = 32),
    manifest_root bytea NOT NULL CHECK (octet_length(manifest_root) = 32),
    counts bytea NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE core.text_block (
    release_key integer NOT NULL,
    block integer NOT NULL CHECK (block >= 0),
    data bytea NOT NULL CHECK (octet_length(data) BETWEEN 1 AND 32768),
    PRIMARY KEY (release_key, block)
) PARTITION BY LIST (release_key);
-- Stored plain: a slice of a block is read without the rest of it.
ALTER TABLE core.text_block ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE core.book (
    release_key integer NOT NULL,
    book integer NOT NULL CHECK (book >= 0),
    label bytea,
    title bytea,
    has_before boolean NOT NULL,
    first_chapter integer NOT NULL CHECK (first_chapter >= 0),
    chapters integer NOT NULL CHECK (chapters >= 0),
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    end_byte bigint NOT NULL,
    CHECK (end_byte >= start_byte),
    PRIMARY KEY (release_key, book)
) PARTITION BY LIST (release_key);

CREATE TABLE core.chapter (
    release_key integer NOT NULL,
    chapter integer NOT NULL CHECK (chapter >= 0),
    book integer NOT NULL CHECK (book >= 0),
    number bigint,
    title bytea,
    first_paragraph integer NOT NULL CHECK (first_paragraph >= 0),
    paragraphs integer NOT NULL CHECK (paragraphs >= 0),
    first_sentence integer NOT NULL CHECK (first_sentence >= 0),
    sentences integer NOT NULL CHECK (sentences >= 0),
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    end_byte bigint NOT NULL,
    CHECK (end_byte >= start_byte),
    PRIMARY KEY (release_key, chapter)
) PARTITION BY LIST (release_key);

CREATE TABLE core.paragraph (
    release_key integer NOT NULL,
    paragraph integer NOT NULL CHECK (paragraph >= 0),
    chapter integer NOT NULL CHECK (chapter >= 0),
    para bigint,
    ord bigint,
    given boolean NOT NULL,
    first_sentence integer NOT NULL CHECK (first_sentence >= 0),
    sentences integer NOT NULL CHECK (sentences >= 0),
    first_atom integer NOT NULL CHECK (first_atom >= 0),
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    end_byte bigint NOT NULL,
    CHECK (CASE WHEN sentences = 0 THEN end_byte = start_byte AND NOT given ELSE end_byte > start_byte END),
    PRIMARY KEY (release_key, paragraph)
) PARTITION BY LIST (release_key);

CREATE TABLE core.sentence (
    release_key integer NOT NULL,
    sentence integer NOT NULL CHECK (sentence >= 0),
    paragraph integer NOT NULL CHECK (paragraph >= 0),
    atom integer NOT NULL CHECK (atom >= 0),
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    end_byte bigint NOT NULL,
    CHECK (end_byte > start_byte),
    PRIMARY KEY (release_key, sentence)
) PARTITION BY LIST (release_key);

CREATE TABLE core.separator (
    release_key integer NOT NULL,
    atom integer NOT NULL CHECK (atom >= 0),
    kind smallint NOT NULL CHECK (kind IN (1, 2)),          -- 1 inter_sentence, 2 inter_paragraph
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    end_byte bigint NOT NULL,
    CHECK (end_byte >= start_byte),
    PRIMARY KEY (release_key, atom)
) PARTITION BY LIST (release_key);

CREATE TABLE core.dataset (
    release_key integer NOT NULL,
    kind smallint NOT NULL CHECK (kind IN (1, 2, 3)),       -- 1 heading, 2 note_body, 3 note_marker
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    core_root bytea NOT NULL CHECK (octet_length(core_root) = 32),
    spans integer NOT NULL CHECK (spans >= 0),
    PRIMARY KEY (release_key, kind)
) PARTITION BY LIST (release_key);

CREATE TABLE core.annotation (
    release_key integer NOT NULL,
    kind smallint NOT NULL CHECK (kind IN (1, 2, 3)),
    span integer NOT NULL CHECK (span >= 0),
    start_byte bigint NOT NULL CHECK (start_byte >= 0),
    end_byte bigint NOT NULL,
    selection uuid NOT NULL,
    status smallint NOT NULL CHECK (status = 0 OR (status = 1 AND kind = 3)),    -- 0 matched, 1 source_gap
    link bytea NOT NULL,                                                          -- the source's note id or empty
    CHECK (end_byte > start_byte),
    PRIMARY KEY (release_key, kind, span),
    UNIQUE (release_key, kind, start_byte)
) PARTITION BY LIST (release_key);

SELECT tekrar_meta.guard_append_only(t) FROM unnest(ARRAY['core.release', 'core.release_seal']::regclass[]) AS t;
SELECT tekrar_meta.guard_sealed(t) FROM unnest(ARRAY['core.text_block', 'core.book', 'core.chapter', 'core.paragraph',
    'core.sentence', 'core.separator', 'core.dataset', 'core.annotation']::regclass[]) AS t;
CREATE CONSTRAINT TRIGGER sealed_at_commit AFTER INSERT ON core.release DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION tekrar_meta.require_seal('core.release_seal', 'release_key');
ALTER TABLE core.release ENABLE ALWAYS TRIGGER sealed_at_commit;
