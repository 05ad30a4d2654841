SELECT tekrar_meta.secure('curation.decision_review');
REVOKE ALL ON curation.decision_review FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.decision_review TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.decision_review;
CREATE POLICY owner_all ON curation.decision_review TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.decision_review;
DROP POLICY IF EXISTS reads_granted ON curation.decision_review;
CREATE POLICY reads_granted ON curation.decision_review FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.decision AS x WHERE x.decision = decision_review.decision));
