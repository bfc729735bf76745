/** Returns the help of the command, which is called by the name `program`. */
export function prepareHelp(program) {
  return `${program} COMMAND [flags]

  plan           shows what "write" would create, and what you must provide
  write          generates what is missing: passwords of database roles and NATS users, and key rings. Never changes
                 existing values
  rotate WHAT    replaces values. WHAT is databases, nats or certificates (new values), stores (the values of the flags),
                 or key-rings (the next step of a key rotation)

All files are readable only by you, and derived from prepared.json, which you must keep: databases.sql for psql,
nats-users.conf for the configuration of NATS, secrets.yaml for kubectl, and values.yaml for helm. Prints the next steps.

  --to DIR                       folder of the files (default prepared)
  --release NAME                 name of the Helm release (default leads)
  --namespace NAME               namespace of the release (default suppliers)
  --certificates                 also creates a certificate authority and a certificate for each process, if you don't use
                                 cert-manager
  --shared-sessions              also creates the database and key ring of the console's shared sessions, and turns them on
  --quarantine-credentials FILE  credentials of the quarantine bucket: {"accessKeyId": …, "secretAccessKey": …}
  --clean-credentials FILE       credentials of the clean bucket
  --postgresql-ca FILE           certificate authority of PostgreSQL (PEM), unless it is public
  --nats-ca FILE                 certificate authority of NATS (PEM), unless it is public
  --external-secrets STORE       for the External Secrets operator and this ClusterSecretStore: writes the secrets to
                                 store.json instead of the manifests
  --step add|switch|remove       rotate key-rings: the step. Roll out each step to every replica before the next
  --service NAME                 rotate key-rings: only this service; may be repeated
  --json                         prints the result as JSON
  --help                         prints this`;
}
