SELECT tekrar_meta.secure('repetition.series');
REVOKE ALL ON repetition.series FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.series TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON repetition.series;
CREATE POLICY owner_all ON repetition.series TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.series;
DROP POLICY IF EXISTS reads_granted ON repetition.series;
CREATE POLICY reads_granted ON repetition.series FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator
    USING ((session_user = 'tekrar_login' AND current_user = 'tekrar_reader'
            AND coalesce(current_setting('tekrar.claims', true), '') IN ('', '{}'))
           OR ARRAY['*', edition] && (SELECT api.scopes(current_user)) COLLATE "C");
