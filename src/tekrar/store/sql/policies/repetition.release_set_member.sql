SELECT tekrar_meta.secure('repetition.release_set_member');
REVOKE ALL ON repetition.release_set_member FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.release_set_member TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON repetition.release_set_member;
CREATE POLICY owner_all ON repetition.release_set_member TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.release_set_member;
DROP POLICY IF EXISTS reads_granted ON repetition.release_set_member;
CREATE POLICY reads_granted ON repetition.release_set_member FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.release = release_set_member.release));
