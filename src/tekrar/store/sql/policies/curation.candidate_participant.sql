SELECT tekrar_meta.secure('curation.candidate_participant');
REVOKE ALL ON curation.candidate_participant FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.candidate_participant TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.candidate_participant;
CREATE POLICY owner_all ON curation.candidate_participant TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.candidate_participant;
CREATE POLICY reads_all ON curation.candidate_participant FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_granted ON curation.candidate_participant;
CREATE POLICY reads_granted ON curation.candidate_participant FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (set_key = ANY ((SELECT api.sets_to_read(current_user))::integer[]));
