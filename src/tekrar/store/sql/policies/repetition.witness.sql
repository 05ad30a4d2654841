SELECT tekrar_meta.secure('repetition.witness');
REVOKE ALL ON repetition.witness FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.witness TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON repetition.witness;
CREATE POLICY owner_all ON repetition.witness TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.witness;
CREATE POLICY reads_all ON repetition.witness FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON repetition.witness;
CREATE POLICY reads_published ON repetition.witness FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.profile_key = witness.profile_key));
DROP POLICY IF EXISTS reads_sealed ON repetition.witness;
CREATE POLICY reads_sealed ON repetition.witness FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM repetition.profile AS p JOIN repetition.seal AS s USING (artifact_key)
                    WHERE p.profile_key = witness.profile_key));
