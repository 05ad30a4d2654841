-- Where what recurs: one row a passage, structure and place in it, of every published release that was not withdrawn, and of
-- every layer (LAY-08). Each row names its layer; what is stored stays in the table of its layer, and nothing can be written
-- here: a union takes no row, it has no trigger and no rule, and no role has more than SELECT. Row-level security is that of
-- the tables, for whoever asks. A candidate is the layer `candidate`, whatever was said of it, and never a relation (LAY-07).
-- Structure: class, family, quotation or candidate; a group of a partial profile has its `group_key` instead. State: of a class
-- published or dominated, of a group provisional, of a family or quotation accepted (by a decision that the release binds and none ended), of a
-- candidate evidence; api.list_repeats says more of the last three. `rank` is a candidate's in its set. A migration that alters
-- a column below drops this view first; it is made again with the functions.
DROP VIEW IF EXISTS api.repeats;
CREATE VIEW api.repeats WITH (security_invoker = true) AS
SELECT r.release, r.profile_key, 'exact_class'::text AS layer,
       NULL::text AS kind, 0 AS rank, k.class AS structure, NULL::bytea AS group_key,
       'member'::text AS role, CASE WHEN k.winner IS NULL THEN 'published' ELSE 'dominated' END AS state,
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent AS end_byte, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT c.first_sentence FROM core.chapter c
           WHERE c.release_key = r.release_key AND c.chapter = g.chapter) AS sentence_no, o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END AS end_ord
FROM repetition.repetition_release r
JOIN repetition.occurrence o ON o.profile_key = r.profile_key
JOIN repetition.class k ON k.profile_key = r.profile_key AND k.class_no = o.class_no AND k.class IS NOT NULL
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
-- Counted, for that is asked once a release and is no join.
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
UNION ALL
SELECT r.release, r.profile_key, 'provisional_group', NULL::text, 0, NULL::uuid, k.witness, 'member', 'provisional',
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT c.first_sentence FROM core.chapter c
           WHERE c.release_key = r.release_key AND c.chapter = g.chapter), o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END
FROM repetition.repetition_release r
JOIN repetition.occurrence o ON o.profile_key = r.profile_key
JOIN repetition.class k ON k.profile_key = r.profile_key AND k.class_no = o.class_no AND k.class IS NULL
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
UNION ALL
SELECT r.release, r.profile_key, (CASE f.kind WHEN 'near_exact' THEN 'near_exact_family' ELSE 'variant_family' END)::text, f.kind, 0,
       f.family, NULL::bytea, 'member', 'accepted',
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT c.first_sentence FROM core.chapter c
           WHERE c.release_key = r.release_key AND c.chapter = g.chapter), o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END
FROM repetition.repetition_release r
JOIN curation.family f ON f.profile = r.profile AND f.decision < r.ledger_seq
JOIN curation.effective_membership e ON e.family = f.family AND e.since < r.ledger_seq
    AND (e.until IS NULL OR e.until >= r.ledger_seq)
JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = e.occurrence
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
UNION ALL
SELECT r.release, r.profile_key, 'quotation', q.kind, 0, q.quotation, NULL::bytea, 'source', 'accepted',
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT c.first_sentence FROM core.chapter c
           WHERE c.release_key = r.release_key AND c.chapter = g.chapter), o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END
FROM repetition.repetition_release r
JOIN curation.quotation q ON q.profile = r.profile AND q.decision < r.ledger_seq
JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = q.source_occurrence
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
  AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = q.quotation AND s.decision < r.ledger_seq)
UNION ALL
SELECT r.release, r.profile_key, 'quotation', q.kind, 0, q.quotation, NULL::bytea, 'quoting', 'accepted',
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT c.first_sentence FROM core.chapter c
           WHERE c.release_key = r.release_key AND c.chapter = g.chapter), o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END
FROM repetition.repetition_release r
JOIN curation.quotation q ON q.profile = r.profile AND q.decision < r.ledger_seq
JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = q.quoting_occurrence
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
  AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = q.quotation AND s.decision < r.ledger_seq)
UNION ALL
SELECT r.release, r.profile_key, 'candidate', NULL::text, c.rank, c.candidate, NULL::bytea,
       CASE p.side WHEN 0 THEN 'left' WHEN 1 THEN 'right' ELSE 'place ' || p.side END,
       'evidence',
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT n.first_sentence FROM core.chapter n
           WHERE n.release_key = r.release_key AND n.chapter = g.chapter), o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END
FROM repetition.repetition_release r
JOIN curation.candidate_set s ON s.profile_key = r.profile_key
JOIN curation.candidate_participant p ON p.set_key = s.set_key
JOIN curation.candidate c ON c.set_key = p.set_key AND c.candidate = p.candidate
JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = p.occurrence
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
  AND (SELECT count(*) FROM curation.candidate_entry n WHERE n.set_key = s.set_key AND n.ledger_seq < r.ledger_seq) = 1;
REVOKE ALL ON api.repeats FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON api.repeats TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
