SELECT tekrar_meta.secure('curation.proposal');
REVOKE ALL ON curation.proposal FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.proposal TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.proposal;
CREATE POLICY owner_all ON curation.proposal TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.proposal;
DROP POLICY IF EXISTS reads_granted ON curation.proposal;
CREATE POLICY reads_granted ON curation.proposal FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (ARRAY['*', edition] && (SELECT api.scopes(current_user)) COLLATE "C");
