-- Records the name that somebody else gave to a structure (ID-08); the same again is nothing. It changes no ID, no state and
-- no release.
CREATE OR REPLACE FUNCTION api.crosswalk(namespace text, external text, structure uuid) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    actor CONSTANT integer := curation.current_actor();
    known uuid;
    payload jsonb;
    seq bigint;
BEGIN
    PERFORM curation.require_grant(actor, 'curator', NULL);
    IF coalesce(namespace, '') !~ '^[a-z0-9][a-z0-9._:-]{0,99}$' OR coalesce(external, '') = '' OR octet_length(external) > 1000
       OR external ~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]' THEN
        PERFORM tekrar_meta.bad_argument('external name', 'a namespace (a-z 0-9 . _ : -) and a name in one line', external);
    END IF;
    PERFORM curation.lock_heads('{}');
    PERFORM tekrar_meta.step('crosswalk/locked');
    payload := jsonb_build_object('namespace', namespace, 'external', external, 'structure', structure, 'by',
        curation.name_of(actor), 'recorded_at', tekrar_meta.instant(clock_timestamp()));
    PERFORM curation.admit_crosswalk(payload);
    SELECT c.structure INTO known FROM curation.crosswalk c WHERE c.namespace = namespace AND c.external = external;
    IF FOUND THEN
        IF known <> structure THEN
            PERFORM tekrar_meta.bad_argument('structure', format('%s, which %s=%s names already', known, namespace, external),
                                             structure::text);
        END IF;
        RETURN jsonb_build_object('outcome', 'already_recorded', 'structure', structure);
    END IF;
    seq := curation.append('crosswalk', payload);
    PERFORM tekrar_meta.step('crosswalk/ledger');
    PERFORM curation.record_crosswalk(seq, payload);
    PERFORM tekrar_meta.step('crosswalk/done');
    RETURN jsonb_build_object('outcome', 'recorded', 'structure', structure);
END
$$;
REVOKE ALL ON FUNCTION api.crosswalk(text, text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.crosswalk(text, text, uuid) TO tekrar_curator;
