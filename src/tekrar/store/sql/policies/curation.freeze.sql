SELECT tekrar_meta.secure('curation.freeze');
REVOKE ALL ON curation.freeze FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.freeze TO tekrar_publisher, tekrar_curator, tekrar_reviewer, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.freeze;
CREATE POLICY owner_all ON curation.freeze TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.freeze;
DROP POLICY IF EXISTS reads_granted ON curation.freeze;
CREATE POLICY reads_granted ON curation.freeze FOR SELECT TO tekrar_publisher, tekrar_curator, tekrar_reviewer, tekrar_auditor, tekrar_administrator
    USING ((SELECT cardinality(api.scopes(current_user)) > 0));
