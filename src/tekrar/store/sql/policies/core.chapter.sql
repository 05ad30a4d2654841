SELECT tekrar_meta.secure('core.chapter');
REVOKE ALL ON core.chapter FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON core.chapter TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON core.chapter;
CREATE POLICY owner_all ON core.chapter TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON core.chapter;
CREATE POLICY reads_all ON core.chapter FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON core.chapter;
CREATE POLICY reads_published ON core.chapter FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.release_key = chapter.release_key));
DROP POLICY IF EXISTS reads_sealed ON core.chapter;
CREATE POLICY reads_sealed ON core.chapter FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM core.release_seal AS s WHERE s.release_key = chapter.release_key));
