-- One occurrence with its own anchors, its book's source file and its exact bytes from core (CORE-03, CORE-08, QRY-04).
-- `book`, `chapter`, `paragraph`, `unit` count from 0 over the release; `chapter_no` from 1 in the book, `para_no` from 1
-- in the chapter; `para`, `ord`, numbers and labels are the source's. Status as api.occurrence_status; of an excluded one
-- `code` is the primary reason.
CREATE OR REPLACE FUNCTION api.get_occurrence(release uuid, occurrence uuid)
    RETURNS TABLE (status text, presentation text, code text, class uuid, group_key bytea, size integer, short text,
                   profile uuid, predicate text, text_release uuid, row_no integer, selection uuid, start_byte bigint,
                   end_byte bigint, length smallint, unit integer, book integer, book_label bytea, chapter integer,
                   chapter_number bigint, chapter_title bytea, chapter_no integer, paragraph integer,
                   last_paragraph integer, para_no integer, para bigint, ord bigint, end_ord bigint, source_name bytea,
                   source_digest bytea, mask_witness bytea, fingerprint bytea, content bytea)
    LANGUAGE sql STABLE
AS $$
SELECT CASE WHEN o.part IS NULL THEN
            api.refuse_absent(get_occurrence.release, 'occurrence', get_occurrence.occurrence::text)
        WHEN g.paragraph IS NULL THEN api.refuse_torn('occurrence', get_occurrence.occurrence::text)
        WHEN w.release IS NOT NULL THEN 'integrity_error'
        ELSE (ARRAY['matched', 'unique', 'not_evaluated', 'excluded', 'integrity_error'])[o.part] END,
    CASE WHEN w.release IS NULL THEN (ARRAY['published', 'dominated', 'provisional'])[o.presentation] END,
    CASE WHEN w.release IS NOT NULL THEN 'withdrawn_release'
        WHEN o.part = 3 THEN (ARRAY['pending_evaluation', 'pending_peer_universe', 'pending_verification'])[o.code]
        WHEN o.part = 4 THEN (ARRAY[NULL, 'heading_marker_intersection', 'note_body_intersection'])[o.code]
        WHEN o.part = 5 THEN (ARRAY['missing_witness_bytes', 'digest_collision'])[o.code] END,
    o.class, o.group_key, o.class_size,
    (api.release_of(get_occurrence.release)).short, (api.release_of(get_occurrence.release)).profile,
    (api.release_of(get_occurrence.release)).predicate, (api.release_of(get_occurrence.release)).text_release,
    o.row_no, o.selection, o.start_byte, o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label, g.chapter,
    g.chapter_number, g.chapter_title, g.chapter_no, o.paragraph, o.last_paragraph, g.para_no, g.para, g.ord,
    CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END, g.source_name, g.source_digest,
    CASE o.witness WHEN 0 THEN api.plain_witness(get_occurrence.release)
        ELSE api.witness_root((api.release_of(get_occurrence.release)).profile_key, o.witness) END, o.fingerprint,
    -- Bytes that go on in another block, or are not there, are the other function's matter.
    coalesce((SELECT substring(x.data FROM (o.start_byte % 32768)::integer + 1 FOR o.extent) FROM core.text_block x
              WHERE x.release_key = (api.release_of(get_occurrence.release)).release_key
                AND x.block = o.start_byte / 32768 AND octet_length(x.data) >= o.start_byte % 32768 + o.extent),
             api.text_slice((api.release_of(get_occurrence.release)).release_key, o.start_byte, o.start_byte + o.extent))
FROM (SELECT) AS one_row
LEFT JOIN repetition.incident w ON w.release = get_occurrence.release
LEFT JOIN repetition.occurrence o ON o.profile_key = (api.release_of(get_occurrence.release)).profile_key
    AND o.occurrence = get_occurrence.occurrence
LEFT JOIN core.paragraph g ON g.release_key = (api.release_of(get_occurrence.release)).release_key
    AND g.paragraph = o.paragraph
$$;
REVOKE ALL ON FUNCTION api.get_occurrence(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.get_occurrence(uuid, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
