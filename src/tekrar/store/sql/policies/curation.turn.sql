SELECT tekrar_meta.secure('curation.turn');
REVOKE ALL ON curation.turn FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.turn;
CREATE POLICY owner_all ON curation.turn TO tekrar_owner USING (true) WITH CHECK (true);
