SELECT tekrar_meta.secure('curation.quotation');
REVOKE ALL ON curation.quotation FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.quotation TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.quotation;
CREATE POLICY owner_all ON curation.quotation TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.quotation;
DROP POLICY IF EXISTS reads_granted ON curation.quotation;
CREATE POLICY reads_granted ON curation.quotation FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ('*' = ANY ((SELECT api.scopes(current_user))::text[])
           OR profile = ANY ((SELECT api.profiles_in_scope(current_user))::uuid[]));
DROP POLICY IF EXISTS reads_published ON curation.quotation;
CREATE POLICY reads_published ON curation.quotation FOR SELECT TO tekrar_reader
    -- What a published release binds: the decisions before it.
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r
                   WHERE r.profile = quotation.profile AND r.ledger_seq > quotation.decision));
