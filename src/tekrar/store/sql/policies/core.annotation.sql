SELECT tekrar_meta.secure('core.annotation');
REVOKE ALL ON core.annotation FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON core.annotation TO tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
DROP POLICY IF EXISTS owner_all ON core.annotation;
CREATE POLICY owner_all ON core.annotation TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON core.annotation;
CREATE POLICY reads_all ON core.annotation FOR SELECT TO tekrar_builder
    USING (true);
DROP POLICY IF EXISTS reads_published ON core.annotation;
CREATE POLICY reads_published ON core.annotation FOR SELECT TO tekrar_reader, tekrar_curator, tekrar_reviewer
    -- What was published when this was planned is told by a constant, for the program reading for the public; everything
    -- else, and for everybody else, is asked once a query (api.published_texts).
    USING ((session_user = 'tekrar_login' AND current_user = 'tekrar_reader'
            AND coalesce(current_setting('tekrar.claims', true), '') IN ('', '{}')
            AND release_key = ANY (api.published_texts()))
           OR release_key = ANY ((SELECT api.texts_to_read(current_user))::integer[]));
DROP POLICY IF EXISTS reads_sealed ON core.annotation;
CREATE POLICY reads_sealed ON core.annotation FOR SELECT TO tekrar_publisher, tekrar_auditor
    USING (EXISTS (SELECT FROM core.release_seal AS s WHERE s.release_key = annotation.release_key));
