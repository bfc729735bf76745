// Imports go one way: proto ← lib ← services. In a service: main → context → stories → store → model.
const SERVICE = '^services/(?!lib/)([^/]+)/';
/** The services whose folders are stories, beside `model` and `store`. */
const BY_STORY = '^services/(account|billing|document|submission|webhook)/src/';
/** Modules that put a process together: they know its stories, and no story knows them. */
const ENTRY =
  '(check-store|main|migrate|renew-match-keys|rotate-keys|routes|scanner|serve-content|set-up-store|verify-audit|workers)';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Imports of types count, because files in a circle can only be read together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An unresolved import would escape every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'services-do-not-know-each-other',
      severity: 'error',
      from: { path: SERVICE },
      to: { path: '^services/(?!lib/)', pathNot: '^services/$1/' },
    },
    {
      name: 'lib-knows-no-service',
      severity: 'error',
      from: { path: '^services/lib/' },
      to: { path: ['^services/(?!lib/)', '^deploy/', '^test/'] },
    },
    {
      name: 'model-is-pure',
      comment:
        'Rules, formats and transitions: no database, no network, no process; contracts and pure libraries only.',
      severity: 'error',
      from: { path: `${SERVICE}src/model/`, pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: [
          '^services/$1/src/model/',
          '^proto/gen/',
          '^services/lib/(data/queues|text)/',
          'node_modules/(@bufbuild/(cel|protobuf)|libphonenumber-js|ipaddr\\.js|zod)/',
          // Pure parts of Node: digests, telling an address from a name, and internationalised domains.
          '^(node:)?(crypto|net|url)$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-the-store-sees-prisma',
      severity: 'error',
      from: {
        path: `${SERVICE}src/`,
        pathNot: [`${SERVICE}src/store/`, '\\.sql\\.ts$', '\\.test\\.ts$'],
      },
      to: { path: ['src/store/generated/', 'node_modules/@prisma/'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'stories-do-not-know-the-entry',
      severity: 'error',
      from: { path: `${SERVICE}src/[^/]+/`, pathNot: '\\.test\\.ts$' },
      to: { path: `^services/$1/src/${ENTRY}\\.ts$` },
    },
    {
      name: 'only-the-entry-knows-stories',
      comment:
        'What stories import, such as the context, imports none of them: a story brings what only it needs.',
      severity: 'error',
      from: { path: `${BY_STORY}[^/]+\\.ts$`, pathNot: [`/${ENTRY}\\.ts$`, '\\.test\\.ts$'] },
      to: { path: '^services/$1/src/[^/]+/', pathNot: '^services/$1/src/(model|store|object-store)/' },
    },
    {
      name: 'stories-meet-at-their-index',
      comment: 'A story imports the model, the store, and of other stories only what their index.ts exports.',
      severity: 'error',
      from: { path: `${BY_STORY}([^/]+)/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^services/$1/src/[^/]+/',
        pathNot: ['^services/$1/src/($2|model|store|object-store)/', '^services/$1/src/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'store-is-below-stories',
      severity: 'error',
      from: { path: `${BY_STORY}store/`, pathNot: '\\.test\\.ts$' },
      to: { path: '^services/$1/src/', pathNot: '^services/$1/src/(model|store|object-store)/' },
    },
    {
      name: 'benchmarks-drills-and-clusters-know-no-service',
      severity: 'error',
      from: { path: '^test/', pathNot: '\\.test\\.ts$' },
      to: { path: '^services/(?!lib/)' },
    },
    {
      name: 'no-imports-of-the-stack',
      severity: 'error',
      from: { path: '^(services|proto)/' },
      to: { path: ['^deploy/', '^test/'] },
    },
    {
      name: 'no-imports-of-tests',
      severity: 'error',
      from: { path: '^(services|proto|deploy|charts)/' },
      to: { path: '^test/' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: ['node_modules', 'src/store/generated'] },
    exclude: {
      path: [
        'src/store/generated/(internal|models|commonInputTypes|enums|browser)',
        '^services/gateway/guides/',
        '^services/console/dist/',
      ],
    },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
