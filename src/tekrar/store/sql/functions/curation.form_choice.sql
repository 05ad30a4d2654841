-- The form of a canonical choice's body.
CREATE OR REPLACE FUNCTION curation.form_choice(body jsonb, place text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
BEGIN
    called := curation.form_object(body, place, '{structure,member,policy}', '{supersedes,allow_dominated}') IS NULL;
    called := curation.form_object(body -> 'structure', place || '.structure', '{tag,id,release}') IS NULL;
    IF body #>> '{structure,tag}' IS NULL OR body #>> '{structure,tag}' NOT IN ('class', 'family') THEN
        PERFORM curation.refuse('tag_mismatch', 'a choice is of a class or a family', place || '.structure.tag',
            'class or family', body #>> '{structure,tag}');
    END IF;
    called := curation.form_text(body #> '{structure,id}', place || '.structure.id', 'uuid') IS NULL;
    called := curation.form_text(body #> '{structure,release}', place || '.structure.release', 'uuid') IS NULL;
    called := curation.form_text(body -> 'member', place || '.member', 'uuid') IS NULL;
    called := curation.form_object(body -> 'policy', place || '.policy', '{name,version,rule,document}') IS NULL;
    called := curation.form_policy(body -> 'policy', place || '.policy') IS NULL;
    called := curation.form_text(body #> '{policy,document}', place || '.policy.document', 'digest') IS NULL;
    IF body ? 'supersedes' THEN
        called := curation.form_text(body -> 'supersedes', place || '.supersedes', 'uuid') IS NULL;
    END IF;
    IF body ? 'allow_dominated' AND body ->> 'allow_dominated' IS DISTINCT FROM 'yes' THEN
        PERFORM curation.refuse('malformed', 'allow_dominated says yes or is not there', place || '.allow_dominated', 'yes');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.form_choice(jsonb, text) FROM PUBLIC;
