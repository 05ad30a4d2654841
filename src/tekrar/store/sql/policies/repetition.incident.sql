SELECT tekrar_meta.secure('repetition.incident');
REVOKE ALL ON repetition.incident FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.incident TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON repetition.incident;
CREATE POLICY owner_all ON repetition.incident TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.incident;
DROP POLICY IF EXISTS reads_granted ON repetition.incident;
CREATE POLICY reads_granted ON repetition.incident FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator
    USING ((session_user = 'tekrar_login' AND current_user = 'tekrar_reader'
            AND coalesce(current_setting('tekrar.claims', true), '') IN ('', '{}'))
           OR release = ANY ((SELECT api.releases_to_read(current_user))::uuid[]));
