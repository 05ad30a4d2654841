SELECT tekrar_meta.secure('curation.disposition');
REVOKE ALL ON curation.disposition FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.disposition TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.disposition;
CREATE POLICY owner_all ON curation.disposition TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_granted ON curation.disposition;
CREATE POLICY reads_granted ON curation.disposition FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ('*' = ANY ((SELECT api.scopes(current_user))::text[])
           OR profile = ANY ((SELECT api.profiles_in_scope(current_user))::uuid[]));
