"""Use cases: files and stages together. Command line and web app call these and nothing else."""
