SELECT tekrar_meta.secure('core.text_block');
REVOKE ALL ON core.text_block FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON core.text_block TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON core.text_block;
CREATE POLICY owner_all ON core.text_block TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON core.text_block;
CREATE POLICY reads_all ON core.text_block FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON core.text_block;
CREATE POLICY reads_published ON core.text_block FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.release_key = text_block.release_key));
DROP POLICY IF EXISTS reads_sealed ON core.text_block;
CREATE POLICY reads_sealed ON core.text_block FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM core.release_seal AS s WHERE s.release_key = text_block.release_key));
