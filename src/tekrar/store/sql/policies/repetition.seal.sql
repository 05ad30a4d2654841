SELECT tekrar_meta.secure('repetition.seal');
REVOKE ALL ON repetition.seal FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.seal TO tekrar_builder, tekrar_publisher, tekrar_auditor, tekrar_reader, tekrar_curator, tekrar_reviewer;
DROP POLICY IF EXISTS owner_all ON repetition.seal;
CREATE POLICY owner_all ON repetition.seal TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.seal;
CREATE POLICY reads_all ON repetition.seal FOR SELECT TO tekrar_builder, tekrar_publisher, tekrar_auditor
    USING (true);
DROP POLICY IF EXISTS reads_published ON repetition.seal;
CREATE POLICY reads_published ON repetition.seal FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.artifact_key = seal.artifact_key));
