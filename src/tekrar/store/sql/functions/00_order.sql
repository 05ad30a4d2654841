-- Functions are applied in name order, whatever they call; a test compiles every one of them afterwards.
SET LOCAL check_function_bodies = off;
