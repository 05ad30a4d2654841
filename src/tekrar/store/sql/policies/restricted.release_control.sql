SELECT tekrar_meta.secure('restricted.release_control');
REVOKE ALL ON restricted.release_control FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON restricted.release_control TO tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON restricted.release_control;
CREATE POLICY owner_all ON restricted.release_control TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON restricted.release_control;
DROP POLICY IF EXISTS reads_granted ON restricted.release_control;
CREATE POLICY reads_granted ON restricted.release_control FOR SELECT TO tekrar_auditor
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.release = release_control.release));
