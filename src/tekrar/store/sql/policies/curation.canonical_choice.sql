SELECT tekrar_meta.secure('curation.canonical_choice');
REVOKE ALL ON curation.canonical_choice FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.canonical_choice TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.canonical_choice;
CREATE POLICY owner_all ON curation.canonical_choice TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.canonical_choice;
DROP POLICY IF EXISTS reads_granted ON curation.canonical_choice;
CREATE POLICY reads_granted ON curation.canonical_choice FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ((SELECT '*' = ANY (api.scopes(current_user))));
