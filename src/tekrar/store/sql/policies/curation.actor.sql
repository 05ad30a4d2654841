SELECT tekrar_meta.secure('curation.actor');
REVOKE ALL ON curation.actor FROM PUBLIC, tekrar_login, tekrar_builder, tekrar_reader, tekrar_curator, tekrar_reviewer,
    tekrar_publisher, tekrar_auditor, tekrar_administrator;
GRANT SELECT ON curation.actor TO tekrar_auditor, tekrar_administrator;
DROP POLICY IF EXISTS owner_all ON curation.actor;
CREATE POLICY owner_all ON curation.actor TO tekrar_owner USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS reads_all ON curation.actor;
DROP POLICY IF EXISTS reads_granted ON curation.actor;
CREATE POLICY reads_granted ON curation.actor FOR SELECT TO tekrar_auditor, tekrar_administrator
    USING ((SELECT '*' = ANY (api.scopes(current_user)))
           OR EXISTS (SELECT FROM curation.grant_entry AS g WHERE actor.actor_key IN (g.actor_key, g.granted_by)));
