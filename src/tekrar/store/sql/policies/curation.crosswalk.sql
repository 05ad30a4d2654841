SELECT tekrar_meta.secure('curation.crosswalk');
REVOKE ALL ON curation.crosswalk FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.crosswalk TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON curation.crosswalk;
CREATE POLICY owner_all ON curation.crosswalk TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.crosswalk;
DROP POLICY IF EXISTS reads_granted ON curation.crosswalk;
CREATE POLICY reads_granted ON curation.crosswalk FOR SELECT TO tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor
    USING ('*' = ANY ((SELECT api.scopes(current_user))::text[])
           OR EXISTS (SELECT FROM curation.family AS f WHERE f.family = crosswalk.structure)
           OR EXISTS (SELECT FROM curation.quotation AS q WHERE q.quotation = crosswalk.structure)
           OR EXISTS (SELECT FROM curation.canonical_choice AS c WHERE c.choice = crosswalk.structure));
