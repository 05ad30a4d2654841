SELECT tekrar_meta.secure('curation.succession_member');
REVOKE ALL ON curation.succession_member FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.succession_member TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.succession_member;
CREATE POLICY owner_all ON curation.succession_member TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.succession_member;
DROP POLICY IF EXISTS reads_granted ON curation.succession_member;
CREATE POLICY reads_granted ON curation.succession_member FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.supersession AS x WHERE x.predecessor = succession_member.predecessor));
DROP POLICY IF EXISTS reads_published ON curation.succession_member;
CREATE POLICY reads_published ON curation.succession_member FOR SELECT TO tekrar_reader
    -- What a published release binds: the decisions before it.
    USING (EXISTS (SELECT FROM curation.supersession AS x WHERE x.predecessor = succession_member.predecessor));
