SELECT tekrar_meta.secure('repetition.repetition_release');
REVOKE ALL ON repetition.repetition_release FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.repetition_release TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON repetition.repetition_release;
CREATE POLICY owner_all ON repetition.repetition_release TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.repetition_release;
DROP POLICY IF EXISTS reads_granted ON repetition.repetition_release;
CREATE POLICY reads_granted ON repetition.repetition_release FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator
    USING ((session_user = 'tekrar_login' AND current_user = 'tekrar_reader'
            AND coalesce(current_setting('tekrar.claims', true), '') IN ('', '{}'))
           OR release_key = ANY ((SELECT api.texts_in_scope(current_user))::integer[]));
