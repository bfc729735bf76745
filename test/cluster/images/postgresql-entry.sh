#!/bin/bash
# What the entry of PostgreSQL's official image does with what the chart gives it: makes the files of the server at its first
# start and runs the scripts of /docker-entrypoint-initdb.d before anybody can connect, then runs the server.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --pgdata "$PGDATA" --username postgres --pwfile <(echo "$POSTGRES_PASSWORD") \
    --encoding UTF8 --locale C --locale-provider builtin --builtin-locale C.UTF-8
  echo "host all all all $POSTGRES_HOST_AUTH_METHOD" >> "$PGDATA/pg_hba.conf"
  # A server for one user: a statement is a line, and an error is only printed.
  cat /docker-entrypoint-initdb.d/*.sql | postgres --single -D "$PGDATA" postgres 2>&1 | tee /tmp/roles.log
  if grep -qE '\b(ERROR|FATAL):' /tmp/roles.log; then exit 1; fi
fi
exec postgres -D "$PGDATA" -c 'listen_addresses=*' "$@"
