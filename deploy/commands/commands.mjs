import { prepareHelp } from '../prepare/help.mjs';
import { describeClusterNeeds, missingForCluster } from './needs.mjs';

/** Every package script: its help, and the TypeScript program or the module that does the work. */
export const commands = {
  start: {
    help: `npm start [-- flags]

Starts PostgreSQL, NATS, every service and a webhook receiver as real processes, submits a sample
enquiry, and serves until Ctrl-C.

  --background   returns when everything is ready, without the demonstration; "npm stop" ends it
  --once         exits after the demonstration or the sample data, with 0 only if every step succeeded
  --no-demo      serves without the demonstration
  --sample-data  adds 500 submissions of six suppliers instead of the demonstration; repeating it adds nothing
  --fresh        deletes the state of earlier runs first (downloaded tools stay)
  --secure       uses TLS between services, with a certificate and permissions for each
  --traced       traces every process, and keeps the spans in DIR/traces/spans.jsonl
  --unsynced     doesn't wait for the disk, and keeps databases in memory: for tests only; needs --fresh
  --watch        restarts a process when its sources change, and shows edits of the console in open pages;
                 a new migration needs a new start
  --bundled      runs the services from bundles, as images do, instead of from sources
  --state DIR    keeps the state in DIR instead of .run
  --help         prints this`,
    program: 'deploy/local/start.ts',
    flags: ['--max-semi-space-size=4'],
  },
  stop: {
    help: `npm stop [-- --state DIR]

Stops the stack of "npm start", wherever it was started, and waits until its processes have ended.

  --state DIR  the folder of its state, instead of .run
  --help       prints this`,
    module: './background.mjs',
    // Stopping needs nothing that is installed.
    asItIs: true,
  },
  test: {
    help: `npm test [-- [--all] [--running] [--repeat-failed] [--complete FOLDER] [jest arguments]]
npm test -- --changed [REF] [--running] [jest arguments]

Starts PostgreSQL and NATS for unit tests and, beside them, a stack with TLS for contract and end-to-end tests, both fresh and
under .run/test. Arguments go to jest: a path or pattern selects tests, -t selects by name.

  --all       also runs the slower tests, as CI does: each screen of the console in a browser, faults, drills, examples of the
              guides, generated clients, the model and the tooling
  --running   uses the stack of "npm start", or the one that SSS_STACK names, and leaves out fault tests, which kill processes.
              Unit tests use your present sources, contract tests the services as they were started
  --repeat-failed
              runs up to ten failed files again, alone, and names those that pass only then
  --changed   only tests that your changes since REF (default: main) can reach: those that import a changed file or are in its
              folder; after a change in a service, also contract tests that name an RPC of the story, or whose folder is
              named after the story or the service; after a change of a screen, also its browser tests. Leaves end-to-end
              tests, faults and drills to --all, unless you changed their folder. Starts only what these tests need
  --complete FOLDER
              runs what an earlier run, whose results are in FOLDER, skipped or didn't run, and adds its results`,
    module: './test.mjs',
    // Those of jest.
    takesOtherFlags: true,
  },
  mutate: {
    help: `npm run mutate [-- PATH …] [--json]

Mutates files or folders and runs the tests of their area or folder. Without a path it mutates the business rules, matching,
retention, policies and authentication, which takes hours and runs nightly. Exits with 1 when a score is below 85%. Prints
surviving mutants, and writes scores to .run/mutation/scores.json.

  --json   the scores as JSON
  --help   prints this`,
    module: './mutate.mjs',
  },
  bench: {
    help: `npm run bench -- NAME [flags]

Starts the stack of \`npm start\` with empty databases and its own ports, measures, prints a table and removes everything.
Progress goes to stderr. Run one benchmark at a time, on an idle machine.

  --list           what can be measured
  --json           the result as JSON
  --check          exits with 1 when a target is missed
  --rates N,…      leads, scale: leads a second, one run for each number (default 20,200,500)
  --seconds N      leads: how long leads are sent at each rate (default 15)
  --rows N         leads, finding: settled leads in the tables; leads measures without them first. A million need
                   6 GB of disk and some ten minutes
  --deliveries N   deliveries: events in each run (default 50000)
  --short          measures briefly, to test the benchmark itself
  --secure         uses TLS between services
  --traced         traces every request
  --state DIR      keeps the databases in DIR while it measures, instead of .run/bench
  --help           prints this`,
    program: 'test/bench/main.ts',
  },
  drill: {
    help: `npm run drill -- [NAME] [flags]

Starts a separate stack and removes it afterwards. Progress goes to stderr. Exits with 0 only if every check passed.

  restore    (default) backs up, loses everything under load, and restores to a point in time; see docs/backup.md
  upgrade    upgrades from the release in deploy/previous-release to this one, with one rollback; see docs/upgrading.md

  --short      fewer leads, the same checks
  --json       the result as JSON
  --secure     uses TLS between services
  --state DIR  keeps the stack in DIR while it lasts, instead of .run/drill
  --help       prints this`,
    program: 'test/drills/main.ts',
  },
  faults: {
    help: `npm run faults [-- flags]
npm run faults -- --planted [NAME …]

Starts a separate stack with several processes of each kind, lets suppliers and staff work while faults occur, and checks what
they saw and what the databases contain; see docs/reliability.md. Progress goes to stderr. Exits with 0 only if no rule is
broken; otherwise writes the history to .run/faults-SEED.json.

  --seed N      what clients do and which faults occur (default: a new one, which is printed)
  --minutes N   how long faults occur (default 1)
  --replicas N  processes of each kind, up to 3 (default 2)
  --only FAULT,…  only these faults, on a stack that has what they need:
                kill killHeld halt killStore partition cutOff slow lossy readOnly disconnect clock deleteStream deleteConsumer
                cutOffLeader killLeader (three NATS servers), failOver failOverWithLoss (a standby, not with --secure),
                fillDisk (root on Linux)
  --planted     instead plants known bugs into a copy of the sources, one after the other, or only the named ones. Exits with 0
                only if the expected rule reports each, and no rule reports the unchanged sources
  --json        the result as JSON
  --secure      uses TLS between services
  --state DIR   keeps the stack in DIR while it lasts, instead of .run/drill
  --help        prints this`,
    program: 'test/drills/main.ts',
    args: ['faults'],
  },
  model: {
    help: `npm run model [-- flags]

Sends random operations of suppliers and staff to the services, and compares every response and state with a model of the
contract; see docs/reliability.md. "npm test" does the same for 400 operations. Prints the seed and the shortest list of
operations that shows a difference, and exits with 1.

  --steps N  how many operations (default 100000)
  --seed N   the first sequence; with --steps 1 only that one (default: a new one, which is printed)
  --running  uses the stack of "npm start" instead of a fresh one
  --help     prints this`,
    module: './model.mjs',
  },
  bundle: {
    help: `npm run bundle -- [NAME …] [flags]

Bundles every process, or only the named ones, each into its own folder. deploy/Dockerfile copies them into images.

  --out DIR  where they are written, one folder for each (default .run/images)
  --json     the result as JSON: sizes, and the packages that are inside
  --help     prints this`,
    program: 'deploy/images/bundle-command.ts',
  },
  'sss:pack': {
    help: `npm run sss:pack [-- flags]

Bundles services/staff-cli into one file for Node 20 or later, and packs it as sss-VERSION.tgz:
\`npm install --global .run/packages/sss-VERSION.tgz\` installs it, without a registry.

  --out DIR  where the package is written (default .run/packages)
  --json     the result as JSON
  --help     prints this`,
    program: 'deploy/package/pack-command.ts',
  },
  'trial-issuer': {
    help: `npm run trial-issuer [-- flags]

Writes values.json, which makes the chart trust the issuer (helm install --values), and an administrator's token for 12
hours. Run it again for a new token: the key stays. Anyone who can read the folder has full access to that release.

  --to DIR   where it is kept (default .run/trial)
  --help     prints this`,
    program: 'deploy/local/identity/trial-issuer.ts',
  },
  'prepare:install': {
    help: prepareHelp('npm run prepare:install --'),
    program: 'deploy/prepare/prepare-command.ts',
  },
  images: {
    help: `npm run images -- [NAME …] [flags]

Builds deploy/Dockerfile, one target for each process, or only for the named ones.

  --engine NAME       podman (default) or docker
  --build-image NAME  what the build starts from: Node 20 or later with npm (default node:24-bookworm-slim)
  --base-image NAME   what the images start from: Node 24 (default distroless nodejs24-debian12:nonroot)
  --debootstrap       makes both from Debian's packages and this machine's Node, where no registry of images is
                      reachable (kept in ~/.cache/supplier-submissions/images); needs root, debootstrap and podman
  --twice             builds everything again without a cache, and fails if a layer differs
  --source URL        the address of the sources, for the image label
  --tag TAG           the tag of the images (default dev)
  --load WHERE        loads them into kind (cluster --cluster, default leads), docker or podman
  --json              the result as JSON
  --help              prints this`,
    program: 'deploy/images/build-command.ts',
  },
  cluster: {
    help: `npm run cluster [-- flags]

Builds the images, starts a temporary Kubernetes node (etcd, Kubernetes, containerd and CoreDNS, in namespaces without
network access), and installs the chart there with the values for kind. Checks the main job; upgrade, restart, rollback,
eviction, drain and certificate renewal under load, with no failed create; killed pods, a container out of memory and a
power loss, with no lost lead; a failing migration; uninstall. Exits with 0 only if every step succeeds. Reports progress at
least every ten seconds. The first run takes ten minutes longer, because Go builds Helm and Kubernetes. Images are kept until
their sources change.

The node needs Linux, root, and:
${describeClusterNeeds()}

  --context NAME   runs on the cluster of this kubectl context, in the namespace supplier-trial, which is deleted
                   afterwards. Skips webhooks, power loss, hanging processes, the failing migration and the connections of
                   pods. Needs kubectl, and the images in a registry
  --registry NAME  the registry that the cluster pulls from (default localhost)
  --tag TAG        their tag (default dev)
  --short          skips the failing migration, hanging processes and the release from a registry
  --helm 3|4       which Helm (default 4)
  --keep           keeps serving afterwards, until Ctrl-C
  --help           prints this`,
    missing: missingForCluster,
    program: 'test/cluster/cluster-command.ts',
  },
  release: {
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
    program: 'deploy/release/release-command.ts',
  },
  verify: {
    help: `npm run verify [-- name …]

Runs every static check, or only the named ones. Prints one line for each with its time, and the output of
failed checks. Exits with 1 if any failed.`,
    module: './verify.mjs',
  },
  measure: {
    help: `npm run measure [-- --json]

Prints how many files and lines each story of docs/walkthrough.md imports, directly or not, and the lines by area. Exits with
1 when a story has more files than its bound.

  --json   the measures as JSON
  --help   prints this`,
    program: 'deploy/commands/measure.ts',
  },
  format: {
    help: 'npm run format\n\nFormats TypeScript, JavaScript, JSON and protos in place and applies safe lint fixes.',
    module: './format.mjs',
  },
  generate: {
    help: 'npm run generate\n\nGenerates proto/gen, the database client of every service, docs/openapi, docs/settings.md, and the shared tables in migrations.',
    module: './generate.mjs',
  },
};

/** Returns the first argument that is a flag which no help of the command's program lists. */
export function unknownFlag({ help, program, takesOtherFlags }, args) {
  const sameProgram = Object.values(commands).filter((other) => program && other.program === program);
  const listed = [help, ...sameProgram.map((other) => other.help)].join().match(/--[a-z][-a-z]*/g) ?? [];
  const isUnknown = (argument) => argument.startsWith('--') && !listed.includes(argument.split('=', 1)[0]);
  return takesOtherFlags ? undefined : args.find(isUnknown);
}

/** The first line of every help. */
export const describeCommands = () =>
  ['usage:', ...Object.values(commands).map(({ help }) => `  ${help.split('\n', 1)}`)].join('\n');
