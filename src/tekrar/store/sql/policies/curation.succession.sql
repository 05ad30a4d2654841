SELECT tekrar_meta.secure('curation.succession');
REVOKE ALL ON curation.succession FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.succession TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.succession;
CREATE POLICY owner_all ON curation.succession TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.succession;
DROP POLICY IF EXISTS reads_granted ON curation.succession;
CREATE POLICY reads_granted ON curation.succession FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.supersession AS x WHERE x.predecessor = succession.predecessor));
DROP POLICY IF EXISTS reads_published ON curation.succession;
CREATE POLICY reads_published ON curation.succession FOR SELECT TO tekrar_reader
    -- What a published release binds: the decisions before it.
    USING (EXISTS (SELECT FROM curation.supersession AS x WHERE x.predecessor = succession.predecessor));
