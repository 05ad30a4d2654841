SELECT tekrar_meta.secure('repetition.root');
REVOKE ALL ON repetition.root FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.root TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON repetition.root;
CREATE POLICY owner_all ON repetition.root TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.root;
CREATE POLICY reads_all ON repetition.root FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON repetition.root;
CREATE POLICY reads_published ON repetition.root FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.artifact_key = root.artifact_key));
DROP POLICY IF EXISTS reads_sealed ON repetition.root;
CREATE POLICY reads_sealed ON repetition.root FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM repetition.seal AS s WHERE s.artifact_key = root.artifact_key));
