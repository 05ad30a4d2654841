SELECT tekrar_meta.secure('curation.supersession');
REVOKE ALL ON curation.supersession FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.supersession TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.supersession;
CREATE POLICY owner_all ON curation.supersession TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.supersession;
DROP POLICY IF EXISTS reads_granted ON curation.supersession;
CREATE POLICY reads_granted ON curation.supersession FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.family AS f WHERE f.family = supersession.predecessor)
           OR EXISTS (SELECT FROM curation.quotation AS q WHERE q.quotation = supersession.predecessor));
DROP POLICY IF EXISTS reads_published ON curation.supersession;
CREATE POLICY reads_published ON curation.supersession FOR SELECT TO tekrar_reader
    -- What a published release binds: the decisions before it. A structure of an earlier text is ended by a release of its series.
    USING (EXISTS (SELECT FROM curation.family AS f JOIN repetition.repetition_release AS a USING (profile)
                   JOIN repetition.repetition_release AS r USING (series_key)
                   WHERE f.family = supersession.predecessor AND r.ledger_seq > supersession.decision)
           OR EXISTS (SELECT FROM curation.quotation AS q JOIN repetition.repetition_release AS a USING (profile)
                      JOIN repetition.repetition_release AS r USING (series_key)
                      WHERE q.quotation = supersession.predecessor AND r.ledger_seq > supersession.decision));
