SELECT tekrar_meta.secure('curation.evidence');
REVOKE ALL ON curation.evidence FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.evidence TO tekrar_builder, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.evidence;
CREATE POLICY owner_all ON curation.evidence TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.evidence;
CREATE POLICY reads_all ON curation.evidence FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_granted ON curation.evidence;
CREATE POLICY reads_granted ON curation.evidence FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (set_key = ANY ((SELECT api.sets_to_read(current_user))::integer[]));
