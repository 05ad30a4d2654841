SELECT tekrar_meta.secure('repetition.visible');
REVOKE ALL ON repetition.visible FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.visible TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON repetition.visible;
CREATE POLICY owner_all ON repetition.visible TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.visible;
DROP POLICY IF EXISTS reads_granted ON repetition.visible;
CREATE POLICY reads_granted ON repetition.visible FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator
    USING (EXISTS (SELECT FROM repetition.series AS s WHERE s.series_key = visible.series_key));
