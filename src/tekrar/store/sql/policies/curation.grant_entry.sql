SELECT tekrar_meta.secure('curation.grant_entry');
REVOKE ALL ON curation.grant_entry FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.grant_entry TO tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.grant_entry;
CREATE POLICY owner_all ON curation.grant_entry TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.grant_entry;
DROP POLICY IF EXISTS reads_granted ON curation.grant_entry;
CREATE POLICY reads_granted ON curation.grant_entry FOR SELECT TO tekrar_auditor, tekrar_administrator
    USING (ARRAY['*', scope] && (SELECT api.scopes(current_user)) COLLATE "C");
