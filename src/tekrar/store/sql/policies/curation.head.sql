SELECT tekrar_meta.secure('curation.head');
REVOKE ALL ON curation.head FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.head TO tekrar_publisher, tekrar_curator, tekrar_reviewer, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.head;
CREATE POLICY owner_all ON curation.head TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.head;
DROP POLICY IF EXISTS reads_granted ON curation.head;
CREATE POLICY reads_granted ON curation.head FOR SELECT TO tekrar_publisher, tekrar_curator, tekrar_reviewer, tekrar_auditor, tekrar_administrator
    USING (CASE scope WHEN '' THEN (SELECT cardinality(api.scopes(current_user)) > 0)
            ELSE (SELECT '*' = ANY (api.scopes(current_user)))
                 OR scope::uuid = ANY ((SELECT api.profiles_in_scope(current_user))::uuid[]) END);
