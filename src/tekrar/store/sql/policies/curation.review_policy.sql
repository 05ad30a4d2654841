SELECT tekrar_meta.secure('curation.review_policy');
REVOKE ALL ON curation.review_policy FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.review_policy TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.review_policy;
CREATE POLICY owner_all ON curation.review_policy TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.review_policy;
DROP POLICY IF EXISTS reads_granted ON curation.review_policy;
CREATE POLICY reads_granted ON curation.review_policy FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ((SELECT cardinality(api.scopes(current_user)) > 0));
