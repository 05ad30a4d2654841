SELECT tekrar_meta.secure('repetition.root');
REVOKE ALL ON repetition.root FROM PUBLIC, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator, tekrar_login;
GRANT SELECT ON repetition.root TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON repetition.root;
CREATE POLICY owner_all ON repetition.root TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.root;
CREATE POLICY reads_all ON repetition.root FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON repetition.root;
CREATE POLICY reads_published ON repetition.root FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (artifact_key IN (SELECT r.artifact_key FROM repetition.repetition_release r));
DROP POLICY IF EXISTS reads_sealed ON repetition.root;
CREATE POLICY reads_sealed ON repetition.root FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (artifact_key IN (SELECT s.artifact_key FROM repetition.seal s));
