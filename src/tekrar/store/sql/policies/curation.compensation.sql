SELECT tekrar_meta.secure('curation.compensation');
REVOKE ALL ON curation.compensation FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.compensation TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.compensation;
CREATE POLICY owner_all ON curation.compensation TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.compensation;
DROP POLICY IF EXISTS reads_granted ON curation.compensation;
CREATE POLICY reads_granted ON curation.compensation FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.canonical_choice AS x WHERE x.choice = compensation.choice));
DROP POLICY IF EXISTS reads_published ON curation.compensation;
CREATE POLICY reads_published ON curation.compensation FOR SELECT TO tekrar_reader
    -- What a published release binds: the decisions before it. A choice of an earlier text is ended by a release of its series.
    USING (EXISTS (SELECT FROM curation.canonical_choice AS c JOIN repetition.repetition_release AS a USING (profile)
                   JOIN repetition.repetition_release AS r USING (series_key)
                   WHERE c.choice = compensation.choice AND r.ledger_seq > compensation.decision));
