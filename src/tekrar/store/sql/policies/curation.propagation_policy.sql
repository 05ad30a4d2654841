SELECT tekrar_meta.secure('curation.propagation_policy');
REVOKE ALL ON curation.propagation_policy FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.propagation_policy TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.propagation_policy;
CREATE POLICY owner_all ON curation.propagation_policy TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.propagation_policy;
DROP POLICY IF EXISTS reads_granted ON curation.propagation_policy;
CREATE POLICY reads_granted ON curation.propagation_policy FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ((SELECT '*' = ANY (api.scopes(current_user))));
