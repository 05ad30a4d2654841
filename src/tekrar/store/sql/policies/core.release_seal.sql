SELECT tekrar_meta.secure('core.release_seal');
REVOKE ALL ON core.release_seal FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON core.release_seal TO tekrar_builder, tekrar_publisher, tekrar_auditor, tekrar_reader, tekrar_curator, tekrar_reviewer;
DROP POLICY IF EXISTS owner_all ON core.release_seal;
CREATE POLICY owner_all ON core.release_seal TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON core.release_seal;
CREATE POLICY reads_all ON core.release_seal FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_granted ON core.release_seal;
CREATE POLICY reads_granted ON core.release_seal FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (release_key = ANY ((SELECT api.texts_in_scope(current_user))::integer[]));
DROP POLICY IF EXISTS reads_published ON core.release_seal;
CREATE POLICY reads_published ON core.release_seal FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.release_key = release_seal.release_key));
