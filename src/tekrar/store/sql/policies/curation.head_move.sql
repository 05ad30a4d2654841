SELECT tekrar_meta.secure('curation.head_move');
REVOKE ALL ON curation.head_move FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.head_move TO tekrar_publisher, tekrar_curator, tekrar_reviewer, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.head_move;
CREATE POLICY owner_all ON curation.head_move TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.head_move;
CREATE POLICY reads_all ON curation.head_move FOR SELECT TO tekrar_publisher, tekrar_curator, tekrar_reviewer, tekrar_auditor, tekrar_administrator
    USING (true);
