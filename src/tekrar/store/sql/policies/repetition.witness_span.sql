SELECT tekrar_meta.secure('repetition.witness_span');
REVOKE ALL ON repetition.witness_span FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON repetition.witness_span TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON repetition.witness_span;
CREATE POLICY owner_all ON repetition.witness_span TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON repetition.witness_span;
CREATE POLICY reads_all ON repetition.witness_span FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON repetition.witness_span;
CREATE POLICY reads_published ON repetition.witness_span FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    -- What was published when this was planned is told by a constant, for the program reading for the public; everything
    -- else, and for everybody else, is asked once a query (api.published_profiles).
    USING ((session_user = 'tekrar_login' AND current_user = 'tekrar_reader'
            AND coalesce(current_setting('tekrar.claims', true), '') IN ('', '{}')
            AND profile_key = ANY (api.published_profiles()))
           OR profile_key = ANY ((SELECT api.profiles_to_read(current_user))::integer[]));
DROP POLICY IF EXISTS reads_sealed ON repetition.witness_span;
CREATE POLICY reads_sealed ON repetition.witness_span FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM repetition.profile AS p JOIN repetition.seal AS s USING (artifact_key)
                    WHERE p.profile_key = witness_span.profile_key));
