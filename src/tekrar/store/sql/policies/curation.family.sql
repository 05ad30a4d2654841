SELECT tekrar_meta.secure('curation.family');
REVOKE ALL ON curation.family FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.family TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.family;
CREATE POLICY owner_all ON curation.family TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.family;
DROP POLICY IF EXISTS reads_granted ON curation.family;
CREATE POLICY reads_granted ON curation.family FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ('*' = ANY ((SELECT api.scopes(current_user))::text[])
           OR profile = ANY ((SELECT api.profiles_in_scope(current_user))::uuid[]));
DROP POLICY IF EXISTS reads_published ON curation.family;
CREATE POLICY reads_published ON curation.family FOR SELECT TO tekrar_reader
    -- What a published release binds: the decisions before it.
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r
                   WHERE r.profile = family.profile AND r.ledger_seq > family.decision));
