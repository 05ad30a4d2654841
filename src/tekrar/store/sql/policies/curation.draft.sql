SELECT tekrar_meta.secure('curation.draft');
REVOKE ALL ON curation.draft FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.draft TO tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.draft;
CREATE POLICY owner_all ON curation.draft TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.draft;
DROP POLICY IF EXISTS reads_granted ON curation.draft;
CREATE POLICY reads_granted ON curation.draft FOR SELECT TO tekrar_auditor
    USING ((SELECT '*' = ANY (api.scopes(current_user))));
