SELECT tekrar_meta.secure('curation.ledger');
REVOKE ALL ON curation.ledger FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.ledger TO tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.ledger;
CREATE POLICY owner_all ON curation.ledger TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.ledger;
DROP POLICY IF EXISTS reads_granted ON curation.ledger;
CREATE POLICY reads_granted ON curation.ledger FOR SELECT TO tekrar_auditor, tekrar_administrator
    USING ((SELECT '*' = ANY (api.scopes(current_user))));
