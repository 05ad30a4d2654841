SELECT tekrar_meta.secure('curation.passage_diff');
REVOKE ALL ON curation.passage_diff FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.passage_diff TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.passage_diff;
CREATE POLICY owner_all ON curation.passage_diff TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.passage_diff;
DROP POLICY IF EXISTS reads_granted ON curation.passage_diff;
CREATE POLICY reads_granted ON curation.passage_diff FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ((SELECT '*' = ANY (api.scopes(current_user))));
