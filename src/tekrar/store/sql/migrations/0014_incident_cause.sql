-- What an incident is about (CL-08): `exact`, what the artifact says is at fault, or `curation`, what was decided is at fault
-- and the artifact stands. Incidents of before said neither; of them nothing that the artifact says may be shown again.
ALTER TABLE repetition.incident ADD COLUMN cause text COLLATE "C" NOT NULL DEFAULT 'exact'
    CHECK (cause IN ('exact', 'curation'));
