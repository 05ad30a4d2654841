SELECT tekrar_meta.secure('curation.review');
REVOKE ALL ON curation.review FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.review TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.review;
CREATE POLICY owner_all ON curation.review TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.review;
DROP POLICY IF EXISTS reads_granted ON curation.review;
CREATE POLICY reads_granted ON curation.review FOR SELECT TO tekrar_curator, tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM curation.proposal AS x WHERE x.proposal_digest = review.proposal_digest));
-- No verdict of others before one's own (api.proposal, api.history).
DROP POLICY IF EXISTS reads_after_own ON curation.review;
CREATE POLICY reads_after_own ON curation.review FOR SELECT TO tekrar_reviewer
    USING (EXISTS (SELECT FROM curation.proposal AS x WHERE x.proposal_digest = review.proposal_digest)
           AND api.verdicts_shown(proposal_digest));
