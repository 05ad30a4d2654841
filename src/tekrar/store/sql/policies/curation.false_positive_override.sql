SELECT tekrar_meta.secure('curation.false_positive_override');
REVOKE ALL ON curation.false_positive_override FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.false_positive_override TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.false_positive_override;
CREATE POLICY owner_all ON curation.false_positive_override TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.false_positive_override;
DROP POLICY IF EXISTS reads_granted ON curation.false_positive_override;
CREATE POLICY reads_granted ON curation.false_positive_override FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ('*' = ANY ((SELECT api.scopes(current_user))::text[])
           OR profile = ANY ((SELECT api.profiles_in_scope(current_user))::uuid[]));
