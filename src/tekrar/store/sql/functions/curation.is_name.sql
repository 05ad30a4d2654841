-- A name that stands in one line and looks like itself: no control, no sign that turns the direction, none without width,
-- no space at its ends.
CREATE OR REPLACE FUNCTION curation.is_name(name text) RETURNS boolean
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(char_length(name) BETWEEN 1 AND 200
        AND name !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]'
        AND name !~ '^[\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]'
        AND name !~ '[\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$', false)
$$;
REVOKE ALL ON FUNCTION curation.is_name(text) FROM PUBLIC;
