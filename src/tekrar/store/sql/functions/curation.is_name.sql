-- A name that stands in one line and looks like itself: no control, no sign that turns the direction, nothing that shows
-- nothing (Default_Ignorable_Code_Point, tags and variation selectors among it), no format character, private use or
-- noncharacter, no space at its ends; a joiner only between two letters of a script that is written with it. The list is that
-- of the core (curation/names.py), where it is told; a test compares both over every code point.
CREATE OR REPLACE FUNCTION curation.is_name(name text) RETURNS boolean
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(char_length(name) BETWEEN 1 AND 200
        AND name !~ ('['
            || '\u0001-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2'
            || '\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u3164'
            || '\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe-\uffff\U000110bd\U000110cd'
            || '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001fffe-\U0001ffff'
            || '\U0002fffe-\U0002ffff\U0003fffe-\U0003ffff\U0004fffe-\U0004ffff\U0005fffe-\U0005ffff'
            || '\U0006fffe-\U0006ffff\U0007fffe-\U0007ffff\U0008fffe-\U0008ffff\U0009fffe-\U0009ffff'
            || '\U000afffe-\U000affff\U000bfffe-\U000bffff\U000cfffe-\U000cffff\U000dfffe-\U000e0fff'
            || '\U000efffe-\U0010ffff' || ']')
        AND name !~ '(?<![\u0600-\u0dff])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u0dff])'
        AND name !~ '^[\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]'
        AND name !~ '[\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]$', false)
$$;
REVOKE ALL ON FUNCTION curation.is_name(text) FROM PUBLIC;
