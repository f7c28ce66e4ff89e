"""What `make check` looks at beside the code: licences of what we use, secrets in what we keep."""
