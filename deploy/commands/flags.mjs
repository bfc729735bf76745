/** The flags of the local stack, as its help prints them. */
export const stackFlags = `  --once       ends after the demonstration; exit code 0 only when every step of it held
  --no-demo    serves without the demonstration
  --fresh      forgets the state of earlier runs first (downloaded tools stay)
  --secure     the parts talk to each other over TLS, each with a certificate and rights of its own
  --traced     every process traces; a collector of the stack's own keeps the spans in DIR/traces/spans.jsonl
  --unsynced   nothing waits for the disk, and databases lie in memory and end with the stack: fit for tests alone
  --watch      a process starts again when a source that it loads has changed; a new migration needs a new start
  --bundled    runs the services from bundles, as images do, instead of from sources
  --bundles DIR  runs them from bundles that lie in DIR already (npm run bundle -- --out DIR)
  --state DIR  keeps the state in DIR instead of .run
  --help       prints this`;
