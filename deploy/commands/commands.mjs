import { prepareHelp } from '../prepare/help.mjs';
import { stackFlags } from './flags.mjs';
import { describeClusterNeeds, lacksForCluster } from './needs.mjs';

/** What the package scripts can do: each with its help text and the module that does it. */
export const commands = {
  start: {
    summary: 'starts the whole service on this machine and shows one submission from end to end',
    help: `npm start [-- flags]

Starts PostgreSQL, NATS, every service and a webhook receiver as real processes, sends a sample
enquiry through them, and serves until Ctrl-C.

${stackFlags}`,
    load: () => import('./start.mjs'),
  },
  test: {
    summary: 'holds every promise of the product, against stacks of its own',
    help: `npm test [-- [--all] [--running] [jest arguments]]

Starts two fresh stacks under .run/test: one for unit and contract tests, one whose parts talk over TLS for the faults,
side by side. Arguments go to jest: a path or pattern picks tests of either tier, -t picks by name.

  --all       also what is no promise of the product: tests of the tooling, drills, and the contract over TLS
  --running   uses the stack that "npm start" runs, or the one that SSS_STACK names, which saves starting one; without
              the faults, which end processes. Unit tests see your sources as they are, contract tests the services as they were started.`,
    load: () => import('./test.mjs'),
  },
  mutate: {
    summary: 'changes the sources one place at a time and counts the changes that tests notice',
    help: `npm run mutate [-- PATH …] [--json]

Runs mutation testing on files or folders, with the tests of their area or folder. Without a path it mutates the business
rules, matching, retention, policies and authentication, which takes hours: a nightly workflow does that. Exits
with 1 when a score is below 85 per cent. Surviving changes are printed, scores are kept in .run/mutation/scores.json.

  --json   the scores as JSON
  --help   prints this`,
    load: () => import('./mutate.mjs'),
  },
  bench: {
    summary: 'measures how fast the real processes are on this machine',
    help: `npm run bench -- NAME [flags]

Starts the stack of \`npm start\` with empty databases, on ports of its own, measures, prints a table and removes
everything. Progress goes to stderr. One at a time, on a machine that does nothing else.

  --list           what can be measured
  --json           the result as JSON
  --check          ends with 1 when a target is missed
  --rates N,…      leads: leads a second, one run for each number (default 20,200,500)
  --seconds N      leads: how long leads are sent at each rate (default 15)
  --rows N         leads, finding: settled leads in the tables; leads measures without them first. A million need
                   6 GB of disk and some ten minutes
  --deliveries N   deliveries: events in each run (default 50000)
  --short          a moment of everything, to see that it works
  --secure         the parts talk to each other over TLS
  --traced         every request is traced to a collector of the stack's own
  --state DIR      keeps the databases in DIR while it measures, instead of .run/bench
  --help           prints this`,
    load: () => import('./bench.mjs'),
  },
  drill: {
    summary: 'loses and restores a stack under load, or upgrades one, and looks at what is promised of that',
    help: `npm run drill -- [NAME] [flags]

Works on a stack of its own, on ports of its own, and removes everything. Progress goes to stderr. Exits with 0 only
when everything that is promised held.

  restore    (without a name) backs up, loses everything under load, restores it to a moment; see docs/backup.md
  upgrade    replaces the release that deploy/previous-release names by this one, and goes back once; see
             docs/upgrading.md

  --short      fewer leads; the same promises
  --json       the result as JSON
  --secure     the parts talk to each other over TLS
  --state DIR  keeps the stack in DIR while it lasts, instead of .run/drill
  --help       prints this`,
    load: () => import('./drill.mjs'),
  },
  bundle: {
    summary:
      'writes the files of every image: each process and its commands, with all that they need but Node',
    help: `npm run bundle -- [NAME …] [flags]

Bundles every process, or only the named ones, into folders of their own. deploy/Dockerfile copies them into images.

  --out DIR  where they are written, one folder for each (default .run/images)
  --json     the result as JSON: sizes, and the packages that are inside
  --help     prints this`,
    load: () => import('./bundle.mjs'),
  },
  'sss:pack': {
    summary: "makes of the staff's command line a package that npm can install",
    help: `npm run sss:pack [-- flags]

Bundles services/staff-cli into one file for Node 20 or later, and packs it as sss-VERSION.tgz:
\`npm install --global .run/packages/sss-VERSION.tgz\` installs it, without a registry.

  --out DIR  where the package is written (default .run/packages)
  --json     the result as JSON
  --help     prints this`,
    load: () => import('./sss-pack.mjs'),
  },
  'trial-issuer': {
    summary: 'makes an issuer of staff tokens for a release that is tried out',
    help: `npm run trial-issuer [-- flags]

Writes values.json, by which the chart trusts the issuer (helm install --values), and token, an administrator's for
12 hours. Run it again for a new token: the key stays. Whoever can read the folder can do everything in that release.

  --to DIR   where it is kept (default .run/trial)
  --help     prints this`,
    load: () => import('./trial-issuer.mjs'),
  },
  'prepare:install': {
    summary: 'makes up the secrets of an installation, and what is applied of them',
    help: prepareHelp('npm run prepare:install --'),
    load: () => import('./prepare-install.mjs'),
  },
  images: {
    summary: 'builds every image with podman or docker, and prints its size',
    help: `npm run images -- [NAME …] [flags]

Builds deploy/Dockerfile, one target for each process, or only for the named ones.

  --engine NAME       podman (default) or docker
  --build-image NAME  what the build starts from: Node 20 or later with npm (default node:24-bookworm-slim)
  --base-image NAME   what the images start from: Node 24 (default distroless nodejs24-debian12:nonroot)
  --debootstrap       makes both from Debian's packages and this machine's Node, where no registry of images is
                      reachable (kept in ~/.cache/supplier-submissions/images); needs root, debootstrap and podman
  --twice             builds everything again from nothing, and fails unless the layers are the same
  --source URL        the label that says where the sources are kept
  --tag TAG           the tag of the images (default dev)
  --load WHERE        gives them to kind (the cluster that --cluster names, default leads), or to the machine's docker
                      or podman: builds by podman are in a store of their own
  --json              the result as JSON
  --help              prints this`,
    load: () => import('./images.mjs'),
  },
  cluster: {
    summary:
      'installs the chart on a real cluster, a node of its own or any, and upgrades and disturbs it under load',
    help: `npm run cluster [-- flags]

Builds the images, starts a Kubernetes node for the while (etcd, Kubernetes, containerd and CoreDNS in namespaces without a
way out, which leave nothing behind), and installs the chart there with the values for kind: the main job; upgrade,
restart, rollback, eviction, drain and a certificate's renewal under load, with no failed create; killed pods, a container
out of memory, a loss of power, with no lost lead; a migration that fails; uninstall. Exit code 0 only when every step
held. It says what it does at least every ten seconds, with the time since its start. The first time takes ten minutes
longer, in which Go builds Helm and Kubernetes; images are kept until their sources change.

A node needs Linux, root, and:
${describeClusterNeeds()}

  --context NAME   on the cluster that kubectl knows by it, in a namespace of its own (supplier-trial) that is deleted
                   afterwards; without what takes a node of ours: webhooks, loss of power, hanging processes, a migration
                   that fails, the connections of pods. Needs kubectl, and the images in a registry
  --registry NAME  where that cluster gets the images from (default localhost)
  --tag TAG        their tag (default dev)
  --short          without a migration that fails, a process that hangs and the release from a registry
  --rate N         creates a second while pods are replaced (default 25)
  --helm 3|4       which Helm (default 4)
  --keep           goes on serving afterwards, until Ctrl-C
  --json           the result as JSON
  --help           prints this`,
    lacks: lacksForCluster,
    load: () => import('./cluster.mjs'),
  },
  release: {
    summary: 'checks what is to be released, and pushes its images and its chart to a registry',
    help: `npm run release -- STEP [flags]

One step of a release; .github/workflows/release.yml makes all of them, and signs what they push. See docs/releasing.md.

  check   refuses a tag that is not the version of package.json and Chart.yaml, a version that CHANGELOG.md says
          nothing of, and files that are not committed; prints the version
  notes   prints the version's section of CHANGELOG.md, with links into the repository
  push    builds every image with podman for each platform, and pushes it by its version; writes images.json, and
          sbom/NAME.cdx.json with the bill of materials of each
  chart   packages the chart with the digests of images.json, and pushes it to REGISTRY/charts; writes chart.json

  --tag TAG            check: the tag (default v and the version)
  --branch NAME        check: refuses a commit that is not in it (origin/main)
  --registry NAME      push, chart: HOST[:PORT][/PATH], such as ghcr.io/owner
  --source URL         notes, push: where the repository is
  --platform NAME      push: one of the platforms, again for each (default linux/amd64 and linux/arm64)
  --debootstrap        push: as in npm run images, for this machine's platform alone
  --plain-http         push, chart: the registry has no TLS
  --trial              push, chart: files need not be committed
  --out DIR            where files are written and read (default .run/release)
  --help               prints this`,
    load: () => import('./release.mjs'),
  },
  verify: {
    summary: 'runs every static check and prints one line for each',
    help: `npm run verify [-- name …]

Runs every static check (or only the named ones) to the end, prints one line with its time for each, and the
output of those that failed. Exits non-zero when any failed.`,
    load: () => import('./verify.mjs'),
  },
  format: {
    summary: 'formats the sources and applies the safe fixes of the linter',
    help: 'npm run format\n\nFormats TypeScript, JavaScript, JSON and protos in place and applies safe lint fixes.',
    load: () => import('./format.mjs'),
  },
  generate: {
    summary:
      'generates the code of contracts and database clients, docs/openapi and the schemas of databases again',
    help: 'npm run generate\n\nGenerates proto/gen, the database client of every service, docs/openapi, and from the migrations schema.sql, also when\nnothing changed.',
    load: () => import('./generate.mjs'),
  },
};

/** One line per command. */
export function describeCommands() {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`);
  return ['usage: node deploy/commands/bootstrap.mjs <command> [arguments | --help]', '', ...lines].join(
    '\n',
  );
}
