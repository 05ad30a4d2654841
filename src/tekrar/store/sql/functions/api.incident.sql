-- Why a release was withdrawn, {"since", "cause", "reason", "entry"}; null of one that was not.
CREATE OR REPLACE FUNCTION api.incident(release uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT jsonb_build_object('since', to_char(i.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                                      'cause', i.cause, 'reason', i.reason, 'entry', i.ledger_seq)
            FROM repetition.incident i WHERE i.release = incident.release);
END
$$;
REVOKE ALL ON FUNCTION api.incident(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.incident(uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher, tekrar_auditor;
