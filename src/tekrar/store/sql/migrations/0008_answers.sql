-- What an answer needs beside an occurrence's row stands in the row, so that a question reads few relations: its class,
-- the size of it, why it is excluded, its paragraphs; and beside a paragraph its chapter's and book's names. All of it
-- follows from other rows and is compared with them before a load is sealed (tekrar.store.load.derived).
DROP FUNCTION IF EXISTS api.get_occurrence(uuid, uuid), api.occurrence_status(uuid, uuid),
    api.list_classes(uuid, text, integer, integer), api.list_duplicates(uuid, uuid, bytea, integer, integer),
    api.list_members(uuid, uuid, bytea, integer, integer), api.refuse_absent(uuid, text, text);

ALTER TABLE core.paragraph ADD COLUMN book integer, ADD COLUMN book_label bytea, ADD COLUMN chapter_number bigint,
    ADD COLUMN chapter_title bytea;
ALTER TABLE repetition.occurrence ADD COLUMN paragraph integer, ADD COLUMN last_paragraph integer,
    ADD COLUMN class uuid, ADD COLUMN group_key bytea, ADD COLUMN class_size integer, ADD COLUMN reasons smallint;

-- Rows of loads before this migration. The guards stand again before it commits.
ALTER TABLE ONLY core.paragraph DISABLE TRIGGER sealed;
ALTER TABLE ONLY repetition.occurrence DISABLE TRIGGER sealed;
UPDATE core.paragraph AS p SET book = c.book, book_label = b.label, chapter_number = c.number, chapter_title = c.title
    FROM core.chapter c JOIN core.book b USING (release_key, book)
    WHERE c.release_key = p.release_key AND c.chapter = p.chapter;
UPDATE repetition.occurrence AS o SET
    paragraph = CASE f.enumerator WHEN 'whole_paragraph_v1' THEN o.unit ELSE
        (SELECT s.paragraph FROM core.sentence s WHERE s.release_key = a.release_key AND s.sentence = o.unit) END,
    last_paragraph = CASE f.enumerator WHEN 'whole_paragraph_v1' THEN o.unit ELSE
        (SELECT s.paragraph FROM core.sentence s WHERE s.release_key = a.release_key
            AND s.sentence = o.unit + o.length - 1) END,
    class = (SELECT k.class FROM repetition.class k WHERE k.profile_key = o.profile_key AND k.class_no = o.class_no),
    group_key = (SELECT k.witness FROM repetition.class k WHERE k.profile_key = o.profile_key
                    AND k.class_no = o.class_no AND k.class IS NULL),
    class_size = (SELECT k.size FROM repetition.class k WHERE k.profile_key = o.profile_key AND k.class_no = o.class_no),
    reasons = CASE o.part WHEN 4 THEN (SELECT bit_or(s.reason - 1) FROM repetition.witness_span s
        WHERE s.profile_key = o.profile_key AND s.witness = o.witness AND s.treatment = 2) END
    FROM repetition.profile f JOIN repetition.artifact a USING (artifact_key) WHERE f.profile_key = o.profile_key;
ALTER TABLE ONLY core.paragraph ENABLE ALWAYS TRIGGER sealed;
ALTER TABLE ONLY repetition.occurrence ENABLE ALWAYS TRIGGER sealed;

ALTER TABLE core.paragraph ALTER COLUMN book SET NOT NULL;
-- `reasons` is a set: 1 heading_marker_intersection, 2 note_body_intersection, 3 both.
ALTER TABLE repetition.occurrence ALTER COLUMN paragraph SET NOT NULL, ALTER COLUMN last_paragraph SET NOT NULL,
    ADD CONSTRAINT paragraphs_in_order CHECK (paragraph >= 0 AND last_paragraph >= paragraph),
    ADD CONSTRAINT class_of_the_matched CHECK (CASE WHEN part = 1
        THEN class_size >= 2 AND class_size IS NOT NULL AND (class IS NULL) = (octet_length(group_key) IS NOT DISTINCT FROM 32)
             AND (presentation = 3) = (class IS NULL)
        ELSE class IS NULL AND group_key IS NULL AND class_size IS NULL END),
    ADD CONSTRAINT reasons_of_the_excluded CHECK (CASE WHEN part = 4 THEN reasons BETWEEN 1 AND 3 AND reasons IS NOT NULL
        ELSE reasons IS NULL END);
