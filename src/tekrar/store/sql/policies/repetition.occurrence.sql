SELECT tekrar_meta.secure('repetition.occurrence');
REVOKE ALL ON repetition.occurrence FROM PUBLIC, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator, tekrar_login;
GRANT SELECT ON repetition.occurrence TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON repetition.occurrence;
CREATE POLICY owner_all ON repetition.occurrence TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.occurrence;
CREATE POLICY reads_all ON repetition.occurrence FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON repetition.occurrence;
CREATE POLICY reads_published ON repetition.occurrence FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (profile_key IN (SELECT r.profile_key FROM repetition.repetition_release r));
DROP POLICY IF EXISTS reads_sealed ON repetition.occurrence;
CREATE POLICY reads_sealed ON repetition.occurrence FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (profile_key IN (SELECT p.profile_key FROM repetition.profile p JOIN repetition.seal s USING (artifact_key)));
