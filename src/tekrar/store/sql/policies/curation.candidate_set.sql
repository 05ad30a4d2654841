SELECT tekrar_meta.secure('curation.candidate_set');
REVOKE ALL ON curation.candidate_set FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.candidate_set TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.candidate_set;
CREATE POLICY owner_all ON curation.candidate_set TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.candidate_set;
CREATE POLICY reads_all ON curation.candidate_set FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_granted ON curation.candidate_set;
CREATE POLICY reads_granted ON curation.candidate_set FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (set_key = ANY ((SELECT api.sets_to_read(current_user))::integer[]));
