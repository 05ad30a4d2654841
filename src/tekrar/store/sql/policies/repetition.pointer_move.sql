SELECT tekrar_meta.secure('repetition.pointer_move');
REVOKE ALL ON repetition.pointer_move FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.pointer_move TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON repetition.pointer_move;
CREATE POLICY owner_all ON repetition.pointer_move TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.pointer_move;
DROP POLICY IF EXISTS reads_granted ON repetition.pointer_move;
CREATE POLICY reads_granted ON repetition.pointer_move FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator
    USING (EXISTS (SELECT FROM repetition.series AS s WHERE s.series_key = pointer_move.series_key));
