-- Where what recurs: one row a passage, structure and place in it, of every published release that was not withdrawn, and of
-- every layer (LAY-08). Each row names its layer; what is stored stays in the table of its layer, and nothing can be written
-- here: a union takes no row, it has no trigger and no rule, and no role has more than SELECT. Row-level security is that of
-- the tables, for whoever asks. A candidate is the layer `candidate`, whatever was said of it, and never a relation (LAY-07).
-- Structure: class, family, quotation or candidate; a group of a partial profile has its `group_key` instead. State: of a class
-- published or dominated, of a group provisional, of a family effective or needs_successor, of a quotation effective, of
-- a candidate pending, rejected or superseded. `rank` is a candidate's in its set. A migration that alters a column below
-- drops this view first; it is made again with the functions.
DROP VIEW IF EXISTS api.repeats;
CREATE VIEW api.repeats WITH (security_invoker = true) AS
SELECT r.release, r.profile_key, (CASE WHEN o.class IS NULL THEN 'provisional_group' ELSE 'exact_class' END)::text AS layer,
       NULL::text AS kind, 0 AS rank, k.class AS structure, CASE WHEN k.class IS NULL THEN k.witness END AS group_key,
       'member'::text AS role, (ARRAY['published', 'dominated', 'provisional'])[o.presentation] AS state,
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent AS end_byte, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT c.first_sentence FROM core.chapter c
           WHERE c.release_key = r.release_key AND c.chapter = g.chapter) AS sentence_no, o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END AS end_ord
FROM repetition.repetition_release r
JOIN repetition.occurrence o ON o.profile_key = r.profile_key
JOIN repetition.class k ON k.profile_key = r.profile_key AND k.class_no = o.class_no
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
-- Counted, for that is asked once a release and is no join.
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
UNION ALL
SELECT r.release, r.profile_key, (CASE f.kind WHEN 'near_exact' THEN 'near_exact_family' ELSE 'variant_family' END)::text, f.kind, 0,
       f.family, NULL::bytea, 'member', CASE WHEN m.lost THEN 'needs_successor' ELSE 'effective' END,
       o.occurrence, o.row_no, o.start_byte, o.start_byte + o.extent, o.length, o.unit, g.book, g.book_label,
       g.chapter, g.chapter_number, g.chapter_no, o.unit + 1 - (SELECT c.first_sentence FROM core.chapter c
           WHERE c.release_key = r.release_key AND c.chapter = g.chapter), o.paragraph, o.last_paragraph, g.para_no,
       g.para, g.ord, CASE WHEN o.last_paragraph = o.paragraph THEN g.ord ELSE o.last_ord END
FROM repetition.repetition_release r
JOIN curation.family f ON f.profile = r.profile AND f.decision < r.ledger_seq
-- Once a family: whether the release's profile has every member of it (AMB-28), as in api.list_families.
JOIN LATERAL (
    SELECT bool_or(CASE WHEN t.class IS NOT NULL THEN NOT EXISTS (SELECT FROM repetition.class c
                       WHERE c.profile_key = r.profile_key AND c.class = t.class AND c.size = t.size)
                   ELSE NOT EXISTS (SELECT FROM repetition.occurrence n
                       WHERE n.profile_key = r.profile_key AND n.occurrence = t.occurrence) END) AS lost
    FROM curation.family_member t WHERE t.family = f.family) AS m ON true
JOIN curation.effective_membership e ON e.family = f.family AND e.since < r.ledger_seq
    AND (e.until IS NULL OR e.until >= r.ledger_seq)
JOIN repetition.occurrence o ON o.profile_key = r.profile_key AND o.occurrence = e.occurrence
JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
UNION ALL
SELECT r.release, r.profile_key, 'quotation', q.kind, 0, q.quotation, NULL::bytea, 'source', 'effective',
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
SELECT r.release, r.profile_key, 'quotation', q.kind, 0, q.quotation, NULL::bytea, 'quoting', 'effective',
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
       CASE d.disposition WHEN 'false_positive' THEN 'rejected' WHEN 'superseded_candidate' THEN 'superseded'
           ELSE 'pending' END,
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
LEFT JOIN LATERAL api.closed_candidates(r.release, current_user) AS d ON d.candidate = c.candidate
WHERE (SELECT count(*) FROM repetition.incident i WHERE i.release = r.release) = 0
  AND (SELECT count(*) FROM curation.candidate_entry n WHERE n.set_key = s.set_key AND n.ledger_seq < r.ledger_seq) = 1;
REVOKE ALL ON api.repeats FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON api.repeats TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
