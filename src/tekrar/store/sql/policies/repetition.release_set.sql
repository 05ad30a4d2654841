SELECT tekrar_meta.secure('repetition.release_set');
REVOKE ALL ON repetition.release_set FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.release_set TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON repetition.release_set;
CREATE POLICY owner_all ON repetition.release_set TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.release_set;
DROP POLICY IF EXISTS reads_granted ON repetition.release_set;
CREATE POLICY reads_granted ON repetition.release_set FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor, tekrar_administrator
    USING ((session_user = 'tekrar_login' AND current_user = 'tekrar_reader'
            AND coalesce(current_setting('tekrar.claims', true), '') IN ('', '{}'))
           OR (SELECT count(*) FROM repetition.release_set_member AS m WHERE m.release_set = release_set.release_set)
              = (SELECT count(*) - 1 FROM jsonb_object_keys(convert_from(document, 'UTF8')::jsonb)));
