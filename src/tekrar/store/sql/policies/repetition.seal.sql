SELECT tekrar_meta.secure('repetition.seal');
REVOKE ALL ON repetition.seal FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.seal TO tekrar_builder, tekrar_publisher, tekrar_auditor, tekrar_reader, tekrar_curator, tekrar_reviewer;
DROP POLICY IF EXISTS owner_all ON repetition.seal;
CREATE POLICY owner_all ON repetition.seal TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.seal;
CREATE POLICY reads_all ON repetition.seal FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_granted ON repetition.seal;
CREATE POLICY reads_granted ON repetition.seal FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (artifact_key = ANY ((SELECT api.artifacts_in_scope(current_user))::integer[]));
DROP POLICY IF EXISTS reads_published ON repetition.seal;
CREATE POLICY reads_published ON repetition.seal FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.artifact_key = seal.artifact_key));
