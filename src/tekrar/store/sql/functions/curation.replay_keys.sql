-- Refuses a payload of other keys than entries of its kind have: a key that nothing reads would say what nothing checks. The
-- first grant names a login and nobody who gave it; entries of a version before carry no diffs. Moments, IDs and numbers are
-- written in the one way in which entries have them: `now` would be another moment at every replay.
CREATE OR REPLACE FUNCTION curation.replay_keys(kind text, payload jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    optional CONSTANT text[] := CASE kind WHEN 'proposal' THEN '{diffs}'::text[]
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
    wrong text;
BEGIN
    IF required IS NULL THEN
        PERFORM curation.refuse('ledger_entry', format('%s is no kind of entry', kind), 'kind', NULL, kind);
    ELSIF NOT payload ?& required OR payload - (required || optional) <> '{}' THEN
        PERFORM curation.refuse('ledger_entry', format('the payload of a %s has other keys', kind), 'payload',
            array_to_string(required, ', ') || coalesce('; perhaps ' || nullif(array_to_string(optional, ', '), ''), ''),
            (SELECT string_agg(k, ', ' ORDER BY k COLLATE "C") FROM jsonb_object_keys(payload) AS k));
    END IF;
    SELECT k INTO wrong FROM unnest('{recorded_at,valid_from,valid_to}'::text[]) AS k
        WHERE payload ->> k <> '' AND payload ->> k IS DISTINCT FROM tekrar_meta.instant((payload ->> k)::timestamptz)
        UNION ALL SELECT k FROM unnest('{artifact,candidate,generator,package,profile,release,releases,review,structure}'::text[]) AS k
        WHERE payload ->> k ~ '[^0-9a-f,-]'
        UNION ALL SELECT k FROM unnest('{epoch,freeze,grant,revision}'::text[]) AS k
        WHERE payload ->> k !~ '^(0|[1-9][0-9]{0,17})$' LIMIT 1;
    IF FOUND THEN
        PERFORM curation.refuse('ledger_entry', format('%s of a %s is not written as entries have it', wrong, kind), wrong,
            'a moment in UTC with microseconds, an ID in small letters, or a number', payload ->> wrong);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.replay_keys(text, jsonb) FROM PUBLIC;
