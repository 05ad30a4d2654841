SELECT tekrar_meta.secure('repetition.artifact');
REVOKE ALL ON repetition.artifact FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.artifact TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON repetition.artifact;
CREATE POLICY owner_all ON repetition.artifact TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.artifact;
CREATE POLICY reads_all ON repetition.artifact FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON repetition.artifact;
CREATE POLICY reads_published ON repetition.artifact FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.artifact_key = artifact.artifact_key));
DROP POLICY IF EXISTS reads_sealed ON repetition.artifact;
CREATE POLICY reads_sealed ON repetition.artifact FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM repetition.seal AS s WHERE s.artifact_key = artifact.artifact_key));
