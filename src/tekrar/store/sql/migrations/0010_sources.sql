-- Each book's source file by name and SHA-256, and each paragraph's place within its book and chapter, stand beside the
-- paragraph; the end of an occurrence that goes on in another paragraph stands beside the occurrence. `core.release.sources`
-- is the public part of the provenance of the import, outside identity: [{"books", "name", "sha256"}, …] in book order.
DROP FUNCTION IF EXISTS api.get_occurrence(uuid, uuid),
    api.list_duplicates(uuid, uuid, bytea, bytea[], bytea[], integer, integer),
    api.list_classes(uuid, text, smallint, integer, smallint, integer, integer, integer, boolean),
    api.begin_text(uuid, text, text, text, bytea, bytea, bytea, bigint);

ALTER TABLE core.release ADD COLUMN sources bytea NOT NULL DEFAULT '[]';
ALTER TABLE core.paragraph ADD COLUMN chapter_no integer, ADD COLUMN para_no integer, ADD COLUMN source_name bytea,
    ADD COLUMN source_digest bytea;
ALTER TABLE repetition.occurrence ADD COLUMN last_ord bigint, ADD COLUMN last_end integer;

-- Rows of loads before this migration; where their books came from was not kept. The guards stand again before it commits.
ALTER TABLE ONLY core.paragraph DISABLE TRIGGER sealed;
ALTER TABLE ONLY repetition.occurrence DISABLE TRIGGER sealed;
UPDATE core.paragraph AS p SET chapter_no = c.chapter - b.first_chapter + 1, para_no = p.paragraph - c.first_paragraph + 1
    FROM core.chapter c JOIN core.book b USING (release_key, book)
    WHERE c.release_key = p.release_key AND c.chapter = p.chapter;
UPDATE repetition.occurrence AS o SET last_ord = l.ord, last_end = o.start_byte + o.extent - l.start_byte
    FROM repetition.profile f JOIN repetition.artifact a USING (artifact_key)
    JOIN core.paragraph l USING (release_key)
    WHERE f.profile_key = o.profile_key AND l.paragraph = o.last_paragraph AND o.last_paragraph > o.paragraph;
ALTER TABLE ONLY core.paragraph ENABLE ALWAYS TRIGGER sealed;
ALTER TABLE ONLY repetition.occurrence ENABLE ALWAYS TRIGGER sealed;

-- Both count from 1: the chapter in its book, the paragraph in its chapter.
ALTER TABLE core.paragraph ALTER COLUMN chapter_no SET NOT NULL, ALTER COLUMN para_no SET NOT NULL,
    ADD CONSTRAINT source_by_name_and_digest CHECK ((source_name IS NULL) = (source_digest IS NULL)
        AND octet_length(source_digest) = 32);
-- `last_end` is the end's offset in the last paragraph, and `last_ord` its number in the source; null where an occurrence
-- ends in the paragraph in which it begins.
ALTER TABLE repetition.occurrence ADD CONSTRAINT end_in_another_paragraph CHECK (CASE WHEN last_paragraph > paragraph
    THEN last_end > 0 AND last_end IS NOT NULL ELSE last_ord IS NULL AND last_end IS NULL END);
