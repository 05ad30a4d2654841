SELECT tekrar_meta.secure('curation.decision');
REVOKE ALL ON curation.decision FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.decision TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.decision;
CREATE POLICY owner_all ON curation.decision TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.decision;
DROP POLICY IF EXISTS reads_granted ON curation.decision;
CREATE POLICY reads_granted ON curation.decision FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.proposal AS x WHERE x.proposal_digest = decision.proposal_digest));
