-- Refuses a payload of other keys than entries of its kind have: a key that nothing reads would say what nothing checks. The
-- first grant names a login and nobody who gave it; entries of a version before carry no diffs, and withdrawals no cause.
CREATE OR REPLACE FUNCTION curation.replay_keys(kind text, payload jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    optional CONSTANT text[] := CASE kind WHEN 'proposal' THEN '{diffs}'::text[] WHEN 'withdrawal' THEN '{cause}'::text[]
        WHEN 'disposition' THEN '{source_event,source_author,source_time}'::text[] ELSE '{}'::text[] END;
    required CONSTANT text[] := CASE kind
        WHEN 'proposal' THEN '{action,author,digest,draft,freeze,recorded_at,revision}'::text[]
        WHEN 'review' THEN '{note,outcome,proposal,recorded_at,review,reviewer}'::text[]
        WHEN 'apply' THEN '{actor,decision,operation,proposal,recorded_at,reviews,structures}'::text[]
        WHEN 'actor' THEN '{actor,by,login,recorded_at}'::text[]
        WHEN 'grant' THEN '{actor,recorded_at,role,scope,valid_from,valid_to}'::text[]
            || CASE WHEN payload ? 'login' THEN 'login' ELSE 'by' END
        WHEN 'revocation' THEN '{actor,by,grant,recorded_at,role,scope}'::text[]
        WHEN 'freeze' THEN '{by,epoch,reason,recorded_at}'::text[]
        WHEN 'publication' THEN '{actor,recorded_at,releases,set}'::text[]
        WHEN 'withdrawal' THEN '{actor,reason,recorded_at,release}'::text[]
        WHEN 'crosswalk' THEN '{by,external,namespace,recorded_at,structure}'::text[]
        WHEN 'policy' THEN '{by,digest,document,name,recorded_at,rule,version}'::text[]
        WHEN 'candidates' THEN '{artifact,generator,package,profile,recorded_at}'::text[]
        WHEN 'disposition' THEN '{author,candidate,disposition,generator,note,participants,previous,profile,recorded_at}'::text[]
        END;
BEGIN
    IF required IS NULL THEN
        PERFORM curation.refuse('ledger_entry', format('%s is no kind of entry', kind), 'kind', NULL, kind);
    ELSIF NOT payload ?& required OR payload - (required || optional) <> '{}' THEN
        PERFORM curation.refuse('ledger_entry', format('the payload of a %s has other keys', kind), 'payload',
            array_to_string(required, ', ') || coalesce('; perhaps ' || nullif(array_to_string(optional, ', '), ''), ''),
            (SELECT string_agg(k, ', ' ORDER BY k COLLATE "C") FROM jsonb_object_keys(payload) AS k));
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.replay_keys(text, jsonb) FROM PUBLIC;
