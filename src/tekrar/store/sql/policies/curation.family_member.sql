SELECT tekrar_meta.secure('curation.family_member');
REVOKE ALL ON curation.family_member FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.family_member TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.family_member;
CREATE POLICY owner_all ON curation.family_member TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.family_member;
DROP POLICY IF EXISTS reads_granted ON curation.family_member;
CREATE POLICY reads_granted ON curation.family_member FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.family AS x WHERE x.family = family_member.family));
DROP POLICY IF EXISTS reads_published ON curation.family_member;
CREATE POLICY reads_published ON curation.family_member FOR SELECT TO tekrar_reader
    -- What a published release binds: the decisions before it.
    USING (EXISTS (SELECT FROM curation.family AS x WHERE x.family = family_member.family));
