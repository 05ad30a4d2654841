SELECT tekrar_meta.secure('curation.family_member');
REVOKE ALL ON curation.family_member FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.family_member TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.family_member;
CREATE POLICY owner_all ON curation.family_member TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.family_member;
DROP POLICY IF EXISTS reads_granted ON curation.family_member;
CREATE POLICY reads_granted ON curation.family_member FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ('*' = ANY ((SELECT api.scopes(current_user))::text[])
           OR EXISTS (SELECT FROM curation.family AS c WHERE c.family = family_member.family));
