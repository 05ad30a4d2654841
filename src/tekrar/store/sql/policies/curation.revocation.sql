SELECT tekrar_meta.secure('curation.revocation');
REVOKE ALL ON curation.revocation FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.revocation TO tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.revocation;
CREATE POLICY owner_all ON curation.revocation TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.revocation;
DROP POLICY IF EXISTS reads_granted ON curation.revocation;
CREATE POLICY reads_granted ON curation.revocation FOR SELECT TO tekrar_auditor, tekrar_administrator
    USING (EXISTS (SELECT FROM curation.grant_entry AS g WHERE g.grant_key = revocation.grant_key));
