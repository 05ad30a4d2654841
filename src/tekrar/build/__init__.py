"""The build: pipeline, shards, engines, roots and certification over the pure core. It never imports the store or the verifier."""
