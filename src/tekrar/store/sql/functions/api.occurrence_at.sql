-- The occurrence of a published release at an address (tekrar.core.address): the book's label or `#N`, the chapter in the book,
-- and the paragraph in the chapter, or a run's first sentence there and its sentences; `length` 0 is a paragraph. Null where
-- the profile has none. Rows stand in document order, so the place is found by halves, however many there are.
CREATE OR REPLACE FUNCTION api.occurrence_at(release uuid, book text, chapter integer, start integer, length smallint) RETURNS uuid
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    one CONSTANT repetition.repetition_release := api.release_of(occurrence_at.release);
    wanted integer;
    low integer := 0;
    high integer;
    middle integer;
    found uuid;
BEGIN
    -- A book that two have as their name is none.
    SELECT CASE WHEN occurrence_at.length = 0 THEN c.first_paragraph ELSE c.first_sentence END + occurrence_at.start - 1 INTO wanted
    FROM (SELECT min(b.first_chapter) AS first_chapter, min(b.chapters) AS chapters FROM core.book b
          WHERE b.release_key = one.release_key
            AND coalesce(b.label, convert_to('#' || b.book + 1, 'UTF8')) = convert_to(occurrence_at.book, 'UTF8')
          HAVING count(*) = 1) AS b
    JOIN core.chapter c ON c.release_key = one.release_key AND c.chapter = b.first_chapter + occurrence_at.chapter - 1
    WHERE occurrence_at.chapter BETWEEN 1 AND b.chapters
      AND occurrence_at.start BETWEEN 1 AND CASE WHEN occurrence_at.length = 0 THEN c.paragraphs ELSE c.sentences END;
    IF wanted IS NULL OR (occurrence_at.length = 0) <> (one.enumerator = 'whole_paragraph_v1') THEN
        RETURN NULL;
    END IF;
    SELECT coalesce(max(o.row_no) + 1, 0) INTO high FROM repetition.occurrence o WHERE o.profile_key = one.profile_key;
    WHILE low < high LOOP
        middle := (low + high) / 2;
        IF (SELECT o.unit FROM repetition.occurrence o WHERE o.profile_key = one.profile_key AND o.row_no = middle) < wanted THEN
            low := middle + 1;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    -- A unit starts as many occurrences as there are lengths.
    SELECT o.occurrence INTO found FROM repetition.occurrence o
    WHERE o.profile_key = one.profile_key AND o.row_no BETWEEN low AND low + 11 AND o.unit = wanted
      AND (occurrence_at.length = 0 OR o.length = occurrence_at.length);
    RETURN found;
END
$$;
REVOKE ALL ON FUNCTION api.occurrence_at(uuid, text, integer, integer, smallint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.occurrence_at(uuid, text, integer, integer, smallint) TO tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor;
