#!/bin/bash
# Whether PostgreSQL takes connections on an address: pg_isready -h HOST … The package has no program that says so.
exec 3<>"/dev/tcp/$2/5432"
