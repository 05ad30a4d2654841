SELECT tekrar_meta.secure('curation.choice_policy');
REVOKE ALL ON curation.choice_policy FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.choice_policy TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.choice_policy;
CREATE POLICY owner_all ON curation.choice_policy TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.choice_policy;
DROP POLICY IF EXISTS reads_granted ON curation.choice_policy;
CREATE POLICY reads_granted ON curation.choice_policy FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ((SELECT cardinality(api.scopes(current_user)) > 0));
DROP POLICY IF EXISTS reads_published ON curation.choice_policy;
CREATE POLICY reads_published ON curation.choice_policy FOR SELECT TO tekrar_reader
    -- What was there when a release was published, and the text of what a published choice names.
    USING (EXISTS (SELECT FROM repetition.repetition_release AS r WHERE r.ledger_seq > choice_policy.ledger_seq)
           OR EXISTS (SELECT FROM curation.canonical_choice AS c
                      WHERE c.policy = choice_policy.name AND c.policy_version = choice_policy.version));
