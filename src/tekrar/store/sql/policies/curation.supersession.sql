SELECT tekrar_meta.secure('curation.supersession');
REVOKE ALL ON curation.supersession FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.supersession TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.supersession;
CREATE POLICY owner_all ON curation.supersession TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.supersession;
DROP POLICY IF EXISTS reads_granted ON curation.supersession;
CREATE POLICY reads_granted ON curation.supersession FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ((SELECT '*' = ANY (api.scopes(current_user))));
