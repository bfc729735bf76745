/** Returns the help of the command, which is called by the name `program`. */
export function prepareHelp(program) {
  return `${program} COMMAND [flags]

  plan           says what "write" would write, and what only you have
  write          makes up what is missing: passwords of the databases' roles and of the users of NATS, key rings. What is
                 there is never changed
  rotate WHAT    databases, nats, certificates: new ones in place of the old; stores: what the flags give in place of what
                 they gave before; key-rings: the next step of theirs

Writes for you alone, all made of prepared.json, which is the one to keep: databases.sql for psql, nats-users.conf for the
configuration of NATS, secrets.yaml for kubectl, values.yaml for helm. Says what is to be done with them.

  --to DIR                       where it is kept (default prepared)
  --release NAME                 of helm install (default leads)
  --namespace NAME               of the release (default suppliers)
  --certificates                 also an authority, and a certificate for each process: without cert-manager
  --quarantine-credentials FILE  of the buckets: {"accessKeyId": …, "secretAccessKey": …}
  --clean-credentials FILE
  --postgresql-ca FILE           PEM of the authority of the server's certificate, where it is not well known
  --nats-ca FILE
  --external-secrets STORE       for the External Secrets operator and its ClusterSecretStore: no secret in what is applied,
                                 all of them in store.json for the store
  --step add|switch|remove       rotate key-rings: every replica must have the rings of one step before the next
  --service NAME                 rotate key-rings: of this service alone; may be repeated
  --json                         the result as JSON
  --help                         prints this`;
}
